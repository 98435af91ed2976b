package arith

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// RegionBounds is the box that a region covers in the course of loops, where a
// predicate holds: exact when its corner is an iteration map whose steps its
// extents fill, else each dimension for itself, and last without the predicate.
// whole is false in that last case. The ends are not simplified.
func (a *Analyzer) RegionBounds(ranges []tir.Range, loops []Loop, pred tir.Expr) (box []Interval, whole bool) {
	if box, ok := a.ExactRegion(ranges, loops, pred); ok {
		return box, true
	}
	dom := LoopDoms(loops)
	box, whole = make([]Interval, len(ranges)), true
	for i, r := range ranges {
		if one, ok := a.ExactRegion(ranges[i:i+1], loops, pred); ok {
			box[i] = one[0]
			continue
		}
		box[i] = a.EvalRange(r, dom)
		whole = false
	}
	return box, whole
}

// ExactRegion is the union of a region over all iterations of loops under a
// predicate, when that is a box.
func (a *Analyzer) ExactRegion(ranges []tir.Range, loops []Loop, pred tir.Expr) ([]Interval, bool) {
	mins := make([]tir.Expr, len(ranges))
	for i, r := range ranges {
		if _, ok := tir.AsInt(r.Extent); !ok {
			return nil, false
		}
		mins[i] = r.Min
	}
	sums, err := DetectIterMap(mins, loops, pred, Surjective, true)
	if err != nil {
		return nil, false
	}
	out := make([]Interval, len(ranges))
	for i := range sums {
		var ok bool
		if out[i], ok = a.covered(&sums[i], ranges[i].Extent, mins[i].DType()); !ok {
			return nil, false
		}
	}
	return out, true
}

// covered is what runs of extent values cover that start at every value of s;
// false when they leave gaps.
func (a *Analyzer) covered(s *IterSum, extent tir.Expr, t dtype.DType) (Interval, bool) {
	base := s.BaseOf(t)
	if len(s.Args) == 0 {
		return RangeInterval(tir.Range{Min: base, Extent: extent}), true
	}
	x := &s.Args[0]
	scale := x.Scale.Expr(t)
	if !a.CanProveGreaterEqual(extent, scale) {
		return Interval{}, false
	}
	steps := tir.Mul(tir.Sub(x.Extent.Expr(t), tir.IntOf(1, t)), scale)
	if c, ok := x.Scale.Const(); ok && c < 0 {
		return RangeInterval(tir.Range{Min: tir.Add(base, steps), Extent: tir.Sub(extent, steps)}), true
	}
	return RangeInterval(tir.Range{Min: base, Extent: tir.Add(extent, steps)}), true
}
