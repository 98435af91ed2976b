package onnx

import (
	"slices"

	"hone/compiler/graph"
)

func init() {
	register("Conv", 1, importConv)
	register("ConvTranspose", 1, importConvTranspose)
}

// spatial is the number of spatial dimensions of operand 0.
func (c *opCtx) spatial() int {
	n := len(c.shape(c.input(0))) - 2
	if n < 1 && c.err == nil {
		c.fail("the operand %s has no spatial dimension", c.typ(c.in[0]))
	}
	return max(n, 1)
}

// window reads kernel_shape, strides, dilations and pads for n spatial
// dimensions, with auto_pad resolved against the extents of operand 0.
func (c *opCtx) window(n int, kernel []int64) (strides, dilations, pads []int64) {
	strides, dilations = c.listAttr("strides", n, 1), c.listAttr("dilations", n, 1)
	pads = c.listAttr("pads", 2*n, 0)
	if k := c.attrInts("kernel_shape"); k != nil && !slices.Equal(k, kernel) {
		c.fail("kernel_shape %v, but the weights are %v", k, kernel)
	}
	mode := c.attrStr("auto_pad", "NOTSET")
	if mode == "VALID" {
		pads = repeat(0, 2*n)
	}
	if c.err != nil || mode == "NOTSET" || mode == "VALID" || mode == "" {
		return strides, dilations, pads
	}
	in := c.shape(c.in[0])[2:]
	for d := range n {
		if strides[d] < 1 || dilations[d] < 1 || len(kernel) != n || max(strides[d], dilations[d], kernel[d]) > maxDim {
			c.fail("kernel %v, strides %v and dilations %v are not a window", kernel, strides, dilations)
			return strides, dilations, pads
		}
		out := (in[d] + strides[d] - 1) / strides[d]
		total := max((out-1)*strides[d]+(kernel[d]-1)*dilations[d]+1-in[d], 0)
		pads[d], pads[n+d] = total/2, total-total/2
		switch mode {
		case "SAME_UPPER":
		case "SAME_LOWER":
			pads[d], pads[n+d] = pads[n+d], pads[d]
		default:
			c.fail("unknown auto_pad %q", mode)
		}
	}
	return strides, dilations, pads
}

func (c *opCtx) kernelOf(w graph.ValueID, n int) []int64 {
	shape := c.shape(w)
	if len(shape) != n+2 {
		c.fail("the weights %v do not fit %v", shape, c.shape(c.input(0)))
		return repeat(1, n)
	}
	return shape[2:]
}

func importConv(c *opCtx) {
	n := c.spatial()
	w := c.input(1)
	st, dil, pads := c.window(n, c.kernelOf(w, n))
	in := []graph.ValueID{c.input(0), w}
	if c.has(2) {
		in = append(in, c.in[2])
	}
	c.result(c.emit("conv", graph.A("dilations", dil, "group", c.attrInt("group", 1), "pads", pads, "strides", st), in...))
}

// importConvTranspose turns output_padding and output_shape into the padding
// after, which may become negative.
func importConvTranspose(c *opCtx) {
	n := c.spatial()
	w := c.input(1)
	kernel := c.kernelOf(w, n)
	st, dil := c.listAttr("strides", n, 1), c.listAttr("dilations", n, 1)
	pads, extra := c.listAttr("pads", 2*n, 0), c.listAttr("output_padding", n, 0)
	shape, mode := c.attrInts("output_shape"), c.attrStr("auto_pad", "NOTSET")
	if c.err != nil {
		return
	}
	if len(shape) == n+2 {
		shape = shape[2:]
	}
	if shape != nil && len(shape) != n {
		c.fail("output_shape %v does not fit", shape)
		return
	}
	for d, in := range c.shape(c.in[0])[2:] {
		if max(st[d], dil[d], kernel[d], extra[d], pads[d], pads[n+d]) > 1<<24 || min(st[d], dil[d], extra[d]) < 0 {
			c.fail("strides %v, dilations %v, pads %v and output_padding %v are not a window", st, dil, pads, extra)
			return
		}
		full := st[d]*(in-1) + extra[d] + (kernel[d]-1)*dil[d] + 1
		if total := full; shape != nil || mode == "SAME_UPPER" || mode == "SAME_LOWER" {
			if shape != nil {
				total -= shape[d]
			} else {
				total -= in * st[d]
			}
			half := total / 2
			pads[d], pads[n+d] = half, total-half
			if mode != "SAME_UPPER" && mode != "NOTSET" {
				pads[d], pads[n+d] = total-half, half
			}
		}
		pads[n+d] -= extra[d]
	}
	in := []graph.ValueID{c.in[0], w}
	if c.has(2) {
		in = append(in, c.in[2])
	}
	c.result(c.emit("conv_transpose", graph.A("dilations", dil, "group", c.attrInt("group", 1), "pads", pads, "strides", st), in...))
}
