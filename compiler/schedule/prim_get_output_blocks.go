package schedule

var kindGetOutputBlocks = define(Kind{
	Name: "GetOutputBlocks", Doc: "lists the blocks inside a block that write what it does not own", Pure: true,
	Params: "scope_block",
	In:     []Slot{{Name: "scope_block", Kind: SlotBlock}}, Out: OutBlocks,
})

func init() {
	kindGetOutputBlocks.Apply = func(s *Schedule, c Call) error { _, err := s.GetOutputBlocks(c.block(0)); return err }
}

// GetOutputBlocks lists the blocks inside b, nested ones too, that write a buffer
// which the block around them does not allocate.
func (s *Schedule) GetOutputBlocks(b BlockRV) ([]BlockRV, error) {
	st, id, err := s.block(b)
	if err != nil {
		return nil, err.by("get_output_blocks")
	}
	return s.listBlocks(kindGetOutputBlocks, st, st.outputs(id), b), nil
}

func (st *state) outputs(scope nid) []nid {
	var out []nid
	for _, b := range st.childBlocks(scope) {
		if st.isOutput(b) {
			out = append(out, b)
		}
		out = append(out, st.outputs(b)...)
	}
	return out
}
