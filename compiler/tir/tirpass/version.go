package tirpass

import (
	"sort"

	"hone/compiler/tir"
)

// Limits of specialisation: how many stores a tile body may unroll to, and how
// many special values of one tile position get a body of their own.
const (
	maxTileStores    = 96
	maxSpecialValues = 4
)

// VersionTiles takes conditions out of register tiles. A condition inside a tile
// depends on where the tile starts and on loops of the tile; only few starts (the
// first, the last) can violate it. Each of those gets its own body, in which the
// start is a constant and the loops that the condition mentions are unrolled; in
// all others the condition is gone. This is how tails and inlined padding leave
// the hot path.
func VersionTiles(s tir.Stmt) tir.Stmt { return version(s, bounds{}) }

func version(s tir.Stmt, b bounds) tir.Stmt {
	if isTile(s) {
		if conds := tileConditions(s, b); len(conds) > 0 {
			return specialise(s, conds, b)
		}
		if !hasConditions(s) {
			return s
		}
	}
	switch x := s.(type) {
	case *tir.Seq:
		out := make([]tir.Stmt, len(x.Stmts))
		for i, y := range x.Stmts {
			out[i] = version(y, b)
		}
		return tir.NewSeq(out...)
	case *tir.If:
		c := &tir.If{Cond: x.Cond, Then: version(x.Then, b)}
		if x.Else != nil {
			c.Else = version(x.Else, b)
		}
		return guardedIf(c)
	case *tir.For:
		if x.Kind == tir.Vectorized {
			return s
		}
		c := *x
		if c.Body = version(x.Body, b.loop(x)); c.Body == nil {
			return nil
		}
		return &c
	}
	return s
}

func guardedIf(c *tir.If) tir.Stmt {
	if c.Then == nil && c.Else == nil {
		return nil
	}
	if c.Then == nil {
		return &tir.If{Cond: tir.NewNot(c.Cond), Then: c.Else}
	}
	return c
}

func hasConditions(s tir.Stmt) bool {
	found := false
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		if _, ok := x.(*tir.If); ok {
			found = true
		}
		tir.StmtExprs(x, func(e tir.Expr) {
			tir.Walk(e, func(y tir.Expr) bool {
				if c, ok := y.(*tir.Call); ok && c.Op == "if_then_else" {
					found = true
				}
				if _, ok := y.(*tir.Select); ok {
					found = true
				}
				return !found
			})
		})
		return !found
	})
	return found
}

// isTile reports whether s is small enough to be one register tile: no spatial
// loop in it contains a reduction loop, and its spatial loops, vector loops
// aside, make at most maxTileStores stores.
func isTile(s tir.Stmt) bool {
	if spatialOverReduction(s) {
		return false
	}
	spatial := func(l *tir.For) bool { return l.Kind != tir.Vectorized && indexesStore(l.Body, l.Var) }
	return countUnrolled(s, spatial) <= maxTileStores
}

// spatialOverReduction reports whether a spatial or parallel loop in s contains
// a reduction loop: then s holds several tiles.
func spatialOverReduction(s tir.Stmt) bool {
	found := false
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		if l, ok := x.(*tir.For); ok {
			found = found || l.Kind == tir.Parallel || indexesStore(l.Body, l.Var) && hasReduction(l.Body)
		}
		return !found
	})
	return found
}

func hasReduction(s tir.Stmt) bool {
	found := false
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		if l, ok := x.(*tir.For); ok && !indexesStore(l.Body, l.Var) {
			found = true
		}
		return !found
	})
	return found
}

// tileCond is sign·T + c + inner ≥ 0, T the position of the tile.
type tileCond struct {
	pos   lin
	sign  int64
	c     int64
	inner lin
	low   int64 // smallest value of inner
}

// tileConditions lists the conditions in s that mention loops of s; b holds the
// bounds outside s.
func tileConditions(s tir.Stmt, b bounds) []tileCond {
	var out []tileCond
	walkConditions(s, b, func(e tir.Expr, in bounds) {
		for _, p := range conjuncts(e) {
			if cs, ok := asTileCond(p, in, b); ok {
				out = append(out, cs...)
			}
		}
	})
	return out
}

