package dlight

import (
	"hone/compiler/schedule"
	"hone/compiler/tir"
)

// DecomposeReductions splits the initialiser off every reduction block, at its
// outermost loop that is not spatial, until none is left.
func DecomposeReductions(s *schedule.Schedule) error {
	blocks, err := Blocks(s)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		r, err := s.BlockOf(b)
		if err != nil {
			return err
		}
		if r.Block.Init == nil {
			continue
		}
		at, err := firstReduceLoop(s, b, r)
		if err != nil {
			return err
		}
		if at == 0 {
			continue
		}
		if _, err := s.DecomposeReduction(b, at); err != nil {
			return err
		}
	}
	return nil
}

func firstReduceLoop(s *schedule.Schedule, b schedule.BlockRV, r *tir.BlockRealize) (schedule.LoopRV, error) {
	loops, err := s.GetLoops(b)
	if err != nil {
		return 0, err
	}
	for _, l := range loops {
		h, err := s.LoopOf(l)
		if err != nil {
			return 0, err
		}
		if movesReduce(r, h.Var) {
			return l, nil
		}
	}
	return 0, nil
}

func movesReduce(r *tir.BlockRealize, v *tir.Var) bool {
	for i, it := range r.Block.Iters {
		if it.Kind == tir.Reduce && tir.UsesVar(r.Values[i], func(x *tir.Var) bool { return x == v }) {
			return true
		}
	}
	return false
}
