package tvmscript

import (
	"testing"

	"hone/compiler/tir"
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

func BenchmarkHash(b *testing.B) {
	f, err := ParseFunc(benchScript)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		tir.Hash(f)
	}
}