// walkConditions calls f on the conditions of ifs and selections in s with the
// bounds in force there.
func walkConditions(s tir.Stmt, b bounds, f func(tir.Expr, bounds)) {
	tir.StmtExprs(s, func(e tir.Expr) {
		tir.Walk(e, func(x tir.Expr) bool {
			switch x := x.(type) {
			case *tir.Select:
				f(x.Cond, b)
			case *tir.Call:
				if x.Op == "if_then_else" {
					f(x.Args[0], b)
				}
			}
			return true
		})
	})
	switch x := s.(type) {
	case *tir.If:
		f(x.Cond, b)
		walkConditions(x.Then, b, f)
		if x.Else != nil {
			walkConditions(x.Else, b, f)
		}
	case *tir.Seq:
		for _, y := range x.Stmts {
			walkConditions(y, b, f)
		}
	case *tir.For:
		walkConditions(x.Body, b.loop(x), f)
	}
}

// asTileCond reads one conjunct against the bounds inside and outside the tile.
func asTileCond(e tir.Expr, in, outside bounds) ([]tileCond, bool) {
	forms, ok := in.atLeastZero(e)
	if !ok {
		return nil, false
	}
	var out []tileCond
	for _, f := range forms {
		inner, rest := f.split(func(v *tir.Var) bool { _, o := outside[v]; return !o })
		if len(inner.terms) == 0 && len(rest.terms) == 0 {
			continue
		}
		if len(inner.terms) == 0 {
			return nil, false
		}
		c := tileCond{sign: 1, c: rest.c, inner: inner, low: in.bound(inner).lo}
		rest.c = 0
		if len(rest.terms) > 0 && rest.terms[0].coef < 0 {
			c.sign = -1
			var neg lin
			neg.addScaled(rest, -1)
			rest = neg
		}
		c.pos = rest
		out = append(out, c)
	}
	return out, len(out) > 0
}

// specialise emits one body per special position of the first condition's tile
// position and goes on with the other positions inside each.
func specialise(s tir.Stmt, conds []tileCond, b bounds) tir.Stmt {
	for _, c := range conds {
		if len(c.pos.terms) == 0 {
			continue
		}
		values, covers, ok := specialValues(c.pos, conds, b)
		if !ok {
			continue
		}
		var out tir.Stmt
		if !covers {
			out = again(resolve(s, c.pos, nil, b), b)
		}
		for i := len(values) - 1; i >= 0; i-- {
			v := values[i]
			body := again(unrollConditions(fixed(s, c.pos, v, b), b), b)
			if out == nil {
				out = body
				continue
			}
			at := tir.Compare(tir.OpEQ, c.pos.expr(), tir.Int(v))
			if body == nil {
				out = &tir.If{Cond: tir.NewNot(at), Then: freshen(out)}
			} else {
				out = &tir.If{Cond: at, Then: freshen(body), Else: freshen(out)}
			}
		}
		return out
	}
	return unrollConditions(s, b)
}

// fixed is s at one value of position pos. Where the value determines a loop variable,
// that becomes a constant everywhere, and with it other positions that it makes: the
// last tile of a strided convolution is a tail and at the border at once.
func fixed(s tir.Stmt, pos lin, v int64, b bounds) tir.Stmt {
	if len(pos.terms) == 1 && v%pos.terms[0].coef == 0 {
		if x, ok := pos.terms[0].atom.(*tir.Var); ok {
			at := map[*tir.Var]tir.Expr{x: tir.IntOf(v/pos.terms[0].coef, x.Type)}
			return rewriteConditions(tir.SubstituteStmt(s, at), b, func(e tir.Expr, in bounds) tir.Expr { return in.decide(e) })
		}
	}
	return resolve(s, pos, &v, b)
}

func again(s tir.Stmt, b bounds) tir.Stmt {
	if s == nil {
		return nil
	}
	if conds := tileConditions(s, b); len(conds) > 0 {
		for _, c := range conds {
			if len(c.pos.terms) > 0 {
				return specialise(s, conds, b)
			}
		}
		return unrollConditions(s, b)
	}
	return s
}

