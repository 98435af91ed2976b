package onnx

import (
	"hone/compiler/graph"
)

func init() {
	register("MaxPool", 1, func(c *opCtx) { c.pool("max_pool") })
	register("AveragePool", 1, func(c *opCtx) { c.pool("avg_pool") })
	register("GlobalAveragePool", 1, func(c *opCtx) { c.globalPool("reduce_mean") })
	register("GlobalMaxPool", 1, func(c *opCtx) { c.globalPool("reduce_max") })
}

func (c *opCtx) pool(op string) {
	if c.wants(1) {
		c.fail("the indices of a pooling are not supported")
		return
	}
	n := c.spatial()
	kernel := c.attrInts("kernel_shape")
	if c.err == nil && len(kernel) != n {
		c.fail("kernel_shape %v does not fit %s", kernel, c.typ(c.in[0]))
		return
	}
	st, dil, pads := c.window(n, kernel)
	attrs := graph.A("ceil_mode", c.attrInt("ceil_mode", 0) != 0, "dilations", dil, "kernel", append([]int64{}, kernel...), "pads", pads, "strides", st)
	if op == "avg_pool" {
		attrs = attrs.With("count_include_pad", c.attrInt("count_include_pad", 0) != 0)
	}
	c.result(c.emit(op, attrs, c.input(0)))
}

func (c *opCtx) globalPool(op string) {
	n := c.spatial()
	axes := make([]int64, n)
	for i := range axes {
		axes[i] = int64(i + 2)
	}
	c.result(c.emit(op, graph.A("axes", axes, "keepdims", true), c.input(0)))
}
