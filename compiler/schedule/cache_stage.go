package schedule

import (
	"fmt"
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/compiler/tir/arith"
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
	pred    tir.Expr // where the copy is needed, nil for everywhere
	compact bool
	at      place
}

// cacheBuffer names the new buffer and gives it its shape.
func (c *cacheStage) cacheBuffer(st *state, scope string) {
	c.cache = st.cacheOf(c.scope, c.buf, scope)
	if c.compact {
		shape := make([]tir.Expr, len(c.region))
		for i, r := range c.region {
			shape[i] = r.Extent
		}
		reshape(c.cache, shape)
	}
}

// reshape gives a buffer that is still its maker's own new dimensions; the offset
// keeps its type, which need not be that of the new ones.
func reshape(b *tir.Buffer, shape []tir.Expr) {
	t := b.OffsetType()
	b.Shape = shape
	if b.ElemOffset == nil && t != b.OffsetType() {
		b.ElemOffset = tir.IntOf(0, t)
	}
}

// cacheOf is a copy of a buffer for another storage scope that block id allocates.
func (st *state) cacheOf(id nid, b *tir.Buffer, scope string) *tir.Buffer {
	c := inScope(b, scope)
	if st.isView(id, b) { // its strides are known inside the block only
		c.Strides, c.ElemOffset = nil, nil
	}
	return c
}

// inScope is a copy of a buffer for another storage scope, which its name tells.
func inScope(b *tir.Buffer, scope string) *tir.Buffer {
	c := *b
	c.Name, c.Scope = b.Name+"_"+scope, scope
	if scope == "" {
		c.Scope = "global"
	}
	return &c
}

// isView reports whether a buffer is a match of a block, or of one around it.
func (st *state) isView(id nid, buf *tir.Buffer) bool {
	for ; id != none; id = st.at(id).parent {
		if n := st.at(id); n.kind == kBlock && slices.ContainsFunc(n.block.Matches, func(m tir.MatchRegion) bool { return m.Buffer == buf }) {
			return true
		}
	}
	return false
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
		loops[i] = tir.For{Var: v, Min: tir.IntOf(0, t), Extent: r.Extent}
		dom := tir.Range{Min: tir.IntOf(0, t), Extent: r.Extent}
		values[i], orig[i], small[i] = v, it, it
		if c.compact {
			orig[i] = tir.Add(r.Min, it)
		} else {
			values[i] = tir.Add(r.Min, v)
			dom = tir.Range{Min: tir.IntOf(0, c.buf.Shape[i].DType()), Extent: c.buf.Shape[i]}
		}
		iters[i] = &tir.IterVar{Var: it, Dom: dom, Kind: tir.Spatial}
	}
	b := copyBlock(c.cache.Name, iters, c.buf, orig, c.cache, small)
	if !read {
		b = copyBlock(c.cache.Name, iters, c.cache, small, c.buf, orig)
	}
	pred := c.pred
	if pred == nil {
		pred = tir.True
	}
	return st.nest(loops, node{kind: kBlock, block: b, values: values, pred: pred})
}

