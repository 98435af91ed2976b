package analysis_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/compiler/tir/arith"
)

// TestWork holds the estimate of operations and the anchor block against those
// of TVM 0.27 (below "# ----").
func TestWork(t *testing.T) {
	eachCase(t, "work", func(t *testing.T, src string) string {
		f := parse(t, src)
		anchor := "-"
		if b := analysis.AnchorBlock(f); b != nil {
			anchor = b.Name
		}
		return fmt.Sprintf("# flops=%.0f\n# anchor=%s\n", analysis.EstimateFlops(f), anchor)
	})
}

func workload(t testing.TB, name string) *tir.PrimFunc {
	t.Helper()
	text, err := os.ReadFile("testdata/work/" + name + ".py")
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

func TestEstimateBytes(t *testing.T) {
	for _, c := range []struct {
		name string
		want float64
	}{
		{"matmul", 4 * (64*32 + 32*48 + 64*48)},
		{"integer", 64*64 + 64*64 + 4*64*64},
		// The padding block reads the interior through shifted indices, clipped
		// only by its condition: the hull is the padded size, at most the buffer.
		{"depthwise", 4 * (16*16*16 + 16*9 + 16*14*14)},
		{"scan", 4 * ((4096 + 16) + (4096 + 16 + 4096) + (4096 + 16) + (4096 + 16 + 4096))},
	} {
		if got := analysis.EstimateBytes(workload(t, c.name)); got != c.want {
			t.Errorf("%s moves %.0f bytes, want %.0f", c.name, got, c.want)
		}
	}
}

// TestLeastFlops: a product has no way around its operations; padding and integers do.
func TestLeastFlops(t *testing.T) {
	for name, want := range map[string]float64{"matmul": 2 * 64 * 32 * 48, "depthwise": 2 * 16 * 14 * 14 * 9, "integer": 0, "conv_pad": 0} {
		if got := analysis.LeastFlops(workload(t, name)); got != want {
			t.Errorf("%s: %g, want %g", name, got, want)
		}
	}
}

// TestTilingPredicates says which blocks the rules of the search look at.
func TestTilingPredicates(t *testing.T) {
	for _, c := range []struct {
		name  string
		block int
		want  string
	}{
		{"matmul", 0, "tile"},
		{"conv_pad", 0, "if writecache"},
		{"conv_pad", 1, "tile"},
		{"depthwise", 0, "tile"},
		{"layernorm", 0, "rfactor"},
		{"layernorm", 1, "rfactor"},
		{"layernorm", 2, "writecache"},
		{"scan", 0, "rfactor"},
		{"scan", 1, "writecache"},
		{"integer", 0, "tile"},
	} {
		s := rootScope(t, workload(t, c.name))
		r := s.Children[c.block].Realize
		var got []string
		if analysis.HasIfThenElse(r) {
			got = append(got, "if")
		}
		if s.NeedsMultiLevelTiling(c.block) {
			got = append(got, "tile")
		}
		if s.NeedsRFactor(c.block, 16) {
			got = append(got, "rfactor")
		}
		if analysis.IsWriteCache(r.Block) {
			got = append(got, "writecache")
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s block %d: %q, want %q", c.name, c.block, g, c.want)
		}
	}
	if analysis.IsSpatial(workload(t, "matmul")) || !analysis.IsSpatial(workload(t, "branches")) {
		t.Error("matmul reduces, branches does not")
	}
}

// TestNeedsRFactorOfTileable: a tileable block is factored only when its space is
// small.
func TestNeedsRFactorOfTileable(t *testing.T) {
	build := func(n, k int64) *analysis.Scope {
		b := tir.NewBuilder("f")
		x, y, z := b.Param("x", dtype.Float32, n, k), b.Param("y", dtype.Float32, n, k), b.Param("z", dtype.Float32, n, n)
		b.ReduceSum("mm", z, []int64{k}, func(s, r []tir.Expr) tir.Expr {
			return tir.Mul(&tir.Load{Buffer: x, Indices: []tir.Expr{s[0], r[0]}}, &tir.Load{Buffer: y, Indices: []tir.Expr{s[1], r[0]}})
		})
		f, err := analysis.InferRegions(b.Func())
		if err != nil {
			t.Fatal(err)
		}
		return rootScope(t, f)
	}
	if !build(2, 512).NeedsRFactor(0, 32) || build(64, 512).NeedsRFactor(0, 32) {
		t.Error("2x2x512 has too little space for 32 workers, 64x64x512 has not")
	}
}

func TestReadWritePattern(t *testing.T) {
	i, j := tir.NewVar("i", dtype.Int32), tir.NewVar("j", dtype.Int32)
	one := tir.Int(1)
	region := func(es ...tir.Expr) tir.Region {
		r := tir.Region{}
		for _, e := range es {
			r.Ranges = append(r.Ranges, tir.Range{Min: e, Extent: one})
		}
		return r
	}
	for _, c := range []struct {
		name        string
		read, write tir.Region
		want        string
	}{
		{"same", region(i, j), region(i, j), "exists injective surjective ordered shift"},
		{"transposed", region(j, i), region(i, j), "exists injective surjective shift"},
		{"broadcast", region(j), region(i, j), "exists injective ordered shift"},
		{"diagonal", region(i, i), region(i, j), "exists shift"},
		{"shifted", region(tir.Add(i, one), j), region(i, j), "exists injective surjective ordered"},
		{"constant", region(tir.Int(0), j), region(i, j), "exists injective ordered shift"},
		{"scaled", region(tir.Mul(i, tir.Int(2)), j), region(i, j), ""},
	} {
		p := analysis.AnalyzeReadWritePattern(c.read, c.write)
		var got []string
		for _, x := range []struct {
			ok   bool
			name string
		}{{p.Exists, "exists"}, {p.Injective, "injective"}, {p.Surjective, "surjective"}, {p.Ordered, "ordered"}, {p.SameShift, "shift"}} {
			if x.ok {
				got = append(got, x.name)
			}
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: %q, want %q", c.name, g, c.want)
		}
	}
}

func TestFindReducer(t *testing.T) {
	for _, c := range []struct {
		name, block string
		op          tir.BinOp
		ok          bool
	}{
		{"matmul", "C", tir.OpAdd, true},
		{"integer", "C", tir.OpAdd, true},
		{"scan", "max", tir.OpMax, true},
		{"scan", "exp", 0, false},
		{"layernorm", "sqr", tir.OpAdd, true},
	} {
		s := rootScope(t, workload(t, c.name))
		for i := range s.Children {
			b := s.Children[i].Block()
			if b.Name != c.block {
				continue
			}
			r, why := analysis.FindReducer(b)
			ok := why == ""
			if ok != c.ok {
				t.Errorf("%s of %s: %v", c.block, c.name, ok)
			}
			if !ok {
				continue
			}
			whole := r.Combine(r.Elements(), r.Values)[0]
			if op := whole.(*tir.Binary).Op; op != c.op || !arith.Same(whole, b.Body.(*tir.Store).Value) {
				t.Errorf("%s of %s: the parts do not make the whole", c.block, c.name)
			}
		}
	}
	// A wrong initial value is no identity.
	f := parse(t, `
@T.prim_func(s_tir=True)
def f(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8,), "float32")):
    for i, k in T.grid(8, 8):
        with T.sblock("b"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vi] = 1.0
            B[vi] = B[vi] + A[vi, vk]
`)
	if _, why := analysis.FindReducer(rootScope(t, f).Children[0].Block()); why == "" {
		t.Error("a sum from 1 was recognised")
	}
}

func TestIdentity(t *testing.T) {
	for _, c := range []struct {
		op   tir.BinOp
		t    dtype.DType
		want string
	}{
		{tir.OpAdd, dtype.Float32, "T.float32(0.0)"},
		{tir.OpMul, dtype.Int32, "1"},
		{tir.OpMax, dtype.Int8, "T.int8(-128)"},
		{tir.OpMin, dtype.Int8, "T.int8(127)"},
		{tir.OpMax, dtype.UInt8, "T.uint8(0)"},
		{tir.OpMin, dtype.UInt8, "T.uint8(255)"},
		{tir.OpMax, dtype.Int32, "-2147483648"},
		{tir.OpMax, dtype.Float16, "T.float16(-65504.0)"},
	} {
		if got := tir.ExprString(analysis.Identity(c.op, c.t)); got != c.want {
			t.Errorf("identity of %v on %v is %s, want %s", c.op, c.t, got, c.want)
		}
	}
	if analysis.Identity(tir.OpSub, dtype.Float32) != nil {
		t.Error("subtraction has an identity")
	}
}
