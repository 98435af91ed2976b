package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

// ScopeOf is the scope that holds a block, as analysis sees it, and the index of
// the block among the scope's children. The root block is in no scope: nil and
// -1. The value is for reading, like BlockOf's. It writes the function out as
// statements; where a loop's kind is all that matters, LoopIterKind is cheaper.
func (s *Schedule) ScopeOf(b BlockRV) (*analysis.Scope, int, error) {
	st, id, err := s.block(b)
	if err != nil {
		return nil, -1, err.by("get_sblock")
	}
	if id == st.root {
		return nil, -1, nil
	}
	scope := st.scopeOf(id)
	around := st.stmt(scope).(*tir.BlockRealize).Block
	return analysis.NewScope(around), slices.Index(st.childBlocks(scope), id), nil
}

// LoopIterKind says which iterators of the blocks below, nested ones aside, a
// loop feeds: analysis.LoopIterKind of the loop as it is now.
func (s *Schedule) LoopIterKind(l LoopRV) (analysis.LoopKind, error) {
	st, id, err := s.loop(l)
	if err != nil {
		return analysis.MixedLoop, err.by("get_loops")
	}
	v := st.at(id).loop.Var
	var spatial, reduce bool
	for _, b := range st.childBlocks(id) {
		n := st.at(b)
		for i, it := range n.block.Iters {
			switch {
			case it.Kind == tir.Spatial && spatial, it.Kind == tir.Reduce && reduce, !usesOne(n.values[i], v):
			case it.Kind == tir.Spatial:
				spatial = true
			case it.Kind == tir.Reduce:
				reduce = true
			default:
				return analysis.MixedLoop, nil
			}
		}
	}
	switch {
	case spatial && reduce:
		return analysis.MixedLoop, nil
	case reduce:
		return analysis.ReduceLoop, nil
	}
	return analysis.SpatialLoop, nil
}
