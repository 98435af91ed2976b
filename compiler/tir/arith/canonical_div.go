package arith

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

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

// divTerms replaces the run at m plus base by its floor division by k > 0 and
// returns the new constant. Multiples of k divide exactly; the rest divides on
// its own, and vanishes when it lies in [0, k).
func (a *Analyzer) divTerms(m int, base, k int64, t dtype.DType) int64 {
	if k == 1 {
		return base
	}
	mid := a.separate(m, k)
	extra := base
	if base%k == 0 {
		extra = 0
	}
	base = (base - extra) / k
	for i := m; i < mid; i++ {
		a.terms[i].scale /= k
	}
	if mid == len(a.terms) {
		return base + tir.FloorDivInt(extra, k)
	}
	a.squash(mid)
	if a.boundTerms(mid, extra).Within(0, k-1) {
		a.terms = a.terms[:mid]
		return base
	}
	q, add := a.divRun(mid, extra, k, t)
	a.addTerm(m, q)
	return base + add
}

// divRun pops the run at m plus base and returns its quotient by k as one term
// and a constant.
func (a *Analyzer) divRun(m int, base, k int64, t dtype.DType) (term, int64) {
	if base == 0 && len(a.terms) == m+1 {
		x := a.terms[m]
		a.terms = a.terms[:m]
		return a.divTerm(x, k, t), 0
	}
	e := a.normal(m, base, t, nil)
	if c, ok := e.(*tir.IntImm); ok {
		return term{}, tir.FloorDivInt(c.Value, k)
	}
	return term{e, k, PosInf, 1}, 0
}

// divTerm divides one term by k.
func (a *Analyzer) divTerm(x term, k int64, t dtype.DType) term {
	if x.scale%k == 0 {
		x.scale /= k
		return x
	}
	if x.scale < 0 || k%x.scale != 0 {
		return term{a.termExpr(&x, t), k, PosInf, 1}
	}
	lower := satMul(x.lower, k/x.scale)
	switch {
	case lower == PosInf:
		return term{a.termExpr(&x, t), k, PosInf, 1}
	case x.upper == PosInf || x.upper%lower == 0:
		return term{x.index, lower, x.upper, 1}
	case x.upper <= lower:
		return term{}
	}
	mod := tir.NewBinary(tir.OpFloorMod, x.index, tir.IntOf(x.upper, t))
	return term{mod, lower, PosInf, 1}
}

// modTerms replaces the run at m plus base by its remainder modulo k > 0 and
// returns the new constant.
func (a *Analyzer) modTerms(m int, base, k int64, t dtype.DType) int64 {
	if k == 1 {
		a.terms = a.terms[:m]
		return 0
	}
	mid := a.separate(m, k)
	n := copy(a.terms[m:], a.terms[mid:])
	a.terms = a.terms[:m+n]
	if base%k == 0 {
		base = 0
	}
	if n == 0 {
		return floorMod(base, k)
	}
	a.squash(m)
	if a.boundTerms(m, base).Within(0, k-1) {
		return base
	}
	base = floorMod(base, k)
	if a.boundTerms(m, base).Within(0, k-1) {
		return base
	}
	r, add := a.modRun(m, base, k, t)
	a.addTerm(m, r)
	return add
}

func (a *Analyzer) modRun(m int, base, k int64, t dtype.DType) (term, int64) {
	if base == 0 && len(a.terms) == m+1 {
		x := a.terms[m]
		a.terms = a.terms[:m]
		return a.modTerm(x, k, t)
	}
	e := a.normal(m, base, t, nil)
	if c, ok := e.(*tir.IntImm); ok {
		return term{}, floorMod(c.Value, k)
	}
	return term{e, 1, k, 1}, 0
}

// modTerm reduces one term modulo k. With scale s dividing k = c·s it is
// (x // l · s) % k = (x % (l·c)) // l · s.
func (a *Analyzer) modTerm(x term, k int64, t dtype.DType) (term, int64) {
	switch {
	case x.scale%k == 0:
		return term{}, 0
	case x.scale < 0 || k%x.scale != 0:
		return term{a.termExpr(&x, t), 1, k, 1}, 0
	}
	upper := satMul(x.lower, k/x.scale)
	switch {
	case upper == PosInf:
		return term{a.termExpr(&x, t), 1, k, 1}, 0
	case x.upper == PosInf:
		x.upper = upper
		return x, 0
	case x.upper%upper == 0 && upper < x.upper:
		return a.narrowMod(x, upper, t)
	case upper%x.upper == 0:
		return x, 0
	}
	return term{a.termExpr(&x, t), 1, k, 1}, 0
}

// narrowMod replaces the modulus of x by a smaller one, under which the index
// may simplify further.
func (a *Analyzer) narrowMod(x term, upper int64, t dtype.DType) (term, int64) {
	m := len(a.terms)
	base := a.sum(x.index)
	base = a.modTerms(m, base, upper, t)
	if x.lower != 1 {
		base = a.divTerms(m, base, x.lower, t)
	}
	if len(a.terms) == m+1 && base == 0 {
		y := a.terms[m]
		a.terms = a.terms[:m]
		y.scale *= x.scale
		return y, 0
	}
	e := a.normal(m, base, t, nil)
	if c, ok := e.(*tir.IntImm); ok {
		return term{}, c.Value * x.scale
	}
	return term{e, 1, PosInf, x.scale}, 0
}

// termExpr builds a term as an expression, scale included.
func (a *Analyzer) termExpr(x *term, t dtype.DType) tir.Expr {
	return scaled(x, x.scale, t)
}

func scaled(x *term, scale int64, t dtype.DType) tir.Expr {
	e := x.index
	if x.upper != PosInf {
		e = tir.NewBinary(tir.OpFloorMod, e, tir.IntOf(x.upper, t))
	}
	if x.lower != 1 {
		e = tir.NewBinary(tir.OpFloorDiv, e, tir.IntOf(x.lower, t))
	}
	if scale != 1 {
		e = tir.NewBinary(tir.OpMul, e, tir.IntOf(scale, t))
	}
	return e
}
