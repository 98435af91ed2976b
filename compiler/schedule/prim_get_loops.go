package schedule

var kindGetLoops = define(Kind{
	Name: "GetLoops", Doc: "lists the loops around a block up to its scope, outermost first", Pure: true,
	Params: "block",
	In:     []Slot{{Name: "block", Kind: SlotBlock}}, Out: OutLoops,
})

func init() {
	kindGetLoops.Apply = func(s *Schedule, c Call) error { _, err := s.GetLoops(c.block(0)); return err }
}

// GetLoops lists the loops around a block, outermost first, up to the block
// that holds it.
func (s *Schedule) GetLoops(b BlockRV) ([]LoopRV, error) {
	st, id, err := s.block(b)
	if err != nil {
		return nil, err.by("get_loops")
	}
	loops := st.loopsOf(id)
	out := make([]LoopRV, len(loops))
	for i, l := range loops {
		out[i] = s.newLoop(st.index, l)
	}
	s.record(kindGetLoops, []any{b}, nil, loopOutputs(out), nil)
	return out, nil
}
