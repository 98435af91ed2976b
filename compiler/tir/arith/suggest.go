package arith

import (
	"fmt"
	"slices"

	"hone/compiler/tir"
)

// digitOf is a digit of a loop in a flattened buffer index.
type digitOf struct {
	loop          int
	lower, extent int64
}

// SuggestIndexMap proposes a layout for a buffer that one block reads at indices
// inside loops, under a predicate (nil for none), so that the loops walk through
// it in order: the flattened index is cut into the digits of the loop variables,
// and the digits are ordered by loop, outermost first, larger lower factors
// first. It gives none when the index is no iteration map of the loops or the
// shape is not constant.
func SuggestIndexMap(buf *tir.Buffer, indices []tir.Expr, loops []Loop, pred tir.Expr) (*tir.IndexMap, bool) {
	shape, ok := buf.StaticShape()
	if !ok || len(indices) != len(shape) || len(shape) == 0 {
		return nil, false
	}
	a := NewAnalyzer()
	for _, l := range loops {
		a.Bind(l.Var, l.Dom)
	}
	flat := a.Simplify(flatten(indices, shape))
	sums, err := DetectIterMap([]tir.Expr{flat}, loops, pred, Surjective, true)
	if err != nil {
		return nil, false
	}
	digits, ok := collectDigits(nil, &sums[0], loops)
	if !ok || len(digits) == 0 {
		return nil, false
	}
	order := make([]int, len(digits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		p, q := digits[x], digits[y]
		if p.loop != q.loop {
			return p.loop - q.loop
		}
		return int(q.lower - p.lower)
	})
	return digitMap(buf, shape, digits, order), true
}

func flatten(indices []tir.Expr, shape []int64) tir.Expr {
	e := indices[0]
	for i := 1; i < len(shape); i++ {
		e = tir.Add(tir.Mul(e, tir.IntOf(shape[i], e.DType())), indices[i])
	}
	return e
}

// collectDigits lists the digits of a sum from the most significant down.
func collectDigits(out []digitOf, s *IterSum, loops []Loop) ([]digitOf, bool) {
	for i := range s.Args {
		x := &s.Args[i]
		if x.Mark.Var == nil {
			var ok bool
			if out, ok = collectDigits(out, &x.Mark.Sum, loops); !ok {
				return nil, false
			}
			continue
		}
		lower, ok1 := x.Lower.Const()
		extent, ok2 := x.Extent.Const()
		loop := slices.IndexFunc(loops, func(l Loop) bool { return l.Var == x.Mark.Var })
		if !ok1 || !ok2 || loop < 0 {
			return nil, false
		}
		out = append(out, digitOf{loop, lower, extent})
	}
	return out, true
}

// digitMap cuts the flattened index into digits and puts them in order.
func digitMap(buf *tir.Buffer, shape []int64, digits []digitOf, order []int) *tir.IndexMap {
	m := &tir.IndexMap{Initial: make([]*tir.Var, len(shape)), Final: make([]tir.Expr, len(digits))}
	a := NewAnalyzer()
	initial := make([]tir.Expr, len(shape))
	for i, n := range shape {
		v := tir.NewVar(fmt.Sprintf("i%d", i), buf.Shape[i].DType())
		a.BindBound(v, Bound{0, n - 1})
		m.Initial[i], initial[i] = v, v
	}
	rest := flatten(initial, shape)
	t := rest.DType()
	parts := make([]tir.Expr, len(digits))
	for i := len(digits) - 1; i >= 0; i-- {
		rest = a.Simplify(rest)
		n := tir.IntOf(digits[i].extent, t)
		parts[i] = a.Simplify(tir.FloorMod(rest, n))
		rest = tir.FloorDiv(rest, n)
	}
	for i, o := range order {
		m.Final[i] = parts[o]
	}
	return m
}
