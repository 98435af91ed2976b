package arith

import (
	"errors"
	"fmt"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

var (
	errMapRank  = errors.New("the number of indices is not the number of dimensions")
	errMapRange = errors.New("an index of the map has no bounds over the shape")
)

// shapeLoops gives the initial variables of m the ranges [0, shape).
func shapeLoops(m *tir.IndexMap, shape []tir.Expr) ([]Loop, error) {
	if len(shape) != len(m.Initial) {
		return nil, errMapRank
	}
	loops := make([]Loop, len(shape))
	for i, v := range m.Initial {
		loops[i] = Loop{v, tir.Range{Min: tir.IntOf(0, shape[i].DType()), Extent: shape[i]}}
	}
	return loops, nil
}

// Inverse returns the map from new indices back to the old ones; m must be
// bijective over shape. A stated inverse is used as it is. Its variables are
// axis0, axis1, ….
func (a *Analyzer) Inverse(m *tir.IndexMap, shape []tir.Expr) (*tir.IndexMap, error) {
	inv, _, err := a.inverse(m, shape, Bijective)
	return inv, err
}

// PaddedInverse is Inverse for maps whose image has holes, as i -> (i//4, i%4)
// over 14 has. padding is a condition over the inverse's initial variables that
// holds exactly where the new index stands for no old one; False when there are
// no holes.
func (a *Analyzer) PaddedInverse(m *tir.IndexMap, shape []tir.Expr) (inv *tir.IndexMap, padding tir.Expr, err error) {
	return a.inverse(m, shape, Injective)
}

func (a *Analyzer) inverse(m *tir.IndexMap, shape []tir.Expr, level Level) (inv *tir.IndexMap, padding tir.Expr, err error) {
	if m.Inverse != nil {
		return m.Inverse, tir.False, nil
	}
	loops, err := shapeLoops(m, shape)
	if err != nil {
		return nil, nil, err
	}
	sums, holes, err := detectMap(m, loops, level)
	if err != nil {
		return nil, nil, fmt.Errorf("index map has no inverse: %w", err)
	}
	inv = &tir.IndexMap{Initial: make([]*tir.Var, len(m.Final)), Final: make([]tir.Expr, len(m.Initial))}
	outs := make([]tir.Expr, len(m.Final))
	for i, e := range m.Final {
		inv.Initial[i] = tir.NewVar(fmt.Sprintf("axis%d", i), e.DType())
		outs[i] = inv.Initial[i]
	}
	values, err := InverseAffine(sums, outs)
	if err != nil {
		return nil, nil, fmt.Errorf("index map has no inverse: %w", err)
	}
	for i, v := range m.Initial {
		e := values[v]
		switch {
		case e == nil && tir.IsConst(shape[i], 1):
			e = loops[i].Dom.Min
		case e == nil:
			return nil, nil, fmt.Errorf("index map has no inverse: it does not use %s", v.Name)
		}
		inv.Final[i] = a.Simplify(e)
	}
	if holes == nil {
		return inv, tir.False, nil
	}
	return inv, a.padding(m, inv, loops, tir.Substitute(holes, values)), nil
}

// padding simplifies the condition for holes, once by itself and once knowing the
// ranges of the new indices.
func (a *Analyzer) padding(m, inv *tir.IndexMap, loops []Loop, holes tir.Expr) tir.Expr {
	b := NewAnalyzer()
	if ranges, err := a.mapRanges(m, loops); err == nil {
		for i, r := range ranges {
			b.Bind(inv.Initial[i], r)
		}
	}
	return b.settle(a.settle(holes))
}

// settle simplifies until nothing changes, as nested quotients need.
func (a *Analyzer) settle(e tir.Expr) tir.Expr {
	for range 5 {
		s := a.Simplify(e)
		if Same(s, e) {
			return s
		}
		e = s
	}
	return e
}

// detectMap is DetectIterMap for index maps: every index must be one iterator,
// whatever the level; holes says where padding was needed, nil when it was not.
func detectMap(m *tir.IndexMap, loops []Loop, level Level) (sums []IterSum, holes tir.Expr, err error) {
	d, err := newDetector(loops, nil, level, false)
	if err != nil {
		return nil, nil, err
	}
	if sums, err = d.detect(m.Final); err != nil {
		return nil, nil, err
	}
	for i := range sums {
		if len(sums[i].Args) > 1 {
			return nil, nil, errNotFused
		}
	}
	return sums, d.holes, d.check(sums)
}

// MapShape is the shape that holds the image of a box: dimensions that m cuts
// into digits count as rounded up to whole digits.
func (a *Analyzer) MapShape(m *tir.IndexMap, shape []tir.Expr) ([]tir.Expr, error) {
	loops, err := shapeLoops(m, shape)
	if err != nil {
		return nil, err
	}
	ranges, err := a.mapRanges(m, loops)
	if err != nil {
		return nil, err
	}
	out := make([]tir.Expr, len(ranges))
	for i, r := range ranges {
		if !tir.IsConst(r.Min, 0) {
			return nil, fmt.Errorf("new index %d does not start at 0", i)
		}
		out[i] = r.Extent
	}
	return out, nil
}

// mapRanges gives the new indices their ranges: the extents of the iterators that
// they are, else of the intervals that they lie in.
func (a *Analyzer) mapRanges(m *tir.IndexMap, loops []Loop) ([]tir.Range, error) {
	t := dtype.Int32
	for _, l := range loops {
		if l.Dom.Extent.DType() == dtype.Int64 {
			t = dtype.Int64
		}
	}
	out := make([]tir.Range, len(m.Final))
	sums, _, err := detectMap(m, loops, NoCheck)
	for i, e := range m.Final {
		r := tir.Range{}
		if err == nil {
			r = tir.Range{Min: sums[i].BaseOf(e.DType()), Extent: sums[i].extent(e.DType())}
			r.Extent = a.Simplify(r.Extent)
		} else {
			in := a.EvalSet(e, LoopDoms(loops))
			if !in.Bounded() {
				return nil, errMapRange
			}
			r = tir.Range{Min: a.Simplify(in.Lo), Extent: a.Simplify(tir.Add(tir.Sub(in.Hi, in.Lo), tir.IntOf(1, in.Lo.DType())))}
		}
		out[i] = tir.Range{Min: tir.NewCast(t, r.Min), Extent: tir.NewCast(t, r.Extent)}
	}
	return out, nil
}

// extent is how many values a sum of at most one iterator spans from its base.
func (s *IterSum) extent(t dtype.DType) tir.Expr {
	if len(s.Args) == 0 {
		return tir.IntOf(1, t)
	}
	return tir.Mul(s.Args[0].Extent.Expr(t), s.Args[0].Scale.Expr(t))
}
