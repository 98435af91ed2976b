// Package tunertest is what the tests of the tuner share: small functions of
// every kind that presets treat differently, and an oracle that holds candidates
// to what their function computes. Only tests import it. Start from Workloads and
// Oracle.
package tunertest

import (
	"testing"

	"hone/bench/workload"
	"hone/compiler/dtype"
	"hone/compiler/target"
	"hone/compiler/tir"
)

// Workloads are small functions by name, most with extents that tiles do not
// divide.
var Workloads = map[string]func() *tir.PrimFunc{
	"matmul":        func() *tir.PrimFunc { return workload.Matmul(20, 56, 32) },
	"matmul_odd":    func() *tir.PrimFunc { return workload.Matmul(7, 20, 18) },
	"matmul_narrow": func() *tir.PrimFunc { return workload.Matmul(1, 40, 33) },
	"matmul_deep":   func() *tir.PrimFunc { return workload.Matmul(2, 3, 60) },
	"matmul_relu":   matmulRelu,
	"conv":          func() *tir.PrimFunc { return workload.Conv(7, 9, 16, 16, 3, 8) },
	"conv_bias":     convBias,
	"depthwise":     func() *tir.PrimFunc { return workload.Depthwise(9, 11, 16, 3, 8) },
	"elementwise":   elementwise,
	"row_sum":       rowSum,
	"softmax":       softmax,
	"attention":     attention,
	"scalars":       scalars,
	"stages":        stages,
	"between":       between,
	"dot_vnni":      dotBytes(dtype.UInt8, dtype.Int8, dtype.Int32, 16),
	"dot_sdot":      dotBytes(dtype.Int8, dtype.Int8, dtype.Int32, 4),
	"dot_hdot":      dotBytes(dtype.UInt8, dtype.UInt8, dtype.Int32, 4),
}

// Target is a processor of that many cores; isa is "avx2" or "avx512".
func Target(t testing.TB, isa string, cores string) target.Target {
	t.Helper()
	mcpu := map[string]string{"avx2": "znver3", "avx512": "skylake-avx512"}[isa]
	tgt, err := target.Parse(`{"kind":"cpu","isa":"x86_64","mcpu":"` + mcpu + `","num-cores":` + cores + `}`)
	if err != nil {
		t.Fatal(err)
	}
	return tgt
}

// matmulRelu has an elementwise epilogue that stays when the one before it is
// inlined.
func matmulRelu() *tir.PrimFunc {
	b := tir.NewBuilder("main")
	x, w := b.Param("A", dtype.Float32, 12, 24), b.Param("B", dtype.Float32, 24, 32)
	bias, out := b.Param("bias", dtype.Float32, 32), b.Param("D", dtype.Float32, 12, 32)
	c, e := b.Alloc("C", dtype.Float32, 12, 32), b.Alloc("E", dtype.Float32, 12, 32)
	b.Attr(tir.AttrLayoutFree, []int64{1})
	b.ReduceSum("mm", c, []int64{24}, func(s, r []tir.Expr) tir.Expr {
		return tir.Mul(workload.Load(x, s[0], r[0]), workload.Load(w, r[0], s[1]))
	})
	b.Compute("add", e, func(i []tir.Expr) tir.Expr { return tir.Add(workload.Load(c, i...), workload.Load(bias, i[1])) })
	b.Compute("relu", out, func(i []tir.Expr) tir.Expr { return tir.Max(workload.Load(e, i...), tir.F32(0)) })
	return workload.Finish(b)
}

// convBias is a padded convolution over channels in the last dimension.
func convBias() *tir.PrimFunc {
	const h, w, ci, co, k, p = 6, 5, 4, 8, 3, 1
	b := tir.NewBuilder("main")
	x, wt := b.Param("X", dtype.Float32, 1, h, w, ci), b.Param("W", dtype.Float32, k, k, ci, co)
	bias, out := b.Param("bias", dtype.Float32, co), b.Param("Y", dtype.Float32, 1, h, w, co)
	pad, conv := b.Alloc("pad", dtype.Float32, 1, h+2*p, w+2*p, ci), b.Alloc("conv", dtype.Float32, 1, h, w, co)
	b.Attr(tir.AttrLayoutFree, []int64{1})
	b.Compute("pad", pad, func(i []tir.Expr) tir.Expr {
		in := func(e tir.Expr, n int64) tir.Expr {
			return tir.And(tir.Compare(tir.OpLE, tir.Int(p), e), tir.Compare(tir.OpLT, e, tir.Int(n+p)))
		}
		return tir.IfThenElse(tir.And(in(i[1], h), in(i[2], w)), workload.Load(x, i[0], tir.Sub(i[1], tir.Int(p)), tir.Sub(i[2], tir.Int(p)), i[3]), tir.F32(0))
	})
	b.ReduceSum("conv", conv, []int64{k, k, ci}, func(s, r []tir.Expr) tir.Expr {
		return tir.Mul(workload.Load(pad, s[0], tir.Add(s[1], r[0]), tir.Add(s[2], r[1]), r[2]), workload.Load(wt, r[0], r[1], r[2], s[3]))
	})
	b.Compute("bias", out, func(i []tir.Expr) tir.Expr { return tir.Add(workload.Load(conv, i...), workload.Load(bias, i[3])) })
	return workload.Finish(b)
}

