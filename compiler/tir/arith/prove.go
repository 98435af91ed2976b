package arith

import "hone/compiler/tir"

// diff pushes the terms of x - y, squashed, and returns the constant part.
func (a *Analyzer) diff(x, y tir.Expr) int64 {
	m := len(a.terms)
	base := a.sum(x)
	mid := len(a.terms)
	base -= a.sum(y)
	a.merge(m, mid, -1)
	a.squash(m)
	return base
}

// Difference returns constant bounds of x - y, operands of one index type. It
// sees what the two have in common, unlike the bounds of each.
func (a *Analyzer) Difference(x, y tir.Expr) Bound {
	m := len(a.terms)
	base := a.diff(x, y)
	b := a.boundRun(m, base)
	a.terms = a.terms[:m]
	return b
}

// settledDifference is Difference of simplified operands.
func (a *Analyzer) settledDifference(x, y tir.Expr) Bound {
	a.settled++
	b := a.Difference(x, y)
	a.settled--
	return b
}

// settledLess is CanProveLess of simplified operands.
func (a *Analyzer) settledLess(x, y tir.Expr) bool {
	a.settled++
	ok := a.CanProveLess(x, y)
	a.settled--
	return ok
}

// boundRun bounds the squashed run at m plus base, by its terms, by known facts
// and by expanding rounded quotients.
func (a *Analyzer) boundRun(m int, base int64) Bound {
	b := a.boundTerms(m, base)
	if len(a.known) > 0 && len(a.terms) > m {
		b = b.Intersect(a.boundKnown(m, base))
	}
	if b.Lo < 0 && b.Hi >= 0 && a.hasRounded(m) {
		b = b.Intersect(a.boundExpanded(m, base))
	}
	return b
}

// boundKnown looks the sum up among the facts, as it is and negated.
func (a *Analyzer) boundKnown(m int, base int64) Bound {
	b := Unbounded
	for i := range a.known {
		k := &a.known[i]
		if !isIndex(k.expr.DType()) {
			continue
		}
		ts := a.terms[m:]
		if matchesSum(k.expr, ts, 1) {
			b = b.Intersect(k.bound.add(Bound{base, base}))
		} else if matchesSum(k.expr, ts, -1) {
			b = b.Intersect(k.bound.neg().add(Bound{base, base}))
		}
	}
	return b
}

// matchesSum reports whether e, a canonical sum without constant, consists of
// exactly the given terms times sign, in any order.
func matchesSum(e tir.Expr, ts []term, sign int64) bool {
	n := len(ts)
	for n > 0 {
		b, ok := e.(*tir.Binary)
		piece, s := e, sign
		if ok && (b.Op == tir.OpAdd || b.Op == tir.OpSub) {
			piece = b.B
			if b.Op == tir.OpSub {
				s = -sign
			}
			e = b.A
		} else {
			e = nil
		}
		if e != nil && tir.IsConst(e, 0) {
			e = nil
		}
		found := false
		for i := range ts {
			if matchesTerm(piece, &ts[i], ts[i].scale*s) {
				found = true
				break
			}
		}
		if !found {
			return false
		}
		n--
		if e == nil {
			return n == 0
		}
	}
	return false
}

func (a *Analyzer) hasRounded(m int) bool {
	for _, t := range a.terms[m:] {
		if t.upper == PosInf && t.lower != 1 && t.scale%t.lower == 0 {
			return true
		}
	}
	return false
}

// boundExpanded bounds the run after replacing x//c·(c·s) by x·s - (x%c)·s, so
// that x meets the other terms that mention it.
func (a *Analyzer) boundExpanded(m int, base int64) Bound {
	top := len(a.terms)
	for i := m; i < top; i++ {
		t := a.terms[i]
		if t.upper != PosInf || t.lower == 1 || t.scale%t.lower != 0 {
			a.addTerm(top, t)
			continue
		}
		s := t.scale / t.lower
		mid := len(a.terms)
		inner := a.settledSum(t.index)
		for j := mid; j < len(a.terms); j++ {
			a.terms[j].scale *= s
		}
		base += inner * s
		a.merge(top, mid, 1)
		a.addTerm(top, term{t.index, 1, t.lower, -s})
	}
	a.squash(top)
	b := a.boundTerms(top, base)
	a.terms = a.terms[:top]
	return b
}

