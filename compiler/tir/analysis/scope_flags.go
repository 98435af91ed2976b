package analysis

import (
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// AffineBinding reports whether the bindings of child i are an iteration map of
// the loops around it.
func (s *Scope) AffineBinding(i int) bool {
	c := &s.Children[i]
	return arith.IsAffineBinding(c.Realize, c.LoopRanges())
}

// RegionCovered reports whether everything that child i reads of buffers written
// in the scope has been written before, whatever the iteration: at every level
// that it shares with producers, what they write below that level holds what it
// reads there.
func (s *Scope) RegionCovered(i int) bool {
	for _, r := range s.Children[i].Block().Reads {
		var levels []int
		for _, w := range s.writers[r.Buffer] {
			if w < i {
				levels = appendLevel(levels, s.shared(w, i))
			}
		}
		for _, n := range levels {
			if !s.covers(r, i, n) {
				return false
			}
		}
	}
	return true
}

func appendLevel(xs []int, x int) []int {
	for _, y := range xs {
		if x == y {
			return xs
		}
	}
	return append(xs, x)
}

// shared is the number of loops that two children have in common.
func (s *Scope) shared(i, j int) int {
	p, q := s.Children[i].Loops, s.Children[j].Loops
	n := 0
	for n < len(p) && n < len(q) && p[n] == q[n] {
		n++
	}
	return n
}

// covers compares what child i reads of r below its n outermost loops with the
// union of what the producers that share exactly those loops write there.
func (s *Scope) covers(r tir.Region, i, n int) bool {
	a := arith.NewAnalyzer()
	for _, l := range s.Children[i].Loops[:n] {
		a.Bind(l.Var, tir.Range{Min: l.Min, Extent: l.Extent})
	}
	read := upperBound(a, r, &s.Children[i], n)
	var written []arith.Interval
	for _, w := range s.writers[r.Buffer] {
		if w >= i || s.shared(w, i) != n {
			continue
		}
		for _, o := range s.Children[w].Block().Writes {
			if o.Buffer != r.Buffer {
				continue
			}
			low, ok := lowerBound(a, o, &s.Children[w], n)
			switch {
			case !ok:
			case written == nil:
				written = low
			default:
				written = joinBoxes(a, written, low)
			}
		}
	}
	if written == nil {
		return false
	}
	for d := range read {
		whole := arith.RangeInterval(tir.Range{Min: tir.IntOf(0, r.Buffer.Shape[d].DType()), Extent: r.Buffer.Shape[d]})
		if !within(a, clampTo(a, read[d], whole), clampTo(a, written[d], whole)) {
			return false
		}
	}
	return true
}

// clampTo intersects with the whole dimension. Where an end provably lies inside
// it stays as it is, so that symbolic ends keep their form.
func clampTo(a *arith.Analyzer, s, whole arith.Interval) arith.Interval {
	if s.Lo == nil || !a.CanProveGreaterEqual(s.Lo, whole.Lo) {
		s.Lo = a.Intersect(s, whole).Lo
	}
	if s.Hi == nil || !a.CanProveGreaterEqual(whole.Hi, s.Hi) {
		s.Hi = a.Intersect(s, whole).Hi
	}
	return s
}

func within(a *arith.Analyzer, in, out arith.Interval) bool {
	return a.CanProveGreaterEqual(in.Lo, out.Lo) && a.CanProveGreaterEqual(out.Hi, in.Hi)
}

// joinBoxes unites two boxes where the union is a box: one holds the other, or
// they differ in one dimension and touch there. Otherwise the first is kept.
func joinBoxes(a *arith.Analyzer, p, q []arith.Interval) []arith.Interval {
	switch {
	case boxWithin(a, q, p):
		return p
	case boxWithin(a, p, q):
		return q
	}
	dim := -1
	for d := range p {
		if a.CanProveEqual(p[d].Lo, q[d].Lo) && a.CanProveEqual(p[d].Hi, q[d].Hi) {
			continue
		}
		if dim >= 0 {
			return p
		}
		dim = d
	}
	one := tir.IntOf(1, p[dim].Lo.DType())
	if !a.CanProveGreaterEqual(tir.Add(p[dim].Hi, one), q[dim].Lo) || !a.CanProveGreaterEqual(tir.Add(q[dim].Hi, one), p[dim].Lo) {
		return p
	}
	out := append([]arith.Interval(nil), p...)
	out[dim] = a.Union(p[dim], q[dim])
	return out
}

func boxWithin(a *arith.Analyzer, p, q []arith.Interval) bool {
	for d := range p {
		if !within(a, p[d], q[d]) {
			return false
		}
	}
	return true
}

// bound is a region of the child's block with iterators replaced by bindings.
func bound(r tir.Region, c *Child) []tir.Range {
	sub := make(map[*tir.Var]tir.Expr, len(c.Realize.Values))
	for i, it := range c.Block().Iters {
		sub[it.Var] = c.Realize.Values[i]
	}
	out := make([]tir.Range, len(r.Ranges))
	for i, x := range r.Ranges {
		out[i] = tir.Range{Min: tir.Substitute(x.Min, sub), Extent: tir.Substitute(x.Extent, sub)}
	}
	return out
}

// upperBound holds all that the child touches of r while its loops from n on
// run.
func upperBound(a *arith.Analyzer, r tir.Region, c *Child, n int) []arith.Interval {
	ranges := bound(r, c)
	loops := LoopRanges(c.Loops[n:])
	if exact, ok := exactRegion(a, ranges, loops, c.Realize.Predicate); ok {
		return exact
	}
	dom := arith.LoopDoms(loops)
	out := make([]arith.Interval, len(ranges))
	for i, x := range ranges {
		out[i] = a.EvalRange(x, dom)
	}
	return out
}

// lowerBound is a box of which the child certainly touches every element while
// its loops from n on run.
func lowerBound(a *arith.Analyzer, r tir.Region, c *Child, n int) ([]arith.Interval, bool) {
	return exactRegion(a, bound(r, c), LoopRanges(c.Loops[n:]), c.Realize.Predicate)
}

// exactRegion is the union of a box over all iterations of loops under a
// predicate, when that is a box again: its corners are an iteration map of the
// loops whose steps the box's extents fill.
func exactRegion(a *arith.Analyzer, ranges []tir.Range, loops []arith.Loop, pred tir.Expr) ([]arith.Interval, bool) {
	mins := make([]tir.Expr, len(ranges))
	for i := range ranges {
		if _, ok := tir.AsInt(ranges[i].Extent); !ok {
			return nil, false
		}
		mins[i] = ranges[i].Min
	}
	sums, err := arith.DetectIterMap(mins, loops, pred, arith.Surjective, true)
	if err != nil {
		return nil, false
	}
	out := make([]arith.Interval, len(ranges))
	for i := range sums {
		t := mins[i].DType()
		n, _ := tir.AsInt(ranges[i].Extent)
		last := tir.Expr(tir.IntOf(n-1, t))
		if len(sums[i].Args) > 0 {
			x := &sums[i].Args[0]
			scale, ok := x.Scale.Const()
			if !ok || n < scale || scale <= 0 {
				return nil, false
			}
			steps := tir.Sub(x.Extent.Expr(t), tir.IntOf(1, t))
			last = tir.Add(last, tir.Mul(steps, tir.IntOf(scale, t)))
		}
		base := sums[i].BaseOf(t)
		out[i] = arith.Interval{Lo: a.Simplify(base), Hi: a.Simplify(tir.Add(base, last))}
	}
	return out, true
}

// StagePipeline reports whether the scope is a sequence of stages: only RAW and
// WAW dependencies, and every child covered. It does not ask for Plain.
func (s *Scope) StagePipeline() bool {
	for _, d := range s.Deps() {
		if d.Kind == WAR {
			return false
		}
	}
	for i := range s.Children {
		if !s.RegionCovered(i) {
			return false
		}
	}
	return true
}
