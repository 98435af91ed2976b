package schedule

//	for i: f(A[i])   →   for i: A_scope[…] = A[…]; f(A_scope[i])

var kindReadAt = define(Kind{
	Name: "ReadAt", Doc: "copies what a loop's body reads of a buffer in at once",
	Params: "loop, block, read_buffer_index, storage_scope",
	In:     []Slot{{Name: "loop", Kind: SlotLoop}, {Name: "block", Kind: SlotBlock, Handle: true}},
	Attrs:  []Slot{{Name: "read_buffer_index", Kind: SlotInt}, {Name: "storage_scope", Kind: SlotString}}, Out: OutBlock,
	Refuses: []Condition{BadArgument, NotOneScope, Producers, Consumers, IndexForm, DependentDomain, Predicate, StagePipeline},
})

func init() {
	kindReadAt.Apply = func(s *Schedule, c Call) error {
		_, err := s.ReadAt(c.loop(0), c.block(1), c.int(0), c.string(1))
		return err
	}
}

// ReadAt copies, at the start of each iteration of a loop, all that its body reads
// of the buffer which b reads as its index-th into a new buffer of the given
// storage scope, before the first reader. It returns the copy block, which
// carries the annotation auto_copy.
func (s *Schedule) ReadAt(l LoopRV, b BlockRV, index int, scope string) (BlockRV, error) {
	return s.copyAt(kindReadAt, l, b, index, scope)
}

// copyAt is ReadAt, or WriteAt.
func (s *Schedule) copyAt(k *Kind, l LoopRV, b BlockRV, index int, scope string) (BlockRV, error) {
	st, loop, err := s.loop(l)
	var id []nid
	if err == nil {
		id, err = s.sameFunc(st, []BlockRV{b})
	}
	var c *copyAt
	if err == nil {
		c, err = st.planCopyAt(loop, id[0], index, scope, k == kindReadAt)
	}
	if err != nil {
		return 0, err.by(k.Method())
	}
	out := s.newBlock(st.index, c.insert())
	s.record(k, []any{l, b}, []any{int64(index), scope}, []any{out}, nil)
	return out, nil
}
