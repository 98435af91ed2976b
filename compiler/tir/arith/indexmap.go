package arith

import (
	"errors"
	"fmt"
	"slices"

	"hone/compiler/tir"
)

// shapeLoops gives the initial variables of m the ranges [0, shape).
func shapeLoops(m *tir.IndexMap, shape []int64) ([]Loop, error) {
	if len(shape) != len(m.Initial) {
		return nil, fmt.Errorf("index map of %d indices applied to %d dimensions", len(m.Initial), len(shape))
	}
	loops := make([]Loop, len(shape))
	for i, v := range m.Initial {
		loops[i] = Loop{v, tir.Range{Min: tir.IntOf(0, v.Type), Extent: tir.IntOf(shape[i], v.Type)}}
	}
	return loops, nil
}

// IsBijective reports whether m maps the box of the given shape one to one onto
// the box MapShape gives.
func IsBijective(m *tir.IndexMap, shape []int64) bool {
	loops, err := shapeLoops(m, shape)
	if err != nil {
		return false
	}
	_, err = DetectIterMap(m.Final, loops, nil, Bijective, true)
	return err == nil
}

// Inverse returns the map from new indices back to the old ones; m must be
// bijective over shape. A stated inverse is used as it is.
func Inverse(m *tir.IndexMap, shape []int64) (*tir.IndexMap, error) {
	if m.Inverse != nil {
		return m.Inverse, nil
	}
	inv, _, err := inverse(m, shape, false)
	return inv, err
}

// PaddedInverse is Inverse for maps whose image has holes, as i -> (i//4, i%4)
// over 14 has. padding is a condition over the inverse's initial variables that
// holds exactly where the new index stands for no old one; False when there are
// no holes.
func PaddedInverse(m *tir.IndexMap, shape []int64) (inv *tir.IndexMap, padding tir.Expr, err error) {
	if _, err := shapeLoops(m, shape); err != nil {
		return nil, nil, err
	}
	inv, whole, err := inverse(m, shape, true)
	if err != nil {
		return nil, nil, err
	}
	a := NewAnalyzer()
	newShape, err := MapShape(m, shape)
	if err != nil {
		return nil, nil, err
	}
	for i, v := range inv.Initial {
		a.BindBound(v, Bound{0, newShape[i] - 1})
	}
	padding = tir.False
	ks := periods(m)
	for i, e := range inv.Final {
		if whole[i] == shape[i] {
			continue
		}
		// Only the last period has holes, from the remainder on.
		k := tir.IntOf(ks[i], e.DType())
		last := tir.Compare(tir.OpEQ, tir.FloorDiv(e, k), tir.IntOf(whole[i]/ks[i]-1, e.DType()))
		beyond := tir.Compare(tir.OpLE, tir.IntOf(shape[i]%ks[i], e.DType()), tir.FloorMod(e, k))
		padding = tir.Or(padding, tir.And(a.Simplify(last), a.Simplify(beyond)))
	}
	return inv, padding, nil
}

// inverse inverts m over shape, rounded up where pad allows it; whole is the
// shape that it used.
func inverse(m *tir.IndexMap, shape []int64, pad bool) (inv *tir.IndexMap, whole []int64, err error) {
	whole = slices.Clone(shape)
	if pad {
		whole = roundUp(m, shape)
	}
	loops, err := shapeLoops(m, whole)
	if err != nil {
		return nil, nil, err
	}
	sums, err := DetectIterMap(m.Final, loops, nil, Bijective, true)
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
	a := NewAnalyzer()
	for i, e := range m.Final {
		a.BindBound(inv.Initial[i], boundUnder(e, loops))
	}
	for i, v := range m.Initial {
		e := values[v]
		if e == nil {
			e = tir.IntOf(0, v.Type)
		}
		inv.Final[i] = a.Simplify(tir.NewCast(v.Type, e))
	}
	return inv, whole, nil
}

func boundUnder(e tir.Expr, loops []Loop) Bound {
	a := NewAnalyzer()
	for _, l := range loops {
		a.Bind(l.Var, l.Dom)
	}
	return a.Bound(a.Simplify(e))
}

// periods returns for every initial variable the number of which its extent must
// be a multiple for the digits that m takes from it alone to be whole.
func periods(m *tir.IndexMap) []int64 {
	out := make([]int64, len(m.Initial))
	for i := range out {
		out[i] = 1
	}
	for _, e := range m.Final {
		tir.Walk(e, func(x tir.Expr) bool {
			v, lower, k := digitOfVar(x)
			if i := slices.Index(m.Initial, v); v != nil && i >= 0 && k > 0 {
				out[i] = out[i] / gcd(out[i], lower*k) * (lower * k)
			}
			return true
		})
	}
	return out
}

// digitOfVar reads e as the digit v // lower, or that modulo k (else k is 0).
func digitOfVar(e tir.Expr) (v *tir.Var, lower, k int64) {
	switch x := e.(type) {
	case *tir.Var:
		return x, 1, 0
	case *tir.Cast:
		return digitOfVar(x.Value)
	case *tir.Binary:
		c, ok := tir.AsInt(x.B)
		if v, lower, _ = digitOfVar(x.A); v == nil || !ok || c <= 0 {
			break
		}
		switch x.Op {
		case tir.OpFloorDiv:
			return v, lower * c, 1
		case tir.OpFloorMod:
			return v, lower, c
		}
	}
	return nil, 0, 0
}

// roundUp is shape with every extent rounded up to its period.
func roundUp(m *tir.IndexMap, shape []int64) []int64 {
	out := slices.Clone(shape)
	for i, k := range periods(m) {
		out[i] = (out[i] + k - 1) / k * k
	}
	return out
}

var errMapShape = errors.New("an index of the map has no constant bounds over the shape")

// MapShape is the shape that holds the image of a box: one more than the largest
// value of each new index, where dimensions that m cuts into digits count as
// rounded up to whole digits.
func MapShape(m *tir.IndexMap, shape []int64) ([]int64, error) {
	if _, err := shapeLoops(m, shape); err != nil {
		return nil, err
	}
	loops, _ := shapeLoops(m, roundUp(m, shape))
	out := make([]int64, len(m.Final))
	for i, e := range m.Final {
		b := boundUnder(e, loops)
		if !b.Finite() || b.Lo < 0 {
			return nil, errMapShape
		}
		out[i] = b.Hi + 1
	}
	return out, nil
}
