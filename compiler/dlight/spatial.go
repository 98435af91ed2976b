package dlight

import (
	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
)

// streamVectors is how many vectors one iteration of a vectorised loop holds.
const streamVectors = 4

// SpatialBlock schedules a block that no other move did, elementwise or moving
// data: the outer loops fused and parallel, the innermost one in vectors.
func SpatialBlock(s *schedule.Schedule, b schedule.BlockRV, t *target.Target, _ Mode) (bool, error) {
	r, err := s.BlockOf(b)
	if err != nil || isRoot(s, b) || !trivialBinding(s, b, r) {
		return false, err
	}
	outer := 0
	for i, it := range r.Block.Iters {
		if it.Kind != tir.Spatial || i == len(r.Block.Iters)-1 {
			break
		}
		outer++
	}
	return true, finishSpatial(s, b, outer, t)
}

func finishSpatial(s *schedule.Schedule, b schedule.BlockRV, outer int, t *target.Target) error {
	r, err := s.BlockOf(b)
	if err != nil {
		return err
	}
	loops, err := s.GetLoops(b)
	if err != nil || len(loops) == 0 {
		return err
	}
	last := loops[len(loops)-1]
	h, err := s.LoopOf(last)
	if err != nil {
		return err
	}
	if r.Block.Init == nil && runsAlong(r, h.Var) {
		if err := ignoreRefusal(vectorize(s, last, r, t)); err != nil {
			return err
		}
	}
	if outer == 0 {
		return nil
	}
	par := loops[0]
	if outer > 1 {
		if par, err = s.Fuse(loops[:outer]...); err != nil {
			return ignoreRefusal(err)
		}
	}
	return ignoreRefusal(s.Parallel(par))
}

// runsAlong reports whether v moves the block's output by one element.
func runsAlong(r *tir.BlockRealize, v *tir.Var) bool {
	st, ok := r.Block.Body.(*tir.Store)
	if !ok || len(st.Indices) == 0 {
		return false
	}
	last, ok := st.Indices[len(st.Indices)-1].(*tir.Var)
	if !ok {
		return false
	}
	for i, it := range r.Block.Iters {
		if it.Var == last {
			return r.Values[i] == tir.Expr(v) || isSumWith(r.Values[i], v)
		}
	}
	return false
}

// vectorize splits a loop into a stream of vectors where it is longer than one
// and divides, and marks the inner part.
func vectorize(s *schedule.Schedule, l schedule.LoopRV, r *tir.BlockRealize, t *target.Target) error {
	h, err := s.LoopOf(l)
	if err != nil {
		return err
	}
	n, ok := tir.AsInt(h.Extent)
	lanes := int64(t.Lanes(int(r.Block.Writes[0].Buffer.Type.Bits)))
	if !ok || n < 2 {
		return nil
	}
	for w := streamVectors * lanes; w >= lanes; w /= 2 {
		if n > w && n%w == 0 {
			parts, err := s.Split(l, schedule.Open, schedule.Int(w))
			if err != nil {
				return err
			}
			return s.Vectorize(parts[1])
		}
	}
	if n <= streamVectors*lanes {
		return s.Vectorize(l)
	}
	parts, err := s.Split(l, schedule.Open, schedule.Int(lanes))
	if err != nil {
		return err
	}
	return s.Vectorize(parts[1])
}
