package arith

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// Interval is a closed symbolic interval; a nil end is infinite. An empty
// interval has no representation: Intersect may return ends that cross.
type Interval struct{ Lo, Hi tir.Expr }

// Everything is the interval of all integers.
var Everything = Interval{}

// Point is the interval of one value.
func Point(e tir.Expr) Interval { return Interval{e, e} }

// RangeInterval is the closed interval of a range.
func RangeInterval(r tir.Range) Interval {
	if tir.IsConst(r.Extent, 1) {
		return Point(r.Min)
	}
	return Interval{r.Min, lastOf(r)}
}

// lastOf is the largest member of r.
func lastOf(r tir.Range) tir.Expr {
	return tir.Sub(tir.Add(r.Min, r.Extent), tir.IntOf(1, r.Min.DType()))
}

// IsPoint reports whether both ends are one expression.
func (s Interval) IsPoint() bool { return s.Lo != nil && s.Hi != nil && Same(s.Lo, s.Hi) }

// Bounded reports whether both ends are finite.
func (s Interval) Bounded() bool { return s.Lo != nil && s.Hi != nil }

// Dom gives a variable the values of an interval.
type Dom struct {
	Var *tir.Var
	Set Interval
}

// LoopDoms gives loop variables their ranges.
func LoopDoms(loops []Loop) []Dom {
	out := make([]Dom, len(loops))
	for i, l := range loops {
		out[i] = Dom{l.Var, RangeInterval(l.Dom)}
	}
	return out
}

func domOf(v *tir.Var, dom []Dom) (Interval, bool) {
	for i := len(dom) - 1; i >= 0; i-- {
		if dom[i].Var == v {
			return dom[i].Set, true
		}
	}
	return Interval{}, false
}

func usesDom(e tir.Expr, dom []Dom) bool {
	switch x := e.(type) {
	case *tir.IntImm:
		return false
	case *tir.Var:
		_, ok := domOf(x, dom)
		return ok
	}
	return tir.UsesVar(e, func(v *tir.Var) bool { _, ok := domOf(v, dom); return ok })
}

// settled reports whether e is one value: it mentions no variable of dom, and
// nothing that EvalSet takes for several outside of loads, which are not looked into.
func settled(e tir.Expr, dom []Dom) bool {
	switch x := e.(type) {
	case *tir.IntImm:
		return true
	case *tir.Var:
		_, ok := domOf(x, dom)
		return !ok
	case *tir.Binary:
		return settled(x.A, dom) && settled(x.B, dom)
	case *tir.Cast:
		return settled(x.Value, dom)
	case *tir.Select, *tir.Call, *tir.FloatImm, *tir.Not, *tir.Let:
		return false
	case *tir.Load:
		if !x.DType().IsInt() {
			return false
		}
	}
	return !usesDom(e, dom)
}

// EvalSet returns an interval that holds e for all values of the variables in
// dom; other variables stay symbols. The ends are not simplified. An end that
// mentions variables of dom, such as a loop bound by an outer loop, is evaluated
// in turn. A choice is either of its values; a call, a negation, a float and what
// is loaded that is no integer are anything.
func (a *Analyzer) EvalSet(e tir.Expr, dom []Dom) Interval {
	if settled(e, dom) {
		return Point(e)
	}
	return a.evalSet(e, dom, 0)
}

// maxNesting bounds how far EvalSet follows domains that mention each other.
const maxNesting = 64

func (a *Analyzer) evalSet(e tir.Expr, dom []Dom, depth int) Interval {
	switch x := e.(type) {
	case *tir.IntImm:
		return Point(e)
	case *tir.Var:
		s, ok := domOf(x, dom)
		if !ok || depth > maxNesting {
			return Point(e)
		}
		if s.Lo != nil && usesDom(s.Lo, dom) {
			s.Lo = a.evalSet(s.Lo, dom, depth+1).Lo
		}
		if s.Hi != nil && usesDom(s.Hi, dom) {
			s.Hi = a.evalSet(s.Hi, dom, depth+1).Hi
		}
		return s
	case *tir.Binary:
		return a.evalBinary(x, dom, depth)
	case *tir.Cast:
		s := a.evalSet(x.Value, dom, depth)
		if s.IsPoint() {
			return Point(tir.NewCast(x.Type, s.Lo))
		}
		if wraps(x.Type, s.Lo) || wraps(x.Type, s.Hi) {
			return Everything
		}
		return mapEnds(s, func(e tir.Expr) tir.Expr { return tir.NewCast(x.Type, e) })
	case *tir.Select:
		return a.evalChoice(x, dom, depth)
	case *tir.Call, *tir.FloatImm, *tir.Not, *tir.Let:
		return Everything
	case *tir.Load:
		if !x.DType().IsInt() {
			return Everything
		}
	}
	if usesDom(e, dom) {
		return Everything
	}
	return Point(e)
}

