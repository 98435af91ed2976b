package arith

import "hone/compiler/tir"

// steps are the rules that no form can say, by the names that the tables use.
func steps(name string) func(s simplifier, x *tir.Binary) tir.Expr {
	switch name {
	case "cancelPure":
		return simplifier.cancelPure
	case "divMultiple":
		return simplifier.divMultiple
	case "modWithin":
		return simplifier.modWithin
	case "truncModWithin":
		return simplifier.truncModWithin
	case "minByBounds", "maxByBounds":
		return simplifier.minMaxByBounds
	case "mergeConstants":
		return simplifier.mergeConstants
	case "commonDivisor":
		return simplifier.commonDivisor
	}
	return nil
}

// cancelPure cancels in differences of other types, where no call is lost by it.
func (s simplifier) cancelPure(x *tir.Binary) tir.Expr {
	if isIndex(x.T) || !isPure(x) {
		return nil
	}
	return s.apply(rules().pure, x)
}

// divMultiple is (x·c1 + y) // c2 where what c2 leaves over of it is constant, or
// where y leaves no more than c1 hides.
func (s simplifier) divMultiple(e *tir.Binary) tir.Expr {
	c2, ok := tir.AsInt(e.B)
	if !ok || c2 == 0 {
		return nil
	}
	x, c1, y := multiplePlus(e.A)
	if x == nil {
		return nil
	}
	t := e.T
	int := func(v int64) tir.Expr { return tir.IntOf(v, t) }
	residue := tir.FloorDiv(tir.Add(tir.Mul(x, int(floorMod(c1, c2))), tir.FloorMod(y, e.B)), e.B)
	yDiv := tir.FloorDiv(y, e.B)
	if s.compareTo(yDiv, 0) == isEQ {
		yDiv = int(0)
	}
	if b, ok := s.Bound(residue).Const(); ok {
		return tir.Add(tir.Mul(x, int(tir.FloorDivInt(c1, c2))), tir.Add(yDiv, int(b)))
	}
	if c1 > 0 && c2 > 0 && c2%c1 == 0 && s.below(tir.FloorMod(y, e.B), c1) {
		return tir.Add(tir.FloorDiv(x, int(c2/c1)), yDiv)
	}
	return nil
}

// multiplePlus reads e as x·c + y; x is nil when it has no such form.
func multiplePlus(e tir.Expr) (x tir.Expr, c int64, y tir.Expr) {
	zero := tir.IntOf(0, e.DType())
	if p := as(tir.OpAdd, e); p != nil {
		if x, c := factor(p.A); x != nil {
			return x, c, p.B
		}
		x, c = factor(p.B)
		return x, c, p.A
	}
	x, c = factor(e)
	return x, c, zero
}

// factor splits e into x·c, or gives nil.
func factor(e tir.Expr) (tir.Expr, int64) {
	if m := as(tir.OpMul, e); m != nil {
		if c, ok := tir.AsInt(m.B); ok {
			return m.A, c
		}
	}
	return nil, 0
}

// modWithin is x % c of a number whose remainder is known or that is its own.
func (s simplifier) modWithin(e *tir.Binary) tir.Expr {
	c, ok := tir.AsInt(e.B)
	if !ok || c <= 0 {
		return nil
	}
	if m := s.Modular(e.A); m.Coeff%c == 0 {
		return tir.IntOf(floorMod(m.Base, c), e.T)
	}
	if b := s.Bound(e.A); b.Hi != PosInf && b.Within(0, c-1) {
		return e.A
	}
	return nil
}

func (s simplifier) truncModWithin(e *tir.Binary) tir.Expr {
	c, ok := tir.AsInt(e.B)
	if !ok || c <= 0 {
		return nil
	}
	if m := s.Modular(e.A); m.Coeff%c == 0 && s.atLeast(e.A, 0) {
		return tir.IntOf(m.Base%c, e.T)
	}
	return nil
}

// minMaxByBounds decides a minimum or maximum by constant bounds of its operands.
func (s simplifier) minMaxByBounds(e *tir.Binary) tir.Expr {
	x, y := s.Bound(e.A), s.Bound(e.B)
	if e.Op == tir.OpMax {
		x, y = x.neg(), y.neg()
	}
	switch {
	case x.Hi <= y.Lo:
		return e.A
	case y.Hi <= x.Lo:
		return e.B
	}
	return nil
}

// mergeConstants leaves the constants of a < b on the side where they are
// positive; a difference of one becomes a <=.
func (s simplifier) mergeConstants(e *tir.Binary) tir.Expr {
	x, c := offset(e.A)
	y, k := offset(e.B)
	if c == 0 && k == 0 {
		return nil
	}
	int := func(v int64) tir.Expr { return tir.IntOf(v, x.DType()) }
	var r tir.Expr
	switch d := k - c; {
	case d == 0:
		r = tir.CompareFold(tir.OpLT, x, y)
	case d == 1:
		r = tir.CompareFold(tir.OpLE, x, y)
	case d < 0 && k != 0:
		r = tir.CompareFold(tir.OpLT, tir.Add(x, int(-d)), y)
	case d > 0 && c != 0:
		r = tir.CompareFold(tir.OpLT, x, tir.Add(y, int(d)))
	default:
		return nil
	}
	return s.again(r)
}

// offset splits e into x + c.
func offset(e tir.Expr) (x tir.Expr, c int64) {
	if b, ok := e.(*tir.Binary); ok {
		if k, ok := tir.AsInt(b.B); ok && b.Op == tir.OpAdd {
			return b.A, k
		} else if ok && b.Op == tir.OpSub {
			return b.A, -k
		}
	}
	return e, 0
}

// commonDivisor divides both sides of a < b by a number that divides them.
func (s simplifier) commonDivisor(e *tir.Binary) tir.Expr {
	x, y := s.Modular(e.A), s.Modular(e.B)
	g := gcd(gcd(x.Base, x.Coeff), gcd(y.Base, y.Coeff))
	if g <= 1 {
		return nil
	}
	by := tir.IntOf(g, e.A.DType())
	return s.again(tir.CompareFold(tir.OpLT, tir.FloorDiv(e.A, by), tir.FloorDiv(e.B, by)))
}
