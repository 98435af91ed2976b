package pipeline

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"hone/compiler/dtype"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/interp"
	"hone/compiler/tir/tvmscript"
	"hone/internal/rng"
)

// nest builds a scheduled nest by hand: loops around a block whose iterators are
// bound to expressions of the loop variables.
type nest struct {
	loops []*tir.For
	vars  map[string]*tir.Var
}

func newNest() *nest { return &nest{vars: map[string]*tir.Var{}} }

func (n *nest) loop(name string, extent int64, kind tir.LoopKind) *nest {
	v := tir.NewVar(name, dtype.Int32)
	n.vars[name] = v
	n.loops = append(n.loops, &tir.For{Var: v, Min: tir.Int(0), Extent: tir.Int(extent), Kind: kind})
	return n
}

func (n *nest) ann(key string, v any) *nest {
	l := n.loops[len(n.loops)-1]
	l.Ann = l.Ann.With(key, v)
	return n
}

func wrap(loops []*tir.For, body tir.Stmt) tir.Stmt {
	for i := len(loops) - 1; i >= 0; i-- {
		loops[i].Body = body
		body = loops[i]
	}
	return body
}

type axis struct {
	name   string
	extent int64
	kind   tir.IterKind
	value  tir.Expr
}

func block(name string, pred tir.Expr, axes []axis, body func(v []tir.Expr) tir.Stmt) tir.Stmt {
	b := &tir.Block{Name: name, Reads: []tir.Region{}, Writes: []tir.Region{}}
	r := &tir.BlockRealize{Predicate: pred, Block: b}
	var vs []tir.Expr
	for _, a := range axes {
		v := tir.NewVar(a.name, dtype.Int32)
		b.Iters = append(b.Iters, &tir.IterVar{Var: v, Dom: tir.Range{Min: tir.Int(0), Extent: tir.Int(a.extent)}, Kind: a.kind})
		r.Values = append(r.Values, a.value)
		vs = append(vs, v)
	}
	b.Body = body(vs)
	return r
}

func lin2(a tir.Expr, k int64, b tir.Expr) tir.Expr { return tir.Add(tir.Mul(a, tir.Int(k)), b) }

// tiledMatmul is relu(A·B + bias), tiled MR×NV vectors by hand, with an
// imperfect row tile.
func tiledMatmul(m, n, k, mr, nv, vl, ku int64) *tir.PrimFunc {
	b := tir.NewBuilder("main")
	A := b.Param("A", dtype.Float32, m, k)
	B := b.Param("B", dtype.Float32, k, n)
	bias := b.Param("bias", dtype.Float32, n)
	C := b.Param("C", dtype.Float32, m, n)
	T := b.Alloc("T", dtype.Float32, m, n)
	nr := nv * vl
	outer := newNest().loop("i0", (m+mr-1)/mr, tir.Parallel).loop("j0", n/nr, tir.Serial)
	i0, j0 := outer.vars["i0"], outer.vars["j0"]
	make1 := func(name string, reduce bool, body func(v []tir.Expr) tir.Stmt) tir.Stmt {
		t := newNest()
		if reduce {
			t.loop("k", k, tir.Serial).ann("hone.unroll_k", ku)
		}
		t.loop("i1", mr, tir.Serial).loop("j1", nv, tir.Serial).loop("jv", vl, tir.Vectorized)
		vi := lin2(i0, mr, t.vars["i1"])
		vj := lin2(j0, nr, lin2(t.vars["j1"], vl, t.vars["jv"]))
		axes := []axis{{"vi", m, tir.Spatial, vi}, {"vj", n, tir.Spatial, vj}}
		if reduce {
			axes = append(axes, axis{"vk", k, tir.Reduce, t.vars["k"]})
		}
		pred := tir.CompareFold(tir.OpLT, vi, tir.Int(m))
		if m%mr == 0 {
			pred = tir.True
		}
		return wrap(t.loops, block(name, pred, axes, body))
	}
	load := func(b *tir.Buffer, i ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Indices: i} }
	init := make1("T_init", false, func(v []tir.Expr) tir.Stmt {
		return &tir.Store{Buffer: T, Value: tir.F32(0), Indices: v}
	})
	update := make1("T_update", true, func(v []tir.Expr) tir.Stmt {
		return &tir.Store{Buffer: T, Indices: v[:2], Value: tir.Add(load(T, v[0], v[1]), tir.Mul(load(A, v[0], v[2]), load(B, v[2], v[1])))}
	})
	epi := make1("C", false, func(v []tir.Expr) tir.Stmt {
		return &tir.Store{Buffer: C, Indices: v, Value: tir.Max(tir.Add(load(T, v[0], v[1]), load(bias, v[1])), tir.F32(0))}
	})
	f := b.Func()
	f.Body.(*tir.BlockRealize).Block.Body = wrap(outer.loops, tir.NewSeq(init, update, epi))
	return f
}

