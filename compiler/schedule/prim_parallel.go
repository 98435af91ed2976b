package schedule

import "hone/compiler/tir"

var kindParallel = define(Kind{
	Name: "Parallel", Doc: "runs the iterations of a loop on several cores",
	Params:  "loop",
	In:      []Slot{{Name: "loop", Kind: SlotLoop}},
	Refuses: []Condition{CompleteOrReduction, ReduceBinding},
})

func init() {
	kindParallel.Apply = func(s *Schedule, c Call) error { return s.Parallel(c.loop(0)) }
}

// Parallel marks a loop whose iterations run on several cores. The blocks
// directly below must be complete or reductions, the loop bound to spatial
// iterators only.
func (s *Schedule) Parallel(l LoopRV) error {
	if err := s.setLoopKind(l, "parallel", tir.Parallel, nil); err != nil {
		return err
	}
	s.record(kindParallel, []any{l}, nil, nil, nil)
	return nil
}
