package onnx

import (
	"math"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
)

// The quantised operators are spelled out in what they mean: a number q of a
// quantised tensor stands for scale · (q − zero point). Passes see plain
// arithmetic, and the constants among it fold away.

func init() {
	register("QuantizeLinear", 10, func(c *opCtx) { c.result(c.quantize(c.input(0), 1, 2)) })
	register("DequantizeLinear", 10, func(c *opCtx) { c.result(c.dequantize()) })
	register("DynamicQuantizeLinear", 11, importDynamicQuantize)
	register("ConvInteger", 10, importConvInteger)
	register("MatMulInteger", 10, func(c *opCtx) {
		c.result(c.product(c.centred(0, 2, -2), c.centred(1, 3, -1)))
	})
	register("QLinearConv", 10, importQLinearConv)
	register("QLinearMatMul", 10, func(c *opCtx) {
		y := c.product(c.centred(0, 2, -2), c.centred(3, 5, -1))
		rank := len(c.shape(y))
		scale := c.emit("mul", nil, c.along(c.input(1), -2, rank), c.along(c.input(4), -1, rank))
		c.result(c.requantize(y, scale, 6, 7))
	})
}

// along reshapes a parameter of one value per index of an axis, so that it
// broadcasts over a value of that rank; scalars stay.
func (c *opCtx) along(p graph.ValueID, axis, rank int) graph.ValueID {
	own := c.shape(p)
	if c.err != nil || len(own) != 1 {
		return p
	}
	if axis < 0 {
		axis += rank
	}
	if own[0] == 1 || axis < 0 || axis >= rank {
		return c.reshape(p, []int64{})
	}
	shape := repeat(1, rank)
	shape[axis] = own[0]
	return c.reshape(p, shape)
}

// perBlock brings scale or zero point p of x, operand 0, to a shape that
// broadcasts over x: one value, one per index of the axis, or one per block of
// the axis.
func (c *opCtx) perBlock(p graph.ValueID) graph.ValueID {
	x, own := c.shape(c.input(0)), slices.Clone(c.shape(p))
	size := c.attrInt("block_size", 0)
	if len(own) == 0 || len(own) == 1 && own[0] == 1 {
		return c.along(p, 0, len(x))
	}
	axis := c.axis(c.attrInt("axis", 1), len(x))
	if c.err != nil {
		return p
	}
	if size == 0 {
		if len(own) != 1 || own[0] != x[axis] {
			c.fail("scales or zero points %v do not fit dimension %d of %v", own, axis, x)
		}
		return c.along(p, axis, len(x))
	}
	if len(own) != len(x) || size < 1 || size > maxDim || own[axis] != (x[axis]+size-1)/size {
		c.fail("scales or zero points %v for blocks of %d do not fit dimension %d of %v", own, size, axis, x)
		return p
	}
	p = c.reshape(p, slices.Insert(slices.Clone(own), axis+1, 1))
	p = c.emit("expand", graph.A("shape", slices.Insert(slices.Clone(own), axis+1, size)), p)
	own[axis] *= size
	p = c.reshape(p, own)
	sizes := slices.Clone(own)
	sizes[axis] = x[axis]
	return c.emitSlice(p, repeat(0, len(x)), sizes, repeat(1, len(x)))
}

// quantizable accepts the integers that values are quantised to.
func (c *opCtx) quantizable(t dtype.DType) {
	if !t.IsInt() || t.Bits != 8 && t.Bits != 16 {
		c.fail("quantisation with %s is not supported", t)
	}
}

// quantize is round(x / scale) + zero point, cut to what its type holds. scale and
// zero point are operands of those numbers; the second may be absent.
func (c *opCtx) quantize(x graph.ValueID, scale, zero int) graph.ValueID {
	to := dtype.UInt8
	if t := c.attrInt("output_dtype", 0); t != 0 {
		var err error
		if to, err = elementType(int32(t), c.where); err != nil {
			c.err = err
			return graph.NoValue
		}
	}
	s := c.perBlock(c.cast(c.input(scale), "float32"))
	v := c.emit("round", nil, c.emit("div", nil, c.cast(x, "float32"), s))
	if c.has(zero) {
		to = c.typ(c.in[zero]).Elem
		v = c.plus(v, c.perBlock(c.in[zero]))
	}
	return c.saturate(v, to)
}

// plus adds the integers of a zero point to a float32 value.
func (c *opCtx) plus(v, zero graph.ValueID) graph.ValueID {
	if c.isZero(zero) {
		return v
	}
	return c.emit("add", nil, v, c.cast(zero, "float32"))
}

// isZero reports whether v is known to be zero everywhere.
func (c *opCtx) isZero(v graph.ValueID) bool {
	if c.err != nil || v == graph.NoValue {
		return false
	}
	t := c.im.g.Const(v)
	for i := 0; t != nil && i < t.Len(); i++ {
		if t.Float(i) != 0 {
			return false
		}
	}
	return t != nil
}

