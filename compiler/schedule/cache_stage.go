package schedule

import (
	"fmt"
	"slices"

	"hone/compiler/tir"
)

// A cache stage is a block that copies a region of one buffer into another:
//
//	for ax0, ax1 in …: dst[v0, v1] = src[v0, v1]
//
// cache_read, cache_write and their relatives make one, put it where its data
// is ready and not yet used, and redirect accesses to the new buffer.

// cacheStage is what a copy block needs. In compact mode the cache holds the
// region only and its indices start at 0; else it has the buffer's own shape.
type cacheStage struct {
	scope   nid
	buf     *tir.Buffer // the original
	cache   *tir.Buffer
	region  []tir.Range
	compact bool
	anchor  nid // the stage goes before this node, or to the end of the scope
}

// stagePlace finds where a copy goes and sets anchor: before the member, of the
// innermost sequence that holds both the writer and the first related block,
// that contains this block; at the end of the scope without related block. It
// returns the loop or block whose body holds the copy.
func (c *cacheStage) place(st *state, writer nid, related []nid) nid {
	c.anchor = none
	if len(related) == 0 {
		return c.scope
	}
	seq := st.lca(writer, related[0])
	for st.at(seq).kind != kSeq && seq != c.scope {
		seq = st.at(seq).parent
	}
	if seq == c.scope || st.at(seq).kind != kSeq {
		return c.scope
	}
	c.anchor = st.childToward(seq, related[0])
	return st.at(seq).parent
}

// cacheBuffer names the new buffer and gives it its shape.
func (c *cacheStage) cacheBuffer(scope string) {
	b := *c.buf
	b.Name = c.buf.Name + "_" + scope
	b.Scope = scope
	b.Strides, b.ElemOffset = nil, nil
	b.Align, b.OffsetFactor = tir.DefaultAlign, 1
	if c.compact {
		b.Shape = make([]tir.Expr, len(c.region))
		for i, r := range c.region {
			b.Shape[i] = r.Extent
		}
	}
	c.cache = &b
}

// build adds the copy nest; read says whether it copies into the cache.
func (c *cacheStage) build(st *state, read bool) (top, block nid) {
	n := len(c.region)
	loops := make([]tir.For, n)
	values := make([]tir.Expr, n)
	iters := make([]*tir.IterVar, n)
	orig, small := make([]tir.Expr, n), make([]tir.Expr, n)
	for i, r := range c.region {
		t := r.Extent.DType()
		v := tir.NewVar(fmt.Sprintf("ax%d", i), t)
		it := tir.NewVar(fmt.Sprintf("v%d", i), t)
		zero := tir.IntOf(0, t)
		loops[i] = tir.For{Var: v, Min: zero, Extent: r.Extent}
		dom := tir.Range{Min: zero, Extent: r.Extent}
		values[i], small[i] = v, it
		orig[i] = it
		if c.compact {
			orig[i] = tir.Add(r.Min, it)
		} else {
			values[i] = tir.Add(r.Min, v)
			dom.Extent = c.buf.Shape[i]
		}
		iters[i] = &tir.IterVar{Var: it, Dom: dom, Kind: tir.Spatial}
	}
	src, dst, from, to := c.buf, c.cache, orig, small
	if !read {
		src, dst, from, to = c.cache, c.buf, small, orig
	}
	b := &tir.Block{
		Name: c.cache.Name, Iters: iters,
		Reads: []tir.Region{pointRegion(src, from)}, Writes: []tir.Region{pointRegion(dst, to)},
		Body: &tir.Store{Buffer: dst, Value: &tir.Load{Buffer: src, Indices: from}, Indices: to},
	}
	return st.nest(loops, node{kind: kBlock, block: b, values: values, pred: tir.True, affine: yes})
}

// nest adds loops, outermost first, around a block.
func (st *state) nest(loops []tir.For, block node) (top, id nid) {
	id = st.add(block)
	top = id
	for i := len(loops) - 1; i >= 0; i-- {
		top = st.add(node{kind: kLoop, loop: loops[i], kids: []nid{top}})
	}
	return top, id
}

// pointRegion is the region of one element.
func pointRegion(b *tir.Buffer, indices []tir.Expr) tir.Region {
	r := tir.Region{Buffer: b, Ranges: make([]tir.Range, len(indices))}
	for i, e := range indices {
		r.Ranges[i] = tir.Range{Min: e, Extent: tir.IntOf(1, e.DType())}
	}
	return r
}