// wraps reports whether an integer type is known not to hold e.
func wraps(t dtype.DType, e tir.Expr) bool {
	v, ok := tir.AsInt(e)
	if !ok || !t.IsInt() {
		return false
	}
	w, ok := tir.AsInt(tir.NewCast(t, e))
	return ok && w != v
}

func mapEnds(s Interval, f func(tir.Expr) tir.Expr) Interval {
	if s.Lo != nil {
		s.Lo = f(s.Lo)
	}
	if s.Hi != nil {
		s.Hi = f(s.Hi)
	}
	return s
}

// hull is Union as written, not simplified.
func hull(s, t Interval) Interval {
	return Interval{evalMinMax(tir.OpMin, s, t).Lo, evalMinMax(tir.OpMax, s, t).Hi}
}

func (a *Analyzer) evalChoice(x *tir.Select, dom []Dom, depth int) Interval {
	if k, ok := tir.AsInt(x.Cond); ok {
		if k != 0 {
			return a.evalSet(x.Then, dom, depth)
		}
		return a.evalSet(x.Else, dom, depth)
	}
	return hull(a.evalSet(x.Else, dom, depth), a.evalSet(x.Then, dom, depth))
}

func (a *Analyzer) evalBinary(x *tir.Binary, dom []Dom, depth int) Interval {
	p, q := a.evalSet(x.A, dom, depth), a.evalSet(x.B, dom, depth)
	if p.IsPoint() && q.IsPoint() {
		if p.Lo == x.A && q.Lo == x.B {
			return Point(x)
		}
		return Point(tir.Rebuild(x.Op, p.Lo, q.Lo))
	}
	switch x.Op {
	case tir.OpAdd:
		return Interval{endAdd(p.Lo, q.Lo), endAdd(p.Hi, q.Hi)}
	case tir.OpSub:
		return Interval{endSub(p.Lo, q.Hi), endSub(p.Hi, q.Lo)}
	case tir.OpMul:
		return a.evalMul(p, q)
	case tir.OpFloorDiv:
		return a.evalDiv(p, q)
	case tir.OpFloorMod:
		return a.evalMod(x.A, p, q)
	case tir.OpMin, tir.OpMax:
		return evalMinMax(x.Op, p, q)
	}
	return Everything
}

func endAdd(x, y tir.Expr) tir.Expr {
	if x == nil || y == nil {
		return nil
	}
	return tir.Add(x, y)
}

func endSub(x, y tir.Expr) tir.Expr {
	if x == nil || y == nil {
		return nil
	}
	return tir.Sub(x, y)
}

// evalMul multiplies an interval by a point.
func (a *Analyzer) evalMul(p, q Interval) Interval {
	if !q.IsPoint() {
		p, q = q, p
	}
	if !q.IsPoint() {
		return Everything
	}
	by := func(e tir.Expr) tir.Expr { return tir.Mul(e, q.Lo) }
	switch b := a.Bound(q.Lo); {
	case b.Lo >= 0:
		return mapEnds(p, by)
	case b.Hi <= 0:
		return mapEnds(Interval{p.Hi, p.Lo}, by)
	case p.Bounded() && isIndex(q.Lo.DType()):
		positive := tir.Compare(tir.OpLE, tir.IntOf(0, q.Lo.DType()), q.Lo)
		return Interval{tir.NewSelect(positive, by(p.Lo), by(p.Hi)), tir.NewSelect(positive, by(p.Hi), by(p.Lo))}
	}
	return Everything
}

func (a *Analyzer) evalDiv(p, q Interval) Interval {
	if !q.IsPoint() {
		return Everything
	}
	by := func(e tir.Expr) tir.Expr { return tir.FloorDiv(e, q.Lo) }
	switch b := a.Bound(q.Lo); {
	case b.Lo > 0:
		return mapEnds(p, by)
	case b.Hi < 0:
		return mapEnds(Interval{p.Hi, p.Lo}, by)
	}
	return Everything
}

// evalMod shifts the interval when it lies within one period of a constant. Else
// the remainders of multiples of a divisor of the period end earlier.
func (a *Analyzer) evalMod(of tir.Expr, p, q Interval) Interval {
	if !q.IsPoint() {
		return Everything
	}
	k := q.Lo
	if a.Bound(k).Lo <= 0 {
		return Everything
	}
	t := k.DType()
	n, fixed := tir.AsInt(k)
	if fixed && p.Bounded() {
		first, last := tir.FloorDiv(p.Lo, k), tir.FloorDiv(p.Hi, k)
		if Same(first, last) || a.CanProveEqual(last, first) {
			return mapEnds(p, func(e tir.Expr) tir.Expr { return tir.Sub(e, tir.Mul(k, first)) })
		}
	}
	if m := a.Modular(of); fixed && m.Coeff > 0 {
		if d := gcd(m.Coeff, n); d > 1 {
			return Interval{tir.IntOf(0, t), tir.IntOf(n-d+floorMod(m.Base, d), t)}
		}
	}
	return Interval{tir.IntOf(0, t), tir.Sub(k, tir.IntOf(1, t))}
}

