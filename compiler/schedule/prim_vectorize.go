package schedule

import "hone/compiler/tir"

var kindVectorize = define(Kind{
	Name: "Vectorize", Doc: "runs the iterations of a loop in the lanes of vectors",
	Params:  "loop",
	In:      []Slot{{Name: "loop", Kind: SlotLoop}},
	Refuses: []Condition{CompleteOrReduction, ReduceBinding},
})

func init() {
	kindVectorize.Apply = func(s *Schedule, c Call) error { return s.Vectorize(c.loop(0)) }
}

// Vectorize marks a loop whose iterations run in the lanes of vectors; it asks
// for the same as Parallel.
func (s *Schedule) Vectorize(l LoopRV) error {
	if err := s.setLoopKind(l, "vectorize", tir.Vectorized, nil); err != nil {
		return err
	}
	s.record(kindVectorize, []any{l}, nil, nil, nil)
	return nil
}
