package tvmscript

import (
	"math"
	"strconv"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// Constructors of single nodes, as TVM's Python classes are named.

// fixedBit makes a function that is another name of a bit operator.
func fixedBit(name string) func(b *builder, c *call) any {
	return func(b *builder, c *call) any {
		a := b.positional(c, 2, 2)
		return b.bitwise(name, a[0].val, a[1].val, c.at)
	}
}

// intImm is T.IntImm("int32", 4).
func intImm(b *builder, c *call) any {
	a := b.named(c, []string{"dtype", "value"}, 2)
	t := b.dtypeArg(a[0])
	if t.Lanes != 1 || !t.IsInt() && !t.IsBool() {
		b.fail(a[0].at, "an integer constant of %s", t)
	}
	return b.intLiteral(b.intArg(a[1]), t, a[1].at)
}

// floatImm is T.FloatImm("float32", 4.0).
func floatImm(b *builder, c *call) any {
	a := b.named(c, []string{"dtype", "value"}, 2)
	t := b.dtypeArg(a[0])
	if t.Lanes != 1 || !t.IsFloat() {
		b.fail(a[0].at, "a float constant of %s", t)
	}
	v, ok := number(a[1].val)
	if !ok {
		b.fail(a[1].at, "expected a number")
	}
	return b.floatLiteral(v, t, a[1].at)
}

// floatLiteral is a float constant that a text writes, in the range of its type.
func (b *builder) floatLiteral(v float64, t dtype.DType, at pos) *tir.FloatImm {
	e := tir.FloatOf(v, t)
	if math.IsInf(e.Value, 0) && !math.IsInf(v, 0) {
		b.fail(at, "%v is out of the range of %s", v, t)
	}
	return e
}

// cast converts e to t. A constant has to fit.
func (b *builder) cast(t dtype.DType, e tir.Expr, at pos) tir.Expr {
	v, whole := 0.0, false
	switch c := e.(type) {
	case *tir.IntImm:
		if t.IsInt() {
			b.intLiteral(c.Value, t.Element(), at)
			return tir.NewCast(t, e)
		}
		v, whole = float64(c.Value), true
	case *tir.FloatImm:
		v = c.Value
	default:
		return tir.NewCast(t, e)
	}
	switch {
	case t.IsFloat():
		b.floatLiteral(v, t.Element(), at)
	case t.IsInt() && !whole:
		if limit := math.Ldexp(1, int(t.Bits)); !(math.Abs(v) < limit) {
			b.fail(at, "%v is out of the range of %s", v, t)
		}
	}
	return tir.NewCast(t, e)
}

// textNumber reads a number that is written as a text, as T.float32("inf").
func (b *builder) textNumber(s string, t dtype.DType, at pos) tir.Expr {
	v, ok := floatNames[strings.ToLower(s)]
	if !ok {
		f, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(s), "_", ""), 64)
		if v, ok = f, err == nil && t.Lanes == 1; ok && t.IsFloat() {
			return b.floatLiteral(v, t, at)
		}
		ok = ok && t.IsInt() && math.Abs(v) < 1<<53
	} else {
		ok = t.IsFloat()
	}
	if !ok {
		b.fail(at, "%q is no value of %s", s, t)
	}
	if t.IsInt() {
		return b.intLiteral(int64(v), t, at)
	}
	return tir.Const(v, t)
}

// bufferLoad is T.BufferLoad(A, [i, j]).
func bufferLoad(b *builder, c *call) any {
	a := b.named(c, []string{"buffer", "indices"}, 2)
	buf, idx := b.place(a)
	return &tir.Load{Buffer: buf, Indices: idx}
}

// bufferStore is the statement T.buffer_store(A, value, [i, j]).
func (b *builder) bufferStore(n *callNode) {
	c := &call{at: n.p, name: "T.buffer_store"}
	b.arguments(c, n)
	a := b.named(c, []string{"buffer", "value", "indices"}, 3)
	buf, idx := b.place([]arg{a[0], a[2]})
	b.store(buf, idx, a[1].val, a[1].at)
}

