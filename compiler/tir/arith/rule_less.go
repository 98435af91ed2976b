package arith

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// less simplifies a < b, nil when it has that form already.
func (s simplifier) less(a, b tir.Expr) tir.Expr {
	d := s.settledDifference(a, b)
	switch {
	case d.Hi < 0:
		return tir.True
	case d.Lo >= 0:
		return tir.False
	}
	if r := s.lessMinMax(a, b); r != nil {
		return r
	}
	if r := s.lessShared(a, b); r != nil {
		return r
	}
	x, c := offset(a)
	y, k := offset(b)
	switch {
	case x == nil:
		return s.constLess(c-k, y, k != 0, b)
	case y == nil:
		return s.lessConst(x, k-c, c != 0, a)
	}
	if c-k == -1 {
		return s.again(tir.NewBinary(tir.OpLE, x, y))
	}
	if c < 0 || k < 0 || c > 0 && k > 0 {
		if c > k {
			return s.again(tir.NewBinary(tir.OpLT, plus(x, c-k, a), y))
		}
		return s.again(tir.NewBinary(tir.OpLT, x, plus(y, k-c, b)))
	}
	if p := as(tir.OpSub, x); p != nil && isConst(p.A) {
		return s.again(tir.NewBinary(tir.OpLT, p.A, tir.Add(b, p.B)))
	}
	if p := as(tir.OpSub, y); p != nil && isConst(p.A) {
		return s.again(tir.NewBinary(tir.OpLT, tir.Add(a, p.B), p.A))
	}
	return nil
}

// lessMinMax splits on min and max: z < min(x,y) is z < x and z < y, and so on.
func (s simplifier) lessMinMax(a, b tir.Expr) tir.Expr {
	lt := func(x, y tir.Expr) tir.Expr { return tir.CompareFold(tir.OpLT, x, y) }
	if p := minMaxOf(a); p != nil {
		l, r := s.again(lt(p.A, b)), s.again(lt(p.B, b))
		if p.Op == tir.OpMin {
			return s.logic(tir.OpOr, l, r)
		}
		return s.logic(tir.OpAnd, l, r)
	}
	if p := minMaxOf(b); p != nil {
		l, r := s.again(lt(a, p.A)), s.again(lt(a, p.B))
		if p.Op == tir.OpMin {
			return s.logic(tir.OpAnd, l, r)
		}
		return s.logic(tir.OpOr, l, r)
	}
	return nil
}

// lessShared removes what both sides share: x < x+z, x+y < x+z, x-y < x-z, and
// x//c*c < x, which is 0 < x%c.
func (s simplifier) lessShared(a, b tir.Expr) tir.Expr {
	lt := func(x, y tir.Expr) tir.Expr { return s.again(tir.CompareFold(tir.OpLT, x, y)) }
	zero := func() tir.Expr { return tir.IntOf(0, a.DType()) }
	if x, y, ok := unshare(a, b); ok {
		return lt(x, y)
	}
	m, n := as(tir.OpSub, a), as(tir.OpSub, b)
	switch {
	case n != nil && Same(n.A, a):
		return lt(n.B, zero())
	case m != nil && n != nil && Same(m.B, n.B) && !isConst(m.B):
		return lt(m.A, n.A)
	case m != nil && n != nil && Same(m.A, n.A):
		return lt(n.B, m.B)
	}
	if y, c := factor(a); c != 0 {
		t := a.DType()
		switch z, d := factor(b); {
		case d == c && c < 0:
			return lt(z, y)
		case c > 0 && d > 0 && d%c == 0:
			return lt(y, tir.Mul(z, tir.IntOf(d/c, t)))
		case c > 0 && d > 0 && c%d == 0:
			return lt(tir.Mul(y, tir.IntOf(c/d, t)), z)
		}
	}
	return s.lessRounded(a, b)
}

// unshare removes one summand that a and b have in common, which no shorter
// form can keep: x+z and y+z become x and y.
func unshare(a, b tir.Expr) (tir.Expr, tir.Expr, bool) {
	p, q := as(tir.OpAdd, a), as(tir.OpAdd, b)
	if q != nil {
		if y, ok := removeSummand(b, a); ok {
			return tir.IntOf(0, a.DType()), y, true
		}
	}
	if p != nil {
		if x, ok := removeSummand(a, b); ok {
			return x, tir.IntOf(0, a.DType()), true
		}
	}
	for e := a; p != nil && q != nil; {
		piece := e
		c := as(tir.OpAdd, e)
		if c != nil {
			piece = c.B
		}
		if !isConst(piece) {
			if y, ok := removeSummand(b, piece); ok {
				x, _ := removeSummand(a, piece)
				return x, y, true
			}
		}
		if c == nil {
			break
		}
		e = c.A
	}
	return a, b, false
}

// removeSummand takes x out of the additions that e is made of.
func removeSummand(e, x tir.Expr) (tir.Expr, bool) {
	c := as(tir.OpAdd, e)
	if c == nil {
		return nil, false
	}
	switch {
	case Same(c.B, x):
		return c.A, true
	case Same(c.A, x):
		return c.B, true
	}
	if y, ok := removeSummand(c.A, x); ok {
		return tir.NewBinary(tir.OpAdd, y, c.B), true
	}
	return nil, false
}