func evalMinMax(op tir.BinOp, p, q Interval) Interval {
	end := func(x, y tir.Expr, infIsSmall bool) tir.Expr {
		switch {
		case x != nil && y != nil:
			return tir.Arith(op, x, y)
		case (op == tir.OpMin) == infIsSmall:
			return nil
		case x != nil:
			return x
		}
		return y
	}
	return Interval{end(p.Lo, q.Lo, true), end(p.Hi, q.Hi, false)}
}

// Union is the simplified hull of two intervals.
func (a *Analyzer) Union(s, t Interval) Interval {
	lo := a.end(tir.OpMin, s.Lo, t.Lo)
	if s.IsPoint() && t.IsPoint() && Same(s.Lo, t.Lo) {
		return Point(lo)
	}
	return Interval{lo, a.end(tir.OpMax, s.Hi, t.Hi)}
}

func (a *Analyzer) end(op tir.BinOp, x, y tir.Expr) tir.Expr {
	if x == nil || y == nil {
		return nil
	}
	if Same(x, y) {
		return a.Simplify(x)
	}
	return a.Simplify(tir.Arith(op, x, y))
}

// Intersect is the simplified common part of two intervals. When they are
// disjoint the ends cross, which only constant ends show.
func (a *Analyzer) Intersect(s, t Interval) Interval {
	end := func(op tir.BinOp, x, y tir.Expr) tir.Expr {
		switch {
		case x == nil:
			return y
		case y == nil:
			return x
		}
		return a.end(op, x, y)
	}
	return Interval{end(tir.OpMax, s.Lo, t.Lo), end(tir.OpMin, s.Hi, t.Hi)}
}

// EvalRange is EvalSet of all members of r: an interval from the smallest value
// of r.Min to the largest of r.Min+r.Extent-1, simplified first, since both may
// mention one variable.
func (a *Analyzer) EvalRange(r tir.Range, dom []Dom) Interval {
	if tir.IsConst(r.Extent, 1) {
		return a.EvalSet(r.Min, dom)
	}
	last := lastOf(r)
	if settled(r.Min, dom) && settled(r.Extent, dom) {
		return Interval{r.Min, last}
	}
	if _, fixed := r.Extent.(*tir.IntImm); !fixed {
		last = NewAnalyzer().Simplify(last)
	}
	return a.EvalInterval(Interval{r.Min, last}, dom)
}

// EvalInterval is EvalSet of both ends of an interval.
func (a *Analyzer) EvalInterval(s Interval, dom []Dom) Interval {
	if s.IsPoint() {
		return a.EvalSet(s.Lo, dom)
	}
	return Interval{a.EvalSet(s.Lo, dom).Lo, a.EvalSet(s.Hi, dom).Hi}
}

// Cover turns an interval into a range: a provable point keeps its expression,
// an infinite one becomes [0, whole).
func (a *Analyzer) Cover(s Interval, whole tir.Expr) tir.Range {
	if !s.Bounded() {
		return tir.Range{Min: tir.IntOf(0, whole.DType()), Extent: whole}
	}
	t := s.Lo.DType()
	if s.IsPoint() || isIndex(t) && a.CanProveEqual(s.Lo, s.Hi) {
		return tir.Range{Min: s.Lo, Extent: tir.IntOf(1, t)}
	}
	n := tir.Sub(tir.Add(s.Hi, tir.IntOf(1, s.Hi.DType())), s.Lo)
	return tir.Range{Min: a.Simplify(s.Lo), Extent: a.Simplify(n)}
}

// RelaxRegion returns the hull of a region over all values of the variables in
// dom. An unbounded dimension becomes the whole dimension of the buffer.
func (a *Analyzer) RelaxRegion(r tir.Region, dom []Dom) tir.Region {
	out := tir.Region{Buffer: r.Buffer, Ranges: make([]tir.Range, len(r.Ranges))}
	for i, x := range r.Ranges {
		if settled(x.Min, dom) && settled(x.Extent, dom) {
			out.Ranges[i] = x
			continue
		}
		out.Ranges[i] = a.Cover(a.EvalRange(x, dom), r.Buffer.Shape[i])
	}
	return out
}
