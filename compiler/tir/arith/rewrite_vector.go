package arith

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// ruleVector joins ramps and broadcasts under arithmetic of integer vectors.
func (s simplifier) ruleVector(x *tir.Binary) tir.Expr {
	p, ok1 := x.A.(*tir.Broadcast)
	q, ok2 := x.B.(*tir.Broadcast)
	if ok1 && ok2 && p.Lanes == q.Lanes {
		return &tir.Broadcast{Value: tir.Rebuild(x.Op, p.Value, q.Value), Lanes: p.Lanes}
	}
	if x.T.Code != dtype.Int {
		return nil
	}
	r, ok3 := x.A.(*tir.Ramp)
	t, ok4 := x.B.(*tir.Ramp)
	ramp := func(base, stride tir.Expr) tir.Expr {
		return &tir.Ramp{Base: base, Stride: stride, Lanes: int(x.T.Lanes)}
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
	case x.Op == tir.OpSub && ok1 && ok4:
		return ramp(tir.Sub(p.Value, t.Base), tir.Sub(tir.IntOf(0, t.Stride.DType()), t.Stride))
	case x.Op == tir.OpMul && ok3 && ok2:
		return ramp(tir.Mul(r.Base, q.Value), tir.Mul(r.Stride, q.Value))
	case x.Op == tir.OpMul && ok1 && ok4:
		return ramp(tir.Mul(t.Base, p.Value), tir.Mul(t.Stride, p.Value))
	}
	return nil
}