// paddedConv is a 3×3 convolution over one block of channels with padding 1
// inlined into the reduction, tiled ow positions by nv vectors of channels.
func paddedConv(h, w, ci, vl, owt, ku int64, depthwise bool) *tir.PrimFunc {
	b := tir.NewBuilder("main")
	X := b.Param("X", dtype.Float32, h, w, ci)
	W := b.Param("W", dtype.Float32, 3, 3, ci, vl)
	Y := b.Param("Y", dtype.Float32, h, w, vl)
	outer := newNest().loop("oh", h, tir.Parallel).loop("ow0", (w+owt-1)/owt, tir.Serial)
	load := func(b *tir.Buffer, i ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Indices: i} }
	stage := func(name string, reduce bool, body func(v []tir.Expr) tir.Stmt) tir.Stmt {
		t := newNest()
		if reduce {
			t.loop("r", 3, tir.Serial).loop("s", 3, tir.Serial)
			if !depthwise {
				t.loop("c", ci, tir.Serial)
			}
			t.ann("hone.unroll_k", ku)
		}
		t.loop("ow1", owt, tir.Serial).loop("v", vl, tir.Vectorized)
		vw := lin2(outer.vars["ow0"], owt, t.vars["ow1"])
		axes := []axis{{"vh", h, tir.Spatial, outer.vars["oh"]}, {"vw", w, tir.Spatial, vw}, {"vc", vl, tir.Spatial, t.vars["v"]}}
		if reduce {
			axes = append(axes, axis{"vr", 3, tir.Reduce, t.vars["r"]}, axis{"vs", 3, tir.Reduce, t.vars["s"]})
			if !depthwise {
				axes = append(axes, axis{"vi", ci, tir.Reduce, t.vars["c"]})
			}
		}
		pred := tir.CompareFold(tir.OpLT, vw, tir.Int(w))
		if w%owt == 0 {
			pred = tir.True
		}
		return wrap(t.loops, block(name, pred, axes, body))
	}
	init := stage("init", false, func(v []tir.Expr) tir.Stmt { return &tir.Store{Buffer: Y, Value: tir.F32(0), Indices: v} })
	update := stage("update", true, func(v []tir.Expr) tir.Stmt {
		y, x := tir.Add(v[0], v[3]), tir.Add(v[1], v[4])
		cond := tir.And(tir.And(tir.Compare(tir.OpLE, tir.Int(1), y), tir.Compare(tir.OpLT, y, tir.Int(h+1))),
			tir.And(tir.Compare(tir.OpLE, tir.Int(1), x), tir.Compare(tir.OpLT, x, tir.Int(w+1))))
		ch, wl := v[2], load(W, v[3], v[4], tir.Int(0), v[2])
		if !depthwise {
			ch, wl = v[5], load(W, v[3], v[4], v[5], v[2])
		}
		in := tir.IfThenElse(cond, load(X, tir.Sub(y, tir.Int(1)), tir.Sub(x, tir.Int(1)), ch), tir.F32(0))
		return &tir.Store{Buffer: Y, Indices: v[:3], Value: tir.Add(load(Y, v[:3]...), tir.Mul(in, wl))}
	})
	f := b.Func()
	f.Body.(*tir.BlockRealize).Block.Body = wrap(outer.loops, tir.NewSeq(init, update))
	return f
}

