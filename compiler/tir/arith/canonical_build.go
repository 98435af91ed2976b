package arith

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// normal pops the run at m plus base and returns it as an expression of type t.
// orig, when not nil, is returned instead of an equal new expression.
func (a *Analyzer) normal(m int, base int64, t dtype.DType, orig tir.Expr) tir.Expr {
	a.squash(m)
	ts := a.terms[m:]
	var e tir.Expr
	if orig != nil && orig.DType() == t && matches(orig, ts, base) {
		e = orig
	} else {
		e = build(ts, base, t)
	}
	a.terms = a.terms[:m]
	return e
}

// build writes squashed terms in their order: positive scales, a positive
// constant, negative scales as subtractions, a negative constant.
func build(ts []term, base int64, t dtype.DType) tir.Expr {
	var e tir.Expr
	neg := len(ts)
	for i := range ts {
		if ts[i].scale < 0 {
			neg = i
			break
		}
		e = join(tir.OpAdd, e, scaled(&ts[i], ts[i].scale, t))
	}
	if base > 0 {
		e = join(tir.OpAdd, e, tir.IntOf(base, t))
	}
	if e == nil && neg < len(ts) {
		return buildNegative(ts[neg:], base, t)
	}
	for i := neg; i < len(ts); i++ {
		e = join(tir.OpSub, e, scaled(&ts[i], -ts[i].scale, t))
	}
	switch {
	case e == nil:
		return tir.IntOf(base, t)
	case base < 0:
		return tir.NewBinary(tir.OpSub, e, tir.IntOf(-base, t))
	}
	return e
}

// buildNegative writes a sum that starts with a negative term: 0 - x, except
// that a lone multiple is a product with a negative factor.
func buildNegative(ts []term, base int64, t dtype.DType) tir.Expr {
	if len(ts) == 1 && base == 0 {
		return scaled(&ts[0], ts[0].scale, t)
	}
	var e tir.Expr = tir.IntOf(0, t)
	for i := range ts {
		e = tir.NewBinary(tir.OpSub, e, scaled(&ts[i], -ts[i].scale, t))
	}
	if base < 0 {
		e = tir.NewBinary(tir.OpSub, e, tir.IntOf(-base, t))
	}
	return e
}

func join(op tir.BinOp, e, x tir.Expr) tir.Expr {
	if e == nil {
		return x
	}
	return tir.NewBinary(op, e, x)
}

// matches reports whether e is exactly what build would write. It peels the
// operands of e from the right.
func matches(e tir.Expr, ts []term, base int64) bool {
	if len(ts) == 0 {
		return tir.IsConst(e, base)
	}
	if base < 0 {
		b, ok := e.(*tir.Binary)
		if !ok || b.Op != tir.OpSub || !tir.IsConst(b.B, -base) {
			return false
		}
		e, base = b.A, 0
	}
	n := len(ts)
	for ; n > 0 && ts[n-1].scale < 0; n-- {
		if n == 1 && base == 0 && len(ts) == 1 && matchesTerm(e, &ts[0], ts[0].scale) {
			return true
		}
		b, ok := e.(*tir.Binary)
		if !ok || b.Op != tir.OpSub || !matchesTerm(b.B, &ts[n-1], -ts[n-1].scale) {
			return false
		}
		e = b.A
	}
	if base > 0 {
		if n == 0 {
			return tir.IsConst(e, base)
		}
		b, ok := e.(*tir.Binary)
		if !ok || b.Op != tir.OpAdd || !tir.IsConst(b.B, base) {
			return false
		}
		e = b.A
	}
	if n == 0 {
		return tir.IsConst(e, 0)
	}
	for ; n > 1; n-- {
		b, ok := e.(*tir.Binary)
		if !ok || b.Op != tir.OpAdd || !matchesTerm(b.B, &ts[n-1], ts[n-1].scale) {
			return false
		}
		e = b.A
	}
	return matchesTerm(e, &ts[0], ts[0].scale)
}

func matchesTerm(e tir.Expr, x *term, scale int64) bool {
	peel := func(op tir.BinOp, k int64) bool {
		b, ok := e.(*tir.Binary)
		if !ok || b.Op != op || !tir.IsConst(b.B, k) {
			return false
		}
		e = b.A
		return true
	}
	if scale != 1 && !peel(tir.OpMul, scale) {
		return false
	}
	if x.lower != 1 && !peel(tir.OpFloorDiv, x.lower) {
		return false
	}
	if x.upper != PosInf && !peel(tir.OpFloorMod, x.upper) {
		return false
	}
	return Same(e, x.index)
}
