package arith

import (
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// term is ((index % upper) // lower) * scale; upper PosInf means no modulus. A
// sum is a run of terms on the analyzer's stack, from a mark to the top, plus a
// constant. Terms of one index stand together, larger lower factors first.
type term struct {
	index               tir.Expr
	lower, upper, scale int64
	floor               bool // the quotient and remainder round down, not to zero
}

func atom(e tir.Expr) term { return term{index: e, lower: 1, upper: PosInf, scale: 1} }

// bare reports whether x is a multiple of its index, so that it may be read as
// of either rounding.
func (x *term) bare() bool { return x.lower == 1 && x.upper == PosInf }

func (x *term) rounds(floor bool) bool { return x.floor == floor || x.bare() }

// addTerm adds t to the run at m.
func (a *Analyzer) addTerm(m int, t term) {
	if t.scale == 0 {
		return
	}
	i := m
	for i < len(a.terms) && !Same(a.terms[i].index, t.index) {
		i++
	}
	for ; i < len(a.terms); i++ {
		u := &a.terms[i]
		if t.lower > u.lower || !Same(u.index, t.index) {
			break
		}
		if t.lower == u.lower && t.upper == u.upper && t.rounds(u.floor) {
			u.scale += t.scale
			return
		}
	}
	a.terms = slices.Insert(a.terms, i, t)
}

// merge adds the run at mid, times sign, to the run [m, mid).
func (a *Analyzer) merge(m, mid int, sign int64) {
	if mid == len(a.terms) {
		return
	}
	if m == mid {
		if sign < 0 {
			for i := m; i < len(a.terms); i++ {
				a.terms[i].scale = -a.terms[i].scale
			}
		}
		return
	}
	var buf [4]term
	rest := append(buf[:0], a.terms[mid:]...)
	a.terms = a.terms[:mid]
	for _, t := range rest {
		t.scale *= sign
		a.addTerm(m, t)
	}
}

// separate reorders the run at m so that the terms whose scale is a multiple of
// k come first, and returns where the others start.
func (a *Analyzer) separate(m int, k int64) int {
	mid := m
	for i := m; i < len(a.terms); i++ {
		if a.terms[i].scale%k != 0 {
			continue
		}
		t := a.terms[i]
		copy(a.terms[mid+1:i+1], a.terms[mid:i])
		a.terms[mid] = t
		mid++
	}
	return mid
}

// squash joins terms of the run at m, x//c*c + x%c being x, drops zero terms
// and sorts by falling scale, then factors; ties keep their order.
func (a *Analyzer) squash(m int) {
	ts := a.terms[m:]
	for i := range ts {
		for j := i + 1; j < len(ts) && ts[i].scale != 0; j++ {
			x, y := &ts[i], &ts[j]
			if !Same(x.index, y.index) || x.upper < y.lower {
				break
			}
			if x.upper == y.upper && x.lower == y.lower && x.rounds(y.floor) {
				y.scale += x.scale
				x.scale = 0
			} else if joins(x, y) {
				y.upper = x.upper
				x.scale = 0
			}
		}
	}
	n := 0
	for i := range ts {
		if ts[i].scale != 0 {
			ts[n] = ts[i]
			n++
		}
	}
	a.terms = a.terms[:m+n]
	if n > 1 {
		sortTerms(ts[:n])
	}
}

// joins reports whether x continues y upwards: with the lower factor of x equal
// to the modulus of y, (i%u)//(c·l)·(c·s) + (i%(c·l))//l·s = (i%u)//l·s.
func joins(x, y *term) bool {
	return x.lower == y.upper && y.scale != 0 && x.scale%y.scale == 0 &&
		x.lower == x.scale/y.scale*y.lower && x.rounds(y.floor)
}

func sortTerms(ts []term) {
	for i := 1; i < len(ts); i++ {
		for j := i; j > 0 && termBefore(&ts[j], &ts[j-1]); j-- {
			ts[j], ts[j-1] = ts[j-1], ts[j]
		}
	}
}

func termBefore(x, y *term) bool {
	switch {
	case x.scale != y.scale:
		return x.scale > y.scale
	case x.lower != y.lower:
		return x.lower > y.lower
	case x.upper != y.upper:
		return x.upper > y.upper
	}
	return x.floor && !y.floor
}

// expr writes x times by as an expression of type t.
func (x *term) expr(by int64, t dtype.DType) tir.Expr {
	if x.scale == 0 {
		return tir.IntOf(0, t)
	}
	e := x.index
	mod, div := tir.OpMod, tir.OpDiv
	if x.floor {
		mod, div = tir.OpFloorMod, tir.OpFloorDiv
	}
	if x.upper != PosInf {
		e = tir.Arith(mod, e, tir.IntOf(x.upper, t))
	}
	if x.lower != 1 {
		e = tir.Arith(div, e, tir.IntOf(x.lower, t))
	}
	if s := x.scale * by; s != 1 {
		e = tir.Mul(e, tir.IntOf(s, t))
	}
	return e
}

// is reports whether e is exactly what x.expr writes with the given scale.
func (x *term) is(e tir.Expr, scale int64) bool {
	mod, div := tir.OpMod, tir.OpDiv
	if x.floor {
		mod, div = tir.OpFloorMod, tir.OpFloorDiv
	}
	return (scale == 1 || peel(&e, tir.OpMul, scale)) && (x.lower == 1 || peel(&e, div, x.lower)) &&
		(x.upper == PosInf || peel(&e, mod, x.upper)) && Same(e, x.index)
}

// peel replaces e op k by e.
func peel(e *tir.Expr, op tir.BinOp, k int64) bool {
	b, ok := (*e).(*tir.Binary)
	if !ok || b.Op != op || !tir.IsConst(b.B, k) {
		return false
	}
	*e = b.A
	return true
}

// boundTerm bounds a term by the bounds of its parts.
func (a *Analyzer) boundTerm(t *term) Bound {
	if t.bare() {
		return a.Bound(t.index).scale(t.scale)
	}
	u := *t
	u.scale = 1
	return a.Bound(u.expr(1, t.index.DType())).scale(t.scale)
}

func (a *Analyzer) boundTerms(m int, base int64) Bound {
	b := Bound{base, base}
	for i := m; i < len(a.terms); i++ {
		b = b.add(a.boundTerm(&a.terms[i]))
	}
	return b
}
