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
	base += a.divRest(mid, extra, k, t)
	a.merge(m, mid, 1)
	return base
}

// divRest is divTerms of a squashed run of which no term is a multiple of k.
func (a *Analyzer) divRest(m int, base, k int64, t dtype.DType) int64 {
	if a.boundTerms(m, base).Within(0, k-1) {
		a.terms = a.terms[:m]
		return 0
	}
	if c := a.equalScale(m); c > 1 && k%c == 0 && base%c == 0 {
		for i := m; i < len(a.terms); i++ {
			a.terms[i].scale = 1
		}
		return a.divTerms(m, base/c, k/c, t)
	}
	if c, mid := a.commonScale(m, base, k); c != 0 {
		// (D·c + r) // (k'·c) = D // k' for r in [0, c).
		a.terms = a.terms[:mid]
		for i := m; i < mid; i++ {
			a.terms[i].scale /= c
		}
		return a.divTerms(m, 0, k/c, t)
	}
	if len(a.terms) == m+1 {
		x := a.terms[m]
		a.terms = a.terms[:m]
		if base == 0 {
			if e := divMinMax(&x, k); e != nil {
				return a.sum(e)
			}
			a.addTerm(m, a.divTerm(x, k, t))
			return 0
		}
		if shift := satMul(base, x.lower); x.scale == 1 && x.upper == PosInf && x.lower > 1 && shift < PosInf && shift > NegInf {
			// (x//l + b) // k = (x + b·l) // (l·k)
			b := a.settledSum(x.index)
			return a.divTerms(m, b+shift, satMul(k, x.lower), t)
		}
		a.terms = append(a.terms, x)
	}
	e := a.normal(m, base, t, nil)
	if c, ok := e.(*tir.IntImm); ok {
		return tir.FloorDivInt(c.Value, k)
	}
	a.terms = append(a.terms, term{e, k, PosInf, 1})
	return 0
}

// equalScale is the scale that all terms of the run at m have, or 0.
func (a *Analyzer) equalScale(m int) int64 {
	ts := a.terms[m:]
	for i := range ts {
		if ts[i].scale != ts[0].scale {
			return 0
		}
	}
	return ts[0].scale
}

// divMinMax is min(x·c, y) // k = min(x·c // k, y // k) where k divides c, for
// min and max alike; else nil.
func divMinMax(x *term, k int64) tir.Expr {
	p := minMaxOf(x.index)
	if p == nil || *x != (term{x.index, 1, PosInf, 1}) {
		return nil
	}
	_, c := factor(p.A)
	_, d := factor(p.B)
	if (c == 0 || c%k != 0) && (d == 0 || d%k != 0) {
		return nil
	}
	by := tir.IntOf(k, p.T)
	return tir.Arith(p.Op, tir.FloorDiv(p.A, by), tir.FloorDiv(p.B, by))
}

// commonScale looks for a scale c of the run at m that divides k such that the
// terms that are not multiples of c, with base, lie in [0, c). Multiples of c
// are moved to the front of the run; mid is where they end. c is 0 when there is
// none or nothing would be left over.
func (a *Analyzer) commonScale(m int, base, k int64) (c int64, mid int) {
	for i := m; i < len(a.terms); i++ {
		c := a.terms[i].scale
		if c <= 1 || c >= k || k%c != 0 {
			continue
		}
		mid := a.separate(m, c)
		if (mid < len(a.terms) || base != 0) && a.boundTerms(mid, base).Within(0, c-1) {
			return c, mid
		}
		a.squash(m)
	}
	return 0, 0
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
	case x.upper == PosInf:
		if y, c := factor(x.index); c > 1 && lower%c == 0 {
			return term{y, lower / c, PosInf, 1}
		}
		return term{x.index, lower, PosInf, 1}
	case x.upper%lower == 0:
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
	if c, mid := a.commonScale(m, base, k); c != 0 {
		return a.modMultiples(m, mid, base, k, c, t)
	}
	if base == 0 && len(a.terms) == m+1 {
		x := a.terms[m]
		if r := floorMod(x.scale, k); r != x.scale {
			a.terms[m].scale = r
			return a.modTerms(m, 0, k, t)
		}
		a.terms = a.terms[:m]
		r, add := a.modTerm(x, k, t)
		a.addTerm(m, r)
		return add
	}
	e := a.normal(m, base, t, nil)
	if c, ok := e.(*tir.IntImm); ok {
		return floorMod(c.Value, k)
	}
	a.terms = append(a.terms, term{e, 1, k, 1})
	return 0
}

// modMultiples is (D·c + r) % (k'·c) = (D % k')·c + r, where D·c stands before mid
// and r, with base, lies in [0, c).
func (a *Analyzer) modMultiples(m, mid int, base, k, c int64, t dtype.DType) int64 {
	var buf [4]term
	rest := append(buf[:0], a.terms[mid:]...)
	a.terms = a.terms[:mid]
	for i := m; i < mid; i++ {
		a.terms[i].scale /= c
	}
	base += c * a.modTerms(m, 0, k/c, t)
	for i := m; i < len(a.terms); i++ {
		a.terms[i].scale *= c
	}
	for _, x := range rest {
		a.addTerm(m, x)
	}
	return base
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
		if y, c := offset(x.index); c >= upper || c < 0 {
			x.index = plus(y, floorMod(c, upper), x.index)
		}
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
	base := a.settledSum(x.index)
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
	if scale == -1 {
		return tir.NewBinary(tir.OpSub, tir.IntOf(0, t), e)
	}
	if scale != 1 {
		e = tir.NewBinary(tir.OpMul, e, tir.IntOf(scale, t))
	}
	return e
}