func elementwise() *tir.PrimFunc {
	b := tir.NewBuilder("main")
	x, out := b.Param("A", dtype.Float32, 16, 24), b.Param("D", dtype.Float32, 16, 24)
	p, q := b.Alloc("B", dtype.Float32, 16, 24), b.Alloc("C", dtype.Float32, 16, 24)
	b.Compute("double", p, func(i []tir.Expr) tir.Expr { return tir.Mul(workload.Load(x, i...), tir.F32(2)) })
	b.Compute("plus", q, func(i []tir.Expr) tir.Expr { return tir.Add(workload.Load(p, i...), tir.F32(1)) })
	b.Compute("square", out, func(i []tir.Expr) tir.Expr { return tir.Mul(workload.Load(q, i...), workload.Load(q, i...)) })
	return workload.Finish(b)
}

// rowSum has little to run in parallel but its reduction.
func rowSum() *tir.PrimFunc {
	b := tir.NewBuilder("main")
	x, out := b.Param("X", dtype.Float32, 3, 16, 10), b.Param("Y", dtype.Float32, 3)
	sum := b.Alloc("S", dtype.Float32, 3)
	b.ReduceSum("sum", sum, []int64{16, 10}, func(s, r []tir.Expr) tir.Expr { return workload.Load(x, s[0], r[0], r[1]) })
	b.Compute("mean", out, func(i []tir.Expr) tir.Expr { return tir.Mul(workload.Load(sum, i...), tir.F32(0.125)) })
	return workload.Finish(b)
}

func softmax() *tir.PrimFunc {
	b := tir.NewBuilder("main")
	x, out := b.Param("X", dtype.Float32, 8, 20), b.Param("Y", dtype.Float32, 8, 20)
	mx, ex := b.Alloc("mx", dtype.Float32, 8), b.Alloc("ex", dtype.Float32, 8, 20)
	sm := b.Alloc("sm", dtype.Float32, 8)
	b.ReduceBy("max", mx, []int64{20}, func([]tir.Expr) tir.Expr { return tir.F32(-3.4028234663852886e38) },
		func(acc tir.Expr, s, r []tir.Expr) tir.Expr { return tir.Max(acc, workload.Load(x, s[0], r[0])) })
	b.Compute("exp", ex, func(i []tir.Expr) tir.Expr {
		return &tir.Call{Op: "exp", Args: []tir.Expr{tir.Sub(workload.Load(x, i...), workload.Load(mx, i[0]))}, Type: dtype.Float32}
	})
	b.ReduceSum("sum", sm, []int64{20}, func(s, r []tir.Expr) tir.Expr { return workload.Load(ex, s[0], r[0]) })
	b.Compute("norm", out, func(i []tir.Expr) tir.Expr { return tir.Div(workload.Load(ex, i...), workload.Load(sm, i[0])) })
	return workload.Finish(b)
}

// scalars multiplies by a constant that is a block of its own, like those that
// importers leave.
func scalars() *tir.PrimFunc {
	b := tir.NewBuilder("main")
	x, out := b.Param("X", dtype.Float32, 9, 14), b.Param("Y", dtype.Float32, 9)
	c, sc := b.Alloc("c", dtype.Float32), b.Alloc("scaled", dtype.Float32, 9, 14)
	b.Compute("const", c, func([]tir.Expr) tir.Expr { return tir.F32(0.5) })
	b.Compute("scale", sc, func(i []tir.Expr) tir.Expr { return tir.Mul(workload.Load(x, i...), workload.Load(c)) })
	b.ReduceSum("sum", out, []int64{14}, func(s, r []tir.Expr) tir.Expr { return workload.Load(sc, s[0], r[0]) })
	return workload.Finish(b)
}

// stages transforms pairs of rows to their sums and differences, in a stage that is
// not to be inlined, and back.
func stages() *tir.PrimFunc {
	b := tir.NewBuilder("main")
	x, out := b.Param("X", dtype.Float32, 12, 16), b.Param("Y", dtype.Float32, 12, 16)
	half := b.Alloc("H", dtype.Float32, 6, 2, 16)
	b.ComputeAnnotated("half", tir.Annotations{}.With(tir.AnnInlineRule, "disable"), half, func(i []tir.Expr) tir.Expr {
		row := tir.Mul(i[0], tir.Int(2))
		return pick(i[1], workload.Load(x, row, i[2]), workload.Load(x, tir.Add(row, tir.Int(1)), i[2]))
	})
	b.Compute("back", out, func(i []tir.Expr) tir.Expr {
		at := func(k int64) tir.Expr { return workload.Load(half, tir.FloorDiv(i[0], tir.Int(2)), tir.Int(k), i[1]) }
		return pick(tir.FloorMod(i[0], tir.Int(2)), at(0), at(1))
	})
	return workload.Finish(b)
}

