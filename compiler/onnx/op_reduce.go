package onnx

import (
	"math"

	"hone/compiler/graph"
)

func init() {
	for onnx, op := range map[string]string{
		"ReduceSum": "reduce_sum", "ReduceMean": "reduce_mean", "ReduceMax": "reduce_max", "ReduceMin": "reduce_min",
		"ReduceProd": "reduce_prod", "ReduceL1": "reduce_l1", "ReduceL2": "reduce_l2", "ReduceSumSquare": "reduce_sum_square",
	} {
		since := int64(18) // when the axes became an operand
		if onnx == "ReduceSum" {
			since = 13
		}
		register(onnx, 1, func(c *opCtx) { c.result(c.reduce(op, c.input(0), c.attrInts("axes"), false)) })
		register(onnx, since, func(c *opCtx) {
			c.result(c.reduce(op, c.input(0), c.optionalInts(1, "axes"), c.attrInt("noop_with_empty_axes", 0) != 0))
		})
	}
	register("ReduceLogSum", 1, func(c *opCtx) {
		c.result(c.emit("log", nil, c.reduce("reduce_sum", c.input(0), c.reduceAxes(), false)))
	})
	register("ReduceLogSumExp", 1, importLogSumExp)
	for onnx, op := range map[string]string{"ArgMax": "argmax", "ArgMin": "argmin"} {
		register(onnx, 1, func(c *opCtx) {
			c.result(c.emit(op, graph.A("axis", c.axis(c.attrInt("axis", 0), len(c.shape(c.input(0)))),
				"keepdims", c.attrInt("keepdims", 1) != 0, "last", c.attrInt("select_last_index", 0) != 0), c.input(0)))
		})
	}
	for onnx, op := range map[string]string{"Softmax": "softmax", "LogSoftmax": "log_softmax"} {
		register(onnx, 1, func(c *opCtx) { c.flatSoftmax(op) })
		register(onnx, 13, func(c *opCtx) {
			x := c.input(0)
			c.result(c.emit(op, graph.A("axis", c.axis(c.attrInt("axis", -1), len(c.shape(x)))), x))
		})
	}
}

// reduceAxes reads the axes wherever this opset keeps them.
func (c *opCtx) reduceAxes() []int64 {
	if c.opset >= 18 {
		return c.optionalInts(1, "axes")
	}
	return c.attrInts("axes")
}

// reduce folds over axes; none means all of them, or no reduction with noop.
func (c *opCtx) reduce(op string, x graph.ValueID, axes []int64, noop bool) graph.ValueID {
	rank := len(c.shape(x))
	if len(axes) == 0 && noop {
		return x
	}
	if len(axes) == 0 {
		for d := range rank {
			axes = append(axes, int64(d))
		}
	}
	return c.emit(op, graph.A("axes", c.axes(axes, rank), "keepdims", c.attrInt("keepdims", 1) != 0), x)
}

// importLogSumExp shifts by the maximum, so that no exponential overflows.
func importLogSumExp(c *opCtx) {
	x, axes := c.input(0), c.reduceAxes()
	if len(axes) == 0 {
		for d := range c.shape(x) {
			axes = append(axes, int64(d))
		}
	}
	norm := c.axes(axes, len(c.shape(x)))
	peak := c.emit("reduce_max", graph.A("axes", norm, "keepdims", true), x)
	peak = c.emit("clip", graph.A("max", math.MaxFloat32, "min", -math.MaxFloat32), peak)
	keep := graph.A("axes", norm, "keepdims", true)
	sum := c.emit("reduce_sum", keep, c.emit("exp", nil, c.emit("sub", nil, x, peak)))
	y := c.emit("add", nil, c.emit("log", nil, sum), peak)
	if c.attrInt("keepdims", 1) == 0 {
		shape := []int64{}
		for d, n := range c.shape(x) {
			dropped := false
			for _, a := range norm {
				dropped = dropped || a == int64(d)
			}
			if !dropped {
				shape = append(shape, n)
			}
		}
		y = c.reshape(y, shape)
	}
	c.result(y)
}

// flatSoftmax is the form before opset 13: over all dimensions from axis on.
func (c *opCtx) flatSoftmax(op string) {
	x := c.input(0)
	shape := c.shape(x)
	axis := int64(c.axis(c.attrInt("axis", 1), max(len(shape), 1)))
	if c.err != nil {
		return
	}
	if product(shape[axis:]) == shape[len(shape)-1] && axis < int64(len(shape)) {
		c.result(c.emit(op, graph.A("axis", len(shape)-1), x))
		return
	}
	flat := c.reshape(x, []int64{product(shape[:axis]), product(shape[axis:])})
	c.result(c.reshape(c.emit(op, graph.A("axis", 1), flat), shape))
}
