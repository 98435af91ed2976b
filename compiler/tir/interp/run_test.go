package interp

import (
	"math"
	"strings"
	"testing"
	"time"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

func load(b *tir.Buffer, i ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Indices: i} }

func matmul(n int64) *tir.PrimFunc {
	b := tir.NewBuilder("matmul")
	x, w := b.Param("A", dtype.Float32, n, n), b.Param("B", dtype.Float32, n, n)
	y := b.Param("C", dtype.Float32, n, n)
	b.ReduceSum("C", y, []int64{n}, func(s, r []tir.Expr) tir.Expr {
		return tir.Mul(load(x, s[0], r[0]), load(w, r[0], s[1]))
	})
	return b.Func()
}

// ramp fills a float32 tensor with values that do not round nicely.
func ramp(shape ...int64) *dtype.Tensor {
	t := dtype.NewTensor(dtype.Float32, shape...)
	for i := range t.Len() {
		t.SetFloat(i, math.Sin(float64(i))*3)
	}
	return t
}

func mustRun(t *testing.T, f *tir.PrimFunc, args ...*dtype.Tensor) {
	t.Helper()
	if err := Run(f, args); err != nil {
		t.Fatal(err)
	}
}

func TestMatmulRoundsEveryOperation(t *testing.T) {
	const n = 64
	a, b, c := ramp(n, n), ramp(n, n), dtype.NewTensor(dtype.Float32, n, n)
	f := matmul(n)
	start := time.Now()
	mustRun(t, f, a, b, c)
	t.Logf("64³ in %v", time.Since(start))
	x, y := a.Float32s(), b.Float32s()
	for i := range n {
		for j := range n {
			var sum float32
			for k := range n {
				p := float32(float64(x[i*n+k]) * float64(y[k*n+j]))
				sum = float32(float64(sum) + float64(p))
			}
			if got := float32(c.Float(i*n + j)); got != sum {
				t.Fatalf("C[%d,%d] = %v, want %v", i, j, got, sum)
			}
		}
	}
}

func BenchmarkMatmul64(b *testing.B) {
	f := matmul(64)
	args := []*dtype.Tensor{ramp(64, 64), ramp(64, 64), dtype.NewTensor(dtype.Float32, 64, 64)}
	for b.Loop() {
		if err := Run(f, args); err != nil {
			b.Fatal(err)
		}
	}
}

// flat wraps statements over one int32 and two float32 parameters of 16.
type flat struct {
	a, out, idx *tir.Buffer
	i, j        *tir.Var
}

func newFlat() flat {
	return flat{tir.NewStaticBuffer("A", dtype.Float32, 16), tir.NewStaticBuffer("out", dtype.Float32, 16),
		tir.NewStaticBuffer("idx", dtype.Int32, 16), tir.NewVar("i", dtype.Int32), tir.NewVar("j", dtype.Int32)}
}

func (x flat) fn(body ...tir.Stmt) *tir.PrimFunc {
	return &tir.PrimFunc{Name: "flat", Ret: dtype.VoidType, Params: []tir.Param{x.a, x.out, x.idx}, Body: tir.NewSeq(body...)}
}

func (x flat) args() []*dtype.Tensor {
	return []*dtype.Tensor{ramp(16), dtype.NewTensor(dtype.Float32, 16), dtype.NewTensor(dtype.Int32, 16)}
}

func loop(v *tir.Var, n int64, kind tir.LoopKind, body tir.Stmt) *tir.For {
	return &tir.For{Var: v, Min: tir.Int(0), Extent: tir.Int(n), Kind: kind, Body: body}
}

func TestVectorsAndRegisters(t *testing.T) {
	x := newFlat()
	ramp4 := func(base tir.Expr, stride int64) tir.Expr {
		return &tir.Ramp{Base: base, Stride: tir.Int(stride), Lanes: 4}
	}
	reg := tir.NewStaticBuffer("r", dtype.Float32.WithLanes(4), 2)
	reg.Scope = "register"
	v := tir.NewVar("v", dtype.Float32.WithLanes(4))
	f := x.fn(
		&tir.AllocBuffer{Buffer: reg},
		&tir.Store{Buffer: reg, Value: load(x.a, ramp4(tir.Int(0), 1)), Indices: []tir.Expr{tir.Int(0)}},
		&tir.Store{Buffer: reg, Value: load(x.a, ramp4(tir.Int(15), -2)), Indices: []tir.Expr{tir.Int(1)}},
		&tir.Bind{Var: v, Value: tir.Add(load(reg, tir.Int(0)), &tir.Broadcast{Value: tir.F32(1), Lanes: 4})},
		&tir.Store{Buffer: x.out, Value: v, Indices: []tir.Expr{ramp4(tir.Int(0), 1)}},
		&tir.Store{Buffer: x.out, Value: load(reg, tir.Int(1)), Indices: []tir.Expr{ramp4(tir.Int(4), 1)}},
		&tir.Store{Buffer: x.out, Indices: []tir.Expr{ramp4(tir.Int(8), 2)},
			Value: tir.Mul(v, load(reg, tir.Int(1)))},
		// A vector store reads everything before it writes.
		&tir.Store{Buffer: x.out, Value: load(x.out, ramp4(tir.Int(0), 1)), Indices: []tir.Expr{ramp4(tir.Int(1), 1)}},
	)
	args := x.args()
	mustRun(t, f, args...)
	a, out := args[0].Float32s(), args[1].Float32s()
	var want [16]float32
	for k := range 4 {
		want[4+k] = a[15-2*k]
		want[8+2*k] = (a[k] + 1) * a[15-2*k]
	}
	want[0] = a[0] + 1
	for k := range 4 {
		want[1+k] = a[k] + 1
	}
	for k := range want {
		if out[k] != want[k] {
			t.Errorf("out[%d] = %v, want %v", k, out[k], want[k])
		}
	}
}