// saturate casts integers in a float32 value to an integer type, cut to what it
// holds.
func (c *opCtx) saturate(v graph.ValueID, to dtype.DType) graph.ValueID {
	c.quantizable(to)
	lo, hi := 0.0, math.Exp2(float64(to.Bits))-1
	if to.IsSigned() {
		lo, hi = -math.Exp2(float64(to.Bits-1)), math.Exp2(float64(to.Bits-1))-1
	}
	return c.cast(c.emit("clip", graph.A("max", hi, "min", lo), v), to.String())
}

// dequantize is (x − zero point) · scale.
func (c *opCtx) dequantize() graph.ValueID {
	x, scale := c.input(0), c.input(1)
	to := c.typ(scale).Elem.String()
	if t := c.typ(x).Elem; t != dtype.Int32 {
		c.quantizable(t)
	}
	if c.has(2) && !c.isZero(c.in[2]) {
		via := "float32" // holds integers of 16 bits and their differences
		if c.typ(x).Elem == dtype.Int32 {
			via = "int32"
		}
		x = c.emit("sub", nil, c.castWeights(x, via), c.cast(c.perBlock(c.in[2]), via))
	}
	return c.emit("mul", nil, c.castWeights(x, to), c.perBlock(scale))
}

// castWeights is cast, which leaves weights of bytes as they are for the graph pass
// that multiplies bytes: the first of the passes that fold constants does the rest.
func (c *opCtx) castWeights(x graph.ValueID, to string) graph.ValueID {
	t := c.typ(x)
	if c.err != nil || t.Elem.Bits != 8 || t.Rank() < 2 {
		return c.cast(x, to)
	}
	return c.im.g.Add1("cast", c.name(), graph.A("to", to), x)
}

// centred is operand i less its zero point, operand zero, in int32; a zero point of
// more than one value counts the given axis.
func (c *opCtx) centred(i, zero, axis int) graph.ValueID {
	x := c.input(i)
	c.quantizable(c.typ(x).Elem)
	rank := len(c.shape(x))
	x = c.cast(x, "int32")
	if !c.has(zero) || c.isZero(c.in[zero]) {
		return x
	}
	return c.emit("sub", nil, x, c.cast(c.along(c.in[zero], axis, rank), "int32"))
}

// convInt32 convolves operand x with operand w of int32 values; b is an operand of
// its bias, or absent. Padding is of zeros, which stand for the zero point.
func (c *opCtx) convInt32(x, w graph.ValueID, b int) graph.ValueID {
	n := c.spatial()
	strides, dilations, pads := c.window(n, c.kernelOf(w, n))
	in := []graph.ValueID{x, w}
	if c.has(b) {
		in = append(in, c.in[b])
	}
	return c.emit("conv", graph.A("dilations", dilations, "group", c.attrInt("group", 1), "pads", pads, "strides", strides), in...)
}

func importConvInteger(c *opCtx) {
	c.result(c.convInt32(c.centred(0, 2, 1), c.centred(1, 3, 0), len(c.in)))
}

func importQLinearConv(c *opCtx) {
	y := c.convInt32(c.centred(0, 2, 1), c.centred(3, 5, 0), 8)
	scale := c.emit("mul", nil, c.along(c.input(1), 1, len(c.shape(y))), c.along(c.input(4), 1, len(c.shape(y))))
	c.result(c.requantize(y, scale, 6, 7))
}

// requantize brings int32 values of the given scale to the scale and zero point that
// two operands state.
func (c *opCtx) requantize(y, scale graph.ValueID, to, zero int) graph.ValueID {
	rank := len(c.shape(y))
	by := c.emit("div", nil, scale, c.along(c.input(to), 1, rank))
	v := c.emit("round", nil, c.emit("mul", nil, c.cast(y, "float32"), by))
	return c.saturate(c.plus(v, c.along(c.input(zero), 1, rank)), c.typ(c.input(zero)).Elem)
}

// importDynamicQuantize finds scale and zero point for uint8 from the range of the
// values, which always takes 0 in. Where all are 0, any scale does: ONNX Runtime's is 1.
func importDynamicQuantize(c *opCtx) {
	x := c.input(0)
	var axes []int64
	for d := range c.shape(x) {
		axes = append(axes, int64(d))
	}
	all := graph.A("axes", axes, "keepdims", false)
	zero := c.splat(0, dtype.Float32)
	lo := c.emit("min", nil, c.emit("reduce_min", all, x), zero)
	hi := c.emit("max", nil, c.emit("reduce_max", all, x), zero)
	scale := c.emit("div", nil, c.emit("sub", nil, hi, lo), c.splat(255, dtype.Float32))
	scale = c.emit("where", nil, c.emit("equal", nil, lo, hi), c.splat(1, dtype.Float32), scale)
	point := c.saturate(c.emit("round", nil, c.emit("div", nil, c.emit("neg", nil, lo), scale)), dtype.UInt8)
	v := c.emit("round", nil, c.emit("div", nil, x, scale))
	c.result(c.saturate(c.emit("add", nil, v, c.cast(point, "float32")), dtype.UInt8), scale, point)
}
