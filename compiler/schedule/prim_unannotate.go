package schedule

var kindUnannotate = define(Kind{
	Name: "Unannotate", Doc: "removes a key from a block or loop",
	Params:  "block_or_loop, ann_key",
	In:      []Slot{{Name: "block_or_loop", Kind: SlotPlace}},
	Attrs:   []Slot{{Name: "ann_key", Kind: SlotString}},
	Refuses: []Condition{KeyPresent},
})

func init() {
	kindUnannotate.Apply = func(s *Schedule, c Call) error {
		if l, ok := c.Inputs[0].(LoopRV); ok {
			return s.UnannotateLoop(l, c.string(0))
		}
		return s.Unannotate(c.block(0), c.string(0))
	}
}

// Unannotate removes key, which must be present, from a block.
func (s *Schedule) Unannotate(b BlockRV, key string) error {
	st, id, err := s.block(b)
	return s.unannotate(st, id, err, b, key)
}

// UnannotateLoop is Unannotate on a loop.
func (s *Schedule) UnannotateLoop(l LoopRV, key string) error {
	st, id, err := s.loop(l)
	return s.unannotate(st, id, err, l, key)
}

func (s *Schedule) unannotate(st *state, id nid, err *Error, place any, key string) error {
	if err == nil && !has(st.annotations(id), key) {
		err = refuse(KeyPresent, st.where(id), "it has no annotation %q", key)
	}
	if err != nil {
		return err.by("unannotate")
	}
	st.setAnnotations(id, st.annotations(id).Without(key))
	s.record(kindUnannotate, []any{place}, []any{key}, nil, nil)
	return nil
}
