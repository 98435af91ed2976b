package tunertest

import (
	"hone/bench/workload"
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// dotBytes multiplies bytes as tensor intrinsics do, lanes rows of four products at
// once, and adds a bias: a convolution with one tap on a row of pixels.
func dotBytes(x, w, sum dtype.DType, lanes int64) func() *tir.PrimFunc {
	return func() *tir.PrimFunc {
		b := tir.NewBuilder("main")
		p, packed := b.Param("X", x, 3, 14, 8), b.Param("W", w, 4, 3, 2, lanes, 4)
		bias, out := b.Param("bias", sum, 4*lanes), b.Param("Y", sum, 4, 14, lanes)
		acc := b.Alloc("acc", sum, 4, 14, lanes)
		b.ReduceSum("dot", acc, []int64{3, 2, 4}, func(s, r []tir.Expr) tir.Expr {
			at := tir.Add(tir.Mul(r[1], tir.Int(4)), r[2])
			return tir.Mul(tir.NewCast(sum, workload.Load(p, r[0], s[1], at)), tir.NewCast(sum, workload.Load(packed, s[0], r[0], r[1], s[2], r[2])))
		})
		b.Compute("add", out, func(i []tir.Expr) tir.Expr {
			return tir.Add(workload.Load(acc, i...), workload.Load(bias, tir.Add(tir.Mul(i[0], tir.Int(lanes)), i[2])))
		})
		return workload.Finish(b)
	}
}