// modularRun is the modular set of the run at m plus base.
func (a *Analyzer) modularRun(m int, base int64) Modular {
	r := Modular{0, base}
	for _, t := range a.terms[m:] {
		x := everyInteger
		switch {
		case t.lower == 1 && t.upper == PosInf:
			x = a.Modular(t.index)
		case t.lower == 1:
			y := a.Modular(t.index)
			x = newModular(gcd(y.Coeff, t.upper), y.Base)
		}
		r = newModular(gcd(r.Coeff, satMul(x.Coeff, t.scale)), r.Base+x.Base*t.scale)
	}
	return r
}

// CanProve reports whether cond holds for all values within the bounds and
// constraints. False means not proved.
func (a *Analyzer) CanProve(cond tir.Expr) bool {
	switch x := cond.(type) {
	case *tir.IntImm:
		return x.Value != 0
	case *tir.Binary:
		if x.Op == tir.OpAnd {
			return a.CanProve(x.A) && a.CanProve(x.B)
		}
		if x.Op.IsCompare() && isIndex(x.A.DType()) && isIndex(x.B.DType()) {
			if a.proveCompare(x) {
				return true
			}
		}
	}
	return tir.IsConst(a.Simplify(cond), 1)
}

func (a *Analyzer) proveCompare(x *tir.Binary) bool {
	switch x.Op {
	case tir.OpLT:
		return a.CanProveLess(x.A, x.B)
	case tir.OpLE:
		return a.CanProveGreaterEqual(x.B, x.A)
	case tir.OpGT:
		return a.CanProveLess(x.B, x.A)
	case tir.OpGE:
		return a.CanProveGreaterEqual(x.A, x.B)
	case tir.OpEQ:
		return a.CanProveEqual(x.A, x.B)
	}
	return false
}

// CanProveLess proves x < y.
func (a *Analyzer) CanProveLess(x, y tir.Expr) bool { return a.upperBelow(x, y, 0) }

// CanProveGreaterEqual proves x >= y.
func (a *Analyzer) CanProveGreaterEqual(x, y tir.Expr) bool { return a.upperBelow(y, x, 1) }

// CanProveEqual proves x == y.
func (a *Analyzer) CanProveEqual(x, y tir.Expr) bool {
	if Same(x, y) {
		return true
	}
	if !isIndex(x.DType()) || !isIndex(y.DType()) {
		return false
	}
	d := a.Difference(x, y)
	if d.Lo == 0 && d.Hi == 0 {
		return true
	}
	if d.Lo > 0 || d.Hi < 0 {
		return false
	}
	z := a.Simplify(tir.Sub(x, y))
	return tir.IsConst(z, 0)
}

// upperBelow proves x - y < k, first by constant bounds and then with variables
// replaced by their symbolic limits.
func (a *Analyzer) upperBelow(x, y tir.Expr, k int64) bool {
	m := len(a.terms)
	base := a.diff(x, y)
	proved := a.boundRun(m, base).Hi < k
	for i := 0; !proved && i < maxRelax && a.relaxOne(m, &base); i++ {
		a.squash(m)
		proved = a.boundRun(m, base).Hi < k
	}
	a.terms = a.terms[:m]
	return proved
}

// maxRelax bounds the number of symbolic limits that one proof follows.
const maxRelax = 8

// relaxOne replaces one variable of the run at m by its symbolic limit that
// makes the sum largest. It reports whether there was one.
func (a *Analyzer) relaxOne(m int, base *int64) bool {
	for i := len(a.terms) - 1; i >= m; i-- {
		t := a.terms[i]
		v, ok := t.index.(*tir.Var)
		if !ok || t.upper != PosInf {
			continue
		}
		f := a.find(v)
		if f == nil {
			continue
		}
		limit := f.hi
		if t.scale < 0 {
			limit = f.lo
		}
		if limit == nil {
			continue
		}
		a.terms = append(a.terms[:i], a.terms[i+1:]...)
		mid := len(a.terms)
		c := a.settledSum(limit)
		if t.lower != 1 {
			c = a.divTerms(mid, c, t.lower, v.Type)
		}
		for j := mid; j < len(a.terms); j++ {
			a.terms[j].scale *= t.scale
		}
		*base += c * t.scale
		a.merge(m, mid, 1)
		return true
	}
	return false
}