// integers fills a tensor with small non-zero integers, for which every order of
// summation gives the same float32.
func integers(t *dtype.Tensor, r *rng.Rand) *dtype.Tensor {
	for i := range t.Len() {
		v := int64(r.Intn(6)) - 3
		if v >= 0 {
			v++
		}
		t.SetInt(i, v)
	}
	return t
}

// sameResult lowers f and compares the interpreter's results on both forms, bit
// for bit; it returns the text of the lowered function.
func sameResult(t *testing.T, f *tir.PrimFunc, tgt target.Target) string {
	t.Helper()
	r := rng.New(1, f.Name)
	u, err := LowerCPU(f, &tgt)
	if err != nil {
		t.Fatal(err)
	}
	var a, b []*dtype.Tensor
	for i, buf := range f.Buffers() {
		shape, _ := buf.StaticShape()
		x := integers(dtype.NewTensor(buf.Type, shape...), r)
		y := *x
		y.Data = append([]byte(nil), x.Data...)
		for _, p := range u.Packs {
			if p.Param == i {
				packed, err := p.Apply(x)
				if err != nil {
					t.Fatal(err)
				}
				y = *packed
			}
		}
		y.Shape = []int64{int64(y.Len())}
		a, b = append(a, x), append(b, &y)
	}
	if err := interp.Run(f, a); err != nil {
		t.Fatal(err)
	}
	text := tir.Script(u.Func)
	if err := interp.Run(u.Func, b); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out := len(a) - 1
	if !bytes.Equal(a[out].Data, b[out].Data) {
		t.Fatalf("lowered result differs\n%s", text)
	}
	return text
}

func znver3(t *testing.T) target.Target {
	tgt, err := target.Parse(`{"kind":"cpu","mcpu":"znver3","num-cores":2}`)
	if err != nil {
		t.Fatal(err)
	}
	return tgt
}

func TestMatmulTilesKeepTheirMeaning(t *testing.T) {
	for _, c := range []struct{ m, n, k, mr, nv, vl, ku int64 }{
		{12, 32, 7, 6, 2, 8, 1}, {13, 32, 7, 6, 2, 8, 4}, {5, 24, 9, 4, 3, 8, 2}, {4, 16, 3, 4, 1, 16, 4}, {7, 8, 5, 3, 1, 8, 4},
	} {
		text := sameResult(t, tiledMatmul(c.m, c.n, c.k, c.mr, c.nv, c.vl, c.ku), znver3(t))
		if strings.Contains(text, "T_1[") || !strings.Contains(text, `scope="register"`) {
			t.Errorf("%+v: accumulators are not in registers\n%s", c, text)
		}
	}
}

// Steps that are unrolled whole hold the vectors of one step at a time: those of all
// of them would not fit the registers.
func TestUnrolledStepsHoldTheirOwnVectors(t *testing.T) {
	text := sameResult(t, tiledMatmul(12, 16, 8, 6, 2, 8, 8), znver3(t))
	held, most := 0, 0
	for _, line := range strings.Split(text, "\n") {
		if held++; !strings.Contains(line, "hone.barrier") {
			held = 0
		}
		most = max(most, held)
	}
	if n := strings.Count(text, "hone.barrier"); most != 2 || n != 16 || strings.Contains(text, "for k") {
		t.Errorf("%d vectors are loaded, %d of them at once; want 16 and 2\n%s", n, most, text)
	}
}