// pick is the sum of p and q where i is 0, else their difference.
func pick(i, p, q tir.Expr) tir.Expr {
	return tir.NewSelect(tir.Compare(tir.OpEQ, i, tir.Int(0)), tir.Add(p, q), tir.Sub(p, q))
}

// between multiplies the sums and the differences of pairs of rows by weights of their
// own, and transforms the products back.
func between() *tir.PrimFunc {
	b := tir.NewBuilder("main")
	x, w, out := b.Param("X", dtype.Float32, 28, 16), b.Param("U", dtype.Float32, 2, 16, 24), b.Param("Y", dtype.Float32, 28, 24)
	pair, turned := b.Alloc("P", dtype.Float32, 14, 2, 16), b.Alloc("V", dtype.Float32, 2, 14, 16)
	product, columns := b.Alloc("M", dtype.Float32, 2, 14, 24), b.Alloc("C", dtype.Float32, 14, 2, 24)
	b.Attr(tir.AttrLayoutFree, []int64{1})
	stage, load := tir.Annotations{}.With(tir.AnnInlineRule, "disable"), workload.Load
	b.ComputeAnnotated("pair", stage, pair, func(i []tir.Expr) tir.Expr {
		return load(x, tir.Add(tir.Mul(i[0], tir.Int(2)), i[1]), i[2])
	})
	b.ComputeAnnotated("turned", stage, turned, func(i []tir.Expr) tir.Expr {
		return pick(i[0], load(pair, i[1], tir.Int(0), i[2]), load(pair, i[1], tir.Int(1), i[2]))
	})
	b.ReduceSum("product", product, []int64{16}, func(s, r []tir.Expr) tir.Expr {
		return tir.Mul(load(turned, s[0], s[1], r[0]), load(w, s[0], r[0], s[2]))
	})
	b.ComputeAnnotated("columns", stage, columns, func(i []tir.Expr) tir.Expr {
		return tir.Mul(load(product, i[1], i[0], i[2]), tir.F32(2))
	})
	b.Compute("back", out, func(i []tir.Expr) tir.Expr {
		at := func(k int64) tir.Expr { return load(columns, tir.FloorDiv(i[0], tir.Int(2)), tir.Int(k), i[1]) }
		return pick(tir.FloorMod(i[0], tir.Int(2)), at(0), at(1))
	})
	return workload.Finish(b)
}

// attention is two products, the second of which reads what becomes of the first:
// the squares of scores, by row.
func attention() *tir.PrimFunc {
	b := tir.NewBuilder("main")
	q, k, v, out := b.Param("Q", dtype.Float32, 19, 2, 4), b.Param("K", dtype.Float32, 5, 2, 4), b.Param("V", dtype.Float32, 5, 2, 8), b.Param("Y", dtype.Float32, 19, 2, 8)
	turned, scores, squares := b.Alloc("T", dtype.Float32, 2, 4, 19), b.Alloc("S", dtype.Float32, 2, 5, 19), b.Alloc("W", dtype.Float32, 2, 5, 19)
	sum, total := b.Alloc("N", dtype.Float32, 2, 19), b.Alloc("O", dtype.Float32, 19, 2, 8)
	stage, load := tir.Annotations{}.With(tir.AnnInlineRule, "disable"), workload.Load
	b.ComputeAnnotated("turned", stage, turned, func(i []tir.Expr) tir.Expr { return load(q, i[2], i[0], i[1]) })
	b.ReduceSum("scores", scores, []int64{4}, func(s, r []tir.Expr) tir.Expr {
		return tir.Mul(load(k, s[1], s[0], r[0]), load(turned, s[0], r[0], s[2]))
	})
	b.ComputeAnnotated("squares", stage, squares, func(i []tir.Expr) tir.Expr {
		return tir.Add(tir.Mul(load(scores, i...), load(scores, i...)), tir.F32(1))
	})
	b.ReduceSum("sum", sum, []int64{5}, func(s, r []tir.Expr) tir.Expr { return load(squares, s[0], r[0], s[1]) })
	b.ReduceSum("values", total, []int64{5}, func(s, r []tir.Expr) tir.Expr {
		return tir.Mul(load(squares, s[1], r[0], s[0]), load(v, r[0], s[1], s[2]))
	})
	b.Compute("quotient", out, func(i []tir.Expr) tir.Expr { return tir.Div(load(total, i...), load(sum, i[1], i[0])) })
	return workload.Finish(b)
}
