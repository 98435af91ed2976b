package dlight

import (
	"hone/compiler/schedule"
	"hone/compiler/tir"
)

// DecomposeReductions splits the initialiser off every reduction block, at the
// outermost loop of its own reduction.
func DecomposeReductions(s *schedule.Schedule) error {
	return DecomposeReductionsAt(s, func(r *tir.BlockRealize, l schedule.LoopRV) (bool, error) {
		h, err := s.LoopOf(l)
		return err == nil && movesReduce(r, h.Var), err
	}, nil)
}

// DecomposeReductionsAt splits the initialiser off every reduction block, at the
// outermost loop around it for which at holds; a block without such a loop stays
// whole. then, unless it is nil, sees the block, as it was, and its initialiser.
func DecomposeReductionsAt(s *schedule.Schedule, at func(r *tir.BlockRealize, l schedule.LoopRV) (bool, error), then func(b, init schedule.BlockRV, was *tir.Block) error) error {
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
		loops, err := s.GetLoops(b)
		if err != nil {
			return err
		}
		for _, l := range loops {
			here, err := at(r, l)
			if err != nil {
				return err
			}
			if !here {
				continue
			}
			init, err := s.DecomposeReduction(b, l)
			if err == nil && then != nil {
				err = then(b, init, r.Block)
			}
			if err != nil {
				return err
			}
			break
		}
	}
	return nil
}

func movesReduce(r *tir.BlockRealize, v *tir.Var) bool {
	for i, it := range r.Block.Iters {
		if it.Kind == tir.Reduce && tir.UsesVar(r.Values[i], func(x *tir.Var) bool { return x == v }) {
			return true
		}
	}
	return false
}
