package schedule

import (
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// iterDomain is what an iterator has to cover: the values dom, as far as they lie
// in bound. Open ends are unlimited; some is false while nothing is known, and
// limited says that bound is still to be checked.
type iterDomain struct {
	dom, bound    interval
	some, limited bool
}

// union adds values that are needed, within the given limits.
func (d *iterDomain) union(dom, bound interval) {
	if d.some {
		var a arith.Analyzer
		dom, bound = a.Union(d.dom, dom), a.Union(d.bound, bound)
	}
	d.dom, d.bound, d.some, d.limited = dom, bound, true, true
}

// covered is the range of an iterator that holds the values, its whole domain
// when they are not limited.
func (d *iterDomain) covered(whole tir.Range) tir.Range {
	if !d.dom.Bounded() {
		return whole
	}
	var a arith.Analyzer // what the loops around bring is left to the loops
	if d.dom.IsPoint() {
		return tir.Range{Min: a.Simplify(d.dom.Lo), Extent: tir.IntOf(1, d.dom.Lo.DType())}
	}
	return a.SimplifyRange(tir.Range{Min: d.dom.Lo, Extent: tir.Sub(tir.Add(d.dom.Hi, tir.IntOf(1, d.dom.Hi.DType())), d.dom.Lo)})
}

// settle decides between needed values and limits: where one lies in the other
// no condition is left; a constant overlap becomes the domain.
func (d *iterDomain) settle(a *arith.Analyzer, whole tir.Range) {
	domain := arith.RangeInterval(whole)
	if !d.some {
		d.dom = simplified(a, domain)
		return
	}
	var fresh arith.Analyzer
	dom, bound := simplified(a, d.dom), simplified(a, fresh.Intersect(d.bound, domain))
	meet := simplified(a, fresh.Intersect(dom, bound))
	_, c1 := tir.AsInt(meet.Lo)
	_, c2 := tir.AsInt(meet.Hi)
	switch {
	case sameEnd(a, dom.Lo, meet.Lo) && sameEnd(a, dom.Hi, meet.Hi):
		d.dom, d.limited = dom, false
	case sameEnd(a, bound.Lo, meet.Lo) && sameEnd(a, bound.Hi, meet.Hi):
		d.dom, d.limited = bound, false
	case c1 && c2:
		d.dom, d.limited = meet, false
	default:
		d.dom, d.bound = dom, bound
	}
}

func sameEnd(a *arith.Analyzer, x, y tir.Expr) bool {
	if x == nil || y == nil {
		return x == y
	}
	x, y = tir.MatchTypes(x, y)
	return a.CanProveEqual(x, y)
}

func simplified(a *arith.Analyzer, in interval) interval {
	if in.IsPoint() {
		return arith.Point(a.Simplify(in.Lo))
	}
	if in.Lo != nil {
		in.Lo = a.Simplify(in.Lo)
	}
	if in.Hi != nil {
		in.Hi = a.Simplify(in.Hi)
	}
	return in
}

// domainSolver finds the values that the iterators of a block must take so that
// what it touches includes what is needed of the same buffers.
type domainSolver struct {
	a     *arith.Analyzer
	where string
	iters []*tir.IterVar
	doms  []iterDomain
}

func (s *domainSolver) find(v *tir.Var) *iterDomain {
	for i, it := range s.iters {
		if it.Var == v {
			return &s.doms[i]
		}
	}
	return nil
}

// solve narrows the iterators by one buffer: by the exact inverse of its indices
// when they are a bijective map, else dimension by dimension.
func (s *domainSolver) solve(buf *tir.Buffer, own, need []interval, accesses []touching) *Error {
	if done, err := s.invert(buf, own, need, accesses); done || err != nil {
		return err
	}
	for d := range own {
		n := buf.Shape[d]
		last := tir.Max(tir.Sub(n, tir.IntOf(1, n.DType())), tir.IntOf(0, n.DType()))
		if err := s.solveDim(buf, d, own[d], need[d], last); err != nil {
			return err
		}
	}
	return nil
}

// invert solves single elements at the corners of what is needed and of the whole
// buffer.
func (s *domainSolver) invert(buf *tir.Buffer, own, need []interval, accesses []touching) (done bool, err *Error) {
	idx := make([]tir.Expr, len(own))
	for d, in := range own {
		if !in.IsPoint() && !s.a.CanProveEqual(in.Lo, in.Hi) {
			return false, nil
		}
		idx[d] = in.Lo
	}
	inverse, err := s.inverse(idx, buf)
	if inverse == nil || err != nil {
		return false, err
	}
	var lo, hi, first, last []tir.Expr
	for d, in := range need {
		if !in.Bounded() {
			return false, refuse(IndexForm, s.where, "what is needed in dimension %d of %s has no bounds", d, buf.Name)
		}
		n := buf.Shape[d]
		zero := tir.IntOf(0, n.DType())
		lo, hi = append(lo, in.Lo), append(hi, in.Hi)
		first, last = append(first, zero), append(last, tir.Max(tir.Sub(n, tir.IntOf(1, n.DType())), zero))
	}
	dom, bound := s.corners(inverse, lo, hi), s.corners(inverse, first, last)
	if s.plain(idx) == nil && s.wraps(inverse, accesses, dom) {
		return false, refuse(IndexForm, s.where, "what is needed of %s is no box of its iterators", buf.Name)
	}
	for i, it := range s.iters {
		if in, ok := dom[it.Var]; ok {
			s.doms[i].union(in, bound[it.Var])
		}
	}
	return true, nil
}

// inverse is the inverse of indices that are a bijective map of the iterators,
// nil when they are none: the iterators' values where the indices have given ones.
func (s *domainSolver) inverse(idx []tir.Expr, buf *tir.Buffer) (func(at []tir.Expr) map[*tir.Var]tir.Expr, *Error) {
	if plain := s.plain(idx); plain != nil {
		return plain, nil
	}
	loops := make([]arith.Loop, len(s.iters))
	for i, it := range s.iters {
		loops[i] = arith.Loop{Var: it.Var, Dom: it.Dom}
	}
	sums, err := arith.DetectIterMap(idx, loops, nil, arith.Bijective, false)
	if err != nil {
		return nil, nil
	}
	for i := range sums {
		if n, ok := stepOf(&sums[i]); !ok {
			return nil, refuse(IndexForm, s.where, "its index %d of %s moves in steps of %d", i, buf.Name, n)
		}
	}
	if _, err := arith.InverseAffine(sums, idx); err != nil {
		return nil, refuse(IndexForm, s.where, "its indices of %s have no inverse: %v", buf.Name, err)
	}
	return func(at []tir.Expr) map[*tir.Var]tir.Expr {
		typed := make([]tir.Expr, len(at))
		for d, e := range at {
			typed[d] = tir.NewCast(idx[d].DType(), e)
		}
		vals, _ := arith.InverseAffine(sums, typed)
		return vals
	}, nil
}

// stepOf is how far a sum of one digit moves at least, and whether that is 1.
func stepOf(sum *arith.IterSum) (n int64, one bool) {
	if len(sum.Args) != 1 {
		return 1, true
	}
	n, ok := sum.Args[0].Scale.Const()
	return n, ok && (n == 1 || n == -1)
}

// plain is inverse for the common case that the indices are the iterators in some
// order, those of one value aside.
func (s *domainSolver) plain(idx []tir.Expr) func(at []tir.Expr) map[*tir.Var]tir.Expr {
	used := 0
	for d, e := range idx {
		v, ok := e.(*tir.Var)
		if !ok || s.find(v) == nil {
			return nil
		}
		for _, o := range idx[:d] {
			if o == e {
				return nil
			}
		}
		used++
	}
	for _, it := range s.iters {
		if !tir.IsConst(it.Dom.Extent, 1) {
			used--
		}
	}
	if used != 0 {
		return nil
	}
	return func(at []tir.Expr) map[*tir.Var]tir.Expr {
		vals := make(map[*tir.Var]tir.Expr, len(idx))
		for d, e := range idx {
			v := e.(*tir.Var)
			vals[v] = tir.NewCast(v.Type, at[d])
		}
		return vals
	}
}

// corners are the intervals between the values at two corners.
func (s *domainSolver) corners(inverse func([]tir.Expr) map[*tir.Var]tir.Expr, lo, hi []tir.Expr) map[*tir.Var]interval {
	out := map[*tir.Var]interval{}
	from, to := inverse(lo), inverse(hi)
	for v, x := range from {
		y := to[v]
		if k, ok := tir.AsInt(s.a.Simplify(tir.Sub(y, x))); ok {
			if k < 0 {
				x, y = y, x
			}
			out[v] = span(s.a.Simplify(x), s.a.Simplify(y))
			continue
		}
		out[v] = span(s.a.Simplify(tir.Min(x, y)), s.a.Simplify(tir.Max(x, y)))
	}
	return out
}
