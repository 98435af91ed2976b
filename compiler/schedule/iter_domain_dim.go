package schedule

import (
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// solveDim narrows the iterator that one dimension of a buffer names: own is what
// one instance of the block touches there, need what it has to touch, last the
// largest index.
func (s *domainSolver) solveDim(buf *tir.Buffer, d int, own, need interval, last tir.Expr) *Error {
	lo, hi := s.a.Simplify(own.Lo), s.a.Simplify(own.Hi)
	point := arith.Same(lo, hi) || s.a.CanProveEqual(lo, hi)
	if _, ok := tir.AsInt(own.Lo); ok && point {
		if !sameEnd(s.a, own.Lo, need.Lo) || !sameEnd(s.a, own.Lo, need.Hi) {
			return refuse(IndexForm, s.where, "it touches one index in dimension %d of %s, not what is needed", d, buf.Name)
		}
		return nil
	}
	v, dom, bound, ok := s.match(lo, point, simplified(s.a, need), last)
	if !ok {
		return refuse(IndexForm, s.where, "its index %d of %s is not an iterator, a multiple, a quotient or a rest of one", d, buf.Name)
	}
	it := s.find(v)
	switch {
	case it != nil:
		if bound.Bounded() {
			it.union(dom, bound)
		}
		return nil
	case sameEnd(s.a, own.Lo, need.Lo) && sameEnd(s.a, own.Hi, need.Hi):
		return nil // an index from outside: the same for all
	}
	return refuse(IndexForm, s.where, "its index %d of %s is no iterator and not what is needed", d, buf.Name)
}

// match finds the variable that an index e is made of, the values that it must
// have for e to cover need, and those for which e does not leave the buffer. No
// bound means that it is not limited at all.
func (s *domainSolver) match(e tir.Expr, point bool, need interval, last tir.Expr) (v *tir.Var, dom, bound interval, ok bool) {
	zero := tir.IntOf(0, last.DType())
	if v, ok := e.(*tir.Var); ok {
		return v, need, span(zero, last), point
	}
	b, isBinary := e.(*tir.Binary)
	if !isBinary {
		return nil, dom, bound, false
	}
	switch b.Op {
	case tir.OpMul:
		x, c := b.A, b.B
		if _, ok := x.(*tir.Var); !ok {
			x, c = b.B, b.A
		}
		if v, ok := x.(*tir.Var); ok {
			by := func(e tir.Expr) tir.Expr { return tir.FloorDiv(e, c) }
			return v, ends(need, by, by), span(zero, by(last)), true
		}
	case tir.OpFloorDiv:
		c := b.B
		if !point || !s.a.CanProveGreaterEqual(c, tir.IntOf(1, c.DType())) {
			break
		}
		first := func(e tir.Expr) tir.Expr { return tir.Mul(e, c) }
		final := func(e tir.Expr) tir.Expr {
			return s.a.Simplify(tir.Sub(tir.Add(tir.Mul(e, c), c), tir.IntOf(1, c.DType())))
		}
		need = ends(need, first, final)
		if v, ok := b.A.(*tir.Var); ok {
			return v, need, span(zero, final(last)), true
		}
		return s.match(s.a.Simplify(b.A), true, simplified(s.a, need), last)
	case tir.OpFloorMod:
		if v, ok := b.A.(*tir.Var); ok {
			return v, dom, bound, point // a rest limits nothing
		}
		one := tir.IntOf(1, b.B.DType())
		if point && need.Lo != nil && s.a.CanProveGreaterEqual(b.A, one) && s.a.CanProveGreaterEqual(b.B, one) &&
			s.a.CanProveGreaterEqual(need.Lo, tir.IntOf(0, need.Lo.DType())) {
			return s.match(s.a.Simplify(b.A), true, interval{Lo: need.Lo}, last)
		}
	}
	return nil, dom, bound, false
}

// ends applies functions to the finite ends of an interval.
func ends(in interval, lo, hi func(tir.Expr) tir.Expr) interval {
	if in.Lo != nil {
		in.Lo = lo(in.Lo)
	}
	if in.Hi != nil {
		in.Hi = hi(in.Hi)
	}
	return in
}
