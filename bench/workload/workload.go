// Package workload makes the tensor functions that benchmarks and tests of search
// tune: common shapes in the form that models are lowered to.
package workload

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

// Load reads an element.
func Load(b *tir.Buffer, i ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Indices: i} }

// Finish completes a function that leaves its regions out.
func Finish(b *tir.Builder) *tir.PrimFunc {
	f, err := analysis.InferRegions(b.Func())
	if err != nil {
		panic("BUG: workload: " + err.Error())
	}
	return f
}

// Matmul is C[m,n] = Σ A[m,k]·B[k,n] in float32; B is a weight.
func Matmul(m, n, k int64) *tir.PrimFunc {
	b := tir.NewBuilder("main")
	A := b.Param("A", dtype.Float32, m, k)
	B := b.Param("B", dtype.Float32, k, n)
	C := b.Param("C", dtype.Float32, m, n)
	b.Attr(tir.AttrLayoutFree, []int64{1})
	b.ReduceSum("matmul", C, []int64{k}, func(s, r []tir.Expr) tir.Expr {
		return tir.Mul(Load(A, s[0], r[0]), Load(B, r[0], s[1]))
	})
	return Finish(b)
}

// Conv is a convolution of r×r taps with stride 1 and same padding over blocked
// channels: X[ci/c,h,w,c], W[co,ci,r,r] as imported, Y[co/c,h,w,c]. The padding
// is a stage of its own, for the schedule to inline; one tap needs none.
func Conv(h, w, ci, co, r, c int64) *tir.PrimFunc {
	b := tir.NewBuilder("main")
	X := b.Param("X", dtype.Float32, ci/c, h, w, c)
	W := b.Param("W", dtype.Float32, co, ci, r, r)
	Y := b.Param("Y", dtype.Float32, co/c, h, w, c)
	b.Attr(tir.AttrLayoutFree, []int64{1})
	P := X
	if r > 1 {
		P = pad(b, X, ci/c, h, w, c, r/2)
	}
	b.ReduceSum("conv", Y, []int64{ci / c, r, r, c}, func(s, k []tir.Expr) tir.Expr {
		o := tir.Add(tir.Mul(s[0], tir.Int(c)), s[3])
		i := tir.Add(tir.Mul(k[0], tir.Int(c)), k[3])
		return tir.Mul(Load(P, k[0], tir.Add(s[1], k[1]), tir.Add(s[2], k[2]), k[3]), Load(W, o, i, k[1], k[2]))
	})
	return Finish(b)
}

// Depthwise is a depthwise convolution of r×r taps, stride 1, same padding, over
// blocked channels: X and Y [ch/c,h,w,c], W[ch,1,r,r].
func Depthwise(h, w, ch, r, c int64) *tir.PrimFunc {
	b := tir.NewBuilder("main")
	X := b.Param("X", dtype.Float32, ch/c, h, w, c)
	W := b.Param("W", dtype.Float32, ch, 1, r, r)
	Y := b.Param("Y", dtype.Float32, ch/c, h, w, c)
	b.Attr(tir.AttrLayoutFree, []int64{1})
	P := pad(b, X, ch/c, h, w, c, r/2)
	b.ReduceSum("depthwise", Y, []int64{r, r}, func(s, k []tir.Expr) tir.Expr {
		o := tir.Add(tir.Mul(s[0], tir.Int(c)), s[3])
		return tir.Mul(Load(P, s[0], tir.Add(s[1], k[0]), tir.Add(s[2], k[1]), s[3]), Load(W, o, tir.Int(0), k[0], k[1]))
	})
	return Finish(b)
}

// pad is the stage that surrounds X with p zeros in height and width.
func pad(b *tir.Builder, X *tir.Buffer, co, h, w, c, p int64) *tir.Buffer {
	P := b.Alloc("X_pad", dtype.Float32, co, h+2*p, w+2*p, c)
	b.Compute("pad", P, func(i []tir.Expr) tir.Expr {
		in := func(e tir.Expr, n int64) tir.Expr {
			return tir.And(tir.Compare(tir.OpLE, tir.Int(p), e), tir.Compare(tir.OpLT, e, tir.Int(n+p)))
		}
		at := Load(X, i[0], tir.Sub(i[1], tir.Int(p)), tir.Sub(i[2], tir.Int(p)), i[3])
		return tir.IfThenElse(tir.And(in(i[1], h), in(i[2], w)), at, tir.F32(0))
	})
	return P
}

// Flops is the nominal number of operations: two per tap, padding included.
func Flops(spatial, reduce int64) float64 { return 2 * float64(spatial) * float64(reduce) }
