package schedule

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// copyAt is the stage of read_at and write_at: one block under a loop that copies
// all that the loop's body reads, or writes, of a buffer.
type copyAt struct {
	st         *state
	loop       nid
	read       bool
	src, dst   *tir.Buffer // the original and the cache
	members    []nid       // of the loop's body
	position   int         // of the copy among them
	start, end int         // the members that access the cache
	domain     []tir.Range
}

// annAutoCopy marks blocks whose copying a later pass spreads over threads.
const annAutoCopy = "auto_copy"

func (st *state) planCopyAt(loop, id nid, index int, scopeName string, read bool) (*copyAt, *Error) {
	src, err := st.accessed(id, index, !read)
	if err == nil {
		err = needScope(scopeName)
	}
	if err != nil {
		return nil, err
	}
	c := &copyAt{st: st, loop: loop, read: read, src: src, dst: st.cacheOf(st.scopeOf(loop), src, scopeName), members: st.members(st.at(loop).kids[0])}
	for _, f := range []func() *Error{c.findPosition, c.findDomain, c.keepsMeaning} {
		if err := f(); err != nil {
			return nil, err
		}
	}
	return c, st.stagePipeline(st.scopeOf(loop))
}

// accesses lists the members with a block that reads, or writes, the original.
func (c *copyAt) accesses(write bool) []int {
	var out []int
	for i, m := range c.members {
		if slices.ContainsFunc(c.blocks(m), func(b nid) bool {
			blk := c.st.at(b).block
			return write && writes(blk, c.src) || !write && reads(blk, c.src)
		}) {
			out = append(out, i)
		}
	}
	return out
}

// blocks lists the blocks of a member, none inside another.
func (c *copyAt) blocks(m nid) []nid {
	if c.st.at(m).kind == kBlock {
		return []nid{m}
	}
	return c.st.childBlocks(m)
}

// findPosition: a copy in comes before the first reader, and nothing writes after
// that; a copy out after the last writer, and nothing reads after that.
func (c *copyAt) findPosition() *Error {
	rs, ws := c.accesses(false), c.accesses(true)
	where := c.st.where(c.loop)
	switch {
	case c.read && len(rs) == 0:
		return refuse(Consumers, where, "no block under it reads %s", c.src.Name)
	case !c.read && len(ws) == 0:
		return refuse(Producers, where, "no block under it writes %s", c.src.Name)
	case c.read && len(ws) > 0 && ws[len(ws)-1] >= rs[0]:
		return refuse(Producers, where, "%s is written after it is read", c.src.Name)
	case !c.read && len(rs) > 0 && rs[len(rs)-1] > ws[len(ws)-1]:
		return refuse(Consumers, where, "%s is read after it is written", c.src.Name)
	case c.read:
		c.position = rs[0]
		c.start, c.end = c.position, len(c.members)
	default:
		c.position = ws[len(ws)-1] + 1
		c.start, c.end = 0, c.position
	}
	return nil
}

// findDomain unites what the blocks access while the loops below run, and those
// of threads around that share the cache.
func (c *copyAt) findDomain() *Error {
	var hull []arith.Interval
	a := arith.NewAnalyzer()
	conditional := false
	for _, m := range c.members {
		for _, b := range c.blocks(m) {
			n := c.st.at(b)
			rs := n.block.Reads
			if !c.read {
				rs = n.block.Writes
			}
			dom := arith.LoopDoms(c.st.running(b, c.loop, c.dst))
			for _, r := range rs {
				if r.Buffer != c.src {
					continue
				}
				conditional = conditional || !tir.IsConst(n.pred, 1)
				hull = unite(a, hull, substituteRanges(r.Ranges, bindings(n)), dom)
			}
		}
	}
	c.domain = make([]tir.Range, len(hull))
	for d, in := range hull {
		if !in.Bounded() {
			return refuse(IndexForm, c.st.where(c.loop), "the part of dimension %d of %s that is accessed under it has no bounds", d, c.src.Name)
		}
		lo := a.Simplify(in.Lo)
		c.domain[d] = tir.Range{Min: lo, Extent: a.Simplify(tir.Sub(tir.Add(in.Hi, tir.IntOf(1, in.Hi.DType())), lo))}
	}
	if !c.st.inside(c.loop, c.domain, c.src) && (conditional || c.st.leaves(c.loop, c.domain, c.src)) {
		return refuse(Predicate, c.st.where(c.loop), "without the conditions in the blocks under it, the copy might leave %s", c.src.Name)
	}
	if !c.read && conditional && c.loses() {
		return refuse(Predicate, c.st.where(c.loop), "without the conditions in the blocks under it, the copy writes over other elements of %s", c.src.Name)
	}
	return c.closed()
}

// unite makes a hull hold a region too.
func unite(a *arith.Analyzer, hull []arith.Interval, ranges []tir.Range, dom []arith.Dom) []arith.Interval {
	for d, x := range ranges {
		in := a.EvalRange(x, dom)
		if len(hull) <= d {
			hull = append(hull, in)
		} else {
			hull[d] = a.Union(hull[d], in)
		}
	}
	return hull
}

// loses reports whether elements of the original hold what other blocks, or the
// caller, made.
func (c *copyAt) loses() bool {
	scope := c.st.scopeOf(c.loop)
	return !slices.Contains(c.st.at(scope).block.Allocs, c.src) ||
		slices.ContainsFunc(c.st.writersOf(scope, c.src), func(w nid) bool { return !c.redirects(w) })
}

// redirects reports whether a block's accesses become those of the cache.
func (c *copyAt) redirects(id nid) bool {
	return slices.ContainsFunc(c.members[c.start:c.end], func(m nid) bool { return c.st.within(id, m) })
}

