package arith

import "hone/compiler/tir"

// binary simplifies the operands of x, folds constants and applies the rules of
// its operation.
func (s simplifier) binary(x *tir.Binary) tir.Expr {
	switch x.Op {
	case tir.OpGT:
		return s.visit(tir.CompareFold(tir.OpLT, x.B, x.A))
	case tir.OpGE:
		return s.visit(tir.CompareFold(tir.OpLE, x.B, x.A))
	case tir.OpLT:
		if s.canon && isIndex(x.A.DType()) {
			if r := s.lessByDivisor(x); r != nil {
				return r
			}
		}
	}
	a, b := s.visit(x.A), s.visit(x.B)
	if a != x.A || b != x.B {
		x = tir.NewBinary(x.Op, a, b)
	}
	if isConst(a) || isConst(b) || a == b {
		if e := tir.Rebuild(x.Op, a, b); !sameNode(e, x) {
			return e
		}
	}
	if x.T.IsBool() {
		if r := s.decided(x); r != nil {
			return r
		}
	}
	return s.rule(x)
}

func sameNode(e tir.Expr, x *tir.Binary) bool {
	y, ok := e.(*tir.Binary)
	return ok && y.Op == x.Op && y.A == x.A && y.B == x.B
}

// rule applies the rules of one node whose operands are simplified.
func (s simplifier) rule(x *tir.Binary) tir.Expr {
	if x.T.Lanes > 1 {
		if r := s.ruleVector(x); r != nil {
			return r
		}
	}
	switch x.Op {
	case tir.OpLT:
		return s.less(x)
	case tir.OpLE:
		return s.lessEqual(x)
	case tir.OpEQ:
		return s.equal(x)
	case tir.OpNE:
		return s.unequal(x)
	}
	if isIndex(x.T) {
		if r := s.apply(rules().index[x.Op], x); r != nil {
			return r
		}
	}
	if r := s.apply(rules().all[x.Op], x); r != nil {
		return r
	}
	return x
}

func (s simplifier) less(x *tir.Binary) tir.Expr {
	if !isIndex(x.A.DType()) {
		return x
	}
	switch s.compare(x.A, x.B) {
	case isLT:
		return tir.True
	case isEQ, isGT, isGE:
		return tir.False
	}
	if r := s.apply(rules().index[tir.OpLT], x); r != nil {
		return r
	}
	return x
}

// lessEqual is the negation of the opposite less, which is proved after that.
func (s simplifier) lessEqual(x *tir.Binary) tir.Expr {
	e := s.negated(s.less(tir.NewBinary(tir.OpLT, x.B, x.A)))
	x = as(tir.OpLE, e)
	if x == nil || !isIndex(x.A.DType()) {
		return e
	}
	switch s.compare(x.A, x.B) {
	case isLE, isLT, isEQ:
		return tir.True
	case isGT:
		return tir.False
	case isNE:
		return s.less(tir.NewBinary(tir.OpLT, x.A, x.B))
	case isGE:
		return s.equal(tir.NewBinary(tir.OpEQ, x.A, x.B))
	}
	return e
}

func (s simplifier) equal(x *tir.Binary) tir.Expr {
	if !isIndex(x.A.DType()) {
		if Same(x.A, x.B) && isPure(x.A) {
			return tir.True
		}
		return x
	}
	switch s.compare(x.A, x.B) {
	case isEQ:
		return tir.True
	case isNE, isGT, isLT:
		return tir.False
	}
	if r := s.apply(rules().index[tir.OpEQ], x); r != nil {
		return r
	}
	return x
}

// unequal is a strict comparison when one side is never larger, otherwise the
// negation of the equality.
func (s simplifier) unequal(x *tir.Binary) tir.Expr {
	if isIndex(x.A.DType()) {
		switch s.compare(x.A, x.B) {
		case isNE, isGT, isLT:
			return tir.True
		case isEQ:
			return tir.False
		case isGE:
			return s.less(tir.NewBinary(tir.OpLT, x.B, x.A))
		case isLE:
			return s.less(tir.NewBinary(tir.OpLT, x.A, x.B))
		}
	}
	return s.negated(s.equal(tir.NewBinary(tir.OpEQ, x.A, x.B)))
}

func (s simplifier) not(x *tir.Not) tir.Expr {
	a := s.visit(x.A)
	if k, ok := tir.AsInt(a); ok {
		return tir.BoolImm(k == 0)
	}
	if a != x.A {
		x = &tir.Not{A: a}
	}
	if r := s.decided(x); r != nil {
		return r
	}
	return s.negation(x)
}

func (s simplifier) negated(a tir.Expr) tir.Expr { return s.negation(&tir.Not{A: a}) }

// negation applies the rules of a negation whose operand is simplified.
func (s simplifier) negation(x *tir.Not) tir.Expr {
	if v, ok := x.A.(*tir.Broadcast); ok {
		return &tir.Broadcast{Value: &tir.Not{A: v.Value}, Lanes: v.Lanes}
	}
	for i := range rules().not {
		r := &rules().not[i]
		if m := (binding{}); m.match(r.from, x) {
			return s.result(r, &m, x)
		}
	}
	return x
}