// place reads a buffer and a list of indices.
func (b *builder) place(a []arg) (*tir.Buffer, []tir.Expr) {
	buf, ok := a[0].val.(*tir.Buffer)
	if !ok {
		b.fail(a[0].at, "expected a buffer")
	}
	list, ok := a[1].val.([]any)
	if !ok {
		list = []any{a[1].val}
	}
	idx := make([]tir.Expr, len(list))
	for i, v := range list {
		idx[i] = b.indexOf(v, a[1].at)
	}
	if len(idx) != len(buf.Shape) {
		b.fail(a[1].at, "%d indices for the %d dimensions of buffer %s", len(idx), len(buf.Shape), buf.Name)
	}
	return buf, idx
}

// rangeNode is T.Range(begin, end), which stands for a domain.
func rangeNode(b *builder, c *call) any {
	a := b.named(c, []string{"begin", "end"}, 2)
	return []any{a[0].val, a[1].val}
}

// ffiKernel is T.call_ffi_kernel(symbol, …, launch_params=[tags]): the tags, which
// say what the last arguments are, become a list at the end.
func ffiKernel(b *builder, c *call) any {
	t := dtype.Int32
	if a, ok := c.kw["ret_ty"]; ok {
		t = b.dtypeArg(a)
		delete(c.kw, "ret_ty")
	}
	tags, ok := c.kw["launch_params"]
	list, isList := tags.val.([]any)
	if !ok || !isList {
		b.fail(c.at, "%s needs launch_params, a list of texts", c.name)
	}
	delete(c.kw, "launch_params")
	launch := &tir.Call{Op: tir.LaunchParams, Type: dtype.VoidType}
	for _, v := range list {
		launch.Args = append(launch.Args, &tir.StringImm{Value: b.stringArg(arg{tags.at, v})})
	}
	args := b.exprs(b.positional(c, 1, 1<<10))
	return &tir.Call{Op: "call_ffi_kernel", Args: append(args, launch), Type: t}
}

// packed is T.call_packed and its kin, which pass whole buffers as arrays.
func packed(op string) func(b *builder, c *call) any {
	return func(b *builder, c *call) any {
		args := b.positional(c, 0, 1<<10)
		out := make([]tir.Expr, len(args))
		for i, a := range args {
			if buf, ok := a.val.(*tir.Buffer); ok {
				out[i] = asArray(buf)
			} else {
				out[i] = b.vector(a)
			}
		}
		return &tir.Call{Op: op, Args: out, Type: dtype.Int32}
	}
}

// asArray describes a buffer to a function outside.
func asArray(buf *tir.Buffer) tir.Expr {
	shape := func(dims []tir.Expr) tir.Expr {
		if len(dims) == 0 {
			return tir.Int(0)
		}
		return &tir.Call{Op: "tvm_stack_make_shape", Args: dims, Type: dtype.HandleType}
	}
	return &tir.Call{Op: "tvm_stack_make_array", Type: dtype.HandleType, Args: []tir.Expr{&tir.BufferRef{Buffer: buf}, shape(buf.Shape),
		shape(buf.Strides), tir.Int(int64(len(buf.Shape))), tir.Const(0, buf.Type), offsetOf(buf)}}
}

// byteOffset is T.ptr_byte_offset(pointer, bytes, dtype).
func byteOffset(b *builder, c *call) any {
	a := b.named(c, []string{"ptr", "byte_offset", "dtype"}, 3)
	if _, text := a[2].val.(string); text {
		a[2].val = &tir.Call{Op: "type_annotation", Type: b.dtypeArg(a[2])}
	}
	return &tir.Call{Op: "ptr_byte_offset", Args: b.exprs(a), Type: dtype.HandleType}
}

// globalInfo is I.vdevice(target, id, scope) or I.dummy_global_info().
func (b *builder) globalInfo(kind string, n *callNode) tir.GlobalInfo {
	c := &call{at: n.p, name: "I." + kind}
	b.arguments(c, n)
	if kind != "vdevice" {
		b.positional(c, 0, 0)
		return tir.GlobalInfo{Kind: kind}
	}
	a := append(b.named(c, []string{"target", "vdevice_id", "memory_scope"}, 1), arg{n.p, int64(0)}, arg{n.p, "global"})
	if len(a) == 4 { // the id is given
		a[2] = a[3]
	}
	target := b.plain(a[0].val, a[0].at)
	if t, ok := target.(tir.Target); ok {
		target = t.Config
	}
	return tir.GlobalInfo{Kind: kind, Args: []any{target, b.intArg(a[1]), b.stringArg(a[2])}}
}