// insert links the copy nest and allocates the cache in the scope.
func (c *cacheStage) insert(st *state, top nid, first bool) {
	switch {
	case first:
		st.insertInto(c.scope, 0, top)
	case c.anchor == none:
		st.insertInto(c.scope, len(st.members(st.at(c.scope).kids[0])), top)
	default:
		st.insertBefore(c.anchor, top)
	}
	st.addAlloc(c.scope, c.cache)
}

// addAlloc appends a buffer to what a block allocates.
func (st *state) addAlloc(block nid, buf *tir.Buffer) {
	b := *st.at(block).block
	b.Allocs = append(slices.Clone(b.Allocs), buf)
	st.at(block).block = &b
	st.touch(block)
}

// removeAlloc takes a buffer out of what a block allocates.
func (st *state) removeAlloc(block nid, buf *tir.Buffer) {
	b := *st.at(block).block
	b.Allocs = slices.DeleteFunc(slices.Clone(b.Allocs), func(x *tir.Buffer) bool { return x == buf })
	st.at(block).block = &b
	st.touch(block)
}

// redirect makes every access to the original in the shells of a subtree an
// access to the cache: loads and read regions, or stores and write regions too.
func (c *cacheStage) redirect(st *state, id nid, stores bool) {
	st.eachShell(id, func(n nid) { st.mapShell(n, func(s tir.Stmt) tir.Stmt { return c.redirected(st, n, s, stores) }) })
}

func (c *cacheStage) shifted(st *state, id nid, idx []tir.Expr) []tir.Expr {
	if !c.compact {
		return idx
	}
	out := make([]tir.Expr, len(idx))
	for i, e := range idx {
		out[i] = e
		if !tir.IsConst(c.region[i].Min, 0) {
			out[i] = st.bindLoops(id).Simplify(tir.Sub(e, c.region[i].Min))
		}
	}
	return out
}

func (c *cacheStage) redirected(st *state, id nid, s tir.Stmt, stores bool) tir.Stmt {
	load := func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.Load); ok && l.Buffer == c.buf {
			return &tir.Load{Buffer: c.cache, Indices: c.shifted(st, id, l.Indices)}
		}
		return e
	}
	w := tir.StmtRewriter{
		Expr: func(e tir.Expr) tir.Expr { return tir.RewriteExpr(e, load) },
		Stmt: func(s tir.Stmt) tir.Stmt {
			switch x := s.(type) {
			case *tir.Store:
				if stores && x.Buffer == c.buf {
					return &tir.Store{Buffer: c.cache, Value: x.Value, Indices: c.shifted(st, id, x.Indices)}
				}
			case *tir.BlockRealize:
				return c.regions(st, id, x, stores)
			}
			return s
		},
	}
	return w.Rewrite(s)
}

func (c *cacheStage) regions(st *state, id nid, x *tir.BlockRealize, stores bool) tir.Stmt {
	b := *x.Block
	changed := false
	swap := func(rs []tir.Region) []tir.Region {
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
			mins = c.shifted(st, id, mins)
			out[i] = tir.Region{Buffer: c.cache, Ranges: slices.Clone(r.Ranges)}
			for j := range mins {
				out[i].Ranges[j].Min = mins[j]
			}
			changed = true
		}
		return out
	}
	b.Reads = swap(b.Reads)
	if stores {
		b.Writes = swap(b.Writes)
	}
	matches := slices.Clone(b.Matches)
	for i, m := range matches {
		matches[i].Source = swap([]tir.Region{m.Source})[0]
	}
	b.Matches = matches
	if !changed {
		return x
	}
	return &tir.BlockRealize{Values: x.Values, Predicate: x.Predicate, Block: &b}
}

// writersOf lists the blocks of a scope that write a buffer.
func (st *state) writersOf(scope nid, buf *tir.Buffer) []nid {
	var out []nid
	for _, b := range st.childBlocks(scope) {
		if writes(st.at(b).block, buf) {
			out = append(out, b)
		}
	}
	return out
}

// readersOf lists the blocks of a scope that read a buffer.
func (st *state) readersOf(scope nid, buf *tir.Buffer) []nid {
	var out []nid
	for _, b := range st.childBlocks(scope) {
		if reads(st.at(b).block, buf) {
			out = append(out, b)
		}
	}
	return out
}

// allWithin reports whether every reader of a buffer in a scope lies below top.
func (st *state) allWithin(scope, top nid, buf *tir.Buffer) bool {
	for _, b := range st.readersOf(scope, buf) {
		if !st.within(b, top) {
			return false
		}
	}
	return true
}

// fullRegion is the whole of a buffer.
func fullRegion(b *tir.Buffer) []tir.Range {
	out := make([]tir.Range, len(b.Shape))
	for i, n := range b.Shape {
		out[i] = tir.Range{Min: tir.IntOf(0, n.DType()), Extent: n}
	}
	return out
}
