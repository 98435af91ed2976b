package schedule

import "hone/compiler/tir"

var kindSetScope = define(Kind{
	Name: "SetScope", Doc: "moves a buffer that a block writes to another storage scope",
	Params:  "block, buffer_index, storage_scope",
	In:      []Slot{{Name: "block", Kind: SlotBlock}},
	Attrs:   []Slot{{Name: "buffer_index", Kind: SlotBuffer}, {Name: "storage_scope", Kind: SlotString}},
	Refuses: []Condition{BadArgument, BufferScope},
})

func init() {
	kindSetScope.Apply = func(s *Schedule, c Call) error { return s.SetScope(c.block(0), c.int(0), c.string(1)) }
}

// SetScope changes the storage scope of the buffer that b writes as its
// bufferIndex-th; it must be allocated in the function. The buffer's name gets
// the scope appended.
func (s *Schedule) SetScope(b BlockRV, bufferIndex int, scope string) error {
	st, id, err := s.block(b)
	if err == nil {
		err = st.setScope(id, bufferIndex, scope)
	}
	if err != nil {
		return err.by("set_scope")
	}
	s.record(kindSetScope, []any{b}, []any{int64(bufferIndex), scope}, nil, nil)
	return nil
}

func (st *state) setScope(id nid, i int, scope string) *Error {
	buf, err := st.accessed(id, i, true)
	if err != nil {
		return err
	}
	if buf.Scope == scope {
		return nil
	}
	if err := needScope(scope); err != nil {
		return err
	}
	owner, ok := st.owner(id, buf)
	if !ok {
		return refuse(BufferScope, st.where(id), "buffer %s is not allocated in the function", buf.Name)
	}
	st.replaceBuffers(owner, st.withViews(owner, buf, func(b *tir.Buffer) *tir.Buffer { return inScope(b, scope) }))
	return nil
}

// accessed is the buffer that block id reads or writes as its i-th.
func (st *state) accessed(id nid, i int, write bool) (*tir.Buffer, *Error) {
	rs, what := st.at(id).block.Reads, "reads"
	if write {
		rs, what = st.at(id).block.Writes, "writes"
	}
	if i < 0 || i >= len(rs) {
		return nil, refuse(BadArgument, st.where(id), "it %s %d buffers, number %d was asked for", what, len(rs), i)
	}
	return rs[i].Buffer, nil
}
