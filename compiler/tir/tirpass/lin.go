package tirpass

import (
	"math"

	"hone/compiler/tir"
)

// interval is a closed range of integers.
type interval struct{ lo, hi int64 }

// bounds maps the variables in scope to their ranges.
type bounds map[*tir.Var]interval

// with returns a copy in which v ranges over iv.
func (b bounds) with(v *tir.Var, iv interval) bounds {
	c := make(bounds, len(b)+1)
	for k, x := range b {
		c[k] = x
	}
	c[v] = iv
	return c
}

// loop returns the bounds inside l: its variable over the hull of its range.
func (b bounds) loop(l *tir.For) bounds {
	lo, ok1 := b.of(l.Min)
	n, ok2 := b.of(l.Extent)
	if !ok1 || !ok2 || n.hi < 1 {
		return b
	}
	return b.with(l.Var, interval{lo.lo, lo.hi + n.hi - 1})
}

// of bounds an integer expression by constants.
func (b bounds) of(e tir.Expr) (interval, bool) {
	switch x := e.(type) {
	case *tir.IntImm:
		return interval{x.Value, x.Value}, true
	case *tir.Var:
		iv, ok := b[x]
		return iv, ok
	case *tir.Cast:
		if x.Type.IsInt() && x.Value.DType().IsInt() {
			return b.of(x.Value)
		}
	case *tir.Binary:
		p, ok1 := b.of(x.A)
		q, ok2 := b.of(x.B)
		if x.Op == tir.OpFloorMod && ok2 && q.lo == q.hi && q.lo > 0 {
			if ok1 && p.lo >= 0 && p.hi < q.lo {
				return p, true
			}
			return interval{0, q.lo - 1}, true
		}
		if !ok1 || !ok2 {
			return interval{}, false
		}
		return combine(x.Op, p, q)
	}
	return interval{}, false
}

func combine(op tir.BinOp, p, q interval) (interval, bool) {
	switch op {
	case tir.OpAdd:
		return interval{p.lo + q.lo, p.hi + q.hi}, true
	case tir.OpSub:
		return interval{p.lo - q.hi, p.hi - q.lo}, true
	case tir.OpMul:
		a, b, c, d := p.lo*q.lo, p.lo*q.hi, p.hi*q.lo, p.hi*q.hi
		return interval{min(a, b, c, d), max(a, b, c, d)}, true
	case tir.OpFloorDiv:
		if q.lo == q.hi && q.lo > 0 {
			return interval{tir.FloorDivInt(p.lo, q.lo), tir.FloorDivInt(p.hi, q.lo)}, true
		}
	case tir.OpMin:
		return interval{min(p.lo, q.lo), min(p.hi, q.hi)}, true
	case tir.OpMax:
		return interval{max(p.lo, q.lo), max(p.hi, q.hi)}, true
	}
	return interval{}, false
}

// term is coef times an atom: a variable, or an expression that is not linear.
type term struct {
	atom tir.Expr
	coef int64
}

// lin is the linear form Σ coef·atom + c. Atoms are pairwise different and stay
// in order of first appearance, so equal inputs give equal forms.
type lin struct {
	terms []term
	c     int64
}

func (l *lin) add(atom tir.Expr, coef int64) {
	if coef == 0 {
		return
	}
	for i := range l.terms {
		if tir.EqualExpr(l.terms[i].atom, atom) {
			l.terms[i].coef += coef
			if l.terms[i].coef == 0 {
				l.terms = append(l.terms[:i:i], l.terms[i+1:]...)
			}
			return
		}
	}
	l.terms = append(l.terms, term{atom, coef})
}

func (l *lin) addScaled(o lin, k int64) {
	l.c += o.c * k
	for _, t := range o.terms {
		l.add(t.atom, t.coef*k)
	}
}

// linear reads an integer expression as a linear form, dividing out what the
// bounds allow: (4·a + b) // 4 is a where 0 ≤ b < 4.
func (b bounds) linear(e tir.Expr) lin {
	var out lin
	switch x := e.(type) {
	case *tir.IntImm:
		out.c = x.Value
		return out
	case *tir.Cast:
		if x.Type.IsInt() && x.Value.DType().IsInt() && x.Type.Bits >= 32 {
			return b.linear(x.Value)
		}
	case *tir.Binary:
		if l, ok := b.linearBinary(x); ok {
			return l
		}
	}
	out.add(e, 1)
	return out
}

func (b bounds) linearBinary(x *tir.Binary) (lin, bool) {
	var out lin
	switch x.Op {
	case tir.OpAdd, tir.OpSub:
		k := int64(1)
		if x.Op == tir.OpSub {
			k = -1
		}
		out.addScaled(b.linear(x.A), 1)
		out.addScaled(b.linear(x.B), k)
		return b.joined(out), true
	case tir.OpMul:
		p, q := b.linear(x.A), b.linear(x.B)
		if len(p.terms) == 0 {
			p, q = q, p
		}
		if len(q.terms) == 0 {
			out.addScaled(p, q.c)
			return out, true
		}
	case tir.OpFloorDiv, tir.OpFloorMod:
		if d, ok := tir.AsInt(x.B); ok && d > 0 {
			return b.divide(x.Op, b.linear(x.A), d, x), true
		}
	case tir.OpMin, tir.OpMax:
		if p, ok := b.of(x.A); ok {
			if q, ok := b.of(x.B); ok {
				if (p.hi <= q.lo) == (x.Op == tir.OpMin) && (p.hi <= q.lo || q.hi <= p.lo) {
					return b.linear(x.A), true
				}
				if p.hi <= q.lo || q.hi <= p.lo {
					return b.linear(x.B), true
				}
			}
		}
	}
	return out, false
}