// specialValues lists the values of pos at which some condition on it may fail;
// covers says that pos has no other value.
func specialValues(pos lin, conds []tileCond, b bounds) (values []int64, covers, ok bool) {
	r := b.bound(pos)
	step := int64(0)
	for _, t := range pos.terms {
		step = gcd(step, t.coef)
	}
	if step <= 0 || r.hi-r.lo > 1<<40 {
		return nil, false, false
	}
	seen := map[int64]bool{}
	for _, c := range conds {
		if !c.pos.same(pos) {
			continue
		}
		for k := int64(0); k <= maxSpecialValues; k++ {
			v := r.lo + k*step
			if c.sign < 0 {
				v = r.hi - k*step
			}
			if v < r.lo || v > r.hi || c.sign*v+c.c+c.low >= 0 {
				break
			}
			seen[v] = true
		}
	}
	if len(seen) > maxSpecialValues {
		return nil, false, false
	}
	for v := range seen {
		values = append(values, v)
	}
	sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	return values, int64(len(values)) == (r.hi-r.lo)/step+1, true
}

func gcd(a, b int64) int64 {
	if b < 0 {
		b = -b
	}
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// resolve rewrites the conditions on position pos: with v nil they hold,
// otherwise pos is replaced by the constant.
func resolve(s tir.Stmt, pos lin, v *int64, b bounds) tir.Stmt {
	fix := func(e tir.Expr, in bounds) tir.Expr {
		parts := conjuncts(e)
		for i, p := range parts {
			cs, ok := asTileCond(p, in, b)
			if !ok || !allAt(cs, pos) {
				continue
			}
			parts[i] = tir.True
			if v == nil {
				continue
			}
			for _, c := range cs {
				at := c.inner
				at.c += c.sign**v + c.c
				parts[i] = tir.And(parts[i], in.decide(tir.NewBinary(tir.OpGE, at.expr(), tir.IntOf(0, at.expr().DType()))))
			}
		}
		return conjunction(parts)
	}
	return rewriteConditions(s, b, fix)
}

func allAt(cs []tileCond, pos lin) bool {
	for _, c := range cs {
		if !c.pos.same(pos) {
			return false
		}
	}
	return true
}

// rewriteConditions applies fix to every condition in s under the bounds in
// force; statements whose condition becomes false disappear.
func rewriteConditions(s tir.Stmt, b bounds, fix func(tir.Expr, bounds) tir.Expr) tir.Stmt {
	onExpr := func(e tir.Expr) tir.Expr {
		return tir.RewriteExpr(e, func(x tir.Expr) tir.Expr {
			switch x := x.(type) {
			case *tir.Select:
				return tir.NewSelect(fix(x.Cond, b), x.Then, x.Else)
			case *tir.Call:
				if x.Op == "if_then_else" {
					return tir.IfThenElse(fix(x.Args[0], b), x.Args[1], x.Args[2])
				}
			}
			return x
		})
	}
	switch x := s.(type) {
	case *tir.Store:
		return &tir.Store{Buffer: x.Buffer, Value: onExpr(x.Value), Indices: x.Indices}
	case *tir.Bind:
		return &tir.Bind{Var: x.Var, Value: onExpr(x.Value)}
	case *tir.Seq:
		out := make([]tir.Stmt, len(x.Stmts))
		for i, y := range x.Stmts {
			out[i] = rewriteConditions(y, b, fix)
		}
		return tir.NewSeq(out...)
	case *tir.If:
		cond := fix(x.Cond, b)
		if v, ok := tir.AsInt(cond); ok {
			if v != 0 {
				return rewriteConditions(x.Then, b, fix)
			}
			if x.Else == nil {
				return nil
			}
			return rewriteConditions(x.Else, b, fix)
		}
		c := &tir.If{Cond: cond, Then: rewriteConditions(x.Then, b, fix)}
		if x.Else != nil {
			c.Else = rewriteConditions(x.Else, b, fix)
		}
		return guardedIf(c)
	case *tir.For:
		c := *x
		if c.Body = rewriteConditions(x.Body, b.loop(x), fix); c.Body == nil {
			return nil
		}
		return &c
	}
	return s
}