// lessRounded is x//c*c < x as 0 < x%c, for positive constants c.
func (s simplifier) lessRounded(a, b tir.Expr) tir.Expr {
	p := as(tir.OpMul, a)
	if p == nil {
		return nil
	}
	q := as(tir.OpFloorDiv, p.A)
	c, ok := tir.AsInt(p.B)
	if !ok || c <= 0 || q == nil || !tir.IsConst(q.B, c) || !Same(q.A, b) {
		return nil
	}
	return s.again(tir.CompareFold(tir.OpLT, tir.IntOf(0, a.DType()), tir.FloorMod(b, q.B)))
}

// lessConst is x < c. moved says that the form already changed.
func (s simplifier) lessConst(x tir.Expr, c int64, moved bool, like tir.Expr) tir.Expr {
	t := like.DType()
	again := func(y tir.Expr, k int64) tir.Expr {
		return s.again(tir.NewBinary(tir.OpLT, y, tir.IntOf(k, t)))
	}
	if y, f := factor(x); f > 0 {
		return again(y, tir.FloorDivInt(c-1, f)+1)
	} else if f < 0 {
		return s.again(tir.NewBinary(tir.OpLT, tir.IntOf(tir.FloorDivInt(-c, -f), t), y))
	}
	if q := as(tir.OpFloorDiv, x); q != nil {
		if f, ok := tir.AsInt(q.B); ok && f > 0 {
			return again(q.A, satMul(c, f))
		}
	}
	if p := as(tir.OpSub, x); p != nil {
		if k, ok := tir.AsInt(p.A); ok {
			return s.again(tir.NewBinary(tir.OpLT, tir.IntOf(k-c, t), p.B))
		}
	}
	if moved {
		return again(x, c)
	}
	return nil
}

// constLess is c < x.
func (s simplifier) constLess(c int64, x tir.Expr, moved bool, like tir.Expr) tir.Expr {
	t := like.DType()
	again := func(k int64, y tir.Expr) tir.Expr {
		return s.again(tir.NewBinary(tir.OpLT, tir.IntOf(k, t), y))
	}
	if y, f := factor(x); f > 0 {
		return again(tir.FloorDivInt(c, f), y)
	} else if f < 0 {
		return s.again(tir.NewBinary(tir.OpLT, y, tir.IntOf(tir.FloorDivInt(-c-1, -f)+1, t)))
	}
	if q := as(tir.OpFloorDiv, x); q != nil {
		if f, ok := tir.AsInt(q.B); ok && f > 0 {
			return again(satMul(c+1, f)-1, q.A)
		}
	}
	if p := as(tir.OpSub, x); p != nil {
		if k, ok := tir.AsInt(p.A); ok {
			return s.again(tir.NewBinary(tir.OpLT, p.B, tir.IntOf(k-c, t)))
		}
	}
	if moved {
		return again(c, x)
	}
	return nil
}

// lessByDivisor divides a < b by the common divisor d > 1 of the scales of
// a - b, or of the scales other than 1 and the constant: what is left over
// vanishes when it lies in [0, d), and (y % u) // l keeps its quotient by d. nil
// when neither applies.
func (s simplifier) lessByDivisor(x *tir.Binary) tir.Expr {
	m := len(s.terms)
	s.settled++
	base := s.diff(x.A, x.B)
	s.settled--
	d, t := int64(0), x.A.DType()
	ones := false
	for _, y := range s.terms[m:] {
		if y.scale > 1 || y.scale < -1 {
			d = gcd(d, y.scale)
		} else {
			ones = true
		}
	}
	if !ones && d > 1 && s.equalScale(m) != 0 {
		// D·d + base < 0 is D + ceil(base / d) <= 0 with one less on the left.
		base = -tir.FloorDivInt(-base-1, d) - 1
		return s.dividedLess(m, d, base, t, nil)
	}
	if d = gcd(d, base); d <= 1 || len(s.terms) == m {
		s.terms = s.terms[:m]
		return nil
	}
	mid := s.separate(m, d)
	rest := s.terms[mid:]
	var keep tir.Expr
	switch {
	case s.boundTerms(mid, 0).Within(0, d-1):
	case len(rest) == 1 && rest[0].scale == 1 && rest[0].upper != PosInf && rest[0].upper%(d*rest[0].lower) == 0:
		y := rest[0]
		y.lower *= d
		q := tir.FloorDiv(y.index, tir.IntOf(y.lower, t))
		keep = tir.FloorMod(q, tir.IntOf(y.upper/y.lower, t))
	default:
		s.terms = s.terms[:m]
		return nil
	}
	s.terms = s.terms[:mid]
	return s.dividedLess(m, d, base/d, t, keep)
}

// dividedLess pops the run at m, of multiples of d, and builds the comparison of
// its quotient plus base plus keep with zero.
func (s simplifier) dividedLess(m int, d, base int64, t dtype.DType, keep tir.Expr) tir.Expr {
	for i := m; i < len(s.terms); i++ {
		s.terms[i].scale /= d
	}
	if base != 0 && keep == nil && allNegative(s.terms[m:]) {
		for i := m; i < len(s.terms); i++ {
			s.terms[i].scale = -s.terms[i].scale
		}
		return tir.NewBinary(tir.OpLT, tir.IntOf(base, t), s.normal(m, 0, t, nil))
	}
	left := s.normal(m, base, t, nil)
	if keep != nil {
		left = tir.Add(left, keep)
	}
	return tir.NewBinary(tir.OpLT, left, tir.IntOf(0, t))
}

func allNegative(ts []term) bool {
	for i := range ts {
		if ts[i].scale > 0 {
			return false
		}
	}
	return len(ts) > 0
}
