package onnx

import (
	"hone/compiler/dtype"
	"hone/compiler/graph"
)

func init() {
	register("Constant", 1, importConstant)
	register("ConstantOfShape", 9, importConstantOfShape)
	for _, op := range []string{"Identity", "Dropout"} {
		register(op, 1, importIdentity)
	}
	register("Cast", 1, importCastByName)
	register("Cast", 6, importCast)
	register("CastLike", 15, func(c *opCtx) { c.result(c.cast(c.input(0), c.typ(c.input(1)).Elem.String())) })
	register("Shape", 1, importShape)
	register("Size", 1, func(c *opCtx) { c.result(c.constant(dtype.FromInt64([]int64{c.typ(c.input(0)).Len()}))) })
	register("Range", 11, importRange)
	register("EyeLike", 9, importEyeLike)
}

func importConstant(c *opCtx) {
	for name, a := range c.n.Attrs {
		if a.Ref != "" {
			if a = c.sc.attrs[a.Ref]; a == nil {
				continue
			}
		}
		switch name {
		case "value":
			if a.T == nil {
				c.fail("its value is not a tensor")
				return
			}
			t, err := c.im.tensor(a.T, c.where)
			if err != nil {
				c.err = err
				return
			}
			c.result(c.constant(t))
		case "value_float":
			c.result(c.splat(float64(a.F), dtype.Float32))
		case "value_int":
			c.result(c.constant(dtype.FromInt64([]int64{a.I})))
		case "value_floats":
			c.result(c.constant(dtype.FromFloat32(a.Floats, int64(len(a.Floats)))))
		case "value_ints":
			c.result(c.constant(dtype.FromInt64(a.Ints, int64(len(a.Ints)))))
		default:
			c.fail("a constant by attribute %q is not supported", name)
		}
	}
	if len(c.out) == 0 {
		c.fail("it has no value")
	}
}

func importConstantOfShape(c *opCtx) {
	value := dtype.NewTensor(dtype.Float32)
	if a := c.attr("value", AttrTensor); a != nil && a.T != nil {
		t, err := c.im.tensor(a.T, c.where)
		if err != nil {
			c.err = err
			return
		}
		if t.Len() != 1 {
			c.fail("its value has %d elements, want one", t.Len())
			return
		}
		value = &dtype.Tensor{Type: t.Type, Shape: []int64{}, Data: t.Data}
	}
	c.fill(value, c.constInts(0, "shape"))
}

func (c *opCtx) fill(value *dtype.Tensor, shape []int64) {
	if c.err != nil {
		return
	}
	if _, err := c.im.limits.count(shape, c.where); err != nil {
		c.err = err
		return
	}
	c.result(c.emit("fill", graph.A("shape", append([]int64{}, shape...)), c.constant(value)))
}

// importIdentity also serves Dropout, which does nothing when inferring; its
// mask is all true.
func importIdentity(c *opCtx) {
	x := c.input(0)
	if c.n.Op == "Dropout" && len(c.in) > 2 && c.has(2) {
		if t := c.im.g.Const(c.in[2]); t == nil || t.Len() != 1 || t.Int(0) != 0 {
			c.fail("training mode is not supported")
			return
		}
	}
	if !c.wants(1) {
		c.result(x)
		return
	}
	mask := dtype.NewTensor(dtype.BoolType)
	mask.SetInt(0, 1)
	c.fill(mask, c.shape(x))
	if c.err == nil {
		c.result(x, c.out[0])
	}
}

func (c *opCtx) cast(v graph.ValueID, to string) graph.ValueID {
	if c.err == nil && c.typ(v).Elem.String() == to {
		return v
	}
	return c.emit("cast", graph.A("to", to), v)
}

func importCast(c *opCtx) {
	t, err := elementType(int32(c.attrInt("to", 0)), c.where)
	if err != nil {
		c.err = err
		return
	}
	c.result(c.cast(c.input(0), t.String()))
}

var castNames = map[string]int64{
	"FLOAT": 1, "UINT8": 2, "INT8": 3, "UINT16": 4, "INT16": 5, "INT32": 6, "INT64": 7, "BOOL": 9, "FLOAT16": 10, "DOUBLE": 11, "UINT32": 12, "UINT64": 13,
}

func importCastByName(c *opCtx) {
	name := c.attrStr("to", "")
	code, ok := castNames[name]
	if !ok {
		c.fail("unknown element type %q", name)
		return
	}
	c.result(c.cast(c.input(0), elementTypes[int32(code)].String()))
}

func importShape(c *opCtx) {
	shape := c.shape(c.input(0))
	rank := int64(len(shape))
	bound := func(v int64) int64 {
		if v < 0 {
			v += rank
		}
		return min(max(v, 0), rank)
	}
	start, end := bound(c.attrInt("start", 0)), bound(c.attrInt("end", rank))
	shape = shape[start:max(start, end)]
	c.result(c.constant(dtype.FromInt64(shape, int64(len(shape)))))
}

func importRange(c *opCtx) {
	start, limit, delta := c.constOf(0, "start"), c.constOf(1, "limit"), c.constOf(2, "delta")
	if c.err != nil {
		return
	}
	for _, t := range []*dtype.Tensor{start, limit, delta} {
		if t.Len() != 1 || t.Type != start.Type {
			c.fail("start, limit and delta must be single numbers of one type")
			return
		}
	}
	n := rangeLength(start, limit, delta)
	if n < 0 || n > c.im.limits.FoldBytes/8 {
		c.fail("a range from %g to %g by %g is not supported", start.Float(0), limit.Float(0), delta.Float(0))
		return
	}
	t := dtype.NewTensor(start.Type, n)
	for i := range int(n) {
		if t.Type.IsFloat() {
			t.SetFloat(i, start.Float(0)+float64(i)*delta.Float(0))
		} else {
			t.SetInt(i, start.Int(0)+int64(i)*delta.Int(0))
		}
	}
	c.result(c.constant(t))
}

// rangeLength is ⌈(limit−start)/delta⌉, at least 0; -1 when there is none.
func rangeLength(start, limit, delta *dtype.Tensor) int64 {
	d := delta.Float(0)
	n := (limit.Float(0) - start.Float(0)) / d
	if d == 0 || n != n || n > 1<<40 {
		return -1
	}
	k := int64(n)
	if float64(k) < n {
		k++
	}
	return max(k, 0)
}

func importEyeLike(c *opCtx) {
	t := c.typ(c.input(0))
	if code := c.attrInt("dtype", 0); code != 0 {
		elem, err := elementType(int32(code), c.where)
		if err != nil {
			c.err = err
			return
		}
		t.Elem = elem
	}
	if t.Rank() != 2 || t.Len() > c.im.limits.FoldBytes/8 {
		c.fail("is not supported on %s", t)
		return
	}
	x := dtype.NewTensor(t.Elem, t.Shape...)
	k := c.attrInt("k", 0)
	for i := range t.Shape[0] {
		if j := i + k; k > -maxDim && k < maxDim && j >= 0 && j < t.Shape[1] {
			x.SetInt(int(i*t.Shape[1]+j), 1)
		}
	}
	c.result(c.constant(x))
}
