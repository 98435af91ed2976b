package schedule

import (
	"slices"

	"hone/compiler/tir"
)

// withViews gives what f makes of a buffer, and of the matches that blocks below
// owner have of it.
func (st *state) withViews(owner nid, buf *tir.Buffer, f func(*tir.Buffer) *tir.Buffer) map[*tir.Buffer]*tir.Buffer {
	sub := map[*tir.Buffer]*tir.Buffer{buf: f(buf)}
	st.eachShell(owner, func(id nid) {
		if n := st.at(id); n.kind == kBlock {
			for _, m := range n.block.Matches {
				if sub[m.Source.Buffer] != nil {
					sub[m.Buffer] = f(m.Buffer)
				}
			}
		}
	})
	return sub
}

// replaced is sub as a function that keeps all other buffers.
func replaced(sub map[*tir.Buffer]*tir.Buffer) func(*tir.Buffer) *tir.Buffer {
	return func(b *tir.Buffer) *tir.Buffer {
		if to := sub[b]; to != nil {
			return to
		}
		return b
	}
}

// replaceBuffers puts buffers in the place of others everywhere below and in
// block owner.
func (st *state) replaceBuffers(owner nid, sub map[*tir.Buffer]*tir.Buffer) {
	f := replaced(sub)
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

// mapShell applies a rewrite of statements to what a node holds itself: a block
// with bindings and predicate, a leaf, the bounds of a loop, a condition.
func (st *state) mapShell(id nid, f func(tir.Stmt) tir.Stmt) {
	n := st.at(id)
	switch {
	case n.kind == kBlock:
		st.mapBlock(id, n, f)
	case n.kind == kOther && len(n.kids) == 0:
		if out := f(n.other); out != n.other {
			n.other = out
			st.touch(id)
		}
	case n.kind == kOther:
		st.mapCond(id, n, f)
	case n.kind == kLoop:
		if _, ok := n.loop.Extent.(*tir.IntImm); ok && tir.IsConst(n.loop.Min, 0) {
			return
		}
		l := n.loop
		l.Body = nothing
		if out := f(&l).(*tir.For); out.Min != n.loop.Min || out.Extent != n.loop.Extent {
			n.loop.Min, n.loop.Extent = out.Min, out.Extent
			st.touch(id)
		}
	}
}

// nothing stands for the body of a node in its shell.
var nothing = &tir.Evaluate{Value: tir.Int(0)}

func (st *state) mapBlock(id nid, n *node, f func(tir.Stmt) tir.Stmt) {
	shell := *n.block
	if len(n.kids) > 0 {
		shell.Body = nil
	}
	in := &tir.BlockRealize{Values: n.values, Predicate: n.pred, Block: &shell}
	out := f(in).(*tir.BlockRealize)
	if out == in {
		return
	}
	n.values, n.pred = out.Values, out.Predicate
	if out.Block != &shell {
		body := n.block.Body
		n.block = out.Block
		if len(n.kids) > 0 {
			n.block.Body = body
		}
	}
	st.touch(id)
}

func (st *state) mapCond(id nid, n *node, f func(tir.Stmt) tir.Stmt) {
	var out tir.Stmt
	switch x := n.other.(type) {
	case *tir.If:
		in := &tir.If{Cond: x.Cond, Then: nothing}
		if c := f(in).(*tir.If).Cond; c != x.Cond {
			out = &tir.If{Cond: c, Then: x.Then, Else: x.Else}
		}
	case *tir.While:
		in := &tir.While{Cond: x.Cond, Body: nothing}
		if c := f(in).(*tir.While).Cond; c != x.Cond {
			out = &tir.While{Cond: c, Body: x.Body}
		}
	}
	if out != nil {
		n.other = out
		st.touch(id)
	}
}
