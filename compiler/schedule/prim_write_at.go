package schedule

//	for i: A[i] = f()   →   for i: A_scope[i] = f(); A[…] = A_scope[…]

var kindWriteAt = define(Kind{
	Name: "WriteAt", Doc: "copies what a loop's body writes of a buffer out at once",
	Params: "loop, block, write_buffer_index, storage_scope",
	In:     []Slot{{Name: "loop", Kind: SlotLoop}, {Name: "block", Kind: SlotBlock, Handle: true}},
	Attrs:  []Slot{{Name: "write_buffer_index", Kind: SlotInt}, {Name: "storage_scope", Kind: SlotString}}, Out: OutBlock,
	Refuses: []Condition{BadArgument, NotOneScope, Producers, Consumers, IndexForm, DependentDomain, Predicate, BufferScope, SingleAccess, StagePipeline},
})

func init() {
	kindWriteAt.Apply = func(s *Schedule, c Call) error {
		_, err := s.WriteAt(c.loop(0), c.block(1), c.int(0), c.string(1))
		return err
	}
}

// WriteAt lets the body of a loop write, instead of the buffer which b writes as
// its index-th, a new one of the given storage scope, and copies all that it
// writes after the last writer of each iteration. It returns the copy block, which
// carries the annotation auto_copy.
func (s *Schedule) WriteAt(l LoopRV, b BlockRV, index int, scope string) (BlockRV, error) {
	return s.copyAt(kindWriteAt, l, b, index, scope)
}
