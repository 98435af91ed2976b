package schedule

//	for i: B[i] = …              →   for i0: for i1: B[i0*4 + i1] = …
//	for i0: for i1: C(B[…])                  for i1: C(B[…])

var kindComputeAt = define(Kind{
	Name: "ComputeAt", Doc: "moves a producer under a loop of its consumers",
	Params:  "block, loop, preserve_unit_loops=False, index=-1",
	In:      []Slot{{Name: "block", Kind: SlotBlock}, {Name: "loop", Kind: SlotLoop}},
	Attrs:   []Slot{{Name: "preserve_unit_loops", Kind: SlotFlag}, {Name: "index", Kind: SlotInt}},
	Refuses: []Condition{RootBlock, StagePipeline, CompleteOrReduction, NotOneScope, AncestorLoop, OutputBlock, OnlyLeaf, BodyForm, LoopPosition, Consumers, Producers, BadArgument, AffineBinding, IndexForm},
})

func init() {
	kindComputeAt.Apply = func(s *Schedule, c Call) error {
		return s.ComputeAt(c.block(0), c.loop(1), c.flag(0), c.int(1))
	}
}

// ComputeAt moves b under loop l and gives it new loops that compute just what
// the consumers under l need. The scope must be a stage pipeline, b complete or
// a reduction block and no output; all its consumers lie under l, which does not
// enclose b. Loops of one iteration are left out unless preserveUnitLoops.
// index is the place among the statements of l's body: -1 the last one that
// comes before the consumers, -2 the first one after the producers. A loop that
// SampleComputeLocation marked as inline or root inlines b or leaves it alone.
func (s *Schedule) ComputeAt(b BlockRV, l LoopRV, preserveUnitLoops bool, index int) error {
	if err := s.computeAt(b, l, preserveUnitLoops, index, true); err != nil {
		return err.by("compute_at")
	}
	s.record(kindComputeAt, []any{b, l}, []any{flag(preserveUnitLoops), int64(index)}, nil, nil)
	return nil
}

func (s *Schedule) computeAt(b BlockRV, l LoopRV, preserveUnitLoops bool, index int, producer bool) *Error {
	st, id, err := s.block(b)
	if err != nil {
		return err
	}
	by := "reverse_compute_at"
	if producer {
		by = "compute_at"
	}
	if i := int(l); i > 0 && i < len(s.refs) {
		switch s.refs[i].kind {
		case refRoot:
			return nil
		case refInline:
			return st.inlineAs(id, producer)
		}
	}
	st2, loop, err := s.loop(l)
	if err != nil {
		return err
	}
	if st2 != st {
		return refuse(NotOneScope, st2.where(loop), "it belongs to another function")
	}
	p, err := st.relocate(id, loop, producer, index)
	if err != nil {
		return err
	}
	st.move(p, preserveUnitLoops, by)
	return nil
}

// inlineAs inlines a block into its consumers or into its producer.
func (st *state) inlineAs(id nid, producer bool) *Error {
	if producer {
		p, err := st.canInline(id)
		if err == nil {
			st.inline(p)
		}
		return err
	}
	p, err := st.canReverseInline(id)
	if err == nil {
		st.reverseInline(p)
	}
	return err
}
