package schedule

//	for i0: for i1: B[i0*4 + i1] = …  →  for i0: for i1: B[i0*4 + i1] = …
//	for i: C[i] = f(B[i])                        for ax0: C[i0*4 + ax0] = f(B[…])

var kindReverseComputeAt = define(Kind{
	Name: "ReverseComputeAt", Doc: "moves a consumer under a loop of its producers",
	Params:  "block, loop, preserve_unit_loops=False, index=-1",
	In:      []Slot{{Name: "block", Kind: SlotBlock}, {Name: "loop", Kind: SlotLoop}},
	Attrs:   []Slot{{Name: "preserve_unit_loops", Kind: SlotFlag}, {Name: "index", Kind: SlotInt}},
	Refuses: []Condition{RootBlock, StagePipeline, CompleteOrReduction, NotOneScope, AncestorLoop, OnlyLeaf, BodyForm, LoopPosition, Producers, Consumers, BadArgument, AffineBinding, IndexForm},
})

func init() {
	kindReverseComputeAt.Apply = func(s *Schedule, c Call) error {
		return s.ReverseComputeAt(c.block(0), c.loop(1), c.flag(0), c.int(1))
	}
}

// ReverseComputeAt moves b under loop l and gives it new loops that consume just
// what the producers under l have made. It asks for what ComputeAt asks, with
// producers in the place of consumers; b may be an output. A loop marked as
// inline inlines b into its producer.
func (s *Schedule) ReverseComputeAt(b BlockRV, l LoopRV, preserveUnitLoops bool, index int) error {
	if err := s.computeAt(b, l, preserveUnitLoops, index, false); err != nil {
		return err.by("reverse_compute_at")
	}
	s.record(kindReverseComputeAt, []any{b, l}, []any{flag(preserveUnitLoops), int64(index)}, nil, nil)
	return nil
}
