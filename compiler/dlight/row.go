package dlight

import (
	"fmt"
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
)

// laneChoices are the vectors of partial results that a row reduction keeps.
var laneChoices = []int64{1, 2, 4}

// IsRow reports whether a block reduces over contiguous memory, as softmax and
// layer norm do: its last reduce iterator moves an operand by one and it has no
// axis to run vectors along.
func IsRow(s *schedule.Schedule, b schedule.BlockRV, t *target.Target) bool {
	r, err := s.BlockOf(b)
	if err != nil || r.Block.Init == nil || !trivialBinding(s, b, r) {
		return false
	}
	if roles, ok := RolesOf(s, b, t); ok && roles.Vector >= 0 {
		return false
	}
	seenReduce := false
	for _, it := range r.Block.Iters {
		if it.Kind == tir.Reduce {
			seenReduce = true
		} else if seenReduce {
			return false
		}
	}
	return seenReduce
}

// RowsOf applies Rows when b is the root of a function with a row reduction.
func RowsOf(s *schedule.Schedule, b schedule.BlockRV, t *target.Target, m Mode) (bool, error) {
	if !isRoot(s, b) {
		return false, nil
	}
	blocks, err := Blocks(s)
	if err != nil {
		return false, err
	}
	for _, x := range blocks {
		if IsRow(s, x, t) {
			return true, Rows(s, t, m)
		}
	}
	return false, nil
}

// Rows schedules a function whose reductions run along rows: every reduction is
// factored into vectors of partial results, every stage is computed at the row
// loop of the output, and rows run in parallel. It is tried only on functions
// whose blocks all fit; the error says what did not.
func Rows(s *schedule.Schedule, t *target.Target, m Mode) error {
	blocks, err := Blocks(s)
	if err != nil {
		return err
	}
	out := blocks[len(blocks)-1]
	var stages []schedule.BlockRV
	partial := map[schedule.BlockRV]bool{}
	for _, b := range blocks {
		r, err := s.BlockOf(b)
		if err != nil {
			return err
		}
		if r.Block.Init == nil || !IsRow(s, b, t) {
			stages = append(stages, b)
			continue
		}
		parts, err := factorRow(s, b, r, t, m)
		if err != nil {
			return fmt.Errorf("rows: %w", err)
		}
		for _, rf := range parts {
			partial[rf] = true
		}
		stages = append(append(stages, parts...), b)
	}
	return gatherRows(s, stages, partial, out, t, m)
}

