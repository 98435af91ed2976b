package schedule

import "slices"

//	C = f(A)   →   A_scope = copy of A; C = f(A_scope)

var kindCacheRead = define(Kind{
	Name: "CacheRead", Doc: "copies what a block reads into another buffer first",
	Params: "block, read_buffer_index, storage_scope, consumer_blocks=None",
	In:     []Slot{{Name: "block", Kind: SlotBlock}, {Name: "consumer_blocks", Kind: SlotBlocks}},
	Attrs:  []Slot{{Name: "read_buffer_index", Kind: SlotInt}, {Name: "storage_scope", Kind: SlotString}}, Out: OutBlock,
})

func init() {
	kindCacheRead.Apply = func(s *Schedule, c Call) error {
		_, err := s.CacheRead(c.block(0), c.int(0), c.string(1), c.blocks(1)...)
		return err
	}
}

// CacheRead adds a stage that copies the buffer which b reads as its index-th
// into a new one of the given storage scope, and makes consumers read the copy:
// the blocks listed, or every block of the scope when none is. At most one
// block of the scope may write the buffer, and what the readers read of it must
// be produced inside the scope in full. It returns the copy block.
func (s *Schedule) CacheRead(b BlockRV, index int, scope string, consumers ...BlockRV) (BlockRV, error) {
	const prim = "cache_read"
	st, id, err := s.block(b)
	if err != nil {
		return 0, err.by(prim)
	}
	list, err := s.sameFunc(st, consumers)
	if err != nil {
		return 0, err.by(prim)
	}
	n, err := st.cacheRead(id, index, scope, list)
	if err != nil {
		return 0, err.by(prim)
	}
	out := s.newBlock(st.index, n)
	s.record(kindCacheRead, []any{b, blockOutputs(consumers)}, []any{int64(index), scope}, []any{out}, nil)
	return out, nil
}

// sameFunc resolves blocks that must belong to the function st.
func (s *Schedule) sameFunc(st *state, bs []BlockRV) ([]nid, *Error) {
	out := make([]nid, len(bs))
	for i, b := range bs {
		f, n, err := s.block(b)
		if err != nil {
			return nil, err
		}
		if f != st {
			return nil, refuse(NotOneScope, f.where(n), "it belongs to another function")
		}
		out[i] = n
	}
	return out, nil
}

func (st *state) cacheRead(id nid, index int, scopeName string, consumers []nid) (nid, *Error) {
	if err := st.notRoot(id); err != nil {
		return none, err
	}
	buf, err := st.accessed(id, index, false)
	if err != nil {
		return none, err
	}
	if scopeName == "" {
		return none, refuse(BadArgument, st.where(id), "the storage scope is empty")
	}
	c := &cacheStage{scope: st.scopeOf(id), buf: buf}
	writers := st.writersOf(c.scope, buf)
	if len(writers) > 1 {
		return none, refuse(SingleWriter, st.where(id), "%d blocks of the scope write %s", len(writers), buf.Name)
	}
	readers := st.readersOf(c.scope, buf)
	for _, r := range readers {
		if !st.isCovered(r) {
			return none, refuse(RegionCover, st.where(r), "what it reads of %s is not fully produced in the scope", buf.Name)
		}
	}
	place := c.scope
	if len(writers) == 1 {
		w := writers[0]
		place = c.place(st, w, st.relatedReaders(w, consumers, readers))
		c.region = st.relaxed(w, region(st.at(w).block.Writes, buf).Ranges, place, buf)
	} else {
		c.region = st.inputRegion(c.scope, id, buf)
	}
	c.compact = place == c.scope && st.allWithin(c.scope, place, buf)
	c.cacheBuffer(scopeName)
	top, out := c.build(st, true)
	for _, k := range st.childBlocks(c.scope) {
		if (len(consumers) == 0 || slices.ContainsFunc(consumers, func(x nid) bool { return st.within(x, k) })) && !slices.Contains(writers, k) {
			c.redirect(st, k, false)
		}
	}
	c.insert(st, top, len(writers) == 0)
	return out, nil
}

// relatedReaders are the blocks before which a copy of what w writes must come.
func (st *state) relatedReaders(w nid, listed, readers []nid) []nid {
	var out []nid
	for _, r := range readers {
		if r != w && (len(listed) == 0 || slices.ContainsFunc(listed, func(x nid) bool { return st.within(x, r) })) {
			out = append(out, r)
		}
	}
	return out
}
