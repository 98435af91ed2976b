package tvmscript

import (
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// bufferFields are the arguments of a buffer declaration, in TVM's order.
var bufferFields = []string{"shape", "dtype", "data", "strides", "elem_offset", "scope", "align", "offset_factor", "buffer_type", "axis_separators", "layout"}

// field finds an argument of a declaration by position or keyword.
func (c *call) field(name string) (arg, bool) {
	if a, ok := c.kw[name]; ok {
		return a, true
	}
	for i, a := range c.args {
		if i < len(bufferFields) && bufferFields[i] == name {
			return a, true
		}
	}
	return arg{}, false
}

// declare builds a buffer from the arguments of a declaration; fallback gives
// shape and type when they are left out, own says that an offset_factor or a
// quoted stride defines a variable.
func (b *builder) declare(c *call, name string, fallback *tir.Buffer, own bool) *tir.Buffer {
	for _, f := range bufferFields[:min(len(c.args), len(bufferFields))] {
		if a, twice := c.kw[f]; twice {
			b.fail(a.at, "%s: %s is given twice", c.name, f)
		}
	}
	for k, a := range c.kw {
		if k != "annotations" && !slices.Contains(bufferFields, k) {
			b.fail(a.at, "%s has no argument %s", c.name, k)
		}
	}
	buf := b.ir.buffers.put(*tir.NewBuffer(name, dtype.Float32))
	if a, ok := c.field("shape"); ok && a.val != nil {
		buf.Shape = b.dims(a, "a dimension")
	} else if fallback != nil {
		buf.Shape, buf.Type = fallback.Shape, fallback.Type
	} else {
		b.fail(c.at, "%s needs a shape", c.name)
	}
	if a, ok := c.field("dtype"); ok && a.val != nil {
		if c.name != "T.decl_buffer" {
			b.quotedType(a)
		}
		buf.Type = b.dtypeArg(a)
	}
	if a, ok := c.field("data"); ok && a.val != nil && c.name != "T.decl_buffer" {
		b.fail(a.at, "%s is a buffer of its own; T.decl_buffer lies over an existing pointer", c.name)
	}
	if a, ok := c.field("strides"); ok && a.val != nil {
		buf.Strides = b.dims(a, "a stride")
		if len(buf.Strides) == 0 {
			buf.Strides = nil
		}
	}
	b.bufferOptions(c, buf, own)
	b.storable(buf.Type, "a buffer", c.at)
	return buf
}

func (b *builder) bufferOptions(c *call, buf *tir.Buffer, own bool) {
	if len(c.kw) == 0 && len(c.args) <= 2 {
		return // shape and type
	}
	if a, ok := c.field("scope"); ok && a.val != nil {
		buf.Scope = b.stringArg(a)
		if buf.Scope == "" {
			buf.Scope = "global"
		}
	}
	if a, ok := c.field("align"); ok && a.val != nil {
		if n := b.intArg(a); n > 0 && n <= 1<<20 {
			buf.Align = int(n)
		}
	}
	factor := int64(0)
	if a, ok := c.field("offset_factor"); ok && a.val != nil {
		factor = b.intArg(a)
		if factor > 0 && factor <= 1<<20 {
			buf.OffsetFactor = int(factor)
		}
	}
	if a, ok := c.field("elem_offset"); ok && a.val != nil {
		off := b.indexExpr(a.val, a.at)
		if !tir.IsConst(off, 0) || off.DType() != buf.OffsetType() {
			buf.ElemOffset = off
		}
	} else if own && factor > 0 {
		buf.ElemOffset = tir.NewVar("elem_offset", buf.OffsetType())
	}
	for _, f := range []string{"axis_separators", "buffer_type", "layout"} {
		if a, ok := c.field(f); ok && a.val != nil && a.val != "" && a.val != "default" {
			if l, ok := a.val.([]any); !ok || len(l) > 0 {
				b.fail(a.at, "%s of a buffer is not supported", f)
			}
		}
	}
}

// dims reads a shape or strides: one value or a list of them.
func (b *builder) dims(a arg, what string) []tir.Expr {
	list, ok := a.val.([]any)
	if !ok {
		list = []any{a.val}
	}
	out := b.ir.exprs.room(len(list))
	for _, v := range list {
		e := b.expr(v, a.at)
		if t := e.DType(); !t.IsInt() || t.Lanes != 1 {
			b.fail(a.at, "%s is %s, not an integer", what, t)
		}
		out = append(out, e)
	}
	return out
}

// shapeValue evaluates a shape or strides argument: quoted entries are
// expressions whose unknown names become int32 variables.
func (b *builder) shapeValue(n node) any {
	switch n := n.(type) {
	case *listNode:
		out := b.values.room(len(n.items))
		for _, x := range n.items {
			if st, ok := x.(*starNode); ok {
				out = append(out, b.spread(st)...)
				continue
			}
			out = append(out, b.shapeValue(x))
		}
		return out
	case *textNode:
		x := b.quotedExpr(n)
		b.defineNames(x)
		return b.eval(x)
	}
	return b.eval(n)
}

// strideValue evaluates a strides argument: a quoted name is a variable of the
// buffer's own, unless a parameter or TypeVar has that name.
func (b *builder) strideValue(n node) any {
	l, ok := n.(*listNode)
	if !ok {
		return b.shapeValue(n)
	}
	out := make([]any, len(l.items))
	for i, x := range l.items {
		t, ok := x.(*textNode)
		if !ok {
			out[i] = b.shapeValue(x)
			continue
		}
		id, ok := b.quotedExpr(t).(*nameNode)
		if !ok || b.typeVars[id.id] || b.fn.scalars[id.id] != nil {
			out[i] = b.shapeValue(x)
			continue
		}
		v := tir.NewVar(id.id, dtype.Int32)
		b.bind(id.id, v)
		out[i] = v
	}
	return out
}

// defineNames gives every unknown name in a quoted shape a variable.
func (b *builder) defineNames(n node) {
	switch n := n.(type) {
	case *nameNode:
		if _, ok := b.lookup(n.id); !ok && !modules[n.id] {
			v := b.fn.scalars[n.id]
			if v == nil {
				v = tir.NewVar(n.id, dtype.Int32)
			}
			b.bind(n.id, v)
		}
	case *binNode:
		b.defineNames(n.a)
		b.defineNames(n.b)
	case *unaryNode:
		b.defineNames(n.x)
	case *callNode:
		for _, a := range n.args {
			b.defineNames(a)
		}
	}
}

// matchBuffer reads T.match_buffer: of a parameter handle at function level, of
// a region inside a block.
func (b *builder) matchBuffer(name string, n *callNode) *tir.Buffer {
	c := b.opened.put(call{at: n.p, name: "T.match_buffer", shapes: b.fn.old, strides: true})
	b.arguments(c, n)
	if len(c.args) == 0 {
		if a, ok := c.kw["param"]; ok {
			c.args = []arg{a}
			delete(c.kw, "param")
		} else {
			b.fail(n.p, "T.match_buffer needs a parameter or a region")
		}
	}
	first := c.args[0]
	c.args = c.args[1:]
	if v, ok := first.val.(*tir.Var); ok && v.Type.Code == dtype.Handle {
		i, free := b.fn.handles[v]
		if !free {
			b.fail(first.at, "%s is matched twice, or is no parameter", v.Name)
		}
		if b.top().kind != funcFrame {
			b.fail(n.p, "a parameter is matched at the top of the function")
		}
		buf := b.declare(c, name, nil, true)
		b.shapeVars(buf, n.p)
		delete(b.fn.handles, v)
		b.fn.fn.Params[i] = buf
		return buf
	}
	blk := b.directBlock(n.p, "T.match_buffer of a region")
	src, ok := b.asRegion(first.val)
	if _, whole := first.val.(*tir.Buffer); !ok || whole && !b.fn.old {
		b.fail(first.at, "T.match_buffer takes a parameter handle or a region of a buffer")
	}
	whole := tir.NewBuffer("", src.Buffer.Type)
	for _, r := range src.Ranges {
		whole.Shape = append(whole.Shape, r.Extent)
	}
	_, shaped := c.field("shape")
	buf := b.declare(c, name, whole, true)
	if _, given := c.field("dtype"); !given && shaped {
		buf.Type = dtype.Float32
	}
	b.checkMatch(n.p, buf, src)
	blk.block.Matches = append(blk.block.Matches, tir.MatchRegion{Buffer: buf, Source: src})
	return buf
}

// shapeVars refuses variables of a parameter's shape that no text declares: names in
// quotes are int32, TypeVars int64, an offset factor means an offset of the indices' type.
func (b *builder) shapeVars(buf *tir.Buffer, at pos) {
	check := func(e tir.Expr) bool {
		if v, ok := e.(*tir.Var); ok && b.fn.scalars[v.Name] != v && v.Type != dtype.Int32 && v.Type != dtype.Int64 {
			b.fail(at, "%s is %s; a shape has variables of int32 and int64, or parameters", v.Name, v.Type)
		}
		return true
	}
	for _, e := range slices.Concat(buf.Shape, buf.Strides) {
		tir.Walk(e, check)
	}
	if buf.ElemOffset == nil {
		return
	}
	tir.Walk(buf.ElemOffset, check)
	if v, ok := buf.ElemOffset.(*tir.Var); ok && b.fn.scalars[v.Name] != v && v.Type != buf.OffsetType() {
		b.fail(at, "elem_offset is %s, the indices of the buffer are %s", v.Type, buf.OffsetType())
	}
}

func (b *builder) checkMatch(at pos, buf *tir.Buffer, src tir.Region) {
	lead := len(src.Ranges) - len(buf.Shape)
	switch {
	case buf.Type != src.Buffer.Type:
		b.fail(at, "the match buffer is %s, its source %s is %s", buf.Type, src.Buffer.Name, src.Buffer.Type)
	case buf.Scope != src.Buffer.Scope:
		b.fail(at, "the match buffer is in scope %s, its source %s in %s", buf.Scope, src.Buffer.Name, src.Buffer.Scope)
	case max(src.Buffer.Align, tir.DefaultAlign)%max(buf.Align, 1) != 0:
		b.fail(at, "the match buffer is aligned to %d bytes, its source %s to %d", buf.Align, src.Buffer.Name, src.Buffer.Align)
	case lead < 0:
		b.fail(at, "the match buffer has %d dimensions, its region %d", len(buf.Shape), len(src.Ranges))
	}
	for i, r := range src.Ranges {
		if i < lead {
			if !tir.IsConst(r.Extent, 1) {
				b.fail(at, "leading dimension %d of the region has extent %s, not 1", i, tir.ExprString(r.Extent))
			}
			continue
		}
		want := buf.Shape[i-lead]
		if _, free := want.(*tir.Var); free {
			continue
		}
		if !b.arith.CanProveEqual(want, r.Extent) {
			b.fail(at, "dimension %d of the match buffer is %s, its region has %s", i-lead, tir.ExprString(want), tir.ExprString(r.Extent))
		}
	}
}

// blockAlloc reads T.sblock_alloc_buffer (and T.alloc_buffer of the old spelling):
// the buffer belongs to the nearest block, else to the root.
func (b *builder) blockAlloc(name string, n *callNode) *tir.Buffer {
	if !b.fn.stir {
		b.fail(n.p, "%s needs a function with s_tir=True", dotted(n.fn))
	}
	c := b.opened.put(call{at: n.p, name: dotted(n.fn), shapes: b.fn.old, strides: true})
	b.arguments(c, n)
	buf := b.declare(c, name, nil, true)
	if blk := b.enclosingBlock(); blk != nil {
		blk.block.Allocs = append(blk.block.Allocs, buf)
	} else {
		b.fn.allocs = append(b.fn.allocs, buf)
	}
	return buf
}

// declBuffer reads T.decl_buffer: a view of the memory that data points to, an
// allocation without data.
func (b *builder) declBuffer(name string, n *callNode) *tir.Buffer {
	c := b.opened.put(call{at: n.p, name: "T.decl_buffer", shapes: b.fn.old, strides: true})
	b.arguments(c, n)
	buf := b.declare(c, name, nil, true)
	a, ok := c.field("data")
	if !ok || a.val == nil {
		b.emitAlloc(&tir.AllocBuffer{Buffer: buf}, n.p)
		return buf
	}
	buf.Scalar = !b.fn.stir && tir.DeclaredScalar(buf) // there the two are the same
	b.emit(&tir.DeclBuffer{Buffer: buf, Data: b.pointer(a)})
	return buf
}

// flatAlloc reads T.alloc_buffer, T.alloc_local and T.alloc_shared as a
// statement in sequence.
func (b *builder) flatAlloc(name string, n *callNode, scope string) *tir.Buffer {
	c := b.opened.put(call{at: n.p, name: dotted(n.fn), shapes: b.fn.old, strides: true})
	b.arguments(c, n)
	buf := b.declare(c, name, nil, true)
	if scope != "" {
		buf.Scope = scope
	}
	buf.Scalar = !b.fn.stir && tir.LocalScalar(buf) // there the two are the same
	s := &tir.AllocBuffer{Buffer: buf}
	if a, ok := c.kw["annotations"]; ok {
		s.Ann = b.annotations(a)
	}
	b.emitAlloc(s, n.p)
	return buf
}
