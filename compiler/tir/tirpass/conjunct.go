package tirpass

import "hone/compiler/tir"

// conjuncts splits a condition at its top-level ands.
func conjuncts(e tir.Expr) []tir.Expr {
	if b, ok := e.(*tir.Binary); ok && b.Op == tir.OpAnd {
		return append(conjuncts(b.A), conjuncts(b.B)...)
	}
	if c, ok := e.(*tir.Call); ok && c.Op == "likely" {
		return conjuncts(c.Args[0])
	}
	return []tir.Expr{e}
}

// conjunction joins conditions; none is true.
func conjunction(cs []tir.Expr) tir.Expr {
	out := tir.Expr(tir.True)
	for _, c := range cs {
		out = tir.And(out, c)
	}
	return out
}

// atLeastZero reads an integer comparison as one or two linear forms that must
// be ≥ 0 (two for equality); ok is false for anything else.
func (b bounds) atLeastZero(e tir.Expr) (forms []lin, ok bool) {
	c, isBin := e.(*tir.Binary)
	if !isBin || !c.Op.IsCompare() || !c.A.DType().IsInt() {
		return nil, false
	}
	diff := b.linear(c.A)
	diff.terms = append([]term(nil), diff.terms...)
	diff.addScaled(b.linear(c.B), -1)
	neg := func(l lin, less int64) lin {
		var o lin
		o.addScaled(l, -1)
		o.c -= less
		return o
	}
	switch c.Op {
	case tir.OpGE:
		return []lin{diff}, true
	case tir.OpGT:
		diff.c--
		return []lin{diff}, true
	case tir.OpLE:
		return []lin{neg(diff, 0)}, true
	case tir.OpLT:
		return []lin{neg(diff, 1)}, true
	case tir.OpEQ:
		return []lin{diff, neg(diff, 0)}, true
	}
	return nil, false
}

// decide folds the parts of a condition that the bounds settle.
func (b bounds) decide(e tir.Expr) tir.Expr {
	switch x := e.(type) {
	case *tir.Not:
		return tir.NewNot(b.decide(x.A))
	case *tir.Binary:
		switch x.Op {
		case tir.OpAnd:
			return tir.And(b.decide(x.A), b.decide(x.B))
		case tir.OpOr:
			return tir.Or(b.decide(x.A), b.decide(x.B))
		}
		forms, ok := b.atLeastZero(e)
		if !ok {
			return e
		}
		all := true
		for _, f := range forms {
			iv := b.bound(f)
			if iv.hi < 0 {
				return tir.False
			}
			all = all && iv.lo >= 0
		}
		if all {
			return tir.True
		}
	}
	return e
}
