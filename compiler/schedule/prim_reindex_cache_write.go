package schedule

import "hone/compiler/tir"

//	C[i, j] = f() with (i, j) → (j, i)   →   C_scope[j, i] = f()
//	                                         C[i, j] = C_scope[j, i]

var kindReindexCacheWrite = define(Kind{
	Name: "ReindexCacheWrite", Doc: "lets a block write a buffer with another layout that is copied afterwards",
	Params: "block, write_buffer_index, storage_scope, index_map",
	In:     []Slot{{Name: "block", Kind: SlotBlock}, {Name: "index_map", Kind: SlotMap}},
	Attrs:  []Slot{{Name: "write_buffer_index", Kind: SlotInt}, {Name: "storage_scope", Kind: SlotString}}, Out: OutBlock,
	Refuses: []Condition{BadArgument, RootBlock, StagePipeline, SingleWriter, SingleAccess, Consumers, IndexForm, NotInvertible},
})

func init() {
	kindReindexCacheWrite.Apply = func(s *Schedule, c Call) error {
		_, err := s.ReindexCacheWrite(c.block(0), c.int(0), c.string(1), c.Inputs[1].(*tir.IndexMap))
		return err
	}
}

// ReindexCacheWrite lets b, the only writer in its scope of the buffer that it
// writes as its index-th, write a new buffer of the given storage scope at the
// indices to which m takes b's iterators, and adds a stage that copies it to the
// original. b must declare to write one element, which the same iterators choose
// as the place in the cache; the scope must be a stage pipeline. It returns the
// copy block.
func (s *Schedule) ReindexCacheWrite(b BlockRV, index int, scope string, m *tir.IndexMap) (BlockRV, error) {
	return s.reindexCache(kindReindexCacheWrite, b, index, scope, m)
}
