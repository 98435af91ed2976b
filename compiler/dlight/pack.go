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
// buffer is transformed by the suggested index map.
func PackWeights(s *schedule.Schedule) error {
	free := layoutFree(s)
	for _, p := range s.Func().Params {
		buf, ok := p.(*tir.Buffer)
		if !ok || !free[buf] {
			continue
		}
		if err := packWeight(s, buf); err != nil {
			return err
		}
	}
	return nil
}

// packWeight handles one parameter; one that several blocks read keeps its
// layout.
func packWeight(s *schedule.Schedule, buf *tir.Buffer) error {
	reader, index, err := onlyReader(s, buf)
	if err != nil || reader == 0 {
		return err
	}
	m, err := suggestLayout(s, reader, index)
	if err != nil || m == nil {
		return err
	}
	stage, err := s.CacheRead(reader, index, "global")
	if err != nil {
		return err
	}
	if err := s.Annotate(stage, schedule.KeyLayoutRewritePreproc, int64(1)); err != nil {
		return err
	}
	return s.TransformLayoutWith(stage, 0, true, m, schedule.LayoutOptions{AssumeInjective: true})
}

// onlyReader finds the one block that reads a parameter and the position of the
// parameter among its reads; no handle when there are none or several.
func onlyReader(s *schedule.Schedule, buf *tir.Buffer) (schedule.BlockRV, int, error) {
	blocks, err := Blocks(s)
	if err != nil {
		return 0, 0, err
	}
	reader, index := schedule.BlockRV(0), -1
	for _, b := range blocks {
		r, err := s.BlockOf(b)
		if err != nil {
			return 0, 0, err
		}
		i := slices.IndexFunc(r.Block.Reads, func(x tir.Region) bool { return x.Buffer == buf })
		if i < 0 {
			continue
		}
		if reader != 0 {
			return 0, 0, nil
		}
		reader, index = b, i
	}
	return reader, index, nil
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
// up. It gives no map when the layout would stay as it is or the read is not of
// that form.
func suggestLayout(s *schedule.Schedule, b schedule.BlockRV, index int) (*tir.IndexMap, error) {
	r, err := s.BlockOf(b)
	if err != nil {
		return nil, err
	}
	buf := r.Block.Reads[index].Buffer
	indices, ok := readIndices(r, buf)
	if !ok {
		return nil, nil
	}
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
	digits, ok := digitsOf(indices, loops)
	if !ok || len(digits) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(digits, func(x, y digit) int { return x.loop - y.loop })
	if slices.IsSortedFunc(digits, func(x, y digit) int {
		if x.dim != y.dim {
			return x.dim - y.dim
		}
		return int(y.scale - x.scale)
	}) {
		return nil, nil
	}
	return digitMap(buf, digits), nil
}

// readIndices are the indices at which a block reads buf, over loop variables;
// several reads must agree.
func readIndices(r *tir.BlockRealize, buf *tir.Buffer) ([]tir.Expr, bool) {
	var found []tir.Expr
	ok := true
	tir.WalkExprs(r.Block.Body, func(e tir.Expr) bool {
		ld, isLoad := e.(*tir.Load)
		if !isLoad || ld.Buffer != buf {
			return true
		}
		if found == nil {
			found = ld.Indices
		}
		for i := range found {
			ok = ok && tir.EqualExpr(found[i], ld.Indices[i])
		}
		return true
	})
	if found == nil || !ok {
		return nil, false
	}
	sub := map[*tir.Var]tir.Expr{}
	for i, it := range r.Block.Iters {
		sub[it.Var] = r.Values[i]
	}
	return tir.SubstituteAll(found, sub), true
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
