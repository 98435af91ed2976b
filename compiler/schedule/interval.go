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

// eval returns the interval of e, open where nothing is known.
func (r *relaxer) eval(e tir.Expr) interval { return r.a.EvalSet(e, r.dom) }

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
