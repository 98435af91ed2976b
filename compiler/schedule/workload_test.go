package schedule_test

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

func withRegions(f *tir.PrimFunc) *tir.PrimFunc {
	f, err := analysis.InferRegions(f)
	if err != nil {
		panic(err)
	}
	return f
}

func load(b *tir.Buffer, idx ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Indices: idx} }

func chain() *tir.PrimFunc {
	b := tir.NewBuilder("main")
	x := b.Param("A", dtype.Float32, 16, 24)
	out := b.Param("D", dtype.Float32, 16, 24)
	p, q := b.Alloc("B", dtype.Float32, 16, 24), b.Alloc("C", dtype.Float32, 16, 24)
	b.Compute("double", p, func(i []tir.Expr) tir.Expr { return tir.Mul(load(x, i...), tir.F32(2)) })
	b.Compute("plus", q, func(i []tir.Expr) tir.Expr { return tir.Add(load(p, i...), tir.F32(1)) })
	b.Compute("square", out, func(i []tir.Expr) tir.Expr { return tir.Mul(load(q, i...), load(q, i...)) })
	return withRegions(b.Func())
}

// conv2d is NHWC with stride 1 and padding that keeps the size: a padding
// block, the convolution and a bias.
func conv2d(n, h, w, ci, co, kk int64) *tir.PrimFunc {
	b := tir.NewBuilder("main")
	x := b.Param("X", dtype.Float32, n, h, w, ci)
	wt := b.Param("W", dtype.Float32, kk, kk, ci, co)
	bias := b.Param("bias", dtype.Float32, co)
	out := b.Param("Y", dtype.Float32, n, h, w, co)
	p := kk / 2
	pad := b.Alloc("pad", dtype.Float32, n, h+2*p, w+2*p, ci)
	conv := b.Alloc("conv", dtype.Float32, n, h, w, co)
	b.Compute("pad", pad, func(i []tir.Expr) tir.Expr {
		y, z := tir.Sub(i[1], tir.Int(p)), tir.Sub(i[2], tir.Int(p))
		in := tir.And(tir.And(tir.Compare(tir.OpLE, tir.Int(p), i[1]), tir.Compare(tir.OpLT, i[1], tir.Int(h+p))),
			tir.And(tir.Compare(tir.OpLE, tir.Int(p), i[2]), tir.Compare(tir.OpLT, i[2], tir.Int(w+p))))
		return tir.IfThenElse(in, load(x, i[0], y, z, i[3]), tir.F32(0))
	})
	b.ReduceSum("conv", conv, []int64{kk, kk, ci}, func(s, r []tir.Expr) tir.Expr {
		return tir.Mul(load(pad, s[0], tir.Add(s[1], r[0]), tir.Add(s[2], r[1]), r[2]), load(wt, r[0], r[1], r[2], s[3]))
	})
	b.Compute("bias", out, func(i []tir.Expr) tir.Expr { return tir.Add(load(conv, i...), load(bias, i[3])) })
	return withRegions(b.Func())
}