// copyBlock copies one element.
func copyBlock(name string, iters []*tir.IterVar, src *tir.Buffer, from []tir.Expr, dst *tir.Buffer, to []tir.Expr) *tir.Block {
	return &tir.Block{
		Name: name, Iters: iters,
		Reads: []tir.Region{pointRegion(src, from)}, Writes: []tir.Region{pointRegion(dst, to)},
		Body: &tir.Store{Buffer: dst, Value: &tir.Load{Buffer: src, Indices: from}, Indices: to},
	}
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
func (c *cacheStage) insert(st *state, top, block nid) {
	st.insertInto(c.at.parent, c.at.index, top)
	st.addAlloc(c.scope, c.cache)
	st.at(block).affine = factOf(st.computeAffine(block))
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

// relax makes the region what block id touches of a region, under the further
// condition cond, each time that the place of the copy is passed. Conditions which
// no loop below that place decides are the copy's own where the region might
// leave the buffer without them.
func (c *cacheStage) relax(st *state, id nid, ranges []tir.Range, cond tir.Expr) {
	n := st.at(id)
	sub := bindings(n)
	cond = tir.Substitute(tir.And(n.pred, cond), sub)
	loops := st.running(id, c.at.parent, c.buf)
	box, exact := new(arith.Analyzer).RegionBounds(substituteRanges(ranges, sub), loops, cond)
	c.cover(box)
	if exact && c.at.parent == c.scope || st.inside(c.at.parent, c.region, c.buf) {
		return
	}
	if !exact {
		c.clip(st)
		return
	}
	outer := tir.Expr(tir.True)
	for _, p := range conjuncts(cond) {
		if !tir.UsesVar(p, func(v *tir.Var) bool {
			return slices.ContainsFunc(loops, func(l arith.Loop) bool { return l.Var == v })
		}) {
			outer = tir.And(outer, p)
		}
	}
	if !tir.IsConst(outer, 1) {
		c.pred = outer
	}
}

// cover makes a box the stage's region.
func (c *cacheStage) cover(box []arith.Interval) {
	var a arith.Analyzer
	c.region = fullRegion(c.buf)
	for i, in := range box {
		if in.Bounded() {
			end := tir.Add(in.Hi, tir.IntOf(1, in.Hi.DType()))
			c.region[i] = tir.Range{Min: a.Simplify(in.Lo), Extent: a.Simplify(tir.Sub(end, in.Lo))}
		}
	}
}

// clip cuts a region that came about without regard to a condition at the ends of
// the buffer.
func (c *cacheStage) clip(st *state) {
	r := relaxer{a: st.bindOuter(c.at.parent)}
	for i, x := range c.region {
		n := c.buf.Shape[i]
		last := tir.Sub(n, tir.IntOf(1, n.DType()))
		in := arith.RangeInterval(x)
		if lo, hi := r.larger(in.Lo, tir.IntOf(0, n.DType())), r.smaller(in.Hi, last); lo != in.Lo || hi != in.Hi {
			c.region[i] = rangeOf(span(lo, hi), r.a)
		}
	}
}

// inside proves that a region seen from a loop or block lies inside a buffer.
func (st *state) inside(top nid, ranges []tir.Range, buf *tir.Buffer) bool {
	a := st.bindOuter(top)
	for i, r := range ranges {
		if !a.CanProveGreaterEqual(r.Min, tir.IntOf(0, r.Min.DType())) || !a.CanProveGreaterEqual(buf.Shape[i], tir.Add(r.Min, r.Extent)) {
			return false
		}
	}
	return true
}

// leaves reports whether constant bounds of a region seen from a loop or block
// lie outside of a buffer.
func (st *state) leaves(top nid, ranges []tir.Range, buf *tir.Buffer) bool {
	a := st.bindOuter(top)
	for d, x := range ranges {
		lo, hi := a.Bound(x.Min).Lo, a.Bound(tir.Add(x.Min, x.Extent)).Hi
		n, ok := tir.AsInt(buf.Shape[d])
		if lo < 0 && lo > arith.NegInf || ok && hi > n && hi < arith.PosInf {
			return true
		}
	}
	return false
}

// bindOuter makes the scratch analyzer know the loops around the body of a loop
// or block, itself included, and the iterators of the blocks there.
func (st *state) bindOuter(top nid) *arith.Analyzer {
	a := st.bindLoops(top)
	if n := st.at(top); n.kind == kLoop {
		a.Bind(n.loop.Var, tir.Range{Min: n.loop.Min, Extent: n.loop.Extent})
	}
	for p := top; p != none; p = st.at(p).parent {
		if n := st.at(p); n.kind == kBlock {
			for _, it := range n.block.Iters {
				a.Bind(it.Var, it.Dom)
			}
		}
	}
	return a
}

// running are the loops from block id up to, not including, top, innermost
// first, and the loops further out over threads that share the buffer.
func (st *state) running(id, top nid, buf *tir.Buffer) []arith.Loop {
	var out []arith.Loop
	p := st.at(id).parent
	for ; p != top && st.at(p).kind != kBlock; p = st.at(p).parent {
		if l := &st.at(p).loop; st.at(p).kind == kLoop {
			out = append(out, arith.Loop{Var: l.Var, Dom: tir.Range{Min: l.Min, Extent: l.Extent}})
		}
	}
	for ; p != none; p = st.at(p).parent {
		if l := &st.at(p).loop; st.at(p).kind == kLoop && l.Kind == tir.ThreadBinding && analysis.SharedByThread(buf.Scope, l.Thread.Tag) {
			out = append(out, arith.Loop{Var: l.Var, Dom: tir.Range{Min: l.Min, Extent: l.Extent}})
		}
	}
	return out
}

// bindings maps the iterators of a block to their values.
func bindings(n *node) map[*tir.Var]tir.Expr {
	sub := make(map[*tir.Var]tir.Expr, len(n.values))
	for i, it := range n.block.Iters {
		sub[it.Var] = n.values[i]
	}
	return sub
}

func substituteRanges(rs []tir.Range, sub map[*tir.Var]tir.Expr) []tir.Range {
	out := make([]tir.Range, len(rs))
	for i, r := range rs {
		out[i] = tir.Range{Min: tir.Substitute(r.Min, sub), Extent: tir.Substitute(r.Extent, sub)}
	}
	return out
}

// writersOf lists the blocks of a scope that write a buffer, once for each region
// of it that they declare.
func (st *state) writersOf(scope nid, buf *tir.Buffer) []nid {
	var out []nid
	for _, b := range st.childBlocks(scope) {
		for _, w := range st.at(b).block.Writes {
			if w.Buffer == buf {
				out = append(out, b)
			}
		}
	}
	return out
}

// oneWriter is the block of a scope that writes a buffer, none when no block does.
// More than one is refused at block id, and so is one with several regions of it.
func (st *state) oneWriter(scope nid, buf *tir.Buffer, id nid) (nid, *Error) {
	switch ws := st.writersOf(scope, buf); {
	case len(ws) == 0:
		return none, nil
	case len(ws) == 1:
		return ws[0], nil
	case ws[0] == ws[len(ws)-1]:
		return none, refuse(SingleWriter, st.where(ws[0]), "it declares to write %d regions of %s", len(ws), buf.Name)
	default:
		return none, refuse(SingleWriter, st.where(id), "%d blocks of the scope write %s", len(slices.Compact(ws)), buf.Name)
	}
}

// readersOf lists the blocks of a scope that read a buffer.
func (st *state) readersOf(scope nid, buf *tir.Buffer) []nid {
	return slices.DeleteFunc(st.childBlocks(scope), func(b nid) bool { return !reads(st.at(b).block, buf) })
}

// fullRegion is the whole of a buffer.
func fullRegion(b *tir.Buffer) []tir.Range {
	out := make([]tir.Range, len(b.Shape))
	for i, n := range b.Shape {
		out[i] = tir.Range{Min: tir.IntOf(0, n.DType()), Extent: n}
	}
	return out
}
