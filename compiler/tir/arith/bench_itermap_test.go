package arith

import (
	"testing"

	"hone/compiler/tir"
)

// BenchmarkIterMapSimplify times the bindings of a tiled convolution after one
// more split.
func BenchmarkIterMapSimplify(b *testing.B) {
	c := parseIterCase(b, "n=0:1 o0=0:2 o1=0:4 o2=0:8 h0=0:7 h1=0:2 w0=0:7 w1=0:2 i0=0:16 i1=0:4 r=0:3 s=0:3|n; (o0 * 4 + o1) * 8 + o2; h0 * 2 + h1; w0 * 2 + w1; i0 * 4 + i1; r; s")
	b.ReportAllocs()
	for b.Loop() {
		out = IterMapSimplify(c.indices, c.loops, c.pred, Surjective, false)
	}
}

var out []tir.Expr
