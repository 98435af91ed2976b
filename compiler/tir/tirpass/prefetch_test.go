package tirpass_test

import (
	"slices"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/tirpass"
)

// A loop fetches every line of what it streams, as many of its own steps ahead as the
// annotation says in steps of the reduction, and nothing that stays where it is.
func TestPrefetchStreams(t *testing.T) {
	b, y := tir.NewStaticBuffer("b", dtype.Float32, 4096), tir.NewStaticBuffer("y", dtype.Float32, 64)
	k := tir.NewVar("k", dtype.Int32)
	vec := func(buf *tir.Buffer, at tir.Expr) *tir.Load {
		return &tir.Load{Buffer: buf, Indices: []tir.Expr{&tir.Ramp{Base: at, Stride: tir.Int(1), Lanes: 8}}}
	}
	add := func(i int64, buf *tir.Buffer, at tir.Expr) tir.Stmt {
		to := vec(y, tir.Int(i))
		return &tir.Store{Buffer: y, Indices: to.Indices, Value: tir.Add(to, vec(buf, at))}
	}
	row := tir.Mul(k, tir.Int(24)) // three vectors, which lie in two lines
	body := tir.NewSeq(add(0, b, row), add(8, b, tir.Add(row, tir.Int(8))), add(16, b, tir.Add(row, tir.Int(16))), add(24, b, tir.Int(0)))
	for _, c := range []struct {
		ahead, unroll int64
		want          []string
	}{
		{0, 0, nil},
		{4, 0, []string{"prefetch(b[(k + 4) * 24], 3)", "prefetch(b[(k + 4) * 24 + 16], 3)"}},
		{8, 4, []string{"prefetch(b[(k + 2) * 24], 3)", "prefetch(b[(k + 2) * 24 + 16], 3)"}},
	} {
		l := &tir.For{Var: k, Min: tir.Int(0), Extent: tir.Int(100), Body: body}
		l.Ann = l.Ann.With("hone.prefetch", c.ahead).With("hone.unroll_k", c.unroll)
		var got []string
		tir.WalkStmt(tirpass.PrefetchStreams(l), func(s tir.Stmt) bool {
			if e, ok := s.(*tir.Evaluate); ok {
				got = append(got, tir.ExprString(e.Value))
			}
			return true
		})
		for i := range got {
			got[i] = got[i][len("T."):]
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d steps ahead, %d at a time: %q, want %q", c.ahead, c.unroll, got, c.want)
		}
	}
}
