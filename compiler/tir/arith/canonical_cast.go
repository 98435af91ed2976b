package arith

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// formCast moves a cast to an index type onto the terms of its operand, where no
// value on the way can fall outside of either type.
func (a *Analyzer) formCast(x *tir.Cast) form {
	f, from := a.form(x.Value), x.Value.DType()
	if f.plain == nil {
		if a.castKeeps(f, from, x.Type) {
			for i := f.m; i < len(a.terms); i++ {
				a.terms[i].index = tir.NewCast(x.Type, a.terms[i].index)
			}
			return f
		}
		a.drop(f)
	}
	return form{plain: simplifier{a, true}.other(x)}
}

func (a *Analyzer) castKeeps(f form, from, to dtype.DType) bool {
	limit := Unbounded
	if to.Bits < 64 {
		limit = typeBound(to)
	}
	for _, x := range a.terms[f.m:] {
		if !limit.holds(x.lower) || x.upper != PosInf && !limit.holds(x.upper) {
			return false
		}
	}
	if to.Bits >= from.Bits {
		return true
	}
	return (!f.sum || a.partsFit(f, limit)) && a.digitsFit(f.m, from, limit)
}

// partsFit reports whether every partial sum of f, in the order in which build
// adds it up, stays within the limit.
func (a *Analyzer) partsFit(f form, limit Bound) bool {
	at := Bound{}
	fits := func(b Bound) bool {
		at = at.add(b)
		return at.Within(limit.Lo, limit.Hi)
	}
	base := Bound{f.base, f.base}
	ts := a.terms[f.m:]
	for i := range ts {
		if ts[i].scale > 0 && !fits(a.boundTerm(&ts[i])) {
			return false
		}
	}
	if f.base > 0 && !fits(base) {
		return false
	}
	for i := range ts {
		if ts[i].scale < 0 && !fits(a.boundTerm(&ts[i])) {
			return false
		}
	}
	return f.base >= 0 || fits(base)
}

// digitsFit reports whether every term from m on, and each of its parts, stays
// within the limit.
func (a *Analyzer) digitsFit(m int, t dtype.DType, limit Bound) bool {
	fits := func(e tir.Expr) bool { return a.Bound(e).Within(limit.Lo, limit.Hi) }
	for i := m; i < len(a.terms); i++ {
		x := a.terms[i]
		if x.scale == 0 {
			continue
		}
		whole := x
		x.scale = 1
		digit := x
		digit.lower = 1
		if !fits(x.index) || !fits(digit.expr(1, t)) || !fits(x.expr(1, t)) || !fits(whole.expr(1, t)) {
			return false
		}
	}
	return true
}
