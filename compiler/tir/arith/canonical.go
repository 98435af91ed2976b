package arith

import (
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// term is ((index % upper) // lower) * scale; upper PosInf means no modulus.
// A sum is a run of terms on the analyzer's stack, from a mark to the top, plus
// a constant: the functions below work on the run that starts at mark m. Terms
// of one index stand together, larger lower factors first.
type term struct {
	index               tir.Expr
	lower, upper, scale int64
}

func atom(e tir.Expr) term { return term{e, 1, PosInf, 1} }

// canonical returns the normal form of e, an expression of index type: terms
// with positive scale by falling scale, then the constant, then subtractions.
// The result is e itself when it already has that form.
func (a *Analyzer) canonical(e tir.Expr) tir.Expr {
	m := len(a.terms)
	base := a.sum(e)
	return a.normal(m, base, e.DType(), e)
}

// sum pushes the terms of e and returns its constant part.
func (a *Analyzer) sum(e tir.Expr) int64 {
	switch x := e.(type) {
	case *tir.IntImm:
		return x.Value
	case *tir.Var:
		if f := a.find(x); f != nil && f.value != nil {
			return a.sum(f.value)
		}
		a.terms = append(a.terms, atom(x))
		return 0
	case *tir.Binary:
		if base, ok := a.sumBinary(x); ok {
			return base
		}
	case *tir.Cast:
		if base, ok := a.sumCast(x); ok {
			return base
		}
	}
	if a.settled > 0 {
		a.terms = append(a.terms, atom(e))
		return 0
	}
	r := simplifier{a, true}.other(e)
	if b, ok := r.(*tir.Binary); ok && r != e && isSum(b) {
		return a.sum(r)
	}
	if c, ok := r.(*tir.IntImm); ok {
		return c.Value
	}
	a.terms = append(a.terms, atom(r))
	return 0
}

// settledSum is sum of an expression that is simplified already.
func (a *Analyzer) settledSum(e tir.Expr) int64 {
	a.settled++
	base := a.sum(e)
	a.settled--
	return base
}

// isSum reports whether sum has its own treatment of b.
func isSum(b *tir.Binary) bool {
	if b.Op <= tir.OpMul {
		return true
	}
	k, ok := tir.AsInt(b.B)
	return ok && k > 0 && (b.Op == tir.OpFloorDiv || b.Op == tir.OpFloorMod)
}

// isLinear reports whether the canonical pass has its own treatment of op.
func isLinear(op tir.BinOp) bool { return op <= tir.OpFloorMod }

func (a *Analyzer) sumBinary(x *tir.Binary) (int64, bool) {
	m := len(a.terms)
	switch x.Op {
	case tir.OpAdd, tir.OpSub:
		base := a.sum(x.A)
		mid := len(a.terms)
		rest := a.sum(x.B)
		if x.Op == tir.OpSub {
			a.merge(m, mid, -1)
			return base - rest, true
		}
		a.merge(m, mid, 1)
		return base + rest, true
	case tir.OpMul:
		return a.sumMul(x), true
	case tir.OpDiv, tir.OpMod, tir.OpFloorDiv, tir.OpFloorMod:
		k, ok := tir.AsInt(x.B)
		if !ok || k <= 0 {
			return 0, false
		}
		base := a.sum(x.A)
		if trunc := x.Op == tir.OpDiv || x.Op == tir.OpMod; trunc && a.boundTerms(m, base).Lo < 0 {
			a.terms = a.terms[:m]
			return 0, false
		}
		if x.Op == tir.OpDiv || x.Op == tir.OpFloorDiv {
			return a.divTerms(m, base, k, x.T), true
		}
		return a.modTerms(m, base, k, x.T), true
	}
	return 0, false
}

func (a *Analyzer) sumMul(x *tir.Binary) int64 {
	m := len(a.terms)
	p, q := x.A, x.B
	if _, ok := p.(*tir.IntImm); ok {
		p, q = q, p
	}
	if k, ok := q.(*tir.IntImm); ok {
		return a.scaleTerms(m, a.sum(p), k.Value, x.T)
	}
	p, q = a.canonical(p), a.canonical(q)
	if _, ok := p.(*tir.IntImm); ok {
		p, q = q, p
	}
	if k, ok := q.(*tir.IntImm); ok {
		return a.scaleTerms(m, a.sum(p), k.Value, x.T)
	}
	scale := int64(1)
	e := product(product(nil, p, &scale), q, &scale)
	if b, ok := e.(*tir.Binary); ok && b.A == x.A && b.B == x.B {
		e = x
	}
	t := atom(e)
	t.scale = scale
	a.terms = append(a.terms, t)
	return 0
}

// product multiplies acc (nil is one) by the factors of e, moving constant
// factors into scale.
func product(acc, e tir.Expr, scale *int64) tir.Expr {
	if b, ok := e.(*tir.Binary); ok && b.Op == tir.OpMul {
		return product(product(acc, b.A, scale), b.B, scale)
	}
	if k, ok := e.(*tir.IntImm); ok {
		if p := satMul(*scale, k.Value); p > NegInf && p < PosInf {
			*scale = p
			return acc
		}
	}
	if acc == nil {
		return e
	}
	return tir.NewBinary(tir.OpMul, acc, e)
}

// scaleTerms multiplies the run at m and base by k.
func (a *Analyzer) scaleTerms(m int, base, k int64, t dtype.DType) int64 {
	if k == 0 {
		a.terms = a.terms[:m]
		return 0
	}
	for i := m; i < len(a.terms); i++ {
		if p := satMul(a.terms[i].scale, k); p == PosInf || p == NegInf {
			e := a.normal(m, base, t, nil)
			a.terms = append(a.terms, atom(e))
			a.terms[m].scale = k
			return 0
		}
	}
	for i := m; i < len(a.terms); i++ {
		a.terms[i].scale *= k
	}
	return base * k
}

// sumCast moves a cast between index types onto the terms, where the value
// cannot change by it.
func (a *Analyzer) sumCast(x *tir.Cast) (int64, bool) {
	from := x.Value.DType()
	if !isIndex(x.Type) || !isIndex(from) {
		return 0, false
	}
	m := len(a.terms)
	base := a.sum(x.Value)
	if from != x.Type && !a.castKeeps(m, base, from, x.Type) {
		a.terms = a.terms[:m]
		return 0, false
	}
	for i := m; i < len(a.terms); i++ {
		a.terms[i].index = tir.NewCast(x.Type, a.terms[i].index)
	}
	return base, true
}

func (a *Analyzer) castKeeps(m int, base int64, from, to dtype.DType) bool {
	if to.Bits >= from.Bits {
		return true
	}
	t := typeBound(to)
	b := Bound{base, base}
	for i := m; i < len(a.terms); i++ {
		x := a.boundTerm(&a.terms[i])
		b = b.add(x)
		if !a.Bound(a.terms[i].index).Within(t.Lo, t.Hi) || !x.Within(t.Lo, t.Hi) || a.terms[i].scale > t.Hi {
			return false
		}
	}
	return b.Within(t.Lo, t.Hi)
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

// addTerm adds t to the run at m, keeping terms of one index together.
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
		if t.lower == u.lower && t.upper == u.upper {
			u.scale += t.scale
			return
		}
	}
	a.terms = slices.Insert(a.terms, i, t)
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
			if x.upper == y.upper && x.lower == y.lower {
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
		x.lower == x.scale/y.scale*y.lower
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
	}
	return x.upper > y.upper
}

func (a *Analyzer) boundTerm(t *term) Bound {
	b := a.Bound(t.index)
	if t.upper != PosInf {
		b = a.boundMod(t.index, b, t.upper)
	}
	if t.lower != 1 {
		b = b.floorDiv(t.lower)
	}
	if t.upper != PosInf || t.lower != 1 {
		for i := range a.known {
			if k := &a.known[i]; matchesTerm(k.expr, t, 1) {
				b = b.Intersect(k.bound)
			}
		}
	}
	return b.scale(t.scale)
}

func (a *Analyzer) boundTerms(m int, base int64) Bound {
	b := Bound{base, base}
	for i := m; i < len(a.terms); i++ {
		b = b.add(a.boundTerm(&a.terms[i]))
	}
	return b
}
