package tvmscript

import (
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// accessPtr is A.access_ptr("r"): a pointer into the buffer, and how much of it
// is read ("r", 1) or written ("w", 2).
func (b *builder) accessPtr(buf *tir.Buffer, c *call) tir.Expr {
	a := map[string]arg{}
	for i, name := range []string{"access_mask", "ptr_type", "content_lanes", "offset", "extent"} {
		if v, ok := c.kw[name]; ok {
			a[name] = v
			delete(c.kw, name)
		} else if i < len(c.args) {
			a[name] = c.args[i]
		}
	}
	for k, v := range c.kw {
		b.fail(v.at, "access_ptr has no argument %s", k)
	}
	elem, offset, extent := buf.Type, offsetOf(buf), elements(buf)
	if v, ok := a["offset"]; ok {
		o := b.indexExpr(v.val, v.at)
		offset, extent = tir.Add(offset, o), tir.Sub(extent, o)
	}
	if v, ok := a["content_lanes"]; ok {
		if lanes := b.intArg(v); lanes > 1 && lanes <= 1<<10 {
			n := tir.IntOf(lanes, dtype.Int32)
			elem = elem.WithLanes(int(lanes))
			offset, extent = tir.Div(offset, n), tir.Div(extent, n)
		}
	}
	if v, ok := a["extent"]; ok && v.val != nil {
		extent = b.indexExpr(v.val, v.at)
	}
	args := []tir.Expr{&tir.Call{Op: "type_annotation", Type: elem}, &tir.BufferRef{Buffer: buf}, offset, extent, tir.Int(b.accessMask(c, a))}
	return &tir.Call{Op: "tvm_access_ptr", Args: args, Type: dtype.HandleType}
}

func (b *builder) accessMask(c *call, a map[string]arg) int64 {
	mask := int64(0)
	switch m := a["access_mask"].val.(type) {
	case int64:
		mask = m
	case string:
		for _, r := range m {
			i := strings.IndexRune("rw", r)
			if i < 0 {
				b.fail(c.at, "access_ptr reads (\"r\") or writes (\"w\"), not %q", m)
			}
			mask |= 1 << i
		}
	}
	if mask < 1 || mask > 3 {
		b.fail(c.at, "access_ptr takes \"r\", \"w\" or \"rw\"")
	}
	return mask
}

// offsetOf is the element offset of a buffer.
func offsetOf(buf *tir.Buffer) tir.Expr {
	if buf.ElemOffset == nil {
		return tir.IntOf(0, buf.OffsetType())
	}
	return buf.ElemOffset
}

// elements is the number of elements from the first to behind the last.
func elements(buf *tir.Buffer) tir.Expr {
	if len(buf.Strides) > 0 && len(buf.Shape) > 0 {
		return tir.Mul(buf.Strides[0], buf.Shape[0])
	}
	size := tir.Expr(tir.Int(1))
	for _, n := range buf.Shape {
		size = tir.Mul(size, n)
	}
	return size
}

// vectorLoad is A.vload(indices, "float32x4"): a load of as many lanes from
// there.
func (b *builder) vectorLoad(buf *tir.Buffer, c *call) tir.Expr {
	a := b.named(c, []string{"begin", "dtype"}, 1)
	idx := b.dims(a[0], "an index")
	t := buf.Type
	if len(a) > 1 && a[1].val != nil {
		t = b.dtypeArg(a[1])
	}
	lanes := int(t.Lanes) / int(max(buf.Type.Lanes, 1))
	if t.Element() != buf.Type.Element() || len(idx) != len(buf.Shape) || lanes < 1 || len(idx) == 0 && lanes > 1 {
		b.fail(c.at, "a load of %s from the %d dimensions of %s, which holds %s", t, len(buf.Shape), buf.Name, buf.Type)
	}
	if last := len(idx) - 1; lanes > 1 {
		idx[last] = &tir.Ramp{Base: idx[last], Stride: tir.IntOf(1, idx[last].DType()), Lanes: lanes}
	}
	return &tir.Load{Buffer: buf, Indices: idx}
}

// view is A.view(16, 8): the same elements in another shape.
func (b *builder) view(buf *tir.Buffer, c *call) *tir.Buffer {
	out := *buf
	out.Shape = nil
	for _, a := range b.positional(c, 1, 32) {
		out.Shape = append(out.Shape, b.dims(a, "a dimension")...)
	}
	b.emit(&tir.DeclBuffer{Buffer: &out, Data: &tir.BufferRef{Buffer: buf}})
	return &out
}
