package onnx

import (
	"math"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
)

func init() {
	register("Concat", 1, func(c *opCtx) { c.concat(c.attrInt("axis", 1)) })
	register("Concat", 4, func(c *opCtx) { c.concat(c.attrInt("axis", math.MaxInt32)) })
	register("Split", 1, func(c *opCtx) { c.split(c.splitSizes(c.attrInts("split"))) })
	register("Split", 13, func(c *opCtx) { c.split(c.splitSizes(c.optionalInts(1, "sizes"))) })
	register("Slice", 1, func(c *opCtx) { c.slice(c.attrInts("starts"), c.attrInts("ends"), c.attrInts("axes"), nil) })
	register("Slice", 10, func(c *opCtx) {
		c.slice(c.constInts(1, "starts"), c.constInts(2, "ends"), c.optionalInts(3, "axes"), c.optionalInts(4, "steps"))
	})
	register("Gather", 1, importGather)
	register("GatherElements", 11, func(c *opCtx) {
		c.result(c.emit("gather_elements", graph.A("axis", c.axis(c.attrInt("axis", 0), len(c.shape(c.input(0))))), c.input(0), c.input(1)))
	})
	register("Pad", 1, func(c *opCtx) {
		pads := c.attrInts("pads")
		if pads == nil {
			pads = c.attrInts("paddings")
		}
		c.pad(pads, c.attrFloat("value", 0))
	})
	register("Pad", 11, importPad)
	register("Trilu", 14, func(c *opCtx) {
		k := int64(0)
		if ks := c.optionalInts(1, "diagonal"); len(ks) == 1 {
			k = ks[0]
		}
		c.result(c.emit("trilu", graph.A("k", k, "upper", c.attrInt("upper", 1) != 0), c.input(0)))
	})
	register("CumSum", 11, func(c *opCtx) {
		axis := c.constInts(1, "axis")
		if len(axis) != 1 {
			c.fail("the axis must be one number")
			return
		}
		c.result(c.emit("cumsum", graph.A("axis", c.axis(axis[0], len(c.shape(c.input(0)))),
			"exclusive", c.attrInt("exclusive", 0) != 0, "reverse", c.attrInt("reverse", 0) != 0), c.input(0)))
	})
}

func (c *opCtx) concat(axis int64) {
	in := c.inputs()
	if len(in) == 1 && c.err == nil {
		c.result(in[0])
		return
	}
	c.result(c.emit("concat", graph.A("axis", c.axis(axis, len(c.shape(c.input(0))))), in...))
}

// splitSizes completes the sizes of a split: equal parts when none are given,
// a smaller last one where that does not divide.
func (c *opCtx) splitSizes(sizes []int64) (axis int, parts []int64) {
	shape := c.shape(c.input(0))
	axis = c.axis(c.attrInt("axis", 0), len(shape))
	if c.err != nil || sizes != nil {
		return axis, sizes
	}
	n, k := shape[axis], int64(len(c.n.Outputs))
	each := (n + k - 1) / k
	for range k {
		p := min(each, n)
		parts = append(parts, p)
		n -= p
	}
	return axis, parts
}

func (c *opCtx) split(axis int, sizes []int64) {
	x := c.input(0)
	if c.err != nil {
		return
	}
	shape := c.shape(x)
	total := int64(0)
	for _, n := range sizes {
		if n < 0 || n > maxDim {
			c.fail("%v are not sizes", sizes)
			return
		}
		total += n
	}
	if total != shape[axis] || len(sizes) != len(c.n.Outputs) {
		c.fail("sizes %v do not split dimension %d of %v into %d", sizes, axis, shape, len(c.n.Outputs))
		return
	}
	at := int64(0)
	var outs []graph.ValueID
	for _, n := range sizes {
		starts, part := repeat(0, len(shape)), slices.Clone(shape)
		starts[axis], part[axis] = at, n
		outs = append(outs, c.emitSlice(x, starts, part, repeat(1, len(shape))))
		at += n
	}
	c.result(outs...)
}

func (c *opCtx) emitSlice(x graph.ValueID, starts, sizes, steps []int64) graph.ValueID {
	if c.err == nil && slices.Equal(sizes, c.shape(x)) && !slices.ContainsFunc(steps, func(s int64) bool { return s != 1 }) {
		return x
	}
	return c.emit("slice", graph.A("sizes", sizes, "starts", starts, "steps", steps), x)
}

