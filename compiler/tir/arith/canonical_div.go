package arith

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// formDiv is a quotient, rounded down or towards zero. A positive constant
// divisor divides its multiples exactly; what is left over divides on its own.
func (a *Analyzer) formDiv(x *tir.Binary) form {
	floor := x.Op == tir.OpFloorDiv
	p := a.form(x.A)
	q := a.form(x.B)
	k, ok := q.constant()
	if c, isConst := p.constant(); isConst && (c == 0 || ok && k != 0) {
		a.drop(q)
		if c == 0 {
			return p
		}
		return form{plain: tir.Rebuild(x.Op, p.plain, q.plain)}
	}
	switch {
	case ok && k == 1:
		return p
	case !ok || k <= 0:
		return a.formDivSymbol(x, p, q)
	case p.sum:
		if r, done := a.divSum(p, k, floor, x.T); done {
			return r
		}
	case a.Bound(a.peek(p, x.T)).Within(0, k-1):
		a.drop(p)
		return form{plain: tir.IntOf(0, x.T)}
	case floor:
		if r, done := a.divDigit(p, k, x.T); done {
			return r
		}
	}
	return a.formOf(a.divTerm(a.popTerm(p, x.T), k, floor, x.T))
}

// divSum divides a sum by k. Truncation needs both parts to be non-negative.
func (a *Analyzer) divSum(p form, k int64, floor bool, t dtype.DType) (form, bool) {
	if !floor && !a.exact(p, k) && !a.partsPositive(p, k, t) {
		return p, false
	}
	rest := form{sum: true, m: a.separate(p.m, k)}
	if p.base%k != 0 {
		rest.base, p.base = p.base, 0
	}
	exact := rest.m == len(a.terms) && rest.base == 0
	e := a.normal(rest, t, nil)
	p.base /= k
	for i := p.m; i < len(a.terms); i++ {
		a.terms[i].scale /= k
	}
	if !exact {
		p.base += a.divRest(p.m, e, k, floor, t)
	}
	return p, true
}

// exact reports whether k divides all of a sum.
func (a *Analyzer) exact(p form, k int64) bool {
	for i := p.m; i < len(a.terms); i++ {
		if a.terms[i].scale%k != 0 {
			return false
		}
	}
	return p.base%k == 0
}

// partsPositive reports whether the multiples of k in a sum and the rest of it
// are both non-negative.
func (a *Analyzer) partsPositive(p form, k int64, t dtype.DType) bool {
	return a.atLeast(a.part(p, k, true, t), 0) && a.atLeast(a.part(p, k, false, t), 0)
}

// part writes the terms of a sum that are multiples of k, or those that are not.
func (a *Analyzer) part(p form, k int64, multiples bool, t dtype.DType) tir.Expr {
	f, top := form{sum: true, m: len(a.terms)}, len(a.terms)
	for i := p.m; i < top; i++ {
		if x := a.terms[i]; (x.scale%k == 0) == multiples {
			a.terms = append(a.terms, x)
		}
	}
	if (p.base%k == 0) == multiples {
		f.base = p.base
	}
	return a.normal(f, t, nil)
}

// divRest is the quotient of the rest of a sum by k, of which the constant is
// returned and anything else added to the run at m.
func (a *Analyzer) divRest(m int, rest tir.Expr, k int64, floor bool, t dtype.DType) int64 {
	if c, ok := tir.AsInt(rest); ok {
		if floor {
			return tir.FloorDivInt(c, k)
		}
		return c / k
	}
	s := simplifier{a, true}
	if s.compareTo(rest, k) != isLT || floor && !a.atLeast(rest, 0) {
		a.addTerm(m, a.divTerm(atom(rest), k, floor, t))
	}
	return 0
}