func TestPaddedConvKeepsItsMeaning(t *testing.T) {
	for _, c := range []struct {
		h, w, ci, owt, ku int64
		dw                bool
	}{
		{10, 14, 8, 4, 1, false}, {7, 7, 8, 7, 2, false}, {5, 6, 8, 6, 4, false}, {4, 9, 8, 2, 1, false},
		{10, 14, 8, 4, 4, true}, {7, 7, 8, 7, 4, true}, {3, 13, 8, 6, 1, true},
	} {
		text := sameResult(t, paddedConv(c.h, c.w, c.ci, 8, c.owt, c.ku, c.dw), znver3(t))
		if strings.Contains(text, "if_then_else") || strings.Contains(text, "1 <=") {
			t.Errorf("%+v: a condition stayed in the loops\n%s", c, text)
		}
	}
}

// Where one row of taps lies in the padding, the others stay one loop: each body of its own
// costs the compiler as much as the whole of a matmul.
func TestTapsInsideThePaddingStayALoop(t *testing.T) {
	text := sameResult(t, paddedConv(10, 14, 8, 8, 4, 1, false), znver3(t))
	first, last := strings.Count(text, "for s in range(1, 3)"), strings.Count(text, "for s in range(2)")
	if first != 1 || last != 1 {
		t.Errorf("%d loops over the last two taps and %d over the first two, want one each\n%s", first, last, text)
	}
}

// The rows that an epilogue finds in the last tile are a shorter loop: as statements
// of their own, 21 rows of 12 vectors took gcc 20 seconds.
func TestRowsOfLastTilesStayALoop(t *testing.T) {
	m, err := tvmscript.Parse("rows", `
@T.prim_func(s_tir=True)
def main(A: T.Buffer((197, 16), "float32"), B: T.Buffer((197, 16), "float32")):
    for io in T.parallel(9):
        for ii, jo in T.grid(22, 2):
            for jv in T.vectorized(8):
                with T.sblock("relu"):
                    vi = T.axis.spatial(197, io * 22 + ii)
                    vj = T.axis.spatial(16, jo * 8 + jv)
                    T.where(io * 22 + ii < 197)
                    T.reads(A[vi, vj])
                    T.writes(B[vi, vj])
                    B[vi, vj] = T.max(A[vi, vj], T.float32(0))
`)
	if err != nil {
		t.Fatal(err)
	}
	if text := sameResult(t, m.Funcs[0], znver3(t)); strings.Count(text, "T.max") > 4 {
		t.Errorf("%d statements\n%s", strings.Count(text, "T.max"), text)
	}
}

// TestLongConditions: printing and lowering a condition of 20,000 terms take time
// in proportion to it; what copied or decided every part of it anew took minutes.
func TestLongConditions(t *testing.T) {
	const terms = 20000
	i, a := tir.NewVar("i", dtype.Int32), tir.NewStaticBuffer("A", dtype.Float32, 16)
	for _, join := range []func(a, b tir.Expr) tir.Expr{tir.And, tir.Or} {
		cond := tir.Compare(tir.OpNE, i, tir.Int(0))
		for k := range terms - 1 {
			cond = join(cond, tir.Compare(tir.OpNE, i, tir.Int(int64(k%16))))
		}
		body := &tir.If{Cond: cond, Then: &tir.Store{Buffer: a, Value: tir.F32(1), Indices: []tir.Expr{i}}}
		f := &tir.PrimFunc{Name: "f", Ret: dtype.VoidType, Params: []tir.Param{a}, Body: &tir.For{Var: i, Min: tir.Int(0), Extent: tir.Int(16), Body: body}}
		start := time.Now()
		if n := strings.Count(tir.Script(f), "i != "); n != terms {
			t.Errorf("%d terms are printed", n)
		}
		tgt, err := target.Parse(`{"kind":"cpu","mcpu":"znver3","num-cores":2}`)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := LowerCPU(f, &tgt); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("it took %v", took)
		}
	}
}
