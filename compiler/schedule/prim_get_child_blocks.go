package schedule

var kindGetChildBlocks = define(Kind{
	Name: "GetChildBlocks", Doc: "lists the blocks directly inside a block or loop", Pure: true,
	Params: "block_or_loop",
	In:     []Slot{{Name: "block_or_loop", Kind: SlotPlace}}, Out: OutBlocks,
})

func init() {
	kindGetChildBlocks.Apply = func(s *Schedule, c Call) error {
		if l, ok := c.Inputs[0].(LoopRV); ok {
			_, err := s.GetChildBlocksOfLoop(l)
			return err
		}
		_, err := s.GetChildBlocks(c.block(0))
		return err
	}
}

// GetChildBlocks lists the blocks inside a block in order, without entering
// them.
func (s *Schedule) GetChildBlocks(b BlockRV) ([]BlockRV, error) {
	st, id, err := s.block(b)
	return s.childBlocks(st, id, err, b)
}

// GetChildBlocksOfLoop is GetChildBlocks below a loop.
func (s *Schedule) GetChildBlocksOfLoop(l LoopRV) ([]BlockRV, error) {
	st, id, err := s.loop(l)
	return s.childBlocks(st, id, err, l)
}

func (s *Schedule) childBlocks(st *state, id nid, err *Error, input any) ([]BlockRV, error) {
	if err != nil {
		return nil, err.by("get_child_blocks")
	}
	return s.listBlocks(kindGetChildBlocks, st, st.childBlocks(id), input), nil
}

// listBlocks makes and records handles of a navigation instruction.
func (s *Schedule) listBlocks(k *Kind, st *state, ids []nid, input any) []BlockRV {
	out := make([]BlockRV, len(ids))
	for i, id := range ids {
		out[i] = s.newBlock(st.index, id)
	}
	s.record(k, []any{input}, nil, blockOutputs(out), nil)
	return out
}
