package postproc

import (
	"math"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/compiler/tir/arith"
)

// streamLoops counts the innermost loops of a nest that could be one loop over
// consecutive elements of everything the block reads and writes: 0 when a shape
// is symbolic.
func streamLoops(nest *analysis.Child) int {
	b := nest.Block()
	sub := make(map[*tir.Var]tir.Expr, len(b.Iters))
	for i, it := range b.Iters {
		sub[it.Var] = nest.Realize.Values[i]
	}
	n := math.MaxInt
	for _, rs := range [2][]tir.Region{b.Reads, b.Writes} {
		for _, r := range rs {
			strides, ok := regionStrides(r, nest.Loops, sub)
			if !ok {
				return 0
			}
			n = min(n, consecutive(strides, nest.Loops))
		}
	}
	return n
}

// consecutive counts the innermost loops along which strides are those of one
// loop: the first that moves at all moves by one, or is the innermost; each next
// one by the whole length of the one before.
func consecutive(strides []int64, loops []*tir.For) int {
	n, prev := 0, -1
	for i := len(strides) - 1; i >= 0; i-- {
		switch {
		case strides[i] == 0:
		case prev < 0:
			if strides[i] != 1 && n > 0 {
				return n
			}
			prev = i
		default:
			extent, ok := tir.AsInt(loops[prev].Extent)
			if !ok || strides[i] != strides[prev]*extent {
				return n
			}
			prev = i
		}
		n++
	}
	return n
}

// regionStrides is how far one step of each loop moves the start of a region, in
// elements: the coefficient of the loop in the last dimension that it moves, times
// the elements of that dimension. ok is false when a symbolic size counts.
func regionStrides(r tir.Region, loops []*tir.For, sub map[*tir.Var]tir.Expr) (strides []int64, ok bool) {
	var a arith.Analyzer
	mins := make([]tir.Expr, len(r.Ranges))
	for d, x := range r.Ranges {
		mins[d] = a.Simplify(tir.Substitute(x.Min, sub))
	}
	strides = make([]int64, len(loops))
	for i, l := range loops {
		elements := int64(1)
		for d := len(mins) - 1; d >= 0; d-- {
			if c, moves := coefficient(mins[d], l.Var); moves && c != 0 {
				strides[i] = c * elements
				break
			}
			n, ok := tir.AsInt(r.Buffer.Shape[d])
			if !ok {
				return nil, false
			}
			elements *= n
		}
	}
	return strides, true
}

// coefficient is what one step of v adds to an index, as far as sums and
// products with constants tell: the smaller one when several terms have v.
func coefficient(e tir.Expr, v *tir.Var) (c int64, found bool) {
	switch e := e.(type) {
	case *tir.Var:
		return 1, e == v
	case *tir.Binary:
		switch e.Op {
		case tir.OpAdd:
			x, inA := coefficient(e.A, v)
			y, inB := coefficient(e.B, v)
			switch {
			case inA && inB:
				return min(x, y), true
			case inA:
				return x, true
			}
			return y, inB
		case tir.OpMul:
			if k, ok := tir.AsInt(e.A); ok {
				y, found := coefficient(e.B, v)
				return k * y, found
			}
			if k, ok := tir.AsInt(e.B); ok {
				x, found := coefficient(e.A, v)
				return k * x, found
			}
		}
	}
	return 0, false
}