// slice normalises ONNX's forgiving starts and ends.
func (c *opCtx) slice(starts, ends, axes, steps []int64) {
	x := c.input(0)
	if c.err != nil {
		return
	}
	shape := c.shape(x)
	if axes == nil {
		for d := range starts {
			axes = append(axes, int64(d))
		}
	}
	if steps == nil {
		steps = repeat(1, len(starts))
	}
	if len(ends) != len(starts) || len(axes) != len(starts) || len(steps) != len(starts) {
		c.fail("starts %v, ends %v, axes %v and steps %v differ in length", starts, ends, axes, steps)
		return
	}
	at, sizes, by := repeat(0, len(shape)), slices.Clone(shape), repeat(1, len(shape))
	for i, a := range axes {
		d := c.axis(a, len(shape))
		if c.err != nil {
			return
		}
		if steps[i] == 0 {
			c.fail("step %d is 0", i)
			return
		}
		at[d], sizes[d], by[d] = sliceRange(starts[i], ends[i], steps[i], shape[d])
	}
	c.result(c.emitSlice(x, at, sizes, by))
}

// sliceRange is Python's slice(start, end, step).indices(n), as first element,
// number of elements and step.
func sliceRange(start, end, step, n int64) (first, size, by int64) {
	step = min(max(step, -maxDim), maxDim)
	clamp := func(v int64) int64 {
		if v < 0 {
			v = max(v, -maxDim-1) + n
		}
		if step > 0 {
			return min(max(v, 0), n)
		}
		return min(max(v, -1), n-1)
	}
	s, e := clamp(start), clamp(end)
	switch {
	case step > 0 && e > s:
		size = (e - s + step - 1) / step
	case step < 0 && e < s:
		size = (s - e - step - 1) / -step
	}
	if size == 0 {
		return 0, 0, 1
	}
	return s, size, step
}

func importGather(c *opCtx) {
	x, idx := c.input(0), c.input(1)
	rank := len(c.shape(x))
	axis := c.axis(c.attrInt("axis", 0), rank)
	if c.err != nil {
		return
	}
	// One constant position is a slice, which fuses and needs no table.
	if t := c.im.g.Const(idx); t != nil && t.Len() == 1 && t.Type.IsInt() && c.im.g.Const(x) == nil {
		shape := c.shape(x)
		k := t.Int(0)
		if k < 0 {
			k += shape[axis]
		}
		if k < 0 || k >= shape[axis] {
			c.fail("index %d is outside dimension %d of %v", t.Int(0), axis, shape)
			return
		}
		starts, sizes := repeat(0, rank), slices.Clone(shape)
		starts[axis], sizes[axis] = k, 1
		v := c.emitSlice(x, starts, sizes, repeat(1, rank))
		c.result(c.reshape(v, slices.Concat(shape[:axis], t.Shape, shape[axis+1:])))
		return
	}
	c.result(c.emit("gather", graph.A("axis", axis), x, idx))
}

func importPad(c *opCtx) {
	rank := len(c.shape(c.input(0)))
	pads, value := c.constInts(1, "pads"), 0.0
	if c.has(2) {
		if v := c.constFloats(2, "fill value"); len(v) == 1 {
			value = v[0]
		} else if len(v) > 1 {
			c.fail("the fill value has %d elements", len(v))
		}
	}
	if axes := c.optionalInts(3, "axes"); axes != nil {
		full := repeat(0, 2*rank)
		if len(pads) != 2*len(axes) {
			c.fail("%d pads for %d axes", len(pads), len(axes))
			return
		}
		for i, a := range axes {
			d := c.axis(a, rank)
			if c.err != nil {
				return
			}
			full[d], full[rank+d] = pads[i], pads[len(axes)+i]
		}
		pads = full
	}
	c.pad(pads, value)
}

func (c *opCtx) pad(pads []int64, value float64) {
	x := c.input(0)
	if c.err == nil && !slices.ContainsFunc(pads, func(p int64) bool { return p != 0 }) && len(pads) == 2*len(c.shape(x)) {
		c.result(x)
		return
	}
	if c.typ(x).Elem == dtype.BoolType {
		c.fail("is not supported on bool")
		return
	}
	c.result(c.emit("pad", graph.A("mode", c.attrStr("mode", "constant"), "pads", append([]int64{}, pads...), "value", value), x))
}
