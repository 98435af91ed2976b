package tirpass

import "hone/compiler/tir"

// unrollConditions unrolls the loops, vector loops aside, whose variables the
// remaining conditions mention, and decides what then becomes constant. Steps of a
// reduction that decide everything alike stay one loop.
func unrollConditions(s tir.Stmt, b bounds) tir.Stmt {
	if s == nil {
		return nil
	}
	used := map[*tir.Var]bool{}
	walkConditions(s, b, func(e tir.Expr, in bounds) {
		for _, p := range conjuncts(e) {
			if _, ok := asTileCond(p, in, b); ok {
				tir.Walk(p, func(x tir.Expr) bool {
					if v, ok := x.(*tir.Var); ok {
						used[v] = true
					}
					return true
				})
			}
		}
	})
	pick := func(l *tir.For) bool { return used[l.Var] && l.Kind != tir.Vectorized }
	u, ok := unrollEach(s, pick, 4*maxTileStores, func(l *tir.For) (tir.Stmt, bool) { return unrollUndecided(l, b) })
	if !ok {
		return s
	}
	return hoist(u, b)
}

// maxTileRows is how many rows a register tile may have. A longer loop over what it
// stores is no part of one.
const maxTileRows = 16

// unrollUndecided unrolls l, but for the runs of steps whose range alone decides the
// conditions on its variable: those are the rows of taps inside the padding, and the
// rows that an epilogue finds in the last tile.
func unrollUndecided(l *tir.For, b bounds) (tir.Stmt, bool) {
	lo, ok1 := tir.AsInt(l.Min)
	n, ok2 := tir.AsInt(l.Extent)
	if !ok1 || !ok2 || l.Kind != tir.Serial || n <= maxTileRows && indexesStore(l.Body, l.Var) {
		return unrollLoop(l)
	}
	var out []tir.Stmt
	for at := int64(0); at < n; {
		part := *l
		part.Min, part.Extent = tir.IntOf(lo+at, l.Var.Type), tir.IntOf(1, l.Var.Type)
		size := int64(1)
		for k := n - at; k > 1; k-- {
			run := part
			run.Extent = tir.IntOf(k, l.Var.Type)
			run.Body = rewriteConditions(l.Body, b.loop(&run), func(e tir.Expr, in bounds) tir.Expr { return in.decide(e) })
			if run.Body == nil || !mentions(run.Body, l.Var) {
				part, size = run, k
				break
			}
		}
		at += size
		switch {
		case part.Body == nil:
		case size > 1:
			out = append(out, freshen(&part))
		default:
			u, ok := unrollLoop(&part)
			if !ok {
				return nil, false
			}
			out = append(out, u)
		}
	}
	return tir.NewSeq(out...), true
}
