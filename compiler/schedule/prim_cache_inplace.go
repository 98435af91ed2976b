package schedule

import (
	"slices"

	"hone/compiler/tir"
)

//	f(A)   →   A_scope = copy of A; f(A_scope); A = copy of A_scope

var kindCacheInplace = define(Kind{
	Name: "CacheInplace", Doc: "copies what a block changes into another buffer and back",
	Params: "block, read_buffer_index, storage_scope",
	In:     []Slot{{Name: "block", Kind: SlotBlock}},
	Attrs:  []Slot{{Name: "read_buffer_index", Kind: SlotBuffer}, {Name: "storage_scope", Kind: SlotString}}, Out: OutBlocks,
	Refuses: []Condition{BadArgument, RootBlock, RegionCover, SingleAccess, IndexForm},
})

func init() {
	kindCacheInplace.Apply = func(s *Schedule, c Call) error {
		_, err := s.CacheInplace(c.block(0), c.int(0), c.string(1))
		return err
	}
}

// CacheInplace lets b, which reads and writes the buffer that it reads as its
// index-th, do so in a new buffer of the given storage scope: right before b the
// region that it reads is copied there, right after it the region that it writes
// back. It returns the two copy blocks.
func (s *Schedule) CacheInplace(b BlockRV, index int, scope string) ([]BlockRV, error) {
	st, id, err := s.block(b)
	var in, out nid
	if err == nil {
		in, out, err = st.cacheInplace(id, index, scope)
	}
	if err != nil {
		return nil, err.by("cache_inplace")
	}
	copies := []BlockRV{s.newBlock(st.index, in), s.newBlock(st.index, out)}
	s.record(kindCacheInplace, []any{b}, []any{int64(index), scope}, blockOutputs(copies), nil)
	return copies, nil
}

func (st *state) cacheInplace(id nid, index int, scopeName string) (in, out nid, err *Error) {
	c, err := st.newStage(id, index, scopeName, false)
	if err == nil {
		err = c.needCover(st)
	}
	if err != nil {
		return none, none, err
	}
	b := st.at(id).block
	for _, rs := range [][]tir.Region{b.Reads, b.Writes} {
		if err := st.oneRegion(id, rs, c.buf); err != nil {
			return none, none, err
		}
	}
	rd, wr := region(b.Reads, c.buf), region(b.Writes, c.buf)
	if wr == nil {
		return none, none, refuse(SingleAccess, st.where(id), "it does not write %s", c.buf.Name)
	}
	if usesIters(b, *rd) || usesIters(b, *wr) {
		return none, none, refuse(IndexForm, st.where(id), "its regions of %s depend on its iterators, which the copies do not have", c.buf.Name)
	}
	c.at = st.besides(id)
	c.region = rd.Ranges
	if err := c.needInside(st); err != nil {
		return none, none, err
	}
	c.cacheBuffer(st, scopeName)
	load, in := c.build(st, true)
	c.region = wr.Ranges
	store, out := c.build(st, false)
	st.eachShell(id, func(k nid) { c.redirect(st, k, true) })
	c.insert(st, load, in)
	st.insertInto(c.at.parent, c.at.index+2, store)
	for _, k := range []nid{in, out} {
		st.at(k).affine = factOf(st.computeAffine(k))
		st.at(k).stages = no
	}
	return in, out, nil
}

// besides is the place right before a block in the innermost loop, or in the
// scope where it has none.
func (st *state) besides(id nid) place {
	parent := st.at(id).parent
	for st.at(parent).kind != kLoop && st.at(parent).kind != kBlock {
		parent = st.at(parent).parent
	}
	members := st.members(st.at(parent).kids[0])
	return place{parent, slices.IndexFunc(members, func(m nid) bool { return st.within(id, m) })}
}

// usesIters reports whether a region mentions iterators of a block.
func usesIters(b *tir.Block, r tir.Region) bool {
	iter := func(v *tir.Var) bool {
		return slices.ContainsFunc(b.Iters, func(it *tir.IterVar) bool { return it.Var == v })
	}
	return slices.ContainsFunc(r.Ranges, func(x tir.Range) bool { return tir.UsesVar(x.Min, iter) || tir.UsesVar(x.Extent, iter) })
}