// joined makes x·k of quotients and remainders of one number: (x // c)·c·k + (x % c)·k.
func (b bounds) joined(l lin) lin {
	for i, t := range l.terms {
		q, ok := t.atom.(*tir.Binary)
		if !ok || q.Op != tir.OpFloorDiv {
			continue
		}
		c, ok := tir.AsInt(q.B)
		if !ok || c <= 0 || t.coef%c != 0 {
			continue
		}
		rest := tir.FloorMod(q.A, q.B)
		for j, r := range l.terms {
			if r.coef != t.coef/c || !tir.EqualExpr(r.atom, rest) {
				continue
			}
			out := lin{c: l.c}
			for n, o := range l.terms {
				if n != i && n != j {
					out.add(o.atom, o.coef)
				}
			}
			out.addScaled(b.linear(q.A), r.coef)
			return b.joined(out)
		}
	}
	return l
}

// divide splits num into the multiple of d and the rest: when the rest stays in
// [0, d) the quotient is exact and the remainder is the rest.
func (b bounds) divide(op tir.BinOp, num lin, d int64, orig *tir.Binary) lin {
	var whole, rest lin
	for _, t := range num.terms {
		if t.coef%d == 0 {
			whole.add(t.atom, t.coef/d)
		} else {
			rest.add(t.atom, t.coef)
		}
	}
	q := tir.FloorDivInt(num.c, d)
	whole.c, rest.c = q, num.c-q*d
	r := b.bound(rest)
	if r.lo >= 0 && r.hi < d {
		if op == tir.OpFloorMod {
			return rest
		}
		return whole
	}
	if op == tir.OpFloorDiv {
		if len(rest.terms) < len(num.terms) || rest.c != num.c {
			whole.add(tir.FloorDiv(rest.expr(), tir.IntOf(d, orig.T)), 1)
			return whole
		}
		whole = lin{}
		whole.add(tir.FloorDiv(num.expr(), tir.IntOf(d, orig.T)), 1)
		return whole
	}
	var out lin
	out.add(tir.FloorMod(rest.expr(), tir.IntOf(d, orig.T)), 1)
	return out
}

// bound is the range of a linear form; unknown atoms make it unbounded.
func (b bounds) bound(l lin) interval {
	lo, hi := l.c, l.c
	for _, t := range l.terms {
		iv, ok := b.of(t.atom)
		if !ok {
			return interval{math.MinInt64 / 4, math.MaxInt64 / 4}
		}
		x, y := iv.lo*t.coef, iv.hi*t.coef
		lo, hi = lo+min(x, y), hi+max(x, y)
	}
	return interval{lo, hi}
}

// expr writes the form back: terms in order, the constant last.
func (l lin) expr() tir.Expr {
	var out tir.Expr
	for _, t := range l.terms {
		var e tir.Expr = t.atom
		if t.coef != 1 && (out == nil || t.coef != -1) {
			e = tir.Mul(t.atom, tir.IntOf(t.coef, t.atom.DType()))
		}
		switch {
		case out == nil:
			out = e
		case t.coef == -1:
			out = tir.Sub(out, t.atom)
		default:
			out = tir.Add(out, e)
		}
	}
	if out == nil {
		return tir.Int(l.c)
	}
	if l.c < 0 {
		return tir.Sub(out, tir.IntOf(-l.c, out.DType()))
	}
	return tir.Add(out, tir.IntOf(l.c, out.DType()))
}

// split separates the terms whose atoms mention a variable chosen by inner.
func (l lin) split(inner func(*tir.Var) bool) (in, out lin) {
	out.c = l.c
	for _, t := range l.terms {
		if tir.UsesVar(t.atom, inner) {
			in.terms = append(in.terms, t)
		} else {
			out.terms = append(out.terms, t)
		}
	}
	return in, out
}

// coefOf is the coefficient of v; ok is false when v hides inside another atom.
func (l lin) coefOf(v *tir.Var) (coef int64, ok bool) {
	for _, t := range l.terms {
		if t.atom == tir.Expr(v) {
			coef = t.coef
		} else if tir.UsesVar(t.atom, func(x *tir.Var) bool { return x == v }) {
			return 0, false
		}
	}
	return coef, true
}

// same reports whether two forms have equal terms in any order, constants aside.
func (l lin) same(o lin) bool {
	if len(l.terms) != len(o.terms) {
		return false
	}
	var d lin
	d.terms = append(d.terms, l.terms...)
	d.addScaled(lin{terms: o.terms}, -1)
	return len(d.terms) == 0
}

// sameExprs compares two lists of expressions.
func sameExprs(a, b []tir.Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !tir.EqualExpr(a[i], b[i]) {
			return false
		}
	}
	return true
}
