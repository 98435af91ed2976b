package arith

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// decided returns True or False when a constraint says so, else nil.
func (a *Analyzer) decided(e tir.Expr) tir.Expr {
	for _, c := range a.lits {
		if Same(c, e) {
			return tir.True
		}
		if opposite(c, e) {
			return tir.False
		}
	}
	return nil
}

// opposite reports whether x and y are built as negations of each other.
func opposite(x, y tir.Expr) bool {
	if n, ok := x.(*tir.Not); ok && Same(n.A, y) {
		return true
	}
	if n, ok := y.(*tir.Not); ok && Same(n.A, x) {
		return true
	}
	p, ok1 := x.(*tir.Binary)
	q, ok2 := y.(*tir.Binary)
	if !ok1 || !ok2 || !p.Op.IsCompare() || !q.Op.IsCompare() {
		return false
	}
	flipped := func() bool { return Same(p.A, q.B) && Same(p.B, q.A) }
	straight := func() bool { return Same(p.A, q.A) && Same(p.B, q.B) }
	switch [2]tir.BinOp{p.Op, q.Op} {
	case [2]tir.BinOp{tir.OpLT, tir.OpLE}, [2]tir.BinOp{tir.OpLE, tir.OpLT},
		[2]tir.BinOp{tir.OpGT, tir.OpGE}, [2]tir.BinOp{tir.OpGE, tir.OpGT}:
		return isIndexElem(p.A.DType()) && flipped()
	case [2]tir.BinOp{tir.OpLT, tir.OpGE}, [2]tir.BinOp{tir.OpGE, tir.OpLT},
		[2]tir.BinOp{tir.OpLE, tir.OpGT}, [2]tir.BinOp{tir.OpGT, tir.OpLE}:
		return isIndexElem(p.A.DType()) && straight()
	case [2]tir.BinOp{tir.OpEQ, tir.OpNE}, [2]tir.BinOp{tir.OpNE, tir.OpEQ}:
		return straight() || flipped()
	}
	return false
}

// logic joins two simplified conditions.
func (s simplifier) logic(op tir.BinOp, l, r tir.Expr) tir.Expr {
	e := tir.Rebuild(op, l, r)
	if b := as(op, e); b != nil {
		if x := s.ruleLogic(b); x != nil {
			return x
		}
	}
	return e
}

// ruleLogic simplifies and/or of two simplified conditions.
func (s simplifier) ruleLogic(x *tir.Binary) tir.Expr {
	a, b := x.A, x.B
	if x.T.Lanes > 1 {
		return nil
	}
	if Same(a, b) {
		return a
	}
	if opposite(a, b) {
		return tir.BoolImm(x.Op == tir.OpOr)
	}
	if q := as(x.Op, b); q != nil {
		// Chains lean to the left.
		return s.logic(x.Op, s.logic(x.Op, a, q.A), q.B)
	}
	if x.Op == tir.OpAnd {
		if disjoint(a, b) {
			return tir.False
		}
		return nil
	}
	if disjoint(s.negate(a), s.negate(b)) {
		return tir.True
	}
	// x < y or y < x is x != y.
	p, q := as(tir.OpLT, a), as(tir.OpLT, b)
	if p != nil && q != nil && Same(p.A, q.B) && Same(p.B, q.A) {
		if isConst(p.A) {
			return tir.NewBinary(tir.OpNE, p.B, p.A)
		}
		return tir.NewBinary(tir.OpNE, p.A, p.B)
	}
	return nil
}

// disjoint reports whether two conditions on one expression exclude each other
// by their constants, such as x < 3 and 5 < x.
func disjoint(a, b tir.Expr) bool {
	x, p, ok1 := limits(a)
	y, q, ok2 := limits(b)
	if !ok1 || !ok2 || !Same(x, y) {
		return false
	}
	r := p.Intersect(q)
	return r.Lo > r.Hi
}

// limits reads a comparison of an index expression with a constant as an
// interval of that expression.
func limits(e tir.Expr) (tir.Expr, Bound, bool) {
	c, ok := e.(*tir.Binary)
	if !ok || !c.Op.IsCompare() || !isIndex(c.A.DType()) {
		return nil, Bound{}, false
	}
	x, op := c.A, c.Op
	k, ok := tir.AsInt(c.B)
	if !ok {
		if k, ok = tir.AsInt(c.A); !ok {
			return nil, Bound{}, false
		}
		x, op = c.B, flip(op)
	}
	switch op {
	case tir.OpLT:
		return x, Bound{NegInf, k - 1}, true
	case tir.OpLE:
		return x, Bound{NegInf, k}, true
	case tir.OpGT:
		return x, Bound{k + 1, PosInf}, true
	case tir.OpGE:
		return x, Bound{k, PosInf}, true
	case tir.OpEQ:
		return x, Bound{k, k}, true
	}
	return nil, Bound{}, false
}

// flip is the comparison with its sides exchanged.
func flip(op tir.BinOp) tir.BinOp {
	switch op {
	case tir.OpLT:
		return tir.OpGT
	case tir.OpLE:
		return tir.OpGE
	case tir.OpGT:
		return tir.OpLT
	case tir.OpGE:
		return tir.OpLE
	}
	return op
}

// ruleVector joins ramps and broadcasts under arithmetic of integer vectors.
func (s simplifier) ruleVector(x *tir.Binary) tir.Expr {
	p, ok1 := x.A.(*tir.Broadcast)
	q, ok2 := x.B.(*tir.Broadcast)
	if ok1 && ok2 && p.Lanes == q.Lanes && !x.Op.IsLogic() {
		return &tir.Broadcast{Value: s.again(tir.Rebuild(x.Op, p.Value, q.Value)), Lanes: p.Lanes}
	}
	if x.T.Code != dtype.Int || x.Op.IsCompare() {
		return nil
	}
	r, ok3 := x.A.(*tir.Ramp)
	t, ok4 := x.B.(*tir.Ramp)
	ramp := func(base, stride tir.Expr) tir.Expr {
		return &tir.Ramp{Base: s.again(base), Stride: s.again(stride), Lanes: int(x.T.Lanes)}
	}
	switch {
	case x.Op == tir.OpAdd && ok3 && ok4:
		return ramp(tir.Add(r.Base, t.Base), tir.Add(r.Stride, t.Stride))
	case x.Op == tir.OpAdd && ok3 && ok2:
		return ramp(tir.Add(r.Base, q.Value), r.Stride)
	case x.Op == tir.OpAdd && ok1 && ok4:
		return ramp(tir.Add(p.Value, t.Base), t.Stride)
	case x.Op == tir.OpSub && ok3 && ok4:
		return ramp(tir.Sub(r.Base, t.Base), tir.Sub(r.Stride, t.Stride))
	case x.Op == tir.OpSub && ok3 && ok2:
		return ramp(tir.Sub(r.Base, q.Value), r.Stride)
	case x.Op == tir.OpMul && ok3 && ok2:
		return ramp(tir.Mul(r.Base, q.Value), tir.Mul(r.Stride, q.Value))
	case x.Op == tir.OpMul && ok1 && ok4:
		return ramp(tir.Mul(p.Value, t.Base), tir.Mul(p.Value, t.Stride))
	}
	return nil
}
