package arith

import "hone/compiler/tir"

// ruleCompare simplifies comparisons of index type. Greater-than forms turn
// around; LE is the negation of the opposite LT; NE that of EQ.
func (s simplifier) ruleCompare(x *tir.Binary) tir.Expr {
	a, b := x.A, x.B
	switch x.Op {
	case tir.OpGT:
		return s.again(tir.CompareFold(tir.OpLT, b, a))
	case tir.OpGE:
		return s.again(tir.CompareFold(tir.OpLE, b, a))
	case tir.OpLT:
		return s.less(a, b)
	case tir.OpLE:
		if x, y, ok := unshare(a, b); ok {
			return s.again(tir.CompareFold(tir.OpLE, x, y))
		}
		if d := s.settledDifference(a, b); d.Lo == 0 && d.Hi > 0 && minMaxOf(a) == nil && minMaxOf(b) == nil {
			return s.again(tir.NewBinary(tir.OpEQ, a, b))
		}
		if r := s.less(b, a); r != nil {
			return s.negate(r)
		}
	case tir.OpEQ:
		return s.equal(a, b)
	case tir.OpNE:
		return s.unequal(a, b)
	}
	return nil
}

// unequal simplifies a != b: a strict comparison when one side is never larger.
func (s simplifier) unequal(a, b tir.Expr) tir.Expr {
	switch d := s.settledDifference(a, b); {
	case d.Lo == 0 && d.Hi > 0:
		return s.again(tir.NewBinary(tir.OpLT, b, a))
	case d.Hi == 0 && d.Lo < 0:
		return s.again(tir.NewBinary(tir.OpLT, a, b))
	}
	if r := s.equal(a, b); r != nil {
		return s.negate(r)
	}
	return nil
}

// negate is the simplified negation of a simplified condition.
func (s simplifier) negate(e tir.Expr) tir.Expr {
	switch x := e.(type) {
	case *tir.IntImm:
		return tir.BoolImm(x.Value == 0)
	case *tir.Not:
		return x.A
	case *tir.Binary:
		switch x.Op {
		case tir.OpLT:
			return tir.NewBinary(tir.OpLE, x.B, x.A)
		case tir.OpLE:
			return tir.NewBinary(tir.OpLT, x.B, x.A)
		case tir.OpEQ:
			return tir.NewBinary(tir.OpNE, x.A, x.B)
		case tir.OpNE:
			return tir.NewBinary(tir.OpEQ, x.A, x.B)
		case tir.OpAnd:
			return tir.Or(s.negate(x.A), s.negate(x.B))
		case tir.OpOr:
			return tir.And(s.negate(x.A), s.negate(x.B))
		}
	}
	return tir.NewNot(e)
}

func (s simplifier) not(x *tir.Not) tir.Expr {
	a := s.visit(x.A)
	if b, ok := a.(*tir.Binary); ok && b.T.Lanes == 1 {
		if !b.Op.IsCompare() || isIndexElem(b.A.DType()) {
			return s.again(s.negate(a))
		}
	}
	switch a := a.(type) {
	case *tir.IntImm, *tir.Not:
		return s.negate(a)
	}
	if a == x.A {
		return x
	}
	return tir.NewNot(a)
}

// equal simplifies a == b.
func (s simplifier) equal(a, b tir.Expr) tir.Expr {
	m := len(s.terms)
	s.settled++
	base := s.diff(a, b)
	s.settled--
	d := s.boundRun(m, base)
	mod := s.modularRun(m, base)
	s.terms = s.terms[:m]
	switch {
	case d.Lo == 0 && d.Hi == 0:
		return tir.True
	case d.Lo > 0 || d.Hi < 0, floorModOr(mod.Base, mod.Coeff) != 0:
		return tir.False
	}
	if isConst(a) {
		return s.again(tir.NewBinary(tir.OpEQ, b, a))
	}
	if x, y, ok := unshare(a, b); ok {
		return s.again(tir.CompareFold(tir.OpEQ, x, y))
	}
	k, ok := tir.AsInt(b)
	if !ok {
		return nil
	}
	if x, c := offset(a); c != 0 {
		return s.again(tir.NewBinary(tir.OpEQ, x, tir.IntOf(k-c, a.DType())))
	}
	if p := as(tir.OpSub, a); p != nil {
		if c, ok := tir.AsInt(p.A); ok {
			return s.again(tir.NewBinary(tir.OpEQ, p.B, tir.IntOf(c-k, a.DType())))
		}
	}
	if y, c := factor(a); c != 0 && k == 0 {
		return s.again(tir.NewBinary(tir.OpEQ, y, b))
	}
	return nil
}

// floorModOr is base modulo coeff, or base itself when coeff is 0.
func floorModOr(base, coeff int64) int64 {
	if coeff == 0 {
		return base
	}
	return floorMod(base, coeff)
}
