package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

// ScopeOf is the scope that holds a block, as analysis sees it, and the index of
// the block among the scope's children. The root block is in no scope: nil and
// -1. The value is for reading, like BlockOf's.
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
