package cgen_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hone/compiler/codegen"
	"hone/compiler/codegen/cgen"
	"hone/compiler/dtype"
	"hone/compiler/target"
	"hone/compiler/tir"
)

var update = flag.Bool("update", false, "rewrite the golden C files; read them before committing")

func parsed(t *testing.T, tag string) target.Target {
	t.Helper()
	tgt, err := target.Parse(tag)
	if err != nil {
		t.Fatal(err)
	}
	return tgt
}

// addRelu is c = max(a + b, 0) over a parallel loop with a tail that does not
// fill a register.
func addRelu(rows, cols int64, lanes int) *tir.PrimFunc {
	a, b, c := tir.NewStaticBuffer("a", dtype.Float32, rows*cols), tir.NewStaticBuffer("b", dtype.Float32, cols), tir.NewStaticBuffer("c", dtype.Float32, rows*cols)
	p, j := v32("p"), v32("j")
	part := func(base tir.Expr, n int) tir.Stmt {
		r := &tir.Ramp{Base: tir.Add(tir.Mul(p, tir.Int(cols)), base), Stride: tir.Int(1), Lanes: n}
		col := &tir.Ramp{Base: base, Stride: tir.Int(1), Lanes: n}
		return set(c, r, tir.Max(tir.Add(at(a, r), at(b, col)), tir.Const(0, dtype.Float32.WithLanes(n))))
	}
	full := cols / int64(lanes)
	body := tir.NewSeq(loop(j, full, part(tir.Mul(j, tir.Int(int64(lanes))), lanes)), part(tir.Int(full*int64(lanes)), int(cols-full*int64(lanes))))
	l := loop(p, rows, body)
	l.Kind = tir.Parallel
	return &tir.PrimFunc{Name: "add_relu", Params: []tir.Param{a, b, c}, Body: l}
}

// paddedRow copies rows with a border, through indices that divide and wrap.
func paddedRow() *tir.PrimFunc {
	x, y := tir.NewStaticBuffer("x", dtype.Float32, 64), tir.NewStaticBuffer("y", dtype.Float32, 100)
	f := v32("fused")
	row, col := tir.FloorDiv(f, tir.Int(10)), tir.FloorMod(f, tir.Int(10))
	inside := func(e tir.Expr) tir.Expr {
		return tir.And(tir.NewBinary(tir.OpGE, e, tir.Int(1)), tir.NewBinary(tir.OpLT, e, tir.Int(9)))
	}
	src := tir.Sub(tir.Add(tir.Mul(row, tir.Int(8)), col), tir.Int(9))
	v := &tir.Call{Op: "if_then_else", Type: dtype.Float32, Args: []tir.Expr{tir.And(inside(row), inside(col)), at(x, src), tir.F32(0)}}
	return &tir.PrimFunc{Name: "pad", Params: []tir.Param{x, y}, Body: loop(f, 100, set(y, f, v))}
}

// scratchRows goes through a workspace slice per worker and calls a function.
func scratchRows() *tir.PrimFunc {
	a, b := tir.NewStaticBuffer("a", dtype.Float32, 16*20000), tir.NewStaticBuffer("b", dtype.Float16, 16*20000)
	s := tir.NewStaticBuffer("scratch", dtype.Float32, 20000)
	p, i, j := v32("p"), v32("i"), v32("j")
	idx := func(v *tir.Var) tir.Expr { return tir.Add(tir.Mul(p, tir.Int(20000)), v) }
	body := tir.NewSeq(&tir.AllocBuffer{Buffer: s},
		loop(i, 20000, set(s, i, &tir.Call{Op: "exp", Args: []tir.Expr{at(a, idx(i))}, Type: dtype.Float32})),
		loop(j, 20000, set(b, idx(j), tir.NewCast(dtype.Float16, at(s, tir.Sub(tir.Int(19999), j))))))
	l := loop(p, 16, body)
	l.Kind = tir.Parallel
	return &tir.PrimFunc{Name: "scratch_rows", Params: []tir.Param{a, b}, Body: l}
}

// packB is the packing function of a matmul's weights: [k][n] to [n/16][k][16].
func packB(k, n int64) *tir.PrimFunc {
	src, dst := tir.NewStaticBuffer("B", dtype.Float32, k*n), tir.NewStaticBuffer("B_packed", dtype.Float32, k*n)
	o, r, c := v32("o"), v32("r"), v32("c")
	from := tir.Add(tir.Add(tir.Mul(r, tir.Int(n)), tir.Mul(o, tir.Int(16))), c)
	to := tir.Add(tir.Add(tir.Mul(o, tir.Int(16*k)), tir.Mul(r, tir.Int(16))), c)
	l := loop(o, n/16, loop(r, k, loop(c, 16, set(dst, to, at(src, from)))))
	l.Kind = tir.Parallel // a packing function runs it serially
	return &tir.PrimFunc{Name: "pack", Params: []tir.Param{src, dst}, Body: l}
}

func goldenCases() map[string]codegen.Lowered {
	return map[string]codegen.Lowered{
		"matmul_6x2":   {Symbol: "k", Func: tiledMatmul(12, 32, 64, 6, 2, 8), Packs: []codegen.Pack{{Arg: 1, Symbol: "k_pack0", Func: packB(64, 32)}}},
		"add_relu":     {Symbol: "k", Func: addRelu(10, 77, 16)},
		"pad":          {Symbol: "k", Func: paddedRow()},
		"scratch_rows": {Symbol: "k", Func: scratchRows()},
	}
}