// factorRow splits the last reduce loop of a block by several vectors of lanes and
// factors them out, and then one vector of lanes out of these, so that the chain of
// single additions that is left is short; rows shorter than two vectors stay scalar
// (no handles).
func factorRow(s *schedule.Schedule, b schedule.BlockRV, r *tir.BlockRealize, t *target.Target, m Mode) ([]schedule.BlockRV, error) {
	loops, err := s.GetLoops(b)
	if err != nil {
		return nil, err
	}
	last := len(loops) - 1
	n, ok := tir.AsInt(r.Block.Iters[last].Dom.Extent)
	lanes := int64(t.Lanes(int(r.Block.Writes[0].Buffer.Type.Bits)))
	if !ok || n < 2*lanes || !factorable(r.Block) {
		return nil, nil
	}
	var fit []int64
	for _, c := range laneChoices {
		if c*lanes <= n {
			fit = append(fit, c*lanes)
		}
	}
	width, err := m.pick(s, fit, wantLanes(n, lanes, fit))
	if err != nil {
		return nil, err
	}
	axis := 0
	for _, it := range r.Block.Iters {
		if it.Kind == tir.Spatial {
			axis++
		}
	}
	var out []schedule.BlockRV
	for _, w := range []schedule.ExprRV{width, schedule.Int(lanes)} {
		parts, err := s.Split(loops[len(loops)-1], schedule.Open, w)
		if err != nil {
			return nil, err
		}
		rf, err := s.RFactor(parts[1], axis)
		if err != nil {
			return nil, err
		}
		out = append(out, rf)
		if loops, err = s.GetLoops(b); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// vectorizePartial puts the lanes of a factored reduction innermost and makes
// them vectors; computing it at the row loop made new loops, in the order of its
// iterators, the lanes first.
func vectorizePartial(s *schedule.Schedule, rf schedule.BlockRV) error {
	r, err := s.BlockOf(rf)
	if err != nil {
		return err
	}
	loops, err := s.GetLoops(rf)
	if err != nil {
		return err
	}
	lane, order := schedule.LoopRV(0), []schedule.LoopRV(nil)
	for _, l := range loops {
		h, err := s.LoopOf(l)
		if err != nil {
			return err
		}
		switch {
		case runsAlong(r, h.Var):
			lane = l
		case lane != 0:
			order = append(order, l)
		}
	}
	if lane == 0 {
		return nil
	}
	if len(order) > 0 {
		if err := s.Reorder(append(order, lane)...); err != nil {
			return err
		}
	}
	return s.Vectorize(lane)
}

// wantLanes prefers four vectors where they divide the row.
func wantLanes(n, lanes int64, fit []int64) int64 {
	for _, c := range slices.Backward(fit) {
		if n%c == 0 {
			return c
		}
	}
	return lanes
}

// factorable reports whether a block is one accumulation that rfactor knows.
func factorable(b *tir.Block) bool {
	st, ok := b.Body.(*tir.Store)
	if !ok {
		return false
	}
	op, ok := st.Value.(*tir.Binary)
	return ok && (op.Op == tir.OpAdd || op.Op == tir.OpMax || op.Op == tir.OpMin || op.Op == tir.OpMul)
}

// Rows that a chunk may hold, and how many the default schedule takes.
const (
	maxChunk  = 16
	wantChunk = 4
)

// chunkRows cuts the row loop into chunks of a few rows that pass through all stages
// together: what one row waits for, the other rows fill. It returns the loop of chunks.
func chunkRows(s *schedule.Schedule, row schedule.LoopRV, m Mode) (schedule.LoopRV, error) {
	h, err := s.LoopOf(row)
	if err != nil {
		return 0, err
	}
	n, ok := tir.AsInt(h.Extent)
	if !ok {
		return row, nil
	}
	d := largestDivisor(n, wantChunk)
	v, err := m.tile(s, row, maxChunk, []int64{n / d, d})
	if err != nil {
		return 0, err
	}
	parts, err := s.Split(row, v...)
	if err != nil {
		return 0, err
	}
	return parts[0], nil
}

// gatherRows computes all stages at the loop of chunks of the output's rows.
func gatherRows(s *schedule.Schedule, stages []schedule.BlockRV, partial map[schedule.BlockRV]bool, out schedule.BlockRV, t *target.Target, m Mode) error {
	rows, err := rowLoops(s, stages, out)
	if err != nil {
		return err
	}
	loops, err := s.GetLoops(out)
	if err != nil {
		return err
	}
	if rows == 0 {
		return finishSpatial(s, out, 0, t)
	}
	row := loops[0]
	if rows > 1 {
		if row, err = s.Fuse(loops[:rows]...); err != nil {
			return err
		}
	}
	if row, err = chunkRows(s, row, m); err != nil {
		return err
	}
	for _, b := range slices.Backward(stages) {
		if b == out {
			continue
		}
		if err := s.ComputeAt(b, row, true, -1); err != nil {
			return err
		}
	}
	for _, b := range stages {
		step := func() error { return vectorizeLast(s, b, t) }
		if partial[b] {
			step = func() error { return vectorizePartial(s, b) }
		}
		if err := step(); err != nil {
			return err
		}
	}
	return s.Parallel(row)
}

// rowLoops is how many leading loops of the output all stages share as rows.
func rowLoops(s *schedule.Schedule, stages []schedule.BlockRV, out schedule.BlockRV) (int, error) {
	loops, err := s.GetLoops(out)
	if err != nil {
		return 0, err
	}
	rows := len(loops)
	for _, b := range stages {
		r, err := s.BlockOf(b)
		if err != nil {
			return 0, err
		}
		if r.Block.Init == nil {
			continue
		}
		n := 0
		for _, it := range r.Block.Iters {
			if it.Kind == tir.Spatial {
				n++
			}
		}
		rows = min(rows, n)
	}
	ob, err := s.BlockOf(out)
	if err != nil {
		return 0, err
	}
	if ob.Block.Init == nil && rows == len(loops) && rows > 0 {
		rows--
	}
	return rows, nil
}

// vectorizeLast vectorises the innermost loop of a spatial stage.
func vectorizeLast(s *schedule.Schedule, b schedule.BlockRV, t *target.Target) error {
	r, err := s.BlockOf(b)
	if err != nil || r.Block.Init != nil {
		return err
	}
	loops, err := s.GetLoops(b)
	if err != nil || len(loops) == 0 {
		return err
	}
	last := loops[len(loops)-1]
	h, err := s.LoopOf(last)
	if err != nil || h.Kind != tir.Serial || !runsAlong(r, h.Var) {
		return err
	}
	return ignoreRefusal(vectorize(s, last, r, t))
}

func ignoreRefusal(err error) error {
	if schedule.IsRefusal(err) {
		return nil
	}
	return err
}
