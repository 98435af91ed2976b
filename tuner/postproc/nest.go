package postproc

import (
	"math"
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/compiler/tir/arith"
)

// nest is a block with the loops around it, outermost first.
type nest struct {
	realize *tir.BlockRealize
	loops   []schedule.LoopRV
	heads   []*tir.For
	extents []int64 // of plain loops
	plain   []bool  // spatial, without annotation or thread, of constant extent
	single  []bool  // with one statement in its body
}

func nestOf(s *schedule.Schedule, b schedule.BlockRV) (*nest, error) {
	r, err := s.BlockOf(b)
	if err != nil {
		return nil, err
	}
	loops, err := s.GetLoops(b)
	if err != nil {
		return nil, err
	}
	n := len(loops)
	x := &nest{realize: r, loops: loops, heads: make([]*tir.For, n), extents: make([]int64, n), plain: make([]bool, n), single: make([]bool, n)}
	for i, l := range loops {
		if x.heads[i], err = s.LoopOf(l); err != nil {
			return nil, err
		}
		kind, err := s.LoopIterKind(l)
		if err != nil {
			return nil, err
		}
		children, err := s.NumChildren(l)
		if err != nil {
			return nil, err
		}
		extent, static := tir.AsInt(x.heads[i].Extent)
		x.extents[i], x.single[i] = extent, children == 1
		x.plain[i] = static && kind == analysis.SpatialLoop && len(x.heads[i].Ann) == 0 && x.heads[i].Kind != tir.ThreadBinding
	}
	return x, nil
}

func (x *nest) spatial() bool {
	return !slices.ContainsFunc(x.realize.Block.Iters, func(it *tir.IterVar) bool { return it.Kind != tir.Spatial })
}

// parallelLoops counts outer loops up to the one that takes their product above
// the limit.
func (x *nest) parallelLoops(limit int64) int {
	n, product := 0, int64(1)
	for i := range x.loops {
		if !x.plain[i] {
			break
		}
		n++
		if product *= x.extents[i]; product > limit || !x.single[i] {
			break
		}
	}
	if product == 1 {
		return absent
	}
	return n
}

// vectorLoops counts inner loops whose product stays within the limit, stream at
// most.
func (x *nest) vectorLoops(limit int64, stream int) int {
	n, product := 0, int64(1)
	for i := len(x.loops) - 1; i >= 0 && n < stream && x.plain[i] && x.single[i]; i-- {
		if product *= x.extents[i]; product > limit {
			break
		}
		n++
	}
	if product == 1 {
		return absent
	}
	return n
}

// streamLoops counts the innermost loops of a nest that could be one loop over
// consecutive elements of everything the block reads and writes: 0 when a shape
// is symbolic.
func (x *nest) streamLoops() int {
	b := x.realize.Block
	sub := make(map[*tir.Var]tir.Expr, len(b.Iters))
	for i, it := range b.Iters {
		sub[it.Var] = x.realize.Values[i]
	}
	n := math.MaxInt
	for _, rs := range [2][]tir.Region{b.Reads, b.Writes} {
		for _, r := range rs {
			strides, ok := regionStrides(r, x.heads, sub)
			if !ok {
				return 0
			}
			n = min(n, consecutive(strides, x.heads))
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

// bound replaces iterators by their bindings. Bindings are kept simplified.
func bound(e tir.Expr, sub map[*tir.Var]tir.Expr) tir.Expr {
	if v, ok := e.(*tir.Var); ok && sub[v] != nil {
		return sub[v]
	}
	var a arith.Analyzer
	return a.Simplify(tir.Substitute(e, sub))
}

// regionStrides is how far one step of each loop moves the start of a region, in
// elements: the coefficient of the loop in the last dimension that it moves, times
// the elements of that dimension. ok is false when a symbolic size counts.
func regionStrides(r tir.Region, loops []*tir.For, sub map[*tir.Var]tir.Expr) (strides []int64, ok bool) {
	mins := make([]tir.Expr, len(r.Ranges))
	for d, x := range r.Ranges {
		mins[d] = bound(x.Min, sub)
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
