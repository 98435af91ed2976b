package arith

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// Factor is a positive size or stride: a constant times a product of opaque
// expressions, such as 4 or 8*n. It compares and divides exactly.
type Factor struct {
	c   int64
	sym []tir.Expr // nil for constants
}

// FactorOf reads an expression as a factor.
func FactorOf(e tir.Expr) Factor {
	if c, ok := e.(*tir.IntImm); ok {
		return Factor{c: c.Value}
	}
	f := Factor{c: 1}
	f.collect(e)
	return f
}

func (f *Factor) collect(e tir.Expr) {
	switch x := e.(type) {
	case *tir.IntImm:
		f.c *= x.Value
		return
	case *tir.Binary:
		if x.Op == tir.OpMul {
			f.collect(x.A)
			f.collect(x.B)
			return
		}
	}
	f.sym = append(f.sym, e)
}

func constFactor(c int64) Factor { return Factor{c: c} }

var oneFactor = Factor{c: 1}

// Const returns the value of a constant factor.
func (f Factor) Const() (int64, bool) { return f.c, f.sym == nil }

// Expr writes the factor as an expression of type t.
func (f Factor) Expr(t dtype.DType) tir.Expr {
	if f.sym == nil {
		return tir.IntOf(f.c, t)
	}
	var e tir.Expr
	for _, s := range f.sym {
		if s.DType() != t {
			s = tir.NewCast(t, s)
		}
		if e == nil {
			e = s
		} else {
			e = tir.Mul(e, s)
		}
	}
	return tir.Mul(e, tir.IntOf(f.c, t))
}

func (f Factor) isOne() bool { return f.c == 1 && f.sym == nil }

func (f Factor) equal(g Factor) bool {
	if f.c != g.c || len(f.sym) != len(g.sym) {
		return false
	}
	if f.sym == nil {
		return true
	}
	q, ok := f.div(g)
	return ok && q.isOne()
}

func (f Factor) mul(g Factor) Factor {
	r := Factor{c: satMul(f.c, g.c)}
	if f.sym != nil || g.sym != nil {
		r.sym = append(append(make([]tir.Expr, 0, len(f.sym)+len(g.sym)), f.sym...), g.sym...)
	}
	return r
}

// div is the exact quotient, false when g does not divide f.
func (f Factor) div(g Factor) (Factor, bool) {
	if g.c == 0 || f.c%g.c != 0 || len(g.sym) > len(f.sym) {
		return Factor{}, false
	}
	q := Factor{c: f.c / g.c}
	if f.sym == nil {
		return q, true
	}
	rest := append([]tir.Expr(nil), f.sym...)
next:
	for _, s := range g.sym {
		for i, r := range rest {
			if Same(r, s) {
				rest = append(rest[:i], rest[i+1:]...)
				continue next
			}
		}
		return Factor{}, false
	}
	if len(rest) > 0 {
		q.sym = rest
	}
	return q, true
}

// less orders factors by constant, then by number of symbols.
func (f Factor) less(g Factor) bool {
	if len(f.sym) != len(g.sym) {
		return len(f.sym) < len(g.sym)
	}
	return f.c < g.c
}
