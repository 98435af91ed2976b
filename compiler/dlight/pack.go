package dlight

import (
	"fmt"
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// PackWeights gives the layout-free parameters of the function the layout that
// the loops read them in: a copy stage, marked to run at compile time, whose
// buffer is transformed by the suggested index map. A parameter that several
// blocks read keeps its layout.
func PackWeights(s *schedule.Schedule) error {
	return PackWeightsBy(s, func(readers []Read) (*Read, *tir.IndexMap) {
		if len(readers) != 1 {
			return nil, nil
		}
		return &readers[0], suggestLayout(&readers[0])
	})
}

// Read is a block that reads a parameter as its Index-th buffer, inside Loops.
type Read struct {
	Block   schedule.BlockRV
	Index   int
	Realize *tir.BlockRealize
	Loops   []arith.Loop
}

// Buffer is the parameter.
func (r *Read) Buffer() *tir.Buffer { return r.Realize.Block.Reads[r.Index].Buffer }

// Choose picks the reader that decides on a parameter's layout, of all readers in
// order, and the layout; no map keeps the parameter as it is.
type Choose func(readers []Read) (*Read, *tir.IndexMap)

// PackWeightsBy is PackWeights with layouts chosen otherwise.
func PackWeightsBy(s *schedule.Schedule, choose Choose) error {
	free := layoutFree(s)
	for _, p := range s.Header().Params {
		buf, ok := p.(*tir.Buffer)
		if !ok || !free[buf] {
			continue
		}
		readers, err := readersOf(s, buf)
		if err != nil {
			return err
		}
		if r, m := choose(readers); m != nil {
			if err := packWeight(s, r, m); err != nil {
				return err
			}
		}
	}
	return nil
}

func packWeight(s *schedule.Schedule, r *Read, m *tir.IndexMap) error {
	stage, err := s.CacheRead(r.Block, r.Index, "global")
	if err != nil {
		return err
	}
	if err := s.Annotate(stage, schedule.KeyLayoutRewritePreproc, int64(1)); err != nil {
		return err
	}
	return s.TransformLayoutWith(stage, 0, true, m, schedule.LayoutOptions{AssumeInjective: true})
}

// readersOf lists the blocks that read a parameter, in order.
func readersOf(s *schedule.Schedule, buf *tir.Buffer) ([]Read, error) {
	blocks, err := Blocks(s)
	if err != nil {
		return nil, err
	}
	var out []Read
	for _, b := range blocks {
		x, err := s.BlockOf(b)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(x.Block.Reads, func(x tir.Region) bool { return x.Buffer == buf })
		if i < 0 {
			continue
		}
		loops, err := loopsAround(s, b)
		if err != nil {
			return nil, err
		}
		out = append(out, Read{b, i, x, loops})
	}
	return out, nil
}

func loopsAround(s *schedule.Schedule, b schedule.BlockRV) ([]arith.Loop, error) {
	handles, err := s.GetLoops(b)
	if err != nil {
		return nil, err
	}
	loops := make([]arith.Loop, len(handles))
	for i, h := range handles {
		l, err := s.LoopOf(h)
		if err != nil {
			return nil, err
		}
		loops[i] = arith.Loop{Var: l.Var, Dom: tir.Range{Min: l.Min, Extent: l.Extent}}
	}
	return loops, nil
}

// digit is a part of one dimension's index: (i // scale) % extent, without the
// remainder when it is the top one of its dimension. It moves with loop.
type digit struct {
	dim, loop     int
	scale, extent int64
	top           bool
}

// suggestLayout cuts every dimension of a read into the digits of the loops
// around it and orders the digits by loop, outermost first, so that the loops
// walk through memory in order. Dimensions that tiles do not divide are rounded
// up. It gives no map when the layout would stay as it is, the read is not of
// that form, or several reads of the block disagree.
func suggestLayout(r *Read) *tir.IndexMap {
	loads := r.Loads()
	for _, l := range loads[:max(0, len(loads)-1)] {
		if !slices.EqualFunc(l, loads[len(loads)-1], tir.EqualExpr) {
			return nil
		}
	}
	if len(loads) == 0 {
		return nil
	}
	digits, ok := digitsOf(loads[0], r.Loops)
	if !ok || len(digits) == 0 {
		return nil
	}
	slices.SortStableFunc(digits, func(x, y digit) int { return x.loop - y.loop })
	if slices.IsSortedFunc(digits, func(x, y digit) int {
		if x.dim != y.dim {
			return x.dim - y.dim
		}
		return int(y.scale - x.scale)
	}) {
		return nil
	}
	return digitMap(r.Buffer(), digits)
}

// Loads are the indices at which the block loads the parameter, in order, over
// loop variables.
func (r *Read) Loads() [][]tir.Expr {
	sub := map[*tir.Var]tir.Expr{}
	for i, it := range r.Realize.Block.Iters {
		sub[it.Var] = r.Realize.Values[i]
	}
	var out [][]tir.Expr
	tir.WalkExprs(r.Realize.Block.Body, func(e tir.Expr) bool {
		if ld, ok := e.(*tir.Load); ok && ld.Buffer == r.Buffer() {
			out = append(out, tir.SubstituteAll(ld.Indices, sub))
		}
		return true
	})
	return out
}

func digitsOf(indices []tir.Expr, loops []arith.Loop) ([]digit, bool) {
	var out []digit
	for dim, e := range indices {
		if _, ok := tir.AsInt(e); ok {
			continue
		}
		sums, err := arith.DetectIterMap([]tir.Expr{e}, loops, nil, arith.NoCheck, true)
		if err != nil || sums[0].Base != 0 || sums[0].BaseExpr != nil || len(sums[0].Args) > 1 {
			return nil, false
		}
		at := len(out)
		var ok bool
		if out, ok = appendDigits(out, dim, &sums[0], loops); !ok {
			return nil, false
		}
		scale := int64(1)
		for i := len(out) - 1; i >= at; i-- {
			out[i].scale = scale
			scale *= out[i].extent
		}
		if at < len(out) {
			out[at].top = true
		}
	}
	return out, true
}

// appendDigits lists the digits of a fused sum from the most significant down.
func appendDigits(out []digit, dim int, sum *arith.IterSum, loops []arith.Loop) ([]digit, bool) {
	for i := range sum.Args {
		x := &sum.Args[i]
		if x.Mark.Var == nil {
			if lower, ok := x.Lower.Const(); !ok || lower != 1 {
				return nil, false
			}
			var ok bool
			if out, ok = appendDigits(out, dim, &x.Mark.Sum, loops); !ok {
				return nil, false
			}
			continue
		}
		extent, ok := x.Extent.Const()
		loop := slices.IndexFunc(loops, func(l arith.Loop) bool { return l.Var == x.Mark.Var })
		if !ok || loop < 0 {
			return nil, false
		}
		out = append(out, digit{dim: dim, loop: loop, extent: extent})
	}
	return out, true
}

// digitMap makes the index map of ordered digits.
func digitMap(buf *tir.Buffer, digits []digit) *tir.IndexMap {
	m := &tir.IndexMap{}
	for i := range buf.Shape {
		m.Initial = append(m.Initial, tir.NewVar(fmt.Sprintf("i%d", i), buf.Shape[i].DType()))
	}
	for _, d := range digits {
		v := m.Initial[d.dim]
		e := tir.FloorDiv(v, tir.IntOf(d.scale, v.Type))
		if !d.top {
			e = tir.FloorMod(e, tir.IntOf(d.extent, v.Type))
		}
		m.Final = append(m.Final, e)
	}
	return m
}
