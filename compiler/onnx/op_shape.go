package onnx

import (
	"slices"

	"hone/compiler/graph"
)

func init() {
	register("Reshape", 1, func(c *opCtx) { c.onnxReshape(c.attrInts("shape")) })
	register("Reshape", 5, func(c *opCtx) { c.onnxReshape(c.constInts(1, "shape")) })
	register("Flatten", 1, importFlatten)
	register("Squeeze", 1, func(c *opCtx) { c.squeeze(c.attrInts("axes")) })
	register("Squeeze", 13, func(c *opCtx) { c.squeeze(c.optionalInts(1, "axes")) })
	register("Unsqueeze", 1, func(c *opCtx) { c.unsqueeze(c.attrInts("axes")) })
	register("Unsqueeze", 13, func(c *opCtx) { c.unsqueeze(c.constInts(1, "axes")) })
	register("Transpose", 1, importTranspose)
	register("Expand", 8, importExpand)
	register("Tile", 6, func(c *opCtx) {
		c.result(c.emit("tile", graph.A("repeats", c.constInts(1, "repeats")), c.input(0)))
	})
	register("DepthToSpace", 1, importDepthToSpace)
	register("SpaceToDepth", 1, importSpaceToDepth)
}

// optionalInts is constInts, nil when the operand is absent.
func (c *opCtx) optionalInts(i int, what string) []int64 {
	if !c.has(i) {
		return nil
	}
	return c.constInts(i, what)
}

// reshape views v in another shape of as many elements.
func (c *opCtx) reshape(v graph.ValueID, shape []int64) graph.ValueID {
	if c.err == nil && slices.Equal(c.shape(v), shape) {
		return v
	}
	return c.emit("reshape", graph.A("shape", append([]int64{}, shape...)), v)
}

// onnxReshape resolves 0 (keep, unless allowzero) and −1 (what is left).
func (c *opCtx) onnxReshape(target []int64) {
	x := c.input(0)
	if c.err != nil {
		return
	}
	in := c.typ(x)
	shape := slices.Clone(target)
	known, hole := int64(1), -1
	for i, d := range shape {
		switch {
		case d == 0 && c.attrInt("allowzero", 0) == 0:
			if i >= in.Rank() {
				c.fail("the shape %v keeps dimension %d of %s, which it does not have", target, i, in)
				return
			}
			shape[i] = in.Shape[i]
		case d == -1 && hole < 0:
			hole = i
			continue
		case d < 0 || d > maxDim:
			c.fail("%v is not a shape", target)
			return
		}
		known = satMul(known, shape[i])
	}
	if hole >= 0 {
		if known == 0 || in.Len()%known != 0 {
			c.fail("cannot view %s as %v: %d elements do not divide by %d", in, target, in.Len(), known)
			return
		}
		shape[hole] = in.Len() / known
	}
	c.result(c.reshape(x, shape))
}

func importFlatten(c *opCtx) {
	x := c.input(0)
	shape := c.shape(x)
	a := c.attrInt("axis", 1)
	if a < 0 {
		a += int64(len(shape))
	}
	if a < 0 || a > int64(len(shape)) {
		c.fail("axis %d is outside a tensor of rank %d", a, len(shape))
		return
	}
	c.result(c.reshape(x, []int64{product(shape[:a]), product(shape[a:])}))
}

func product(s []int64) int64 {
	n := int64(1)
	for _, d := range s {
		n = satMul(n, d)
	}
	return n
}

// squeeze drops axes of extent 1; nil means all of them.
func (c *opCtx) squeeze(axes []int64) {
	x := c.input(0)
	shape, out := c.shape(x), []int64{}
	drop := c.axes(axes, len(shape))
	for d, n := range shape {
		named := slices.Contains(drop, int64(d))
		if named && n != 1 {
			c.fail("dimension %d of %v is not 1", d, shape)
			return
		}
		if named || axes == nil && n == 1 {
			continue
		}
		out = append(out, n)
	}
	c.result(c.reshape(x, out))
}

func (c *opCtx) unsqueeze(axes []int64) {
	x := c.input(0)
	in := c.shape(x)
	at := c.axes(axes, len(in)+len(axes))
	if c.err != nil {
		return
	}
	out := make([]int64, 0, len(in)+len(at))
	for d := range len(in) + len(at) {
		if slices.Contains(at, int64(d)) {
			out = append(out, 1)
			continue
		}
		out, in = append(out, in[0]), in[1:]
	}
	c.result(c.reshape(x, out))
}

func (c *opCtx) transpose(v graph.ValueID, perm ...int64) graph.ValueID {
	if slices.IsSorted(perm) && len(perm) == len(c.shape(v)) {
		return v
	}
	return c.emit("transpose", graph.A("perm", perm), v)
}

func importTranspose(c *opCtx) {
	x := c.input(0)
	perm := c.attrInts("perm")
	if perm == nil {
		for d := len(c.shape(x)) - 1; d >= 0; d-- {
			perm = append(perm, int64(d))
		}
	}
	for i := range perm { // an IsSorted list may still repeat an axis
		if slices.Contains(perm[:i], perm[i]) {
			c.fail("%v is not a permutation", perm)
		}
	}
	if len(perm) == 0 {
		c.result(x)
		return
	}
	for i, p := range perm {
		perm[i] = int64(c.axis(p, len(perm)))
	}
	c.result(c.transpose(x, perm...))
}

func importExpand(c *opCtx) {
	x, target := c.input(0), c.constInts(1, "shape")
	if c.err != nil {
		return
	}
	if _, err := c.im.limits.count(target, c.where); err != nil {
		c.err = err
		return
	}
	shape, err := graph.BroadcastShapes(c.shape(x), target)
	if err != nil {
		c.fail("%v", err)
		return
	}
	if slices.Equal(shape, c.shape(x)) {
		c.result(x)
		return
	}
	c.result(c.emit("expand", graph.A("shape", shape), x))
}

// blocks checks the block size of the two depth/space operators.
func (c *opCtx) blocks(x graph.ValueID) (n, ch, h, w, b int64) {
	s := c.shape(x)
	b = c.attrInt("blocksize", 0)
	if len(s) != 4 || b < 1 || b > 1<<16 {
		c.fail("a block of %d is not supported on %v", b, s)
		return 1, 1, 1, 1, 1
	}
	return s[0], s[1], s[2], s[3], b
}

func importDepthToSpace(c *opCtx) {
	x := c.input(0)
	n, ch, h, w, b := c.blocks(x)
	if ch%(b*b) != 0 {
		c.fail("%d channels do not divide by %d", ch, b*b)
		return
	}
	var v graph.ValueID
	if c.attrStr("mode", "DCR") == "CRD" {
		v = c.transpose(c.reshape(x, []int64{n, ch / b / b, b, b, h, w}), 0, 1, 4, 2, 5, 3)
	} else {
		v = c.transpose(c.reshape(x, []int64{n, b, b, ch / b / b, h, w}), 0, 3, 4, 1, 5, 2)
	}
	c.result(c.reshape(v, []int64{n, ch / b / b, h * b, w * b}))
}

func importSpaceToDepth(c *opCtx) {
	x := c.input(0)
	n, ch, h, w, b := c.blocks(x)
	if h%b != 0 || w%b != 0 {
		c.fail("%d×%d does not divide into blocks of %d", h, w, b)
		return
	}
	v := c.transpose(c.reshape(x, []int64{n, ch, h / b, b, w / b, b}), 0, 3, 5, 1, 2, 4)
	c.result(c.reshape(v, []int64{n, ch * b * b, h / b, w / b}))
}
