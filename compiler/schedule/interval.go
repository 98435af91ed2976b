package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// interval is a symbolic inclusive range of integers; a nil end is open.
type interval = arith.Interval

func span(lo, hi tir.Expr) interval { return interval{Lo: lo, Hi: hi} }

// rangeOf is a bounded interval as a range.
func rangeOf(i interval, a *arith.Analyzer) tir.Range {
	lo := a.Simplify(i.Lo)
	if i.IsPoint() {
		return tir.Range{Min: lo, Extent: tir.IntOf(1, lo.DType())}
	}
	one := tir.IntOf(1, i.Lo.DType())
	end := tir.Add(i.Hi, one)
	if m, ok := i.Hi.(*tir.Binary); ok && m.Op == tir.OpMin {
		end = tir.Min(a.Simplify(tir.Add(m.A, one)), a.Simplify(tir.Add(m.B, one)))
	}
	return tir.Range{Min: lo, Extent: a.Simplify(tir.Sub(end, i.Lo))}
}

// relaxer evaluates expressions to the interval they cover while the variables
// of dom run; every other variable is a constant.
type relaxer struct {
	a   *arith.Analyzer
	dom []arith.Dom
}

func (r *relaxer) add(v *tir.Var, d interval) { r.dom = append(r.dom, arith.Dom{Var: v, Set: d}) }

func (r *relaxer) find(v *tir.Var) int {
	for i := len(r.dom) - 1; i >= 0; i-- {
		if r.dom[i].Var == v {
			return i
		}
	}
	return -1
}

func (r *relaxer) moves(e tir.Expr) bool {
	return tir.UsesVar(e, func(v *tir.Var) bool { return r.find(v) >= 0 })
}

// eval returns the interval of e, open where nothing is known.
func (r *relaxer) eval(e tir.Expr) interval { return r.a.EvalSet(e, r.dom) }

// union is the hull of two intervals, simplified.
func (r *relaxer) union(a, b interval) interval { return r.a.Union(a, b) }

// loopsBelow returns the loops from block id up to, not including, top.
func (st *state) loopsBelow(id, top nid) []nid {
	var out []nid
	for p := st.at(id).parent; p != top && p != none; p = st.at(p).parent {
		if st.at(p).kind == kLoop {
			out = append(out, p)
		}
	}
	return out
}

// relaxOver makes a relaxer in which the loops between block id and top run,
// and outer ones are constants with known bounds.
func (st *state) relaxOver(id, top nid) *relaxer {
	r := &relaxer{}
	if top == none {
		r.a = st.bindLoops(st.root)
	} else {
		r.a = st.bindLoops(top)
		if n := st.at(top); n.kind == kLoop {
			r.a.Bind(n.loop.Var, tir.Range{Min: n.loop.Min, Extent: n.loop.Extent})
		}
	}
	inner := st.loopsBelow(id, top)
	r.dom = make([]arith.Dom, 0, len(inner)+8)
	for i := len(inner) - 1; i >= 0; i-- {
		l := &st.at(inner[i]).loop
		// Bounds may use outer loops that run as well.
		lo, hi := r.eval(l.Min), r.eval(arith.RangeInterval(tir.Range{Min: l.Min, Extent: l.Extent}).Hi)
		r.add(l.Var, span(lo.Lo, hi.Hi))
		if tir.IsConst(l.Extent, 1) {
			r.dom[len(r.dom)-1].Set = lo
		}
	}
	return r
}

// iterIntervals is what the iterators of a block cover while the loops of r
// run: the bindings, clipped by those conjuncts of the predicate that bound one
// binding.
func (st *state) iterIntervals(id nid, r *relaxer) []interval {
	n := st.at(id)
	ins := make([]interval, len(n.values))
	for i, v := range n.values {
		ins[i] = r.eval(v)
		if !ins[i].Bounded() {
			ins[i] = arith.RangeInterval(n.block.Iters[i].Dom)
		}
	}
	for _, c := range conjuncts(n.pred) {
		r.clip(n, ins, c)
	}
	return ins
}

// clip narrows the interval of the binding that condition c bounds by an
// expression which does not move.
func (r *relaxer) clip(n *node, ins []interval, c tir.Expr) {
	b, ok := c.(*tir.Binary)
	if !ok || r.moves(b.B) {
		return
	}
	for i, v := range n.values {
		if !arith.Same(v, b.A) && (v.DType() != b.A.DType() || !tir.IsConst(r.a.Simplify(tir.Sub(v, b.A)), 0)) {
			continue
		}
		one := tir.IntOf(1, b.B.DType())
		switch b.Op {
		case tir.OpLT:
			ins[i].Hi = r.smaller(ins[i].Hi, tir.Sub(b.B, one))
		case tir.OpLE:
			ins[i].Hi = r.smaller(ins[i].Hi, b.B)
		case tir.OpGE:
			ins[i].Lo = r.larger(ins[i].Lo, b.B)
		case tir.OpGT:
			ins[i].Lo = r.larger(ins[i].Lo, tir.Add(b.B, one))
		}
		return
	}
}

func (r *relaxer) smaller(a, b tir.Expr) tir.Expr {
	a, b = tir.MatchTypes(a, b)
	if r.a.CanProve(tir.CompareFold(tir.OpLE, a, b)) {
		return a
	}
	return r.a.Simplify(tir.Min(a, b))
}

func (r *relaxer) larger(a, b tir.Expr) tir.Expr {
	a, b = tir.MatchTypes(a, b)
	if r.a.CanProve(tir.CompareFold(tir.OpGE, a, b)) {
		return a
	}
	return r.a.Simplify(tir.Max(a, b))
}

// regionIntervals is the interval of every dimension of a region of block id while the
// loops of r run and the iterators cover ins.
func (st *state) regionIntervals(id nid, r *relaxer, ins []interval, ranges []tir.Range) []interval {
	inner := relaxer{a: r.a, dom: slices.Clone(r.dom)}
	for i, it := range st.at(id).block.Iters {
		inner.add(it.Var, ins[i])
	}
	out := make([]interval, len(ranges))
	for i, x := range ranges {
		in := inner.eval(x.Min)
		if hi := inner.eval(arith.RangeInterval(x).Hi); !tir.IsConst(x.Extent, 1) {
			in.Hi = hi.Hi
		}
		out[i] = in
	}
	return out
}

// relaxed is the part of buf that a region of block id covers while the loops
// below top run, clamped to the buffer.
func (st *state) relaxed(id nid, ranges []tir.Range, top nid, buf *tir.Buffer) []tir.Range {
	r := st.relaxOver(id, top)
	ins := st.iterIntervals(id, r)
	out := fullRegion(buf)
	for i, in := range st.regionIntervals(id, r, ins, ranges) {
		if !in.Bounded() {
			continue
		}
		n := buf.Shape[i]
		zero := tir.IntOf(0, n.DType())
		last := tir.Sub(n, tir.IntOf(1, n.DType()))
		in = simplified(r.a, in)
		if lo, hi := r.larger(in.Lo, zero), r.smaller(in.Hi, last); lo != in.Lo || hi != in.Hi {
			in = span(lo, hi)
		}
		out[i] = rangeOf(in, r.a)
	}
	return out
}
