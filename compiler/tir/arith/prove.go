package arith

import "hone/compiler/tir"

// sum pushes the terms of e and returns its constant part.
func (a *Analyzer) sum(e tir.Expr) int64 { return a.asSum(a.form(e)).base }

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

// boundRun bounds the squashed run at m plus base, by its terms, by known facts
// and by expanding rounded quotients.
func (a *Analyzer) boundRun(m int, base int64) Bound {
	b := a.boundTerms(m, base)
	if len(a.conds) > 0 && len(a.terms) > m {
		b = b.Intersect(a.boundKnown(m, base))
	}
	if b.Lo < 0 && b.Hi >= 0 && a.hasRounded(m) {
		b = b.Intersect(a.boundExpanded(m, base))
	}
	return b
}

// boundKnown bounds the run by each condition that holds: a multiple of the
// condition and what is left of the run.
func (a *Analyzer) boundKnown(m int, base int64) Bound {
	b, top := Unbounded, len(a.terms)
	for _, c := range a.conds {
		x, ok := c.(*tir.Binary)
		if !ok || !x.Op.IsCompare() || x.Op == tir.OpNE || !isIndex(x.A.DType()) {
			continue
		}
		k := a.diff(x.A, x.B)
		limit := differenceUnder(x.Op).add(Bound{-k, -k})
		if r := ratio(a.terms[m:top], a.terms[top:]); r != 0 {
			mid := len(a.terms)
			a.terms = append(a.terms, a.terms[m:top]...)
			for _, t := range a.terms[top:mid] {
				t.scale *= -r
				a.addTerm(mid, t)
			}
			a.squash(mid)
			b = b.Intersect(a.boundTerms(mid, base).add(limit.scale(r)))
		}
		a.terms = a.terms[:top]
	}
	return b
}

// ratio is by how much the first term of y occurs in x.
func ratio(x, y []term) int64 {
	if len(y) == 0 {
		return 0
	}
	for i := range x {
		u, v := &x[i], &y[0]
		if u.lower == v.lower && u.upper == v.upper && u.rounds(v.floor) && Same(u.index, v.index) {
			return u.scale / v.scale
		}
	}
	return 0
}

// differenceUnder bounds x - y where x op y holds.
func differenceUnder(op tir.BinOp) Bound {
	switch op {
	case tir.OpLT:
		return Bound{NegInf, -1}
	case tir.OpLE:
		return Bound{NegInf, 0}
	case tir.OpGT:
		return Bound{1, PosInf}
	case tir.OpGE:
		return Bound{0, PosInf}
	}
	return Bound{0, 0}
}

func (a *Analyzer) hasRounded(m int) bool {
	for _, t := range a.terms[m:] {
		if t.upper == PosInf && t.lower != 1 && t.floor && t.scale%t.lower == 0 {
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
		if t.upper != PosInf || t.lower == 1 || !t.floor || t.scale%t.lower != 0 {
			a.addTerm(top, t)
			continue
		}
		s := t.scale / t.lower
		mid := len(a.terms)
		inner := a.sum(t.index)
		for j := mid; j < len(a.terms); j++ {
			a.terms[j].scale *= s
		}
		base += inner * s
		a.merge(top, mid, 1)
		a.addTerm(top, term{t.index, 1, t.lower, -s, true})
	}
	a.squash(top)
	b := a.boundTerms(top, base)
	a.terms = a.terms[:top]
	return b
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
		if !ok || t.upper != PosInf || t.lower <= 0 || t.lower != 1 && !t.floor {
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
		c := a.sum(limit)
		if t.lower != 1 {
			q, _ := a.divSum(form{sum: true, base: c, m: mid}, t.lower, true, v.Type)
			c = q.base
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
