package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

//	C = f(A)   →   A_scope = copy of A; C = f(A_scope)

var kindCacheRead = define(Kind{
	Name: "CacheRead", Doc: "copies what a block reads into another buffer first",
	Params: "block, read_buffer_index, storage_scope, consumer_blocks=None",
	In:     []Slot{{Name: "block", Kind: SlotBlock}, {Name: "consumer_blocks", Kind: SlotBlocks}},
	Attrs:  []Slot{{Name: "read_buffer_index", Kind: SlotBuffer}, {Name: "storage_scope", Kind: SlotString}}, Out: OutBlock,
	Refuses: []Condition{BadArgument, RootBlock, RegionCover, SingleWriter, SingleAccess, Consumers, NotOneScope, BufferScope, IndexForm},
})

func init() {
	kindCacheRead.Apply = func(s *Schedule, c Call) error {
		_, err := s.CacheRead(c.block(0), c.int(0), c.string(1), c.blocks(1)...)
		return err
	}
}

// CacheRead adds a stage that copies the buffer which b reads as its index-th
// into a new one of the given storage scope, and makes consumers read the copy:
// the blocks listed and those directly inside them, or every block of the scope
// when none is. At most one block of the scope may write the buffer, and what the
// readers read of it must be produced inside the scope in full. It returns the
// copy block.
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
	c, err := st.newStage(id, index, scopeName, false)
	if err != nil {
		return none, err
	}
	if err := c.needCover(st); err != nil {
		return none, err
	}
	list := st.withChildren(consumers)
	switch writer, many := st.oneWriter(c.scope, c.buf, id); {
	case many != nil:
		err = many
	case writer == none:
		c.at = place{c.scope, 0}
		err = c.input(st, id)
	default:
		err = c.copyOut(st, writer, list)
	}
	c.compact = c.at.parent == c.scope
	if err == nil && c.compact {
		err = c.oneRegionEach(st)
	}
	if err == nil {
		err = c.matchable(st, c.scope, scopeName)
	}
	if err != nil {
		return none, err
	}
	c.cacheBuffer(st, scopeName)
	top, out := c.build(st, true)
	c.redirectReads(st, c.scope, list)
	c.insert(st, top, out)
	return out, nil
}

// newStage checks what all stages ask for and starts one for the index-th buffer
// that block id reads, or writes.
func (st *state) newStage(id nid, index int, scopeName string, write bool) (*cacheStage, *Error) {
	if err := needScope(scopeName); err != nil {
		return nil, err
	}
	buf, err := st.accessed(id, index, write)
	if err == nil {
		err = st.notRoot(id)
	}
	return &cacheStage{scope: st.scopeOf(id), buf: buf}, err
}

// needCover refuses a buffer of which a block of the scope reads what is not
// produced there.
func (c *cacheStage) needCover(st *state) *Error {
	for _, r := range st.readersOf(c.scope, c.buf) {
		if !st.isCovered(r) {
			return refuse(RegionCover, st.where(r), "what it reads of %s is not fully produced in the scope", c.buf.Name)
		}
	}
	return nil
}

// input sets the region of a buffer that no block of the scope writes: what the
// scope declares to read of it, or all of it; but where blocks inside block id
// read it under a condition, what id reads then.
func (c *cacheStage) input(st *state, id nid) *Error {
	rs := region(st.at(id).block.Reads, c.buf).Ranges
	cond := st.nestedPredicate(id, c.buf, false)
	if !tir.IsConst(cond, 1) {
		c.relax(st, id, rs, cond)
		return nil
	}
	c.region = fullRegion(c.buf)
	if r := region(st.at(c.scope).block.Reads, c.buf); r != nil {
		c.region = r.Ranges
	}
	return c.needInside(st)
}

// oneRegionEach refuses a block of the scope that declares to read several regions
// of a buffer: which of them the copy has to hold cannot be told.
func (c *cacheStage) oneRegionEach(st *state) *Error {
	for _, b := range append(st.childBlocks(c.scope), c.scope) {
		if err := st.oneRegion(b, st.at(b).block.Reads, c.buf); err != nil {
			return err
		}
	}
	return nil
}

// oneRegion refuses a block with several regions of a buffer among rs.
func (st *state) oneRegion(b nid, rs []tir.Region, buf *tir.Buffer) *Error {
	n := 0
	for _, r := range rs {
		if r.Buffer == buf {
			n++
		}
	}
	if n > 1 {
		return refuse(SingleAccess, st.where(b), "it declares %d regions of %s", n, buf.Name)
	}
	return nil
}

// needInside refuses a copy beyond the ends of the buffer: of what is declared to
// be read, but is not under conditions in the body.
func (c *cacheStage) needInside(st *state) *Error {
	if st.leaves(c.at.parent, c.region, c.buf) {
		return refuse(IndexForm, st.where(c.scope), "the region of %s that would be copied leaves the buffer", c.buf.Name)
	}
	return nil
}

// copyOut places a copy of what block w writes before the blocks that shall read
// it: those of list, or all after w.
func (c *cacheStage) copyOut(st *state, w nid, list []nid) *Error {
	related := list
	if len(list) == 0 {
		for _, r := range st.consumers(w) {
			if reads(st.at(r).block, c.buf) {
				related = append(related, r)
			}
		}
	}
	c.at = st.atEnd(c.scope)
	if len(related) > 0 {
		var ok bool
		if c.at, ok = st.placeBetween(c.scope, w, related); !ok {
			return refuse(Consumers, st.where(w), "no block in its scope besides it is a consumer, or they stand under a statement that is no loop")
		}
	}
	c.relax(st, w, region(st.at(w).block.Writes, c.buf).Ranges, tir.True)
	return c.needOrder(st, w, list)
}

// needOrder refuses a copy that a block which shall read it comes before, or
// that opens the scope although w fills the buffer later.
func (c *cacheStage) needOrder(st *state, w nid, list []nid) *Error {
	early := !c.passes(st, w)
	for _, r := range st.readersOf(c.scope, c.buf) {
		if r == w || len(list) > 0 && !slices.Contains(list, r) {
			continue
		}
		switch {
		case c.passes(st, r):
			return refuse(Consumers, st.where(r), "it reads %s before the copy is made", c.buf.Name)
		case early && (!wholeRegion(c.region, c.buf) || slices.Contains(st.consumers(w), r)):
			return refuse(Consumers, st.where(r), "the copy of %s is made before %s writes it", c.buf.Name, st.where(w))
		}
	}
	return nil
}

// wholeRegion reports whether a region is all of a buffer.
func wholeRegion(rs []tir.Range, buf *tir.Buffer) bool {
	for i, r := range rs {
		if !tir.IsConst(r.Min, 0) || !arith.Same(r.Extent, buf.Shape[i]) {
			return false
		}
	}
	return true
}
