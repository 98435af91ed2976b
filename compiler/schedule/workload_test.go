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

func matmul(m, n, k int64) *tir.PrimFunc {
	b := tir.NewBuilder("main")
	x, y := b.Param("A", dtype.Float32, m, k), b.Param("B", dtype.Float32, k, n)
	z := b.Param("C", dtype.Float32, m, n)
	b.ReduceSum("mm", z, []int64{k}, func(s, r []tir.Expr) tir.Expr { return tir.Mul(load(x, s[0], r[0]), load(y, r[0], s[1])) })
	return withRegions(b.Func())
}

func matmulRelu(m, n, k int64) *tir.PrimFunc {
	b := tir.NewBuilder("main")
	x, y := b.Param("A", dtype.Float32, m, k), b.Param("B", dtype.Float32, k, n)
	bias := b.Param("bias", dtype.Float32, n)
	out := b.Param("D", dtype.Float32, m, n)
	c := b.Alloc("C", dtype.Float32, m, n)
	e := b.Alloc("E", dtype.Float32, m, n)
	b.ReduceSum("mm", c, []int64{k}, func(s, r []tir.Expr) tir.Expr { return tir.Mul(load(x, s[0], r[0]), load(y, r[0], s[1])) })
	b.Compute("add", e, func(i []tir.Expr) tir.Expr { return tir.Add(load(c, i...), load(bias, i[1])) })
	b.Compute("relu", out, func(i []tir.Expr) tir.Expr { return tir.Max(load(e, i...), tir.F32(0)) })
	return withRegions(b.Func())
}

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

func softmax() *tir.PrimFunc {
	b := tir.NewBuilder("main")
	x := b.Param("X", dtype.Float32, 8, 20)
	out := b.Param("Y", dtype.Float32, 8, 20)
	mx, ex := b.Alloc("mx", dtype.Float32, 8), b.Alloc("ex", dtype.Float32, 8, 20)
	sm := b.Alloc("sm", dtype.Float32, 8)
	b.ReduceBy("max", mx, []int64{20}, func([]tir.Expr) tir.Expr { return tir.F32(-3.4028234663852886e38) },
		func(acc tir.Expr, s, r []tir.Expr) tir.Expr { return tir.Max(acc, load(x, s[0], r[0])) })
	b.Compute("exp", ex, func(i []tir.Expr) tir.Expr {
		d := tir.Sub(load(x, i...), load(mx, i[0]))
		return &tir.Call{Op: "exp", Args: []tir.Expr{d}, Type: d.DType()}
	})
	b.ReduceSum("sum", sm, []int64{20}, func(s, r []tir.Expr) tir.Expr { return load(ex, s[0], r[0]) })
	b.Compute("norm", out, func(i []tir.Expr) tir.Expr { return tir.Div(load(ex, i...), load(sm, i[0])) })
	return withRegions(b.Func())
}

func transpose() *tir.PrimFunc {
	b := tir.NewBuilder("main")
	x, out := b.Param("A", dtype.Float32, 12, 20), b.Param("C", dtype.Float32, 12, 20)
	p := b.Alloc("B", dtype.Float32, 20, 12)
	b.Compute("tr", p, func(i []tir.Expr) tir.Expr { return load(x, i[1], i[0]) })
	b.Compute("back", out, func(i []tir.Expr) tir.Expr { return tir.Add(load(p, i[1], i[0]), tir.F32(1)) })
	return withRegions(b.Func())
}
