package schedule

import (
	"slices"

	"hone/compiler/tir"
)

var kindUnsafeHideBufferAccess = define(Kind{
	Name: "UnsafeHideBufferAccess", Doc: "takes declared regions away from a block",
	Params: "block, buf_type, buf_index_array",
	In: []Slot{{Name: "block", Kind: SlotBlock, Handle: true}, {Name: "buf_type", Kind: SlotString},
		{Name: "buf_index_array", Kind: SlotInts}},
})

func init() {
	kindUnsafeHideBufferAccess.Apply = func(s *Schedule, c Call) error {
		var at []int64
		for _, v := range c.Inputs[2].([]any) {
			at = append(at, v.(int64))
		}
		return s.UnsafeHideBufferAccess(c.block(0), c.Inputs[1].(string), at)
	}
}

// UnsafeHideBufferAccess takes regions out of those that a block declares to read
// or, when what is "write", to write. Primitives then know nothing of these
// accesses: the caller vouches for what they do.
func (s *Schedule) UnsafeHideBufferAccess(b BlockRV, what string, at []int64) error {
	st, id, err := s.block(b)
	if err == nil {
		err = st.hide(id, what, at)
	}
	if err != nil {
		return err.by("unsafe_hide_buffer_access")
	}
	s.record(kindUnsafeHideBufferAccess, []any{b, what, tir.PlainValue(at)}, nil, nil, nil)
	return nil
}

func (st *state) hide(id nid, what string, at []int64) *Error {
	b := *st.at(id).block
	regions := &b.Reads
	switch what {
	case "read":
	case "write":
		regions = &b.Writes
	default:
		return refuse(BadArgument, st.where(id), `%q is neither "read" nor "write"`, what)
	}
	for _, i := range at {
		if i < 0 || i >= int64(len(*regions)) {
			return refuse(BadArgument, st.where(id), "it has %d %s regions, none %d", len(*regions), what, i)
		}
	}
	left := []tir.Region{}
	for i, r := range *regions {
		if !slices.Contains(at, int64(i)) {
			left = append(left, r)
		}
	}
	*regions = left
	st.setBlock(id, &b)
	return nil
}
