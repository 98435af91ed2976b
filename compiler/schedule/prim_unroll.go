package schedule

import "hone/compiler/tir"

var kindUnroll = define(Kind{
	Name: "Unroll", Doc: "repeats the body of a loop instead of looping",
	Params: "loop",
	In:     []Slot{{Name: "loop", Kind: SlotLoop}},
})

func init() {
	kindUnroll.Apply = func(s *Schedule, c Call) error { return s.Unroll(c.loop(0)) }
}

// Unroll marks a loop that is spelled out. It asks for nothing.
func (s *Schedule) Unroll(l LoopRV) error {
	if err := s.setLoopKind(l, "unroll", tir.Unrolled, nil); err != nil {
		return err
	}
	s.record(kindUnroll, []any{l}, nil, nil, nil)
	return nil
}
