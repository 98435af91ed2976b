package arith

import "hone/compiler/tir"

// ruleAdd holds the rules of a + b that the canonical pass cannot see, because
// there the operands are atoms.
func (s simplifier) ruleAdd(a, b tir.Expr) tir.Expr {
	if r := s.addMinMax(a, b); r != nil {
		return r
	}
	if r := s.addMinMax(b, a); r != nil {
		return r
	}
	if p, q := selectOf(a), selectOf(b); p != nil && q != nil && Same(p.Cond, q.Cond) {
		return s.again(&tir.Select{Cond: p.Cond, Then: tir.Add(p.Then, q.Then), Else: tir.Add(p.Else, q.Else)})
	}
	if r := s.divModPair(a, b); r != nil {
		return r
	}
	if r := s.divModPair(b, a); r != nil {
		return r
	}
	if minMaxOf(b) != nil && minMaxOf(a) == nil {
		return tir.NewBinary(tir.OpAdd, b, a)
	}
	return s.commonFactor(a, b)
}

func selectOf(e tir.Expr) *tir.Select {
	x, _ := e.(*tir.Select)
	return x
}

// addMinMax moves z into m = min(x, y) where it cancels: min(x,y-z)+z =
// min(x+z,y), min(x,y+c)+d = min(x+d,y) for c = -d; and min(x,y)+max(x,y) = x+y.
func (s simplifier) addMinMax(m, z tir.Expr) tir.Expr {
	p, ok := m.(*tir.Binary)
	if !ok || p.Op != tir.OpMin && p.Op != tir.OpMax {
		return nil
	}
	if q := as(dual(p.Op), z); q != nil {
		if Same(p.A, q.A) && Same(p.B, q.B) || Same(p.A, q.B) && Same(p.B, q.A) {
			return s.again(tir.Add(p.A, p.B))
		}
	}
	if s.cancels(p.A, z) || s.cancels(p.B, z) {
		return s.again(tir.Arith(p.Op, tir.Add(p.A, z), tir.Add(p.B, z)))
	}
	return nil
}

// cancels reports whether x + z is shorter than x because z occurs negated.
func (s simplifier) cancels(x, z tir.Expr) bool {
	if k, ok := tir.AsInt(z); ok {
		y, c := offset(x)
		return y != nil && c == -k
	}
	if p := as(tir.OpSub, x); p != nil && Same(p.B, z) {
		return true
	}
	y, c := factor(z)
	if c == 0 {
		return false
	}
	if p := as(tir.OpAdd, x); p != nil {
		if u, d := factor(p.B); d == -c && Same(u, y) {
			return true
		}
		u, d := factor(p.A)
		return d == -c && Same(u, y)
	}
	if p := as(tir.OpSub, x); p != nil {
		u, d := factor(p.B)
		return d == c && Same(u, y)
	}
	return false
}

// divModPair is x//y*y + x%y = x for any y.
func (s simplifier) divModPair(a, b tir.Expr) tir.Expr {
	p, r := as(tir.OpMul, a), as(tir.OpFloorMod, b)
	if p == nil || r == nil {
		return nil
	}
	q, y := as(tir.OpFloorDiv, p.A), p.B
	if q == nil {
		q, y = as(tir.OpFloorDiv, p.B), p.A
	}
	if q != nil && Same(q.B, y) && Same(r.A, q.A) && Same(r.B, y) {
		return q.A
	}
	return nil
}

// commonFactor is x*y + x = (y+1)*x and x*y + x*z = (y+z)*x for a factor that
// is not constant.
func (s simplifier) commonFactor(a, b tir.Expr) tir.Expr {
	p, q := factors(a), factors(b)
	for i := 1; i >= 0; i-- {
		x := p[i]
		if x == nil || isConst(x) {
			continue
		}
		for j, u := range q {
			if u == nil || !Same(x, u) || p[1-i] == nil && q[1-j] == nil {
				continue
			}
			return s.again(tir.Mul(tir.Add(orOne(p[1-i], x), orOne(q[1-j], x)), x))
		}
	}
	return nil
}

// factors returns the two operands of a product, or e and nil.
func factors(e tir.Expr) [2]tir.Expr {
	if m := as(tir.OpMul, e); m != nil {
		return [2]tir.Expr{m.A, m.B}
	}
	return [2]tir.Expr{e, nil}
}

