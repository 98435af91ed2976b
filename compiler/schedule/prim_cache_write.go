package schedule

import (
	"slices"

	"hone/compiler/tir"
)

//	C = f(A)   →   C_scope = f(A); C = copy of C_scope

var kindCacheWrite = define(Kind{
	Name: "CacheWrite", Doc: "lets a block write another buffer that is copied afterwards",
	Params: "block, write_buffer_index, storage_scope, consumer_blocks=None",
	In:     []Slot{{Name: "block", Kind: SlotBlock}, {Name: "consumer_blocks", Kind: SlotBlocks}},
	Attrs:  []Slot{{Name: "write_buffer_index", Kind: SlotBuffer}, {Name: "storage_scope", Kind: SlotString}}, Out: OutBlock,
	Refuses: []Condition{BadArgument, RootBlock, SingleWriter, SingleAccess, Consumers, NotOneScope, BufferScope},
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
	c, err := st.newStage(id, index, scopeName, true)
	if err != nil {
		return none, err
	}
	if _, err := st.oneWriter(c.scope, c.buf, id); err != nil {
		return none, err
	}
	if err := st.needFreshWrite(id, c.buf); err != nil {
		return none, err
	}
	list := st.withChildren(consumers)
	if slices.Contains(list, c.scope) {
		return none, refuse(NotOneScope, st.where(c.scope), "it is the scope of %s and cannot be its consumer", st.where(id))
	}
	var rest []nid
	for _, r := range st.consumers(id) {
		if reads(st.at(r).block, c.buf) && !slices.Contains(list, r) {
			rest = append(rest, r)
		}
	}
	c.at = st.atEnd(c.scope)
	if len(rest) > 0 {
		var ok bool
		if c.at, ok = st.placeBetween(c.scope, id, rest); !ok {
			return none, refuse(Consumers, st.where(rest[0]), "it and %s stand under a statement that is no loop", st.where(id))
		}
	}
	c.relax(st, id, region(st.at(id).block.Writes, c.buf).Ranges, st.nestedPredicate(id, c.buf, true))
	c.compact = c.at.parent == c.scope
	if c.compact {
		if err := c.oneRegionEach(st); err != nil {
			return none, err
		}
	}
	for _, b := range append(list, id) {
		if err := c.matchable(st, b, scopeName); err != nil {
			return none, err
		}
	}
	c.cacheBuffer(st, scopeName)
	top, out := c.build(st, false)
	st.eachShell(id, func(k nid) { c.redirect(st, k, true) })
	for _, r := range st.childBlocks(c.scope) {
		if r != id && slices.Contains(list, r) {
			c.redirectReads(st, r, list)
		}
	}
	c.insert(st, top, out)
	return out, nil
}

// needFreshWrite refuses a block that reads elements of a buffer before it writes
// them: a cache in its place would hold nothing yet.
func (st *state) needFreshWrite(id nid, buf *tir.Buffer) *Error {
	b := st.fullBlock(st.at(id))
	if b.Init == nil && reads(b, buf) && firstAccess(b.Body, buf) == isRead {
		return refuse(SingleAccess, st.where(id), "it reads %s before it writes it", buf.Name)
	}
	return nil
}

// access is how a statement first touches a buffer.
type access uint8

const (
	isNone access = iota
	isRead
	isWrite
	isOpaque
)

// firstAccess is how s first touches a buffer, in order of execution.
func firstAccess(s tir.Stmt, buf *tir.Buffer) access {
	out := isNone
	expr := func(e tir.Expr) bool {
		switch x := e.(type) {
		case *tir.Load:
			if x.Buffer == buf && out == isNone {
				out = isRead
			}
		case *tir.BufferRef:
			if x.Buffer == buf && out == isNone {
				out = isOpaque
			}
		}
		return out == isNone
	}
	tir.WalkStmt(s, func(s tir.Stmt) bool {
		b, block := s.(*tir.BlockRealize)
		switch {
		case out != isNone:
		case block && len(b.Block.Matches) > 0:
			out = isOpaque
		case !block:
			tir.StmtExprs(s, func(e tir.Expr) { tir.Walk(e, expr) })
		}
		if x, ok := s.(*tir.Store); ok && x.Buffer == buf && out == isNone {
			out = isWrite
		}
		return out == isNone
	})
	return out
}
