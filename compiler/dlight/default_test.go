package dlight_test

import (
	"math"
	"strings"
	"testing"

	"hone/bench/workload"
	"hone/compiler/dlight"
	"hone/compiler/dtype"
	"hone/compiler/pipeline"
	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

var targets = []string{
	`{"kind":"cpu","mcpu":"znver3","num-cores":2}`,
	`{"kind":"cpu","isa":"x86_64","mcpu":"skylake-avx512","num-cores":8}`,
	`raspberry-pi/4b`,
}

func parse(t *testing.T, s string) target.Target {
	t.Helper()
	tgt, err := target.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return tgt
}

// Reductions with reuse become register tiles on every target: accumulators are
// named registers, conditions are out of the loops, and the budget is kept.
func TestReductionsBecomeRegisterTiles(t *testing.T) {
	for _, name := range targets {
		tgt := parse(t, name).WithThreads(1)
		c := int64(tgt.Lanes(32))
		for what, f := range map[string]*tir.PrimFunc{
			"matmul":    workload.Matmul(197, 192, 64),
			"conv":      workload.Conv(14, 14, 4*c, 4*c, 3, c),
			"depthwise": workload.Depthwise(14, 14, 2*c, 3, c),
		} {
			s, moves, err := dlight.Default(f, &tgt)
			if err != nil {
				t.Fatalf("%s on %s: %v", what, name, err)
			}
			if strings.Join(moves, " ") != "inline tile" && strings.Join(moves, " ") != "tile" {
				t.Errorf("%s on %s: moves %v", what, name, moves)
			}
			u, err := pipeline.LowerCPU(s.Func(), &tgt)
			if err != nil {
				t.Fatal(err)
			}
			text := tir.Script(u.Func)
			if !strings.Contains(text, `scope="register"`) || strings.Contains(text, "if_then_else") {
				t.Errorf("%s on %s: no register tile, or a condition is left\n%s", what, name, text)
			}
			if len(u.Packs) != 1 {
				t.Errorf("%s on %s: %d packed weights, want 1", what, name, len(u.Packs))
			}
			checkBudget(t, what+" on "+name, s.Func(), &tgt)
		}
	}
}

func checkBudget(t *testing.T, what string, f *tir.PrimFunc, tgt *target.Target) {
	t.Helper()
	found := false
	tir.WalkStmt(f.Body, func(s tir.Stmt) bool {
		if r, ok := s.(*tir.BlockRealize); ok {
			if v, ok := r.Block.Ann.Get("hone.register_tile"); ok {
				found = true
				l := v.([]any)
				rows, cols, held := l[0].(int64), l[1].(int64), l[2].(int64)
				if !dlight.FitsRegisters(rows, cols, max(held, min(rows, cols)), tgt) {
					t.Errorf("%s: a tile of %d×%d with %d held exceeds %d registers", what, rows, cols, held, tgt.RegisterBudget())
				}
			}
		}
		return true
	})
	if !found {
		t.Errorf("%s: no tile is annotated", what)
	}
}

func load(b *tir.Buffer, i ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Indices: i} }

