package arith

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// normal pops f and returns it as an expression of type t. orig, when not nil,
// is returned instead of an equal new expression.
func (a *Analyzer) normal(f form, t dtype.DType, orig tir.Expr) tir.Expr {
	if f.plain != nil {
		return f.plain
	}
	if !f.sum {
		x := &a.terms[f.m]
		a.terms = a.terms[:f.m]
		if orig != nil && x.scale != 0 && orig.DType() == t && x.is(orig, x.scale) {
			return orig
		}
		return x.expr(1, t)
	}
	a.squash(f.m)
	ts := a.terms[f.m:]
	a.terms = a.terms[:f.m]
	if orig != nil && orig.DType() == t && isSumOf(orig, ts, f.base) {
		return orig
	}
	return build(ts, f.base, t)
}

// peek is normal but leaves f as it is.
func (a *Analyzer) peek(f form, t dtype.DType) tir.Expr {
	if f.plain != nil {
		return f.plain
	}
	m := len(a.terms)
	a.terms = append(a.terms, a.terms[f.m:]...)
	f.m = m
	return a.normal(f, t, nil)
}

// build writes squashed terms in their order: positive scales, a positive
// constant, negative scales as subtractions, a negative constant.
func build(ts []term, base int64, t dtype.DType) tir.Expr {
	var e tir.Expr = tir.IntOf(0, t)
	neg := len(ts)
	for i := range ts {
		if ts[i].scale < 0 {
			neg = i
			break
		}
		e = tir.Add(e, ts[i].expr(1, t))
	}
	if base > 0 {
		e = tir.Add(e, tir.IntOf(base, t))
	}
	for i := neg; i < len(ts); i++ {
		e = tir.Sub(e, ts[i].expr(-1, t))
	}
	if base < 0 {
		e = tir.Sub(e, tir.IntOf(-base, t))
	}
	return e
}

// isSumOf reports whether e is exactly what build would write. It peels the
// operands of e from the right.
func isSumOf(e tir.Expr, ts []term, base int64) bool {
	if len(ts) == 0 {
		return tir.IsConst(e, base)
	}
	if base < 0 && !peel(&e, tir.OpSub, -base) {
		return false
	}
	n := len(ts)
	for ; n > 0 && ts[n-1].scale < 0; n-- {
		b := as(tir.OpSub, e)
		if b == nil || !ts[n-1].is(b.B, -ts[n-1].scale) {
			return false
		}
		e = b.A
	}
	if base > 0 {
		if n == 0 {
			return tir.IsConst(e, base)
		}
		if !peel(&e, tir.OpAdd, base) {
			return false
		}
	}
	if n == 0 {
		return tir.IsConst(e, 0)
	}
	for ; n > 1; n-- {
		b := as(tir.OpAdd, e)
		if b == nil || !ts[n-1].is(b.B, ts[n-1].scale) {
			return false
		}
		e = b.A
	}
	return ts[0].is(e, ts[0].scale)
}
