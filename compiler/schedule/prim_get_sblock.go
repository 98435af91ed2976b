package schedule

var kindGetSBlock = define(Kind{
	Name: "GetSBlock", Doc: "finds the one block of a name in a function", Pure: true,
	Params: "name, func_name=None",
	Attrs:  []Slot{{Name: "name", Kind: SlotString}, {Name: "func_name", Kind: SlotString}}, Out: OutBlock,
	Refuses: []Condition{UnknownName, AmbiguousName, NotSchedulable},
})

func init() {
	kindGetSBlock.Apply = func(s *Schedule, c Call) error { _, err := s.GetSBlockIn(c.string(0), c.string(1)); return err }
}

// GetSBlock finds the block of that name in the function worked on. There must
// be exactly one.
func (s *Schedule) GetSBlock(name string) (BlockRV, error) { return s.GetSBlockIn(name, s.work) }

// GetSBlockIn is GetSBlock in a function by name, the one worked on for "".
func (s *Schedule) GetSBlockIn(name, fn string) (BlockRV, error) {
	const prim = "get_sblock"
	if fn == "" {
		fn = s.work
	}
	st, err := s.state(fn)
	if err != nil {
		return 0, err.by(prim)
	}
	id, count := st.findBlock(name)
	switch {
	case count == 0:
		return 0, refuse(UnknownName, "function "+fn, "it has no block %q", name).by(prim)
	case count > 1:
		return 0, refuse(AmbiguousName, "function "+fn, "it has %d blocks %q", count, name).by(prim)
	}
	b := s.newBlock(st.index, id)
	s.record(kindGetSBlock, nil, []any{name, fn}, []any{b}, nil)
	return b, nil
}

// findBlock counts the blocks of a name and returns the last one.
func (st *state) findBlock(name string) (id nid, count int) {
	id = none
	for i, n := range st.nodes {
		if n.kind == kBlock && n.gone == "" && n.block.Name == name {
			id = nid(i)
			count++
		}
	}
	return id, count
}
