package analysis_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/compiler/tir/tvmscript"
)

func parse(t testing.TB, src string) *tir.PrimFunc {
	t.Helper()
	f, err := tvmscript.ParseFunc(src)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func rootScope(t testing.TB, f *tir.PrimFunc) *analysis.Scope {
	t.Helper()
	r, ok := f.Root()
	if !ok {
		t.Fatal("no root block")
	}
	return analysis.NewScope(r.Block)
}

// TestScopeFlags holds affine binding, region cover, stage pipeline and being a
// reduction of every block against what TVM 0.27's schedule state says (below
// "# ----").
func TestScopeFlags(t *testing.T) {
	eachCase(t, "flags", func(t *testing.T, src string) string {
		root := rootScope(t, parse(t, src))
		return fmt.Sprintf("# root affine=True cover=True pipeline=%s\n", title(root.StagePipeline())) + flagLines(root)
	})
}

func title(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

func flagLines(s *analysis.Scope) string {
	out := ""
	for i := range s.Children {
		c := &s.Children[i]
		in := analysis.NewScope(c.Block(), slices.Concat(s.Around, c.Loops)...)
		out += fmt.Sprintf("# %s affine=%s cover=%s pipeline=%s reduction=%s\n", c.Block().Name, title(s.AffineBinding(i)), title(s.RegionCovered(i)), title(in.StagePipeline()), title(s.IsReduction(i)))
		out += flagLines(in)
	}
	return out
}

const softmax = `
@T.prim_func(s_tir=True)
def softmax(A: T.Buffer((16, 256), "float32"), B: T.Buffer((16, 256), "float32")):
    m = T.sblock_alloc_buffer((16,))
    e = T.sblock_alloc_buffer((16, 256))
    s = T.sblock_alloc_buffer((16,))
    for i, k in T.grid(16, 256):
        with T.sblock("max"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                m[vi] = T.min_value("float32")
            m[vi] = T.max(m[vi], A[vi, vk])
    for i, k in T.grid(16, 256):
        with T.sblock("exp"):
            vi, vk = T.axis.remap("SS", [i, k])
            e[vi, vk] = T.exp(A[vi, vk] - m[vi])
    for i, k in T.grid(16, 256):
        with T.sblock("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                s[vi] = 0.0
            s[vi] = s[vi] + e[vi, vk]
    for i, k in T.grid(16, 256):
        with T.sblock("norm"):
            vi, vk = T.axis.remap("SS", [i, k])
            B[vi, vk] = e[vi, vk] / s[vi]
`

func TestScopeOfSoftmax(t *testing.T) {
	s := rootScope(t, parse(t, softmax))
	want := []analysis.Dep{
		{Src: 0, Dst: 1, Kind: analysis.RAW}, {Src: 1, Dst: 2, Kind: analysis.RAW},
		{Src: 1, Dst: 3, Kind: analysis.RAW}, {Src: 2, Dst: 3, Kind: analysis.RAW},
	}
	if got := s.Deps(); !reflect.DeepEqual(got, want) {
		t.Errorf("dependencies %v", got)
	}
	if p, c := s.Producers(3), s.Consumers(1); !reflect.DeepEqual(p, []int{1, 2}) || !reflect.DeepEqual(c, []int{2, 3}) {
		t.Errorf("producers %v, consumers %v", p, c)
	}
	if !s.Plain || !s.StagePipeline() || s.IsOutput(1) || !s.IsOutput(3) {
		t.Error("softmax is a plain stage pipeline with one output")
	}
	for i, reduction := range []bool{true, false, true, false} {
		if s.IsReduction(i) != reduction || s.IsComplete(i) == reduction {
			t.Errorf("block %d: complete %q, reduction %q", i, s.WhyNotComplete(i), s.WhyNotReduction(i))
		}
		loops := s.Children[i].Loops
		want := analysis.SpatialLoop
		if reduction {
			want = analysis.ReduceLoop
		}
		if analysis.LoopIterKind(loops[0]) != analysis.SpatialLoop || analysis.LoopIterKind(loops[1]) != want {
			t.Errorf("block %d: loop kinds %v %v", i, analysis.LoopIterKind(loops[0]), analysis.LoopIterKind(loops[1]))
		}
		if !analysis.TrivialBinding(s.Children[i].Realize, loops) {
			t.Errorf("block %d has trivial bindings", i)
		}
	}
}

// TestBlockKindReasons names the condition that fails.
func TestBlockKindReasons(t *testing.T) {
	head := "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((64, 64), \"float32\"), B: T.Buffer((64,), \"float32\")):\n"
	for _, c := range []struct{ name, body, complete, reduction string }{
		{"scatter reduce", `
    for i, k in T.grid(64, 64):
        with T.sblock("b"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                B[vk] = 0.0
            B[vk] = B[vk] + A[vi, vk]
`, "iterator vk is not spatial", "a reduce iterator chooses where it stores"},
		{"in place", `
    for i in range(64):
        with T.sblock("b"):
            vi = T.axis.spatial(64, i)
            B[vi] = B[vi] + 1.0
`, "it reads and writes B", "it has no initialiser"},
		{"two writers", `
    for i in range(64):
        with T.sblock("b"):
            vi = T.axis.spatial(64, i)
            B[vi] = 1.0
    for i in range(64):
        with T.sblock("c"):
            vi = T.axis.spatial(64, i)
            B[vi] = 2.0
`, "block c writes B too", "it has no initialiser"},
		{"not affine", `
    for i, k in T.grid(64, 64):
        with T.sblock("b"):
            vi = T.axis.spatial(64, i)
            vk = T.axis.reduce(64, T.min(k, 63 - i))
            with T.init():
                B[vi] = 0.0
            B[vi] = B[vi] + A[vi, vk]
`, "iterator vk is not spatial", "its bindings are not quasi-affine"},
	} {
		s := rootScope(t, parse(t, head+c.body))
		if got := s.WhyNotComplete(0); got != c.complete {
			t.Errorf("%s: not complete because %q", c.name, got)
		}
		if got := s.WhyNotReduction(0); got != c.reduction {
			t.Errorf("%s: not a reduction because %q", c.name, got)
		}
	}
}
