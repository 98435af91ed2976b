package tirpass

import "hone/compiler/tir"

// maxPeeled is how many iterations may come off the end of one loop.
const maxPeeled = 2

// PeelTails takes the last iterations off serial loops whose conditions only they
// can violate: the tail of a reduction that its factor does not divide. Before
// them the condition is gone; in them the loop variable is a constant, so that a
// condition on vector lanes becomes a number of lanes.
func PeelTails(s tir.Stmt) tir.Stmt { return peel(s, bounds{}) }

func peel(s tir.Stmt, b bounds) tir.Stmt {
	switch x := s.(type) {
	case *tir.Seq:
		out := make([]tir.Stmt, len(x.Stmts))
		for i, y := range x.Stmts {
			out[i] = peel(y, b)
		}
		return tir.NewSeq(out...)
	case *tir.If:
		c := &tir.If{Cond: x.Cond, Then: peel(x.Then, b)}
		if x.Else != nil {
			c.Else = peel(x.Else, b)
		}
		return guardedIf(c)
	case *tir.For:
		c := *x
		c.Body = peel(x.Body, b.loop(x))
		if c.Body == nil {
			return nil
		}
		return peelLoop(&c, b)
	}
	return s
}

// peelLoop splits one loop where that decides all conditions on its variable in
// the part before the tail.
func peelLoop(l *tir.For, b bounds) tir.Stmt {
	lo, ok1 := tir.AsInt(l.Min)
	n, ok2 := tir.AsInt(l.Extent)
	if !ok1 || !ok2 || l.Kind != tir.Serial || indexesStore(l.Body, l.Var) || !mentions(l.Body, l.Var) {
		return l
	}
	for k := int64(1); k <= min(maxPeeled, n-1); k++ {
		head := *l
		head.Extent = tir.IntOf(n-k, l.Extent.DType())
		inside := b.loop(&head)
		decided := rewriteConditions(l.Body, inside, func(e tir.Expr, in bounds) tir.Expr { return in.decide(e) })
		if decided == nil || mentions(decided, l.Var) {
			continue
		}
		head.Body = decided
		out := []tir.Stmt{&head}
		for i := n - k; i < n; i++ {
			at := map[*tir.Var]tir.Expr{l.Var: tir.IntOf(lo+i, l.Var.Type)}
			out = append(out, freshen(hoist(tir.SubstituteStmt(l.Body, at), b)))
		}
		return tir.NewSeq(out...)
	}
	return l
}

// mentions reports whether a condition in s uses v.
func mentions(s tir.Stmt, v *tir.Var) bool {
	found := false
	walkConditions(s, bounds{}, func(e tir.Expr, _ bounds) {
		found = found || tir.UsesVar(e, func(x *tir.Var) bool { return x == v })
	})
	return found
}
