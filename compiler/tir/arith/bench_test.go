package arith

import (
	"testing"

	"hone/compiler/tir"
)

// BenchmarkSimplify times expressions that schedules make all the time.
func BenchmarkSimplify(b *testing.B) {
	for _, c := range []struct{ name, scope, expr string }{
		{"done", "i=0:16 j=0:4 k=0:8", "i * 32 + j * 8 + k"},
		{"linear", "i=0:16 j=0:4 k=0:8", "(i * 4 + j) * 8 + k + 3 - 3"},
		{"divmod", "i=0:16 j=0:4 k=0:8", "(i * 32 + j * 8 + k) // 8 % 4"},
		{"compare", "i=0:16 j=0:4 n", "n * 4 + j < 64"},
		{"proved", "i=0:16 j=0:4", "i * 4 + j < 64"},
	} {
		sc := newScope(b, c.scope)
		e, a := sc.parse(b, c.expr), sc.analyzer()
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = a.Simplify(e)
			}
		})
	}
}

var sink tir.Expr
