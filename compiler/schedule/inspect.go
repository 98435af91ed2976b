package schedule

import (
	"errors"

	"hone/compiler/tir"
)

// BlockOf is a block with its bindings and predicate as they are now. The value
// is for reading; nested blocks inside its body may be older than the schedule.
func (s *Schedule) BlockOf(b BlockRV) (*tir.BlockRealize, error) {
	st, id, err := s.block(b)
	if err != nil {
		return nil, err.by("get_sblock")
	}
	n := st.at(id)
	return &tir.BlockRealize{Values: n.values, Predicate: n.pred, Block: n.block}, nil
}

// LoopOf is the header of a loop as it is now; its Body is nil.
func (s *Schedule) LoopOf(l LoopRV) (*tir.For, error) {
	st, id, err := s.loop(l)
	if err != nil {
		return nil, err.by("get_loops")
	}
	header := st.at(id).loop
	return &header, nil
}

// Alive reports whether a block handle still stands for a block.
func (s *Schedule) Alive(b BlockRV) bool {
	_, _, err := s.block(b)
	return err == nil
}

// NumChildren is the number of statements directly in a loop's body.
func (s *Schedule) NumChildren(l LoopRV) (int, error) {
	st, id, err := s.loop(l)
	if err != nil {
		return 0, err.by("get_loops")
	}
	kid := st.at(st.at(id).kids[0])
	if kid.kind == kSeq {
		return len(kid.kids), nil
	}
	return 1, nil
}

// IsRefusal reports whether err is a refused call: a precondition that does not
// hold, as opposed to a bug or a bad argument from outside.
func IsRefusal(err error) bool {
	var e *Error
	return errors.As(err, &e)
}
