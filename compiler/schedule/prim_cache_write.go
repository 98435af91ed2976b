package schedule

import "slices"

//	C = f(A)   →   C_scope = f(A); C = copy of C_scope

var kindCacheWrite = define(Kind{
	Name: "CacheWrite", Doc: "lets a block write another buffer that is copied afterwards",
	Params: "block, write_buffer_index, storage_scope, consumer_blocks=None",
	In:     []Slot{{Name: "block", Kind: SlotBlock}, {Name: "consumer_blocks", Kind: SlotBlocks}},
	Attrs:  []Slot{{Name: "write_buffer_index", Kind: SlotInt}, {Name: "storage_scope", Kind: SlotString}}, Out: OutBlock,
})

func init() {
	kindCacheWrite.Apply = func(s *Schedule, c Call) error {
		_, err := s.CacheWrite(c.block(0), c.int(0), c.string(1), c.blocks(1)...)
		return err
	}
}

// CacheWrite makes b, the only writer in its scope of the buffer that it writes
// as its index-th, write a new buffer of the given storage scope, and adds a
// stage that copies it to the original. Listed consumers read the new buffer,
// all others the original. It returns the copy block.
func (s *Schedule) CacheWrite(b BlockRV, index int, scope string, consumers ...BlockRV) (BlockRV, error) {
	const prim = "cache_write"
	st, id, err := s.block(b)
	if err != nil {
		return 0, err.by(prim)
	}
	list, err := s.sameFunc(st, consumers)
	if err != nil {
		return 0, err.by(prim)
	}
	n, err := st.cacheWrite(id, index, scope, list)
	if err != nil {
		return 0, err.by(prim)
	}
	out := s.newBlock(st.index, n)
	s.record(kindCacheWrite, []any{b, blockOutputs(consumers)}, []any{int64(index), scope}, []any{out}, nil)
	return out, nil
}

func (st *state) cacheWrite(id nid, index int, scopeName string, consumers []nid) (nid, *Error) {
	if err := st.notRoot(id); err != nil {
		return none, err
	}
	buf, err := st.accessed(id, index, true)
	if err != nil {
		return none, err
	}
	if scopeName == "" {
		return none, refuse(BadArgument, st.where(id), "the storage scope is empty")
	}
	c := &cacheStage{scope: st.scopeOf(id), buf: buf}
	if writers := st.writersOf(c.scope, buf); len(writers) > 1 {
		return none, refuse(SingleWriter, st.where(id), "%d blocks of the scope write %s", len(writers), buf.Name)
	}
	listed := func(r nid) bool {
		return slices.ContainsFunc(consumers, func(x nid) bool { return st.within(x, r) })
	}
	var rest []nid
	readers := st.readersOf(c.scope, buf)
	for _, r := range readers {
		if r != id && !listed(r) {
			rest = append(rest, r)
		}
	}
	place := c.place(st, id, rest)
	c.region = st.relaxed(id, region(st.at(id).block.Writes, buf).Ranges, place, buf)
	c.compact = place == c.scope && st.allWithin(c.scope, place, buf)
	c.cacheBuffer(scopeName)
	top, out := c.build(st, false)
	c.redirect(st, id, true)
	for _, r := range readers {
		if r != id && listed(r) {
			c.redirect(st, r, false)
		}
	}
	c.insert(st, top, false)
	return out, nil
}