// closed refuses a domain over variables that no loop around the copy, up to the
// scope, binds.
func (c *copyAt) closed() *Error {
	loops := c.loops()
	for _, x := range c.domain {
		for _, e := range []tir.Expr{x.Min, x.Extent} {
			if tir.UsesVar(e, func(v *tir.Var) bool { return loopOf(loops, v) == nil }) {
				return refuse(DependentDomain, c.st.where(c.loop), "what is accessed of %s under it depends on more than loops of its scope", c.src.Name)
			}
		}
	}
	return nil
}

// loops are the loop and those around it in its scope.
func (c *copyAt) loops() []*tir.For {
	out := []*tir.For{&c.st.at(c.loop).loop}
	for _, l := range c.st.loopsOf(c.loop) {
		out = append(out, &c.st.at(l).loop)
	}
	return out
}

func loopOf(loops []*tir.For, v *tir.Var) *tir.For {
	if i := slices.IndexFunc(loops, func(l *tir.For) bool { return l.Var == v }); i >= 0 {
		return loops[i]
	}
	return nil
}

// keepsMeaning refuses to redirect a block out of a cache that holds nothing yet,
// and views, which would not follow.
func (c *copyAt) keepsMeaning() *Error {
	var err *Error
	for _, m := range c.members[c.start:c.end] {
		c.st.eachShell(m, func(id nid) {
			n := c.st.at(id)
			if n.kind != kBlock || err != nil || c.read {
				return
			}
			if slices.ContainsFunc(n.block.Matches, func(m tir.MatchRegion) bool { return m.Source.Buffer == c.src }) {
				err = refuse(BufferScope, c.st.where(id), "it has a view of %s", c.src.Name)
			} else {
				err = c.st.needFreshWrite(id, c.src)
			}
		})
	}
	return err
}

// insert builds the copy block and redirects the accesses.
func (c *copyAt) insert() nid {
	sub := map[*tir.Buffer]*tir.Buffer{c.src: c.dst}
	w := c.rewriter(replaced(sub))
	for _, m := range c.members[c.start:c.end] {
		c.st.eachShell(m, func(id nid) { c.st.mapShell(id, w.Rewrite) })
	}
	id := c.st.add(c.block())
	c.st.insertInto(c.loop, c.position, id)
	c.st.addAlloc(c.st.scopeOf(c.loop), c.dst)
	return id
}

// rewriter renames the buffer in loads, stores and regions; views and pointers
// stay with the original.
func (c *copyAt) rewriter(f func(*tir.Buffer) *tir.Buffer) *tir.StmtRewriter {
	load := func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.Load); ok && l.Buffer == c.src {
			return &tir.Load{Buffer: c.dst, Indices: l.Indices}
		}
		return e
	}
	swap := func(rs []tir.Region) []tir.Region {
		out := slices.Clone(rs)
		for i := range out {
			out[i].Buffer = f(out[i].Buffer)
		}
		return out
	}
	return &tir.StmtRewriter{
		Expr: func(e tir.Expr) tir.Expr { return tir.RewriteExpr(e, load) },
		Stmt: func(s tir.Stmt) tir.Stmt {
			switch x := s.(type) {
			case *tir.Store:
				if x.Buffer == c.src {
					return &tir.Store{Buffer: c.dst, Value: x.Value, Indices: x.Indices}
				}
			case *tir.BlockRealize:
				if b := *x.Block; reads(&b, c.src) || writes(&b, c.src) {
					b.Reads, b.Writes = swap(b.Reads), swap(b.Writes)
					return &tir.BlockRealize{Values: x.Values, Predicate: x.Predicate, Block: &b}
				}
			}
			return s
		},
	}
}

// block copies the domain; its iterators are the loops that the domain uses, in
// the order in which it names them.
func (c *copyAt) block() node {
	n := node{kind: kBlock, pred: tir.True, affine: no}
	loops, sub := c.loops(), map[*tir.Var]tir.Expr{}
	var iters []*tir.IterVar
	name := func(v *tir.Var) tir.Expr {
		l := loopOf(loops, v)
		if l != nil && sub[v] == nil {
			it := tir.NewVar(fmt.Sprintf("v%d", len(iters)), v.Type)
			iters = append(iters, &tir.IterVar{Var: it, Dom: tir.Range{Min: l.Min, Extent: l.Extent}, Kind: tir.Spatial})
			n.values = append(n.values, v)
			n.affine = yes
			sub[v] = it
		}
		return sub[v]
	}
	dom := make([]tir.Range, len(c.domain))
	vars, idx := make([]*tir.Var, len(dom)), make([]tir.Expr, len(dom))
	for i, x := range c.domain {
		dom[i] = tir.Range{Min: tir.SubstituteFunc(x.Min, name), Extent: tir.SubstituteFunc(x.Extent, name)}
		vars[i] = tir.NewVar(fmt.Sprintf("ax%d", i), dtype.Int32)
		idx[i] = tir.Add(dom[i].Min, vars[i])
	}
	from, to := c.src, c.dst
	if !c.read {
		from, to = to, from
	}
	var body tir.Stmt = &tir.Store{Buffer: to, Value: &tir.Load{Buffer: from, Indices: idx}, Indices: idx}
	for i := len(dom) - 1; i >= 0; i-- {
		body = &tir.For{Var: vars[i], Min: tir.Int(0), Extent: tir.NewCast(dtype.Int32, dom[i].Extent), Body: body}
	}
	n.block = &tir.Block{
		Name: c.dst.Name, Iters: iters, Body: body,
		Reads: []tir.Region{{Buffer: from, Ranges: dom}}, Writes: []tir.Region{{Buffer: to, Ranges: dom}},
		Ann: tir.Annotations{}.With(annAutoCopy, true),
	}
	return n
}