func finish(t *testing.T, b *tir.Builder) *tir.PrimFunc {
	t.Helper()
	f, err := analysis.InferRegions(b.Func())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// softmax is the function that models are lowered to: maximum, exponentials,
// their sum, quotients.
func softmax(t *testing.T, rows, n int64) *tir.PrimFunc {
	b := tir.NewBuilder("main")
	x, y := b.Param("x", dtype.Float32, rows, n), b.Param("y", dtype.Float32, rows, n)
	mx, ex, sum := b.Alloc("mx", dtype.Float32, rows), b.Alloc("ex", dtype.Float32, rows, n), b.Alloc("sum", dtype.Float32, rows)
	b.ReduceBy("max", mx, []int64{n}, func([]tir.Expr) tir.Expr { return tir.F32(-math.MaxFloat32) },
		func(acc tir.Expr, s, r []tir.Expr) tir.Expr { return tir.Max(acc, load(x, s[0], r[0])) })
	b.Compute("exp", ex, func(i []tir.Expr) tir.Expr {
		return &tir.Call{Op: "exp", Args: []tir.Expr{tir.Sub(load(x, i...), load(mx, i[0]))}, Type: dtype.Float32}
	})
	b.ReduceSum("sum", sum, []int64{n}, func(s, r []tir.Expr) tir.Expr { return load(ex, s[0], r[0]) })
	b.Compute("norm", y, func(i []tir.Expr) tir.Expr { return tir.Div(load(ex, i...), load(sum, i[0])) })
	return finish(t, b)
}

// Row reductions keep vectors of partial results and one pass of rows.
func TestRowsAreVectorised(t *testing.T) {
	tgt := parse(t, targets[0])
	for _, n := range []int64{128, 197} {
		s, moves, err := dlight.Default(softmax(t, 120, n), &tgt)
		if err != nil {
			t.Fatal(err)
		}
		if len(moves) == 0 || moves[0] != "rows" {
			t.Fatalf("softmax of %d: moves %v", n, moves)
		}
		u, err := pipeline.LowerCPU(s.Func(), &tgt)
		if err != nil {
			t.Fatal(err)
		}
		text := tir.Script(u.Func)
		if strings.Count(text, "T.parallel") != 1 || !strings.Contains(text, "T.exp") {
			t.Errorf("softmax of %d is not one pass over rows\n%s", n, text)
		}
		if n == 128 && !strings.Contains(text, "float32x8") {
			t.Errorf("softmax of %d is not in vectors\n%s", n, text)
		}
	}
}

// Threads share columns: every chunk of rows would read all weights. Where columns are
// few, they share rows.
func TestThreadsShareColumnsBeforeRows(t *testing.T) {
	tgt := parse(t, targets[0]).WithThreads(2)
	for _, c := range []struct {
		m, n  int64
		whole bool
	}{{128, 768, true}, {768, 16, false}} {
		s, _, err := dlight.Default(workload.Matmul(c.m, c.n, 768), &tgt)
		if err != nil {
			t.Fatal(err)
		}
		b, err := s.GetSBlock("matmul_update")
		if err != nil {
			t.Fatal(err)
		}
		loops, err := s.GetLoops(b)
		if err != nil {
			t.Fatal(err)
		}
		par, err := s.LoopOf(loops[0])
		if err != nil {
			t.Fatal(err)
		}
		chunks, _ := tir.AsInt(par.Extent)
		columns := c.n / int64(tgt.Lanes(32))
		if par.Kind != tir.Parallel || chunks < 8 || c.whole != (columns%chunks == 0 && chunks <= columns) {
			t.Errorf("%d×%d: %d chunks over %d vectors of columns\n%s", c.m, c.n, chunks, columns, tir.Script(s.Func()))
		}
	}
}

// A stage without loops, as blockize leaves it, has no rows to compute others at.
func TestRowsUnderABlockWithoutLoops(t *testing.T) {
	tgt := parse(t, targets[0])
	s := schedule.New(&tir.Module{Funcs: []*tir.PrimFunc{softmax(t, 1, 64)}}, nil)
	norm, err := s.GetSBlock("norm")
	if err != nil {
		t.Fatal(err)
	}
	loops, err := s.GetLoops(norm)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Blockize(loops[0], true); err != nil {
		t.Fatal(err)
	}
	d, _, err := dlight.Default(s.Func(), &tgt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.LowerCPU(d.Func(), &tgt); err != nil {
		t.Error(err)
	}
}

// A turned operand keeps its stage, padding does not.
func TestInlining(t *testing.T) {
	b := tir.NewBuilder("main")
	q, k := b.Param("q", dtype.Float32, 32, 64), b.Param("k", dtype.Float32, 32, 64)
	y := b.Param("y", dtype.Float32, 32, 32)
	kt := b.Alloc("kt", dtype.Float32, 64, 32)
	b.Compute("turn", kt, func(i []tir.Expr) tir.Expr { return load(k, i[1], i[0]) })
	b.ReduceSum("scores", y, []int64{64}, func(s, r []tir.Expr) tir.Expr { return tir.Mul(load(q, s[0], r[0]), load(kt, r[0], s[1])) })
	tgt := parse(t, targets[0])
	s, moves, err := dlight.Default(finish(t, b), &tgt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.GetSBlock("turn"); err != nil {
		t.Errorf("the turned operand was inlined (moves %v)", moves)
	}
	c, _, err := dlight.Default(workload.Conv(8, 8, 8, 8, 3, 8), &tgt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.GetSBlock("pad"); err == nil {
		t.Error("padding kept a buffer of its own")
	}
}

// Weights that the second-level cache does not hold stream past every tile of rows; those
// that half of the last cache does not hold, in parts of the reduction. Few chunks of
// columns, and rows that are too few for the threads, keep weights close instead.
func TestWeightsStream(t *testing.T) {
	tgt := parse(t, `{"kind":"cpu","mcpu":"znver3","num-cores":2,"l1d":32768,"l2":524288,"l3":33554432}`)
	for _, c := range []struct {
		m, n, k int64
		threads int
		want    string // chunks; rows and columns; parts; rows, columns and steps of a part; the tile
	}{
		{512, 512, 512, 1, "4 | 86 8 | 1 | 1 1 512 | 6 2 8"},
		{1024, 1024, 1024, 1, "1 | 171 64 | 1 | 1 1 1024 | 6 2 8"},
		{128, 768, 768, 1, "1 | 22 48 | 1 | 1 1 768 | 6 2 8"},
		{128, 768, 3072, 1, "48 | 1 1 | 3 | 22 1 1024 | 6 2 8"},   // between the two
		{128, 2048, 4096, 1, "128 | 1 1 | 4 | 22 1 1024 | 6 2 8"}, // few rows
		{2048, 2048, 2048, 1, "1 | 1 1 | 4 | 342 128 512 | 6 2 8"},
		{1024, 1024, 1024, 2, "8 | 171 8 | 1 | 1 1 1024 | 6 2 8"},
		{2048, 2048, 2048, 2, "8 | 1 1 | 4 | 342 16 512 | 6 2 8"},
	} {
		tt := tgt.WithThreads(c.threads)
		s, _, err := dlight.Default(workload.Matmul(c.m, c.n, c.k), &tt)
		if err != nil {
			t.Fatal(err)
		}
		if got := extents(t, s, "matmul_update"); got != c.want {
			t.Errorf("%d×%d×%d on %d threads: %s, want %s", c.m, c.n, c.k, c.threads, got, c.want)
		}
	}
}

// extents are those of the loops around a tiled block, by level.
func extents(t *testing.T, s *schedule.Schedule, name string) string {
	t.Helper()
	b, err := s.GetSBlock(name)
	if err != nil {
		t.Fatal(err)
	}
	loops, err := s.GetLoops(b)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, l := range loops {
		h, err := s.LoopOf(l)
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 || i == 3 || i == 4 || i == 7 {
			out = append(out, "|")
		}
		out = append(out, tir.ExprString(h.Extent))
	}
	return strings.Join(out, " ")
}
