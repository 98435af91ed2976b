package arith

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// form is what the canonical pass makes of an expression of index type: a plain
// expression, or the terms from m to the top of the stack, of which a sum may
// have any number, plus a constant, and anything else exactly one.
type form struct {
	plain tir.Expr
	sum   bool
	base  int64
	m     int
}

// constant is the value of a form that is a constant.
func (f *form) constant() (int64, bool) {
	if f.plain == nil {
		return 0, false
	}
	return tir.AsInt(f.plain)
}

// canonical returns the normal form of e, an expression of index type: terms
// with positive scale by falling scale, then the constant, then subtractions.
// The result is e itself when it already has that form.
func (a *Analyzer) canonical(e tir.Expr) tir.Expr { return a.normal(a.form(e), e.DType(), e) }

// form reads e. The operands of sums, products and quotients stay forms, so that
// their terms meet; everything else is simplified by the rules.
func (a *Analyzer) form(e tir.Expr) form {
	a.effort++
	switch x := e.(type) {
	case *tir.IntImm:
		return form{plain: e}
	case *tir.Binary:
		if !isIndex(x.T) {
			break
		}
		switch x.Op {
		case tir.OpAdd:
			return a.formAdd(x, 1)
		case tir.OpSub:
			return a.formAdd(x, -1)
		case tir.OpMul:
			return a.formMul(x)
		case tir.OpDiv, tir.OpFloorDiv:
			return a.formDiv(x)
		case tir.OpMod, tir.OpFloorMod:
			return a.formMod(x)
		}
	case *tir.Cast:
		if isIndex(x.Type) {
			return a.formCast(x)
		}
	}
	return form{plain: simplifier{a, true}.other(e)}
}

// drop pops the terms of f.
func (a *Analyzer) drop(f form) {
	if f.plain == nil {
		a.terms = a.terms[:f.m]
	}
}

// asSum makes a sum of f, whose terms are on top of the stack.
func (a *Analyzer) asSum(f form) form {
	if f.plain != nil {
		if k, ok := f.plain.(*tir.IntImm); ok {
			return form{sum: true, base: k.Value, m: len(a.terms)}
		}
		a.terms = append(a.terms, atom(f.plain))
		return form{sum: true, m: len(a.terms) - 1}
	}
	f.sum = true
	return f
}

// popTerm pops f as a single term.
func (a *Analyzer) popTerm(f form, t dtype.DType) term {
	if f.plain == nil && (!f.sum || f.base == 0 && len(a.terms) == f.m+1) {
		x := a.terms[f.m]
		a.terms = a.terms[:f.m]
		return x
	}
	return atom(a.normal(f, t, nil))
}

// formOf pushes x as the form of a single term.
func (a *Analyzer) formOf(x term) form {
	a.terms = append(a.terms, x)
	return form{m: len(a.terms) - 1}
}

// formAdd is x.A + x.B, or the difference for a negative sign.
func (a *Analyzer) formAdd(x *tir.Binary, sign int64) form {
	p := a.form(x.A)
	if k, ok := p.constant(); ok && k == 0 && sign > 0 {
		return a.form(x.B)
	}
	s := a.asSum(p)
	mid := len(a.terms)
	q := a.form(x.B)
	if k, ok := q.constant(); ok {
		if j, ok := p.constant(); ok {
			return form{plain: tir.IntOf(j+sign*k, x.T)}
		}
		if k == 0 {
			if p.plain != nil {
				a.terms = a.terms[:s.m]
			}
			return p
		}
		s.base += sign * k
		return s
	}
	if q.plain != nil {
		t := atom(q.plain)
		t.scale = sign
		a.addTerm(s.m, t)
		return s
	}
	s.base += sign * q.base
	a.merge(s.m, mid, sign)
	return s
}

// formMul multiplies; a constant factor scales the terms of the other one.
func (a *Analyzer) formMul(x *tir.Binary) form {
	p := a.form(x.A)
	if k, ok := p.constant(); ok {
		return a.scaled(a.form(x.B), k, x.T)
	}
	q := a.form(x.B)
	if k, ok := q.constant(); ok {
		return a.scaled(p, k, x.T)
	}
	d := a.normal(q, x.T, x.B)
	e := a.normal(p, x.T, x.A)
	r := product(e, d)
	if b, ok := r.(*tir.Binary); ok && b.Op == tir.OpMul && b.A == x.A && b.B == x.B {
		r = x
	}
	return form{plain: r}
}

// scaled is f times k.
func (a *Analyzer) scaled(f form, k int64, t dtype.DType) form {
	if c, ok := f.constant(); ok {
		return form{plain: tir.IntOf(c*k, t)}
	}
	switch k {
	case 0:
		a.drop(f)
		return form{plain: tir.IntOf(0, t)}
	case 1:
		return f
	}
	if f.plain != nil {
		x := atom(f.plain)
		x.scale = k
		return a.formOf(x)
	}
	for i := f.m; i < len(a.terms); i++ {
		if p := satMul(a.terms[i].scale, k); p == PosInf || p == NegInf {
			x := atom(a.normal(f, t, nil))
			x.scale = k
			return a.formOf(x)
		}
	}
	for i := f.m; i < len(a.terms); i++ {
		a.terms[i].scale *= k
	}
	f.base *= k
	return f
}

// product multiplies two expressions as (x * y) * z, constant factors last.
func product(x, y tir.Expr) tir.Expr {
	scale, t := int64(1), x.DType()
	e := gather(gather(nil, x, &scale), y, &scale)
	if e == nil {
		return tir.IntOf(scale, t)
	}
	return tir.Mul(e, tir.IntOf(scale, t))
}

// gather multiplies acc (nil is one) by the factors of e, moving constant
// factors into scale.
func gather(acc, e tir.Expr, scale *int64) tir.Expr {
	if b := as(tir.OpMul, e); b != nil {
		return gather(gather(acc, b.A, scale), b.B, scale)
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
	return tir.Mul(acc, e)
}
