package arith

import "hone/compiler/tir"

// lessByDivisor divides a < b by the common divisor d > 1 of the constant and of
// the scales of a - b other than one: what is left over vanishes when it lies in
// [0, d), and (y % u) // l keeps its quotient by d. nil when neither applies.
func (s simplifier) lessByDivisor(x *tir.Binary) tir.Expr {
	f := s.form(tir.Sub(x.A, x.B))
	if !f.sum {
		s.drop(f)
		return nil
	}
	t := x.A.DType()
	d, many := abs(f.base), false
	for _, y := range s.terms[f.m:] {
		if y.scale > 1 || y.scale < -1 {
			many = true
			d = gcd(d, y.scale)
		}
	}
	if !many || d <= 1 {
		s.drop(f)
		return nil
	}
	mid := s.separate(f.m, d)
	rest := s.terms[mid:]
	zero := tir.IntOf(0, t)
	var keep tir.Expr
	switch extra := s.peek(form{sum: true, m: mid}, t); {
	case s.provable(tir.CompareFold(tir.OpLT, extra, tir.IntOf(d, t))) && s.provable(tir.CompareFold(tir.OpGE, extra, zero)):
		keep = zero
	case len(rest) == 1 && rest[0].scale == 1 && rest[0].upper != PosInf && rest[0].upper%(d*rest[0].lower) == 0:
		y := rest[0]
		low := d * y.lower
		keep = tir.FloorMod(tir.FloorDiv(y.index, tir.IntOf(low, t)), tir.IntOf(y.upper/low, t))
	default:
		s.drop(f)
		return nil
	}
	s.terms = s.terms[:mid]
	for i := f.m; i < len(s.terms); i++ {
		s.terms[i].scale /= d
	}
	f.base /= d
	return s.visit(tir.CompareFold(tir.OpLT, tir.Add(s.normal(f, t, nil), keep), zero))
}

// provable reports whether cond simplifies to true.
func (a *Analyzer) provable(cond tir.Expr) bool {
	if a.prove() {
		cond = a.Simplify(cond)
	}
	a.proved()
	return tir.IsConst(cond, 1)
}
