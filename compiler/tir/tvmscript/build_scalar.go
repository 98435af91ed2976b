package tvmscript

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// scalarMakers are the calls that make a mutable scalar, with the memory it lies
// in; "" takes it as an argument.
var scalarMakers = map[string]string{"alloc_scalar": "", "local_scalar": "local", "shared_scalar": "shared"}

// allocScalar reads T.local_scalar("int32") and its kin: a buffer of one element
// that the name stands for the value of.
func (b *builder) allocScalar(id, scope string, n *callNode) tir.Expr {
	c := &call{at: n.p, name: dotted(n.fn)}
	b.arguments(c, n)
	params := []string{"dtype", "scope"}
	if scope != "" {
		params = params[:1]
	}
	args := b.named(c, params, 0)
	t := dtype.Float32
	if len(args) > 0 {
		b.quotedType(args[0])
		t = b.dtypeArg(args[0])
	}
	if len(args) > 1 {
		scope = b.stringArg(args[1])
	} else if scope == "" {
		scope = "global"
	}
	b.storable(t, "a scalar", c.at)
	return b.newScalar(id, t, scope, n.p)
}

// storable refuses types that no memory of a script holds.
func (b *builder) storable(t dtype.DType, what string, at pos) {
	if t.Code == dtype.Void || t.Code == dtype.Handle {
		b.fail(at, "%s cannot hold %s", what, t)
	}
}

// quotedType refuses a member of T where TVM wants the type as a text.
func (b *builder) quotedType(a arg) {
	if r, ok := a.val.(ref); ok && !b.fn.old {
		b.fail(a.at, "the type is a text here, not %s", string(r))
	}
}

// newScalar emits the buffer of a mutable scalar; the result is its value.
func (b *builder) newScalar(id string, t dtype.DType, scope string, at pos) tir.Expr {
	buf := tir.NewStaticBuffer(id, t, 1)
	buf.Scope, buf.Scalar = scope, true
	b.emitAlloc(&tir.AllocBuffer{Buffer: buf}, at)
	return valueOf(buf)
}

// emitAlloc emits an allocation in sequence.
func (b *builder) emitAlloc(s *tir.AllocBuffer, at pos) {
	if blk := b.enclosingBlock(); blk != nil && blk.flat == 0 {
		blk.flat = at
	}
	b.emit(s)
}

func valueOf(buf *tir.Buffer) tir.Expr {
	return &tir.Load{Buffer: buf, Indices: []tir.Expr{tir.Int(0)}}
}

// declScalar reads T.decl_scalar(dtype, data, scope, elem_offset): a mutable
// scalar over memory that is there already.
func (b *builder) declScalar(id string, n *callNode) tir.Expr {
	c := &call{at: n.p, name: "T.decl_scalar"}
	b.arguments(c, n)
	bytes, inBytes := c.kw["byte_offset"]
	delete(c.kw, "byte_offset")
	args := b.named(c, []string{"dtype", "data", "scope", "elem_offset"}, 3)
	buf := tir.NewStaticBuffer(id, b.dtypeArg(args[0]), 1)
	b.storable(buf.Type, "a scalar", args[0].at)
	buf.Scope, buf.Scalar = b.stringArg(args[2]), true
	switch {
	case len(args) > 3 && args[3].val != nil:
		buf.ElemOffset = b.scalarInt(args[3])
	case inBytes && bytes.val != nil:
		v := b.evalBinary(opFloordiv, b.evalBinary(opStar, bytes.val, int64(8), bytes.at), int64(buf.Type.Bits), bytes.at)
		buf.ElemOffset = b.scalarInt(arg{bytes.at, v})
	}
	if tir.IsConst(buf.ElemOffset, 0) {
		buf.ElemOffset = nil
	}
	b.emit(&tir.DeclBuffer{Buffer: buf, Data: b.pointer(args[1])})
	return valueOf(buf)
}

// pointer converts the argument that names memory.
func (b *builder) pointer(a arg) tir.Expr {
	data := b.expr(a.val, a.at)
	if data.DType().Code != dtype.Handle {
		b.fail(a.at, "%s is %s, not a pointer", tir.ExprString(data), data.DType())
	}
	return data
}

// mutable emits a local scalar and stores its first value.
func (b *builder) mutable(id string, t dtype.DType, value any, at pos) {
	e := b.newScalar(id, t, "local", at)
	b.define(id, e, at)
	if value != nil {
		b.store(e.(*tir.Load).Buffer, []tir.Expr{tir.Int(0)}, value, at)
	}
}

// scalar is the buffer behind a name that holds one element, nil for others.
func (b *builder) scalar(id string) *tir.Buffer {
	x, _ := b.lookup(id)
	if l, ok := x.(*tir.Load); ok {
		x = l.Buffer
	}
	if buf, ok := x.(*tir.Buffer); ok && oneElement(buf) {
		return buf
	}
	return nil
}
