package schedule

var kindGetConsumers = define(Kind{
	Name: "GetConsumers", Doc: "lists the blocks of the scope that use a block's results", Pure: true,
	Params: "block",
	In:     []Slot{{Name: "block", Kind: SlotBlock}}, Out: OutBlocks,
	Refuses: []Condition{RootBlock},
})

func init() {
	kindGetConsumers.Apply = func(s *Schedule, c Call) error { _, err := s.GetConsumers(c.block(0)); return err }
}

// GetConsumers lists the blocks after b in its scope that read or overwrite
// what b writes.
func (s *Schedule) GetConsumers(b BlockRV) ([]BlockRV, error) {
	st, id, err := s.block(b)
	if err == nil {
		err = st.notRoot(id)
	}
	if err != nil {
		return nil, err.by("get_consumers")
	}
	return s.listBlocks(kindGetConsumers, st, st.consumers(id), b), nil
}
