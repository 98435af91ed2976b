package schedule

var kindGetProducers = define(Kind{
	Name: "GetProducers", Doc: "lists the blocks of the scope whose results a block uses", Pure: true,
	Params: "block",
	In:     []Slot{{Name: "block", Kind: SlotBlock}}, Out: OutBlocks,
	Refuses: []Condition{RootBlock},
})

func init() {
	kindGetProducers.Apply = func(s *Schedule, c Call) error { _, err := s.GetProducers(c.block(0)); return err }
}

// GetProducers lists the blocks before b in its scope whose written buffers
// b reads or overwrites.
func (s *Schedule) GetProducers(b BlockRV) ([]BlockRV, error) {
	st, id, err := s.block(b)
	if err == nil {
		err = st.notRoot(id)
	}
	if err != nil {
		return nil, err.by("get_producers")
	}
	return s.listBlocks(kindGetProducers, st, st.producers(id), b), nil
}
