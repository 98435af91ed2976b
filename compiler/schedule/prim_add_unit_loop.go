package schedule

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

//	B   →   for u in 1: B

var kindAddUnitLoop = define(Kind{
	Name: "AddUnitLoop", Doc: "puts a loop of one iteration around a block or loop",
	Params: "block_or_loop",
	In:     []Slot{{Name: "block_or_loop", Kind: SlotPlace}}, Out: OutLoop,
	Refuses: []Condition{RootBlock},
})

func init() {
	kindAddUnitLoop.Apply = func(s *Schedule, c Call) error {
		if l, ok := c.Inputs[0].(LoopRV); ok {
			_, err := s.AddUnitLoopAround(l)
			return err
		}
		_, err := s.AddUnitLoop(c.block(0))
		return err
	}
}

// AddUnitLoop puts a loop of one iteration, u, around a block.
func (s *Schedule) AddUnitLoop(b BlockRV) (LoopRV, error) {
	st, id, err := s.block(b)
	return s.addUnitLoop(st, id, err, b)
}

// AddUnitLoopAround is AddUnitLoop around a loop.
func (s *Schedule) AddUnitLoopAround(l LoopRV) (LoopRV, error) {
	st, id, err := s.loop(l)
	return s.addUnitLoop(st, id, err, l)
}

func (s *Schedule) addUnitLoop(st *state, id nid, err *Error, input any) (LoopRV, error) {
	if err == nil {
		err = st.notRoot(id)
	}
	if err != nil {
		return 0, err.by("add_unit_loop")
	}
	parent := st.at(id).parent
	u := tir.For{Var: tir.NewVar("u", dtype.Int32), Min: tir.Int(0), Extent: tir.Int(1)}
	n := st.add(node{kind: kLoop, loop: u, kids: []nid{id}, parent: parent})
	st.at(id).parent = parent
	st.replace(id, n)
	st.at(id).parent = n
	out := s.newLoop(st.index, n)
	s.record(kindAddUnitLoop, []any{input}, nil, []any{out}, nil)
	return out, nil
}
