package tvmscript

import (
	"fmt"
	"strings"
	"testing"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

const benchScript = `@T.prim_func(s_tir=True)
def main(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32"), D: T.Buffer((128, 128), "float32")):
    T.func_attr({"tirx.noalias": True})
    # with T.sblock("root"):
    C = T.sblock_alloc_buffer((128, 128))
    for i0, j0 in T.grid(8, 8):
        for k0, i1, j1, k1 in T.grid(32, 16, 16, 4):
            with T.sblock("C"):
                vi = T.axis.spatial(128, i0 * 16 + i1)
                vj = T.axis.spatial(128, j0 * 16 + j1)
                vk = T.axis.reduce(128, k0 * 4 + k1)
                T.reads(A[vi, vk], B[vk, vj])
                T.writes(C[vi, vj])
                with T.init():
                    C[vi, vj] = T.float32(0.0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
    for i, j in T.grid(128, 128):
        with T.sblock("D"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(C[vi, vj])
            T.writes(D[vi, vj])
            D[vi, vj] = T.max(C[vi, vj], T.float32(0.0))
`

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseFunc(benchScript); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParse100KB reads a module of 100 KB: functions like those of a model.
func BenchmarkParse100KB(b *testing.B) {
	def := strings.TrimPrefix(benchScript, "@T.prim_func(s_tir=True)\ndef main")
	var src strings.Builder
	src.WriteString("@I.ir_module\nclass Module:\n")
	for i := 0; src.Len() < 100<<10; i++ {
		fn := fmt.Sprintf("@T.prim_func(s_tir=True)\ndef f%d%s", i, def)
		src.WriteString("    " + strings.ReplaceAll(strings.TrimSpace(fn), "\n", "\n    ") + "\n\n")
	}
	b.SetBytes(int64(src.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse("", src.String()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkInferRegions finds the regions of a script that omits them.
func BenchmarkInferRegions(b *testing.B) {
	f, err := ParseFunc(benchScript)
	if err != nil {
		b.Fatal(err)
	}
	w := tir.StmtRewriter{Stmt: func(s tir.Stmt) tir.Stmt {
		r, ok := s.(*tir.BlockRealize)
		if !ok || len(r.Block.Iters) == 0 {
			return s
		}
		blk := *r.Block
		blk.Reads, blk.Writes = nil, nil
		return &tir.BlockRealize{Values: r.Values, Predicate: r.Predicate, Block: &blk}
	}}
	bare := *f
	bare.Body = w.Rewrite(f.Body)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := analysis.InferRegions(&bare); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScript(b *testing.B) {
	f, err := ParseFunc(benchScript)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		tir.Script(f)
	}
}

// BenchmarkHash hashes a function of 60 lines: a product, then six stages that
// each work on what the one before has written.
func BenchmarkHash(b *testing.B) {
	const stage = `
    for i, j in T.grid(128, 128):
        with T.sblock("S"):
            vi = T.axis.spatial(128, i)
            vj = T.axis.spatial(128, j)
            T.reads(D[vi, vj])
            T.writes(D[vi, vj])
            D[vi, vj] = T.exp(D[vi, vj]) * T.float32(0.5)`
	src := strings.TrimSpace(benchScript) + strings.Repeat(stage, 6)
	if n := strings.Count(src, "\n") + 1; n < 60 {
		b.Fatalf("a function of %d lines", n)
	}
	f, err := ParseFunc(src)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		tir.Hash(f)
	}
}
