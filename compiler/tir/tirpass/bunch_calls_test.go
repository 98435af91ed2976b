package tirpass_test

import (
	"strings"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/tirpass"
)

// Calls of neighbouring stores stand together where no store writes what another reads.
func TestBunchCalls(t *testing.T) {
	x, y := tir.NewStaticBuffer("x", dtype.Float32, 64), tir.NewStaticBuffer("y", dtype.Float32, 64)
	at := func(i int64) []tir.Expr { return []tir.Expr{&tir.Ramp{Base: tir.Int(i), Stride: tir.Int(1), Lanes: 8}} }
	of := func(op string, e tir.Expr) tir.Expr { return &tir.Call{Op: op, Args: []tir.Expr{e}, Type: e.DType()} }
	load := func(b *tir.Buffer, i int64) tir.Expr { return &tir.Load{Buffer: b, Indices: at(i)} }
	list := func(n int64, f func(i int64) tir.Stmt) tir.Stmt {
		var out []tir.Stmt
		for i := range n {
			out = append(out, f(8*i))
		}
		return tir.NewSeq(out...)
	}
	for _, c := range []struct {
		name string
		body tir.Stmt
		want string // of every statement, b for a binding and s for a store
	}{
		{"one call each", list(4, func(i int64) tir.Stmt {
			return &tir.Store{Buffer: y, Value: of("exp", load(x, i)), Indices: at(i)}
		}), "bbbbssss"},
		{"six stores", list(6, func(i int64) tir.Stmt {
			return &tir.Store{Buffer: y, Value: of("erf", load(x, i)), Indices: at(i)}
		}), "bbbbssssbbss"},
		{"a call in a call", list(2, func(i int64) tir.Stmt {
			return &tir.Store{Buffer: y, Value: of("exp", of("tanh", load(x, i))), Indices: at(i)}
		}), "bbbbss"},
		{"in place", list(2, func(i int64) tir.Stmt {
			return &tir.Store{Buffer: y, Value: of("exp", load(y, i)), Indices: at(i)}
		}), "bbss"},
		{"reads what was stored", list(3, func(i int64) tir.Stmt {
			return &tir.Store{Buffer: y, Value: of("exp", load(y, max(0, i-4))), Indices: at(i)}
		}), "sss"},
		{"no call", list(3, func(i int64) tir.Stmt {
			return &tir.Store{Buffer: y, Value: load(x, i), Indices: at(i)}
		}), "sss"},
	} {
		var got strings.Builder
		for _, s := range tirpass.BunchCalls(c.body).(*tir.Seq).Stmts {
			switch s := s.(type) {
			case *tir.Bind:
				got.WriteByte('b')
			case *tir.Store:
				got.WriteByte('s')
				tir.Walk(s.Value, func(e tir.Expr) bool {
					if _, call := e.(*tir.Call); call && c.want[0] == 'b' {
						t.Errorf("%s: a store still calls", c.name)
					}
					return true
				})
			}
		}
		if got.String() != c.want {
			t.Errorf("%s: %s, want %s", c.name, got.String(), c.want)
		}
	}
}