// TestGoldenC compares whole units for AVX2 with testdata/golden.
func TestGoldenC(t *testing.T) {
	for name, l := range goldenCases() {
		t.Run(name, func(t *testing.T) {
			src, err := cgen.Backend{}.Emit([]codegen.Lowered{l}, parsed(t, "x86_64/avx2").WithThreads(4))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", "golden", name+".c")
			if *update {
				if err := os.WriteFile(path, []byte(src.C), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if src.C != string(want) {
				t.Errorf("%s differs from what is emitted:\n%s", path, firstDifference(string(want), src.C))
			}
		})
	}
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return "want " + w[i] + "\ngot  " + g[i]
		}
	}
	return "one is longer"
}

func TestEntries(t *testing.T) {
	cases := goldenCases()
	src, err := cgen.Backend{}.Emit([]codegen.Lowered{cases["matmul_6x2"]}, parsed(t, "x86_64/avx2"))
	if err != nil {
		t.Fatal(err)
	}
	e := src.Entries[0]
	if e.Workspace != 0 || len(e.Packs) != 1 || e.Packs[0].Arg != 1 || e.Packs[0].Bytes != 4*64*32 || e.Packs[0].Symbol != "k_pack0" {
		t.Errorf("%+v", e)
	}
	src, err = cgen.Backend{}.Emit([]codegen.Lowered{cases["scratch_rows"]}, parsed(t, "x86_64/avx2").WithThreads(4))
	if err != nil {
		t.Fatal(err)
	}
	if e := src.Entries[0]; e.Workspace != 4*80000 || e.Threads != 4 {
		t.Errorf("workspace %d for %d threads", e.Workspace, e.Threads)
	}
}

// TestTextIsTheSameInABatch is what lets a shipped kernel be the measured one.
func TestTextIsTheSameInABatch(t *testing.T) {
	tgt := parsed(t, "x86_64/avx2").WithThreads(2)
	var batch []codegen.Lowered
	names := []string{"scratch_rows", "matmul_6x2", "pad", "add_relu"}
	cases := goldenCases()
	for i, n := range names {
		l := cases[n]
		l.Symbol = "candidate" + string(rune('0'+i))
		for j := range l.Packs {
			l.Packs[j].Symbol = l.Symbol + "_pack0"
		}
		batch = append(batch, l)
	}
	all, err := cgen.Backend{}.Emit(batch, tgt)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range names {
		l := goldenCases()[n]
		alone, err := cgen.Backend{}.Emit([]codegen.Lowered{l}, tgt)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(all.Entries[i].Text, "candidate"+string(rune('0'+i)), "k")
		if got != alone.Entries[0].Text || !strings.Contains(all.C, all.Entries[i].Text) {
			t.Errorf("%s differs in a batch", n)
		}
	}
}

func TestPrefetch(t *testing.T) {
	a, b := tir.NewStaticBuffer("a", dtype.Float32, 640), tir.NewStaticBuffer("b", dtype.Float32, 640)
	i := v32("i")
	ahead := &tir.Evaluate{Value: &tir.Call{Op: "prefetch", Type: dtype.VoidType, Args: []tir.Expr{at(a, tir.Add(tir.Mul(i, tir.Int(16)), tir.Int(256))), tir.Int(2)}}}
	f := &tir.PrimFunc{Name: "stream", Params: []tir.Param{a, b}, Body: loop(i, 24, tir.NewSeq(ahead, set(b, i, at(a, tir.Mul(i, tir.Int(16))))))}
	src, err := cgen.Backend{}.Emit([]codegen.Lowered{{Symbol: "k", Func: f}}, parsed(t, "x86_64/avx2"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "const i64 o = i * 16;\n    __builtin_prefetch(&a[o + 256], 0, 2);\n    b[i] = a[o];"; !strings.Contains(src.C, want) {
		t.Errorf("no prefetch in\n%s", src.Entries[0].Text)
	}
}

// TestStackIsBounded fills a function with arrays: beyond a total they move to
// the workspace.
func TestStackIsBounded(t *testing.T) {
	a := tir.NewStaticBuffer("a", dtype.Float32, 1<<14)
	i := v32("i")
	var body []tir.Stmt
	for range 40 {
		b := tir.NewStaticBuffer("s", dtype.Float32, 1<<14)
		b.Scope = "local"
		body = append(body, &tir.AllocBuffer{Buffer: b}, set(b, tir.Int(0), at(a, tir.Int(1))), set(a, tir.Int(2), at(b, tir.Int(0))))
	}
	src, err := cgen.Backend{}.Emit([]codegen.Lowered{{Symbol: "k", Func: &tir.PrimFunc{Name: "f", Params: []tir.Param{a}, Body: loop(i, 2, tir.NewSeq(body...))}}}, parsed(t, "x86_64/avx2"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(src.C, "[16384] __attribute__((aligned(64)))"); n != 16 || src.Entries[0].Workspace != 24<<16 {
		t.Errorf("%d arrays on the stack, workspace %d", n, src.Entries[0].Workspace)
	}
}
