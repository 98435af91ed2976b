package schedule

import (
	"slices"

	"hone/compiler/tir"
)

var kindSetScope = define(Kind{
	Name: "SetScope", Doc: "moves a buffer that a block writes to another storage scope",
	Params: "block, buffer_index, storage_scope",
	In:     []Slot{{Name: "block", Kind: SlotBlock}},
	Attrs:  []Slot{{Name: "buffer_index", Kind: SlotInt}, {Name: "storage_scope", Kind: SlotString}},
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
	if scope == "" {
		return refuse(BadArgument, st.where(id), "the scope is empty")
	}
	owner, ok := st.owner(id, buf)
	if !ok {
		return refuse(BufferScope, st.where(id), "buffer %s is not allocated in the function", buf.Name)
	}
	if buf.Scope == scope {
		return nil
	}
	c := *buf
	c.Scope, c.Name = scope, buf.Name+"_"+scope
	st.replaceBuffer(owner, buf, &c)
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

// replaceBuffer renames a buffer everywhere below and in block owner.
func (st *state) replaceBuffer(owner nid, from, to *tir.Buffer) {
	f := func(b *tir.Buffer) *tir.Buffer {
		if b == from {
			return to
		}
		return b
	}
	st.eachShell(owner, func(id nid) { st.mapShell(id, func(s tir.Stmt) tir.Stmt { return tir.ReplaceBuffers(s, f) }) })
}

// eachShell calls f on every node of a subtree.
func (st *state) eachShell(id nid, f func(nid)) {
	f(id)
	for _, k := range slices.Clone(st.at(id).kids) {
		st.eachShell(k, f)
	}
}

// mentions reports whether what a node holds itself, kids aside, names a buffer.
func (st *state) mentions(id nid, buf *tir.Buffer) bool {
	n := st.at(id)
	if n.kind != kBlock {
		return n.kind == kOther && len(n.kids) == 0 && namesBuffer(n.other, buf)
	}
	b := n.block
	if reads(b, buf) || writes(b, buf) || len(b.Matches) > 0 || namesBuffer(b.Init, buf) {
		return true
	}
	return len(n.kids) == 0 && namesBuffer(b.Body, buf)
}

// namesBuffer reports whether a statement accesses a buffer, nested blocks
// included, or might: one of a kind that seldom occurs.
func namesBuffer(s tir.Stmt, buf *tir.Buffer) bool {
	found := false
	load := func(e tir.Expr) bool {
		switch x := e.(type) {
		case *tir.Load:
			found = found || x.Buffer == buf
		case *tir.BufferRef:
			found = found || x.Buffer == buf
		}
		return !found
	}
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		switch x := x.(type) {
		case *tir.Store:
			found = found || x.Buffer == buf
		case *tir.BlockRealize:
			found = found || reads(x.Block, buf) || writes(x.Block, buf) || len(x.Block.Matches) > 0
		case *tir.AllocBuffer:
			found = found || x.Buffer == buf
		}
		if !found {
			tir.StmtExprs(x, func(e tir.Expr) { tir.Walk(e, load) })
		}
		return !found
	})
	return found
}

// mapShell applies a rewrite of statements to what a node holds itself: the
// shell of a block, a leaf. Loops and conditions hold no buffers.
func (st *state) mapShell(id nid, f func(tir.Stmt) tir.Stmt) {
	n := st.at(id)
	switch {
	case n.kind == kBlock:
		shell := *n.block
		if len(n.kids) > 0 {
			shell.Body = nil
		}
		out := f(&tir.BlockRealize{Predicate: tir.True, Block: &shell}).(*tir.BlockRealize).Block
		if out == &shell {
			return
		}
		if len(n.kids) > 0 {
			out.Body = n.block.Body
		}
		n.block = out
		st.touch(id)
	case n.kind == kOther && len(n.kids) == 0:
		if out := f(n.other); out != n.other {
			n.other = out
			st.touch(id)
		}
	}
}
