package onnx

import (
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
)

func init() {
	register("BatchNormalization", 1, importBatchNorm)
	register("LayerNormalization", 17, importLayerNorm)
	register("RMSNormalization", 23, func(c *opCtx) {
		x := c.input(0)
		c.result(c.emit("rms_norm", graph.A("axis", c.axis(c.attrInt("axis", -1), len(c.shape(x))), "epsilon", c.attrFloat("epsilon", 1e-5)), x, c.input(1)))
	})
	register("InstanceNormalization", 1, importInstanceNorm)
	register("LpNormalization", 1, importLpNorm)
}

func importBatchNorm(c *opCtx) {
	for i := 1; i < len(c.n.Outputs); i++ {
		if c.wants(i) {
			c.fail("training mode is not supported")
			return
		}
	}
	if c.attrInt("training_mode", 0) != 0 {
		c.fail("training mode is not supported")
		return
	}
	in := []graph.ValueID{c.input(0), c.input(1), c.input(2), c.input(3), c.input(4)}
	elem := c.typ(in[0]).Elem.String()
	for i := 1; i < 5; i++ {
		in[i] = c.cast(in[i], elem)
	}
	c.result(c.emit("batch_norm", graph.A("epsilon", c.attrFloat("epsilon", 1e-5)), in...))
}

// importLayerNorm also gives the mean and the reciprocal deviation when the
// model asks for them.
func importLayerNorm(c *opCtx) {
	x, scale := c.input(0), c.input(1)
	shape := c.shape(x)
	axis, eps := c.axis(c.attrInt("axis", -1), len(shape)), c.attrFloat("epsilon", 1e-5)
	if c.err != nil {
		return
	}
	in := []graph.ValueID{x, scale}
	if c.has(2) {
		in = append(in, c.in[2])
	}
	c.result(c.emit("layer_norm", graph.A("axis", axis, "epsilon", eps), in...))
	if !c.wants(1) && !c.wants(2) {
		return
	}
	var axes []int64
	for d := axis; d < len(shape); d++ {
		axes = append(axes, int64(d))
	}
	mean := c.emit("reduce_mean", graph.A("axes", axes, "keepdims", true), x)
	diff := c.emit("sub", nil, x, mean)
	variance := c.emit("reduce_mean", graph.A("axes", axes, "keepdims", true), c.emit("mul", nil, diff, diff))
	dev := c.emit("sqrt", nil, c.emit("add", nil, variance, c.splat(eps, c.typ(x).Elem)))
	c.result(c.out[0], mean, c.emit("reciprocal", nil, dev))
}

// importInstanceNorm normalises every channel of every image by itself: a layer
// norm over the spatial dimensions with unit scale, then scale and bias.
func importInstanceNorm(c *opCtx) {
	x, scale, bias := c.input(0), c.input(1), c.input(2)
	shape := c.shape(x)
	n := c.spatial()
	if c.err != nil {
		return
	}
	elem := c.typ(x).Elem
	ones := dtype.NewTensor(elem)
	ones.SetFloat(0, 1)
	y := c.emit("layer_norm", graph.A("axis", 2, "epsilon", c.attrFloat("epsilon", 1e-5)), x, c.constant(ones))
	perChannel := append([]int64{shape[1]}, repeat(1, n)...)
	y = c.emit("mul", nil, y, c.reshape(scale, perChannel))
	c.result(c.emit("add", nil, y, c.reshape(bias, slices.Clone(perChannel))))
}

func importLpNorm(c *opCtx) {
	x := c.input(0)
	axis, p := c.axis(c.attrInt("axis", -1), len(c.shape(x))), c.attrInt("p", 2)
	op := map[int64]string{1: "reduce_l1", 2: "reduce_l2"}[p]
	if op == "" {
		c.fail("p = %d is not supported", p)
		return
	}
	c.result(c.emit("div", nil, x, c.emit(op, graph.A("axes", []int{axis}, "keepdims", true), x)))
}
