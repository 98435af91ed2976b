package onnx

import (
	"slices"

	"hone/compiler/graph"
)

func init() {
	register("MatMul", 1, func(c *opCtx) { c.result(c.product(c.input(0), c.input(1))) })
	register("Gemm", 1, importGemm)
}

// product is NumPy's: vectors become matrices, and lose that dimension again.
func (c *opCtx) product(a, b graph.ValueID) graph.ValueID {
	sa, sb := c.shape(a), c.shape(b)
	if c.err == nil && (len(sa) == 0 || len(sb) == 0) {
		c.fail("cannot multiply %s by %s", c.typ(a), c.typ(b))
		return graph.NoValue
	}
	if len(sa) == 1 {
		a = c.reshape(a, []int64{1, sa[0]})
	}
	if len(sb) == 1 {
		b = c.reshape(b, []int64{sb[0], 1})
	}
	y := c.emit("matmul", nil, a, b)
	out := c.shape(y)
	if c.err == nil && len(sb) == 1 {
		out = out[:len(out)-1]
	}
	if c.err == nil && len(sa) == 1 {
		k := len(out) - 2 // where the rows are
		if len(sb) == 1 {
			k = len(out) - 1
		}
		out = slices.Delete(slices.Clone(out), k, k+1)
	}
	return c.reshape(y, out)
}

// importGemm spells alpha·A'·B' + beta·C as a product, a scale and a sum. A
// constant B' is transposed right away.
func importGemm(c *opCtx) {
	a, b := c.input(0), c.input(1)
	if c.err == nil && (len(c.shape(a)) != 2 || len(c.shape(b)) != 2) {
		c.fail("cannot multiply %s by %s: both must be matrices", c.typ(a), c.typ(b))
		return
	}
	if c.attrInt("transA", 0) != 0 {
		a = c.transpose(a, 1, 0)
	}
	if c.attrInt("transB", 0) != 0 {
		b = c.transpose(b, 1, 0)
	}
	y := c.emit("matmul", nil, a, b)
	elem := c.typ(y).Elem
	if alpha := c.attrFloat("alpha", 1); alpha != 1 {
		y = c.emit("mul", nil, y, c.splat(alpha, elem))
	}
	beta := c.attrFloat("beta", 1)
	if !c.has(2) || beta == 0 {
		c.result(y)
		return
	}
	bias := c.in[2]
	if beta != 1 {
		bias = c.emit("mul", nil, bias, c.splat(beta, elem))
	}
	sum := c.emit("add", nil, y, bias)
	if c.err == nil && !slices.Equal(c.shape(sum), c.shape(y)) {
		c.fail("the bias %s does not broadcast to %s", c.typ(bias), c.typ(y))
	}
	c.result(sum)
}
