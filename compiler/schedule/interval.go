package schedule

import (
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
