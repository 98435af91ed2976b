package arith

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// formMod is a remainder, of the quotient rounded down or towards zero.
func (a *Analyzer) formMod(x *tir.Binary) form {
	floor := x.Op == tir.OpFloorMod
	p := a.form(x.A)
	q := a.form(x.B)
	k, ok := q.constant()
	if c, isConst := p.constant(); isConst && (c == 0 || ok && k != 0) {
		a.drop(q)
		if c == 0 {
			return p
		}
		return form{plain: tir.IntOf(remainder(c, k, floor), x.T)}
	}
	switch {
	case ok && k == 1:
		a.drop(p)
		return form{plain: tir.IntOf(0, x.T)}
	case !ok || k <= 0:
		return a.formModSymbol(x, p, q)
	case p.sum && floor:
		return a.modSum(p, k, x.T)
	case p.sum:
		return a.truncModSum(p, k, x.T)
	case a.Bound(a.peek(p, x.T)).Within(0, k-1):
		return p
	}
	return a.modTerm(a.popTerm(p, x.T), k, floor, x.T)
}

func remainder(x, k int64, floor bool) int64 {
	if floor {
		return floorMod(x, k)
	}
	return x % k
}

// modSum is the remainder of a sum: multiples of k vanish, and so does the
// modulus when what is left lies in [0, k).
func (a *Analyzer) modSum(p form, k int64, t dtype.DType) form {
	p = a.withoutMultiples(p, k)
	rest := a.peek(p, t)
	if c, ok := tir.AsInt(rest); ok {
		a.drop(p)
		return form{plain: tir.IntOf(floorMod(c, k), t)}
	}
	if (simplifier{a, true}).compareTo(rest, k) == isLT && a.atLeast(rest, 0) {
		a.drop(p)
		return form{plain: rest}
	}
	p.base = floorMod(p.base, k)
	return a.modTerm(a.popTerm(p, t), k, true, t)
}

func (a *Analyzer) withoutMultiples(p form, k int64) form {
	n := copy(a.terms[p.m:], a.terms[a.separate(p.m, k):])
	a.terms = a.terms[:p.m+n]
	if p.base%k == 0 {
		p.base = 0
	}
	return p
}

// truncModSum is modSum with the sign of the dividend, which keeps multiples of
// k unless they and the rest are non-negative.
func (a *Analyzer) truncModSum(p form, k int64, t dtype.DType) form {
	if a.exact(p, k) {
		a.drop(p)
		return form{plain: tir.IntOf(0, t)}
	}
	if a.partsPositive(p, k, t) {
		p = a.withoutMultiples(p, k)
		rest := a.peek(p, t)
		if c, ok := tir.AsInt(rest); ok {
			a.drop(p)
			return form{plain: tir.IntOf(c%k, t)}
		}
		if (simplifier{a, true}).compareTo(rest, k) == isLT {
			a.drop(p)
			return form{plain: rest}
		}
	}
	if b, base := a.Bound(a.peek(p, t)), p.base%k; b.Lo >= 0 && b.Lo-p.base+base >= 0 {
		p.base = base
	}
	return a.modTerm(a.popTerm(p, t), k, false, t)
}

// formModSymbol reduces modulo something that is no positive constant.
func (a *Analyzer) formModSymbol(x *tir.Binary, p, q form) form {
	d := a.normal(q, x.T, x.B)
	e := a.normal(p, x.T, x.A)
	if n, by, scale, ok := cancel(e, d); ok {
		return form{plain: tir.Mul(tir.Arith(x.Op, n, by), scale)}
	}
	if e == x.A && d == x.B {
		return form{plain: x}
	}
	return form{plain: tir.NewBinary(x.Op, e, d)}
}

// modTerm reduces one term modulo k > 0. With scale s dividing k = c·s it is
// (x // l · s) % k = (x % (l·c)) // l · s; a negative scale cannot pass a
// quotient that rounds down.
func (a *Analyzer) modTerm(x term, k int64, floor bool, t dtype.DType) form {
	x = rounded(x, floor, t)
	if x.scale%k == 0 {
		x.scale = 0
		return a.formOf(x)
	}
	if k%x.scale == 0 && (!floor || x.lower == 1 || x.scale > 0) {
		upper := satMul(x.lower, k/x.scale)
		switch {
		case upper == PosInf || upper == NegInf:
		case x.upper == PosInf:
			x.upper = upper
			return a.formOf(x)
		case x.upper%upper == 0:
			if upper < x.upper && x.lower > 0 {
				return a.narrowMod(x, upper, t)
			}
			x.upper = upper
			return a.formOf(x)
		case upper%x.upper == 0 && (!floor || (upper > 0) == (x.upper > 0)):
			return a.formOf(x)
		}
	}
	x = atom(x.expr(1, t))
	x.upper, x.floor = k, floor
	return a.formOf(x)
}

// narrowMod replaces the modulus of x by a smaller one, under which the index
// may simplify further.
func (a *Analyzer) narrowMod(x term, upper int64, t dtype.DType) form {
	op := tir.OpMod
	if x.floor {
		op = tir.OpFloorMod
	}
	e := simplifier{a, true}.visit(tir.Arith(op, x.index, tir.IntOf(upper, t)))
	y := atom(e)
	if x.lower != 1 {
		y = a.divTerm(y, x.lower, x.floor, t)
	}
	y.scale *= x.scale
	return a.formOf(y)
}
