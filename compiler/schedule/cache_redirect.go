package schedule

import (
	"slices"
	"strings"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// redirect makes the accesses of a node to a stage's original accesses to the
// cache: loads and read regions, or stores and write regions too. Pointers to
// the data follow the buffer.
func (c *cacheStage) redirect(st *state, id nid, stores bool) {
	st.mapShell(id, func(s tir.Stmt) tir.Stmt { return c.redirected(s, stores) })
}

// redirectReads makes blocks below a node, which is the scope or one of list, read
// the cache: those of list, all when it is empty. Blocks that write the original
// stay as they are; those that hide that they do go over to the cache, where the
// others look for it. Statements outside of blocks do as the block before them.
func (c *cacheStage) redirectReads(st *state, id nid, list []nid) {
	takes := func(b nid) bool { return len(list) == 0 || slices.Contains(list, b) }
	reading := takes(st.scopeOf(id))
	var visit func(id nid)
	visit = func(id nid) {
		n := st.at(id)
		if n.kind == kBlock {
			reading = takes(id)
		}
		switch {
		case n.kind == kBlock && id != c.scope && writes(n.block, c.buf):
			return
		case id == c.scope:
		case reading:
			c.redirect(st, id, true)
		default:
			c.pointers(st, id)
		}
		for _, k := range n.kids {
			visit(k)
		}
	}
	visit(id)
}

// pointers moves pointers alone.
func (c *cacheStage) pointers(st *state, id nid) {
	w := tir.StmtRewriter{Expr: func(e tir.Expr) tir.Expr { return tir.RewriteExpr(e, c.pointer) }}
	st.mapShell(id, w.Rewrite)
}

func (c *cacheStage) pointer(e tir.Expr) tir.Expr {
	if p, ok := e.(*tir.BufferRef); ok && p.Buffer == c.buf {
		return &tir.BufferRef{Buffer: c.cache}
	}
	return e
}

// shifted are indices of the original as indices of the cache.
func (c *cacheStage) shifted(idx []tir.Expr) []tir.Expr {
	if !c.compact {
		return idx
	}
	var a arith.Analyzer
	out := make([]tir.Expr, len(idx))
	for i, e := range idx {
		out[i] = a.Simplify(tir.Sub(e, c.region[i].Min))
	}
	return out
}

func (c *cacheStage) redirected(s tir.Stmt, stores bool) tir.Stmt {
	load := func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.Load); ok && l.Buffer == c.buf {
			return &tir.Load{Buffer: c.cache, Indices: c.shifted(l.Indices)}
		}
		return c.pointer(e)
	}
	w := tir.StmtRewriter{
		Expr: func(e tir.Expr) tir.Expr { return tir.RewriteExpr(e, load) },
		Stmt: func(s tir.Stmt) tir.Stmt {
			switch x := s.(type) {
			case *tir.Store:
				if stores && x.Buffer == c.buf {
					return &tir.Store{Buffer: c.cache, Value: x.Value, Indices: c.shifted(x.Indices)}
				}
			case *tir.BlockRealize:
				return c.regions(x, stores)
			}
			return s
		},
	}
	return w.Rewrite(s)
}

// regions makes the declared regions and matches of a block those of the cache.
func (c *cacheStage) regions(x *tir.BlockRealize, stores bool) tir.Stmt {
	b := *x.Block
	changed := false
	b.Reads = c.swap(b.Reads, &changed)
	if stores {
		b.Writes = c.swap(b.Writes, &changed)
	}
	b.Matches = slices.Clone(b.Matches)
	for i, m := range b.Matches {
		b.Matches[i].Source = c.swap([]tir.Region{m.Source}, &changed)[0]
	}
	if !changed {
		return x
	}
	return &tir.BlockRealize{Values: x.Values, Predicate: x.Predicate, Block: &b}
}

func (c *cacheStage) swap(rs []tir.Region, changed *bool) []tir.Region {
	out := rs
	for i, r := range rs {
		if r.Buffer != c.buf {
			continue
		}
		if &out[0] == &rs[0] {
			out = slices.Clone(rs)
		}
		mins := make([]tir.Expr, len(r.Ranges))
		for j, x := range r.Ranges {
			mins[j] = x.Min
		}
		out[i] = tir.Region{Buffer: c.cache, Ranges: slices.Clone(r.Ranges)}
		for j, e := range c.shifted(mins) {
			out[i].Ranges[j].Min = e
		}
		*changed = true
	}
	return out
}

// matchable refuses a compact cache in another storage scope than a view that a
// block below top has of the original: the two would not match.
func (c *cacheStage) matchable(st *state, top nid, scope string) *Error {
	if !c.compact {
		return nil
	}
	var err *Error
	st.eachShell(top, func(id nid) {
		n := st.at(id)
		if n.kind != kBlock || id == c.scope {
			return
		}
		for _, m := range n.block.Matches {
			if m.Source.Buffer == c.buf && m.Buffer.Scope != scope {
				err = refuse(BufferScope, st.where(id), "its view %s of %s is in scope %q, not %q", m.Buffer.Name, c.buf.Name, m.Buffer.Scope, scope)
			}
		}
	})
	return err
}

// withChildren is a list of blocks and the blocks directly inside them.
func (st *state) withChildren(list []nid) []nid {
	out := slices.Clone(list)
	for _, b := range list {
		out = append(out, st.childBlocks(b)...)
	}
	return out
}

// nestedPredicate is what the predicates of blocks inside block id that access a
// buffer say together: one of them holds; true without such a block.
func (st *state) nestedPredicate(id nid, buf *tir.Buffer, write bool) tir.Expr {
	var out tir.Expr
	st.eachShell(id, func(k nid) {
		n := st.at(k)
		if k == id || n.kind != kBlock || !write && !reads(n.block, buf) || write && !writes(n.block, buf) {
			return
		}
		p := tir.Substitute(n.pred, bindings(n))
		if out == nil {
			out = p
		} else {
			out = tir.Or(out, p)
		}
	})
	if out == nil {
		return tir.True
	}
	return out
}

// passes reports whether a block of the scope comes before the place of the copy.
func (c *cacheStage) passes(st *state, b nid) bool { return st.passed(c.scope, c.at, b) }

// scopeNames are the storage scopes; what follows one of them is a tag.
var scopeNames = []string{"global", "shared", "warp", "local", "wmma.matrix_a", "wmma.matrix_b", "wmma.accumulator", "texture",
	"amx.tmm", "m16n8k8.matrixA", "m16n8k8.matrixB", "m16n8k8.matrixC", "metal.simdgroup", "metal.cooperative_tensor", "trn.sbuf", "trn.psum"}

// needScope refuses a storage scope that does not exist; "" is global memory.
func needScope(name string) *Error {
	if name == "" || slices.ContainsFunc(scopeNames, func(p string) bool { return strings.HasPrefix(name, p) }) {
		return nil
	}
	return refuse(BadArgument, "", "there is no storage scope %q", name)
}