// divDigit is (i % (m·k)) // k = (i // k) % m where parts of i are multiples of k.
func (a *Analyzer) divDigit(p form, k int64, t dtype.DType) (form, bool) {
	if p.plain != nil {
		return p, false
	}
	x := a.terms[p.m]
	if x.lower != 1 || x.scale != 1 || x.upper == PosInf || x.upper%k != 0 || !x.rounds(true) {
		return p, false
	}
	i := a.form(x.index)
	if !i.sum || a.separate(i.m, k) == i.m && (i.base == 0 || i.base%k != 0) {
		a.drop(i)
		return p, false
	}
	q, _ := a.divSum(i, k, true, t)
	e := tir.FloorMod(a.normal(q, t, nil), tir.IntOf(x.upper/k, t))
	a.drop(p)
	return form{plain: simplifier{a, true}.visit(e)}, true
}

// formDivSymbol divides by something that is no positive constant.
func (a *Analyzer) formDivSymbol(x *tir.Binary, p, q form) form {
	d := a.normal(q, x.T, x.B)
	e := a.normal(p, x.T, x.A)
	if n, by, _, ok := cancel(e, d); ok {
		return form{plain: tir.Arith(x.Op, n, by)}
	}
	if e == x.A && d == x.B {
		return form{plain: x}
	}
	return form{plain: tir.NewBinary(x.Op, e, d)}
}

// cancel removes the factors that two products have in common: n/d is num/den
// and n%d is num%den·common. d is not constant.
func cancel(n, d tir.Expr) (num, den, common tir.Expr, ok bool) {
	if isConst(d) {
		return nil, nil, nil, false
	}
	cn, cd, t := int64(1), int64(1), d.DType()
	var ns []tir.Expr
	factorsOf(n, func(e tir.Expr) {
		if k, ok := tir.AsInt(e); ok {
			cn *= k
		} else {
			ns = append(ns, e)
		}
	})
	den, common = tir.IntOf(1, t), tir.IntOf(1, t)
	factorsOf(d, func(e tir.Expr) {
		if k, ok := tir.AsInt(e); ok {
			cd *= k
			return
		}
		for i, f := range ns {
			if f != nil && Same(f, e) {
				ns[i], ok = nil, true
				common = tir.Mul(common, e)
				return
			}
		}
		den = tir.Mul(den, e)
	})
	g := gcd(cn, cd)
	if g == 0 || !ok && g == 1 {
		return nil, nil, nil, false
	}
	num = tir.IntOf(1, t)
	for _, f := range ns {
		if f != nil {
			num = tir.Mul(num, f)
		}
	}
	return tir.Mul(num, tir.IntOf(cn/g, t)), tir.Mul(den, tir.IntOf(cd/g, t)), tir.Mul(common, tir.IntOf(g, t)), true
}

func factorsOf(e tir.Expr, f func(tir.Expr)) {
	if b := as(tir.OpMul, e); b != nil {
		factorsOf(b.A, f)
		factorsOf(b.B, f)
		return
	}
	f(e)
}

// rounded is x with the given rounding; a digit of the other becomes an index.
func rounded(x term, floor bool, t dtype.DType) term {
	if !x.rounds(floor) {
		x = atom(x.expr(1, t))
	}
	x.floor = floor
	return x
}

// divTerm divides one term by k > 0.
func (a *Analyzer) divTerm(x term, k int64, floor bool, t dtype.DType) term {
	x = rounded(x, floor, t)
	if x.scale%k == 0 {
		x.scale /= k
		return x
	}
	if k%x.scale == 0 && (!floor || x.lower == 1 || x.scale > 0) {
		if lower := satMul(x.lower, k/x.scale); lower != PosInf && lower != NegInf {
			return divDigits(x, lower, t)
		}
	}
	x = atom(x.expr(1, t))
	x.lower, x.floor = k, floor
	return x
}

// divDigits gives x a new lower factor and scale one.
func divDigits(x term, lower int64, t dtype.DType) term {
	switch {
	case x.upper == PosInf || x.upper%lower == 0:
	case (!x.floor || (x.upper > 0) == (lower > 0)) && abs(x.upper) <= abs(lower):
		return atom(tir.IntOf(0, t))
	default:
		op := tir.OpMod
		if x.floor {
			op = tir.OpFloorMod
		}
		x.index, x.upper = tir.Arith(op, x.index, tir.IntOf(x.upper, t)), PosInf
	}
	x.lower, x.scale = lower, 1
	return x
}

func abs(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}
