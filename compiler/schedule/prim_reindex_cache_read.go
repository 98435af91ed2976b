package schedule

import "hone/compiler/tir"

//	C[i, j] = f(A[i, j]) with (i, j) → (j, i)   →   A_scope[j, i] = A[i, j]
//	                                                C[i, j] = f(A_scope[j, i])

var kindReindexCacheRead = define(Kind{
	Name: "ReindexCacheRead", Doc: "copies what a block reads into a buffer with another layout first",
	Params: "block, read_buffer_index, storage_scope, index_map",
	In:     []Slot{{Name: "block", Kind: SlotBlock}, {Name: "index_map", Kind: SlotMap}},
	Attrs:  []Slot{{Name: "read_buffer_index", Kind: SlotInt}, {Name: "storage_scope", Kind: SlotString}}, Out: OutBlock,
	Refuses: []Condition{BadArgument, RootBlock, StagePipeline, SingleWriter, Consumers, SingleAccess, IndexForm, NotInvertible},
})

func init() {
	kindReindexCacheRead.Apply = func(s *Schedule, c Call) error {
		_, err := s.ReindexCacheRead(c.block(0), c.int(0), c.string(1), c.Inputs[1].(*tir.IndexMap))
		return err
	}
}

// ReindexCacheRead adds a stage that copies the buffer which b reads as its
// index-th into a new one of the given storage scope, and makes b read that, at
// the indices to which m takes b's iterators. b must declare to read one element,
// which the same iterators choose as the place in the cache; the scope must be a
// stage pipeline. It returns the copy block.
func (s *Schedule) ReindexCacheRead(b BlockRV, index int, scope string, m *tir.IndexMap) (BlockRV, error) {
	return s.reindexCache(kindReindexCacheRead, b, index, scope, m)
}