func orOne(e, like tir.Expr) tir.Expr {
	if e == nil {
		return tir.IntOf(1, like.DType())
	}
	return e
}

// ruleSub holds the rules of a - b with atoms: min(x,y)-x = min(0,y-x),
// x-min(x,y) = max(0,x-y), and selects under one condition.
func (s simplifier) ruleSub(a, b tir.Expr) tir.Expr {
	if p := minMaxOf(a); p != nil {
		if Same(p.A, b) || Same(p.B, b) || s.subCancels(p.A, b) || s.subCancels(p.B, b) {
			return s.again(tir.Arith(p.Op, tir.Sub(p.A, b), tir.Sub(p.B, b)))
		}
	}
	if p := minMaxOf(b); p != nil {
		if Same(p.A, a) || Same(p.B, a) || s.subCancels(p.A, a) || s.subCancels(p.B, a) {
			return s.again(tir.Arith(dual(p.Op), tir.Sub(a, p.A), tir.Sub(a, p.B)))
		}
	}
	if p, q := selectOf(a), selectOf(b); p != nil && q != nil && Same(p.Cond, q.Cond) {
		return s.again(&tir.Select{Cond: p.Cond, Then: tir.Sub(p.Then, q.Then), Else: tir.Sub(p.Else, q.Else)})
	}
	return nil
}

func minMaxOf(e tir.Expr) *tir.Binary {
	if b, ok := e.(*tir.Binary); ok && (b.Op == tir.OpMin || b.Op == tir.OpMax) {
		return b
	}
	return nil
}

// subCancels reports whether x - z is shorter than x: x is z plus something.
func (s simplifier) subCancels(x, z tir.Expr) bool {
	if k, ok := tir.AsInt(z); ok {
		y, c := offset(x)
		return y != nil && c == k && k != 0
	}
	if p := as(tir.OpAdd, x); p != nil {
		return Same(p.A, z) || Same(p.B, z)
	}
	p := as(tir.OpSub, x)
	return p != nil && Same(p.A, z)
}

// ruleFloorDiv holds the rules of a // b for divisors that are not constant.
// Constant ones are the canonical pass's.
func (s simplifier) ruleFloorDiv(a, b tir.Expr) tir.Expr {
	if isConst(b) {
		return nil
	}
	if x := s.Bound(a); x.Lo >= 0 && s.settledLess(a, b) {
		return tir.IntOf(0, a.DType())
	}
	if !s.nonZero(b) {
		return nil
	}
	if Same(a, b) {
		return tir.IntOf(1, a.DType())
	}
	if p := as(tir.OpMul, a); p != nil {
		if Same(p.B, b) {
			return p.A
		}
		if Same(p.A, b) {
			return p.B
		}
	}
	if p := as(tir.OpAdd, a); p != nil {
		for _, o := range [2][2]tir.Expr{{p.A, p.B}, {p.B, p.A}} {
			if m := as(tir.OpMul, o[0]); m != nil && (Same(m.A, b) || Same(m.B, b)) && s.Bound(o[1]).Lo >= 0 && s.settledLess(o[1], b) {
				if Same(m.B, b) {
					return m.A
				}
				return m.B
			}
		}
	}
	return nil
}

// nonZero reports whether a division by b is known to be defined. Dividing by
// zero has no value, so x*y//y may be taken as x even when y is unknown.
func (s simplifier) nonZero(b tir.Expr) bool {
	x := s.Bound(b)
	return x.Lo != 0 || x.Hi != 0
}

// ruleFloorMod mirrors ruleFloorDiv.
func (s simplifier) ruleFloorMod(a, b tir.Expr) tir.Expr {
	if isConst(b) {
		return nil
	}
	if x := s.Bound(a); x.Lo >= 0 && s.settledLess(a, b) {
		return a
	}
	if !s.nonZero(b) {
		return nil
	}
	zero := tir.IntOf(0, a.DType())
	if Same(a, b) {
		return zero
	}
	if p := as(tir.OpMul, a); p != nil && (Same(p.A, b) || Same(p.B, b)) {
		return zero
	}
	if p := as(tir.OpAdd, a); p != nil {
		for _, o := range [2][2]tir.Expr{{p.A, p.B}, {p.B, p.A}} {
			if m := as(tir.OpMul, o[0]); m != nil && (Same(m.A, b) || Same(m.B, b)) {
				return s.again(tir.FloorMod(o[1], b))
			}
		}
	}
	return nil
}
