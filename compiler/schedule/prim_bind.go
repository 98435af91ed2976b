package schedule

import "hone/compiler/tir"

var kindBind = define(Kind{
	Name: "Bind", Doc: "runs the iterations of a loop on the threads of an axis",
	Params:  "loop, thread_axis",
	In:      []Slot{{Name: "loop", Kind: SlotLoop}},
	Attrs:   []Slot{{Name: "thread_axis", Kind: SlotString}},
	Refuses: []Condition{CompleteOrReduction, ReduceBinding},
})

func init() {
	kindBind.Apply = func(s *Schedule, c Call) error { return s.Bind(c.loop(0), c.string(0)) }
}

var threadAxes = []string{"blockIdx.x", "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y", "threadIdx.z", "vthread", "vthread.x", "vthread.y", "vthread.z"}

// Bind runs a loop on a thread axis (blockIdx.x, threadIdx.y, vthread.z …). It
// asks for the same as Parallel, but a threadIdx axis may also be bound to a
// reduce iterator.
func (s *Schedule) Bind(l LoopRV, thread string) error {
	st, id, err := s.loop(l)
	if err != nil {
		return err.by("bind")
	}
	axis := &tir.IterVar{Var: tir.NewVar(thread, st.at(id).loop.Var.Type), Kind: tir.Thread, Tag: thread}
	if err := s.setLoopKind(l, "bind", tir.ThreadBinding, axis); err != nil {
		return err
	}
	s.record(kindBind, []any{l}, []any{thread}, nil, nil)
	return nil
}
