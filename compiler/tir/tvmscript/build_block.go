package tvmscript

import (
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// block reads `with T.sblock("name"):`.
func (b *builder) block(s *withStmt, n *callNode) {
	if !b.fn.stir {
		b.fail(n.p, "%s needs a function with s_tir=True", dotted(n.fn))
	}
	c := b.opened.put(call{at: n.p, name: dotted(n.fn)})
	b.arguments(c, n)
	label := ""
	if a, ok := c.kw["name"]; ok {
		label = b.stringArg(a)
	} else if len(c.args) == 1 {
		label = b.stringArg(c.args[0])
	} else if len(c.args) > 1 {
		b.fail(n.p, "%s takes a name", c.name)
	}
	for k, a := range c.kw {
		if k != "name" {
			b.fail(a.at, "%s has no argument %s here", c.name, k)
		}
	}
	if s.as != nil {
		b.fail(s.as.at(), "a block has no value")
	}
	open := b.blocks.put(openBlock{block: b.ir.blocks.put(tir.Block{Name: label}), predicate: tir.True})
	body := b.inside(b.scratch.frames.put(frame{kind: blockFrame, at: s.p, block: open}), s.body)
	blk := open.block
	blk.Body = body
	blk.Reads, blk.Writes = open.declaredR, open.declaredW
	if !open.hasReads || !open.hasWrites {
		if open.flat > 0 && !b.fn.old { // TVM counts its accesses as those of a buffer outside
			b.fail(open.flat, "block %q allocates in sequence, its T.reads and T.writes have to be written", blk.Name)
		}
		b.fn.omitted = true
	}
	b.emit(b.ir.realizes.put(tir.BlockRealize{Values: open.values, Predicate: open.predicate, Block: blk}))
}

// where reads T.where(predicate).
func (b *builder) where(n *callNode) {
	blk := b.directBlock(n.p, "T.where")
	if blk.hasWhere || len(n.args) != 1 {
		b.fail(n.p, "T.where takes one predicate, once per block")
	}
	blk.hasWhere = true
	switch v := b.eval(n.args[0]).(type) {
	case int64:
		if v != 0 && v != 1 {
			b.fail(n.p, "T.where(%d)", v)
		}
		blk.predicate = tir.BoolImm(v != 0)
	default:
		blk.predicate = b.boolExpr(v, n.args[0].at())
	}
}

// accessRegions reads T.reads and T.writes.
func (b *builder) accessRegions(n *callNode, reads bool) {
	what := "T.writes"
	if reads {
		what = "T.reads"
	}
	blk := b.directBlock(n.p, what)
	if reads && blk.hasReads || !reads && blk.hasWrites {
		b.fail(n.p, "a second %s in block %q", what, blk.block.Name)
	}
	c := b.opened.put(call{at: n.p, name: what})
	b.arguments(c, n)
	if len(c.kw) > 0 {
		b.fail(n.p, "%s takes no keywords", what)
	}
	args := c.args
	if len(args) == 1 {
		if list, ok := args[0].val.([]any); ok {
			at := args[0].at
			args = args[:0:0]
			for _, v := range list {
				args = append(args, arg{at, v})
			}
		}
	}
	regions := b.ir.regions.room(len(args))
	for _, a := range args {
		r, ok := b.asRegion(a.val)
		ok = ok && !slices.ContainsFunc(r.Ranges, func(x tir.Range) bool { return x.Min.DType().IsFloat() })
		if _, whole := a.val.(*tir.Buffer); !ok || whole && !b.fn.old {
			b.fail(a.at, "%s takes elements and regions of buffers", what)
		}
		regions = append(regions, r)
	}
	if reads {
		blk.declaredR, blk.hasReads = regions, true
	} else {
		blk.declaredW, blk.hasWrites = regions, true
	}
}

// blockAttr reads T.sblock_attr: dicts merge, a key with another value is an
// error.
func (b *builder) blockAttr(n *callNode) {
	blk := b.enclosingBlock()
	if blk == nil || len(n.args) != 1 {
		b.fail(n.p, "T.sblock_attr takes a dict, inside a block")
	}
	for _, kv := range b.attributes(n.args[0]) {
		old, dup := blk.block.Ann.Get(kv.Key)
		v := kv.Value
		if dup {
			v = b.merge(n.p, kv.Key, old, v)
		}
		blk.block.Ann = blk.block.Ann.With(kv.Key, v)
	}
}

func (b *builder) merge(at pos, key string, old, v any) any {
	x, ok1 := old.(map[string]any)
	y, ok2 := v.(map[string]any)
	if ok1 && ok2 {
		out := make(map[string]any, len(x)+len(y))
		for k, w := range x {
			out[k] = w
		}
		for k, w := range y {
			if w0, dup := out[k]; dup {
				w = b.merge(at, key+"."+k, w0, w)
			}
			out[k] = w
		}
		return out
	}
	if tir.ValueString(old) != tir.ValueString(v) {
		b.fail(at, "block attribute %q is both %s and %s", key, tir.ValueString(old), tir.ValueString(v))
	}
	return old
}

var axisKinds = map[string]tir.IterKind{"spatial": tir.Spatial, "S": tir.Spatial, "reduce": tir.Reduce, "R": tir.Reduce,
	"scan": tir.Ordered, "opaque": tir.Opaque}

// axis reads T.axis.spatial(domain, binding) and the like.
func (b *builder) axis(n *callNode, name string, kind tir.IterKind) *tir.Var {
	c := b.opened.put(call{at: n.p, name: dotted(n.fn)})
	blk := b.directBlock(n.p, c.name)
	b.arguments(c, n)
	args := b.args3(c, "dom", "binding")
	dom := b.domain(args[0])
	value := b.scalarInt(args[1])
	v := b.ir.newVar(name, wideInt(dom.Min.DType(), dom.Extent.DType()))
	if len(args) > 2 && b.dtypeArg(args[2]) != v.Type {
		b.fail(args[2].at, "the iterator is %s, its domain %s", b.dtypeArg(args[2]), v.Type)
	}
	b.addIter(blk, tir.IterVar{Var: v, Dom: dom, Kind: kind}, value)
	return v
}

// args3 gives the two arguments of an axis, and the type if there is one.
func (b *builder) args3(c *call, first, second string) []arg {
	if len(c.args) == 2 && len(c.kw) == 0 {
		return c.args
	}
	return b.named(c, []string{first, second, "dtype"}, 2)
}

func (b *builder) addIter(blk *openBlock, it tir.IterVar, value tir.Expr) {
	if blk.values == nil {
		blk.block.Iters, blk.values = b.ir.iterVars.room(4), b.ir.exprs.room(4)
	}
	blk.block.Iters = append(blk.block.Iters, b.ir.iters.put(it))
	blk.values = append(blk.values, value)
}

// domain reads an extent, or (min, end).
func (b *builder) domain(a arg) tir.Range {
	pair, ok := a.val.([]any)
	if !ok {
		n := b.scalarInt(a)
		return tir.Range{Min: tir.IntOf(0, n.DType()), Extent: n}
	}
	if len(pair) != 2 {
		b.fail(a.at, "a domain is an extent or (min, end)")
	}
	lo, hi := b.scalarInt(arg{a.at, pair[0]}), b.scalarInt(arg{a.at, pair[1]})
	if n, ok := writtenExtent(lo, hi); ok {
		return tir.Range{Min: lo, Extent: n}
	}
	extent := tir.Sub(hi, lo)
	if s := b.arith.Simplify(extent); isInt(s) {
		extent = s
	}
	return tir.Range{Min: lo, Extent: extent}
}

func isInt(e tir.Expr) bool {
	_, ok := e.(*tir.IntImm)
	return ok
}

// wideInt is the widest of two integer types and int32.
func wideInt(x, y dtype.DType) dtype.DType {
	t := dtype.Int32
	for _, u := range []dtype.DType{x, y} {
		if u.Bits > t.Bits {
			t = u
		}
	}
	return t
}

// remap reads T.axis.remap("SSR", [i, j, k]): iterators bound to loop variables
// with the domains of those loops.
func (b *builder) remap(n *callNode, names []string, star int) []any {
	blk := b.directBlock(n.p, "T.axis.remap")
	c := b.opened.put(call{at: n.p, name: "T.axis.remap"})
	b.arguments(c, n)
	args := b.args3(c, "kinds", "bindings")
	kinds := b.stringArg(args[0])
	list, ok := args[1].val.([]any)
	if !ok || len(list) != len(kinds) || len(kinds) == 0 {
		b.fail(n.p, "T.axis.remap takes one kind per binding")
	}
	if star < 0 && len(names) > 1 && len(names) != len(kinds) || len(names) > len(kinds)+1 {
		b.fail(n.p, "%d names for %d iterators", len(names), len(kinds))
	}
	ids := names
	if star >= 0 || len(names) < len(list) {
		ids = spreadNames(names, max(star, 0), len(list))
	}
	out := b.values.room(len(list))
	for i, x := range list {
		loop, ok := x.(*tir.Var)
		l := (*tir.For)(nil)
		if ok {
			l = b.enclosingLoop(loop)
		}
		if l == nil {
			b.fail(args[1].at, "binding %d of T.axis.remap is no variable of a loop around", i)
		}
		kind := tir.Spatial
		switch kinds[i] {
		case 'S':
		case 'R':
			kind = tir.Reduce
		default:
			b.fail(args[0].at, "the kinds of T.axis.remap are S and R, not %q", kinds[i:i+1])
		}
		id := ids[i]
		v := b.ir.newVar(id, loop.Type)
		b.addIter(blk, tir.IterVar{Var: v, Dom: tir.Range{Min: l.Min, Extent: l.Extent}, Kind: kind}, loop)
		out = append(out, v)
	}
	return out
}