func TestLoopKindsRunSerially(t *testing.T) {
	for _, kind := range []tir.LoopKind{tir.Serial, tir.Parallel, tir.Vectorized, tir.Unrolled, tir.ThreadBinding} {
		x := newFlat()
		l := loop(x.i, 5, kind, &tir.Store{Buffer: x.idx, Value: tir.Mul(x.i, tir.Int(3)), Indices: []tir.Expr{x.i}})
		l.Min, l.Step = tir.Int(2), tir.Int(2)
		args := x.args()
		mustRun(t, x.fn(l), args...)
		for k, got := range args[2].Int64s() {
			want := int64(0)
			if k == 2 || k == 4 || k == 6 {
				want = int64(3 * k)
			}
			if got != want {
				t.Errorf("kind %d: idx[%d] = %d, want %d", kind, k, got, want)
			}
		}
	}
}

func TestSymbolicShapesAndScalars(t *testing.T) {
	n, s := tir.NewVar("n", dtype.Int32), tir.NewVar("s", dtype.Float32)
	a, b := tir.NewBuffer("A", dtype.Float32, n), tir.NewBuffer("B", dtype.Float32, tir.Mul(n, tir.Int(2)))
	i := tir.NewVar("i", dtype.Int32)
	f := &tir.PrimFunc{Name: "f", Ret: dtype.VoidType, Params: []tir.Param{a, b, s},
		Body: &tir.For{Var: i, Min: tir.Int(0), Extent: n, Body: &tir.Store{Buffer: b,
			Value: tir.Mul(load(a, i), s), Indices: []tir.Expr{tir.Add(i, n)}}}}
	x, y := ramp(3), dtype.NewTensor(dtype.Float32, 6)
	scale := dtype.FromFloat32([]float32{2})
	mustRun(t, f, x, y, scale)
	if y.Float(4) != 2*x.Float(1) {
		t.Errorf("B[4] = %v", y.Float(4))
	}
	err := Run(f, []*dtype.Tensor{x, dtype.NewTensor(dtype.Float32, 7), scale})
	if err == nil || !strings.Contains(err.Error(), "argument 1: dimension 0 of B is 6, the tensor has 7") {
		t.Errorf("got %v", err)
	}
}

func TestMatchBufferIsAView(t *testing.T) {
	b := tir.NewBuilder("f")
	out := b.Param("out", dtype.Int32, 3, 8)
	m := tir.NewStaticBuffer("M", dtype.Int32, 4)
	stride := tir.NewVar("s", dtype.Int32)
	m.Strides = []tir.Expr{stride}
	b.Emit(tir.Stage{Name: "b", Spatial: []int64{3}}, nil, func(s, _ []tir.Expr) tir.Stmt {
		return &tir.Store{Buffer: m, Value: tir.Add(s[0], stride), Indices: []tir.Expr{tir.Int(1)}}
	})
	f := b.Func()
	tir.WalkStmt(f.Body, func(s tir.Stmt) bool {
		if r, ok := s.(*tir.BlockRealize); ok && r.Block.Name == "b" {
			vi := r.Block.Iters[0].Var
			region := tir.Region{Buffer: out, Ranges: []tir.Range{{Min: vi, Extent: tir.Int(1)}, {Min: tir.Int(2), Extent: tir.Int(4)}}}
			r.Block.Matches = []tir.MatchRegion{{Buffer: m, Source: region}}
			r.Block.Reads = []tir.Region{}
			r.Block.Writes = []tir.Region{region}
		}
		return true
	})
	x := dtype.NewTensor(dtype.Int32, 3, 8)
	if err := RunWith(f, []*dtype.Tensor{x}, Options{Regions: true}); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if got := x.Int(i*8 + 3); got != int64(i+1) {
			t.Errorf("out[%d,3] = %d, want %d", i, got, i+1)
		}
	}
}
