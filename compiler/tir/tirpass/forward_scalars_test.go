package tirpass

import (
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// Scalars that only name the steps of one store go; what is read twice, later, or in
// memory that a store has changed stays.
func TestForwardScalars(t *testing.T) {
	out := tir.NewStaticBuffer("out", dtype.Int32, 4)
	scalar := func(name string) *tir.Buffer {
		b := tir.NewStaticBuffer(name, dtype.Int32, 1)
		b.Scope = "local"
		return b
	}
	at := func(b *tir.Buffer, i int64) tir.Expr { return &tir.Load{Buffer: b, Indices: []tir.Expr{tir.Int(i)}} }
	set := func(b *tir.Buffer, i int64, v tir.Expr) tir.Stmt {
		return &tir.Store{Buffer: b, Value: v, Indices: []tir.Expr{tir.Int(i)}}
	}
	a, b, c, d := scalar("a"), scalar("b"), scalar("c"), scalar("d")
	s := tir.NewSeq(&tir.AllocBuffer{Buffer: a}, &tir.AllocBuffer{Buffer: b}, &tir.AllocBuffer{Buffer: c}, &tir.AllocBuffer{Buffer: d},
		set(c, 0, at(out, 2)), set(a, 0, at(out, 3)), set(b, 0, tir.Add(at(a, 0), tir.Int(1))), set(d, 0, at(out, 0)),
		set(out, 0, tir.Add(at(b, 0), tir.Mul(at(c, 0), at(c, 0)))), set(out, 1, at(d, 0)))
	f := func(s tir.Stmt) string {
		return tir.Script(&tir.PrimFunc{Name: "f", Params: []tir.Param{out}, Body: s})
	}
	want := tir.NewSeq(&tir.AllocBuffer{Buffer: c}, &tir.AllocBuffer{Buffer: d},
		set(c, 0, at(out, 2)), set(d, 0, at(out, 0)), set(out, 0, tir.Add(tir.Add(at(out, 3), tir.Int(1)), tir.Mul(at(c, 0), at(c, 0)))), set(out, 1, at(d, 0)))
	if got := f(ForwardScalars(s)); got != f(want) {
		t.Errorf("got\n%s\nwant\n%s", got, f(want))
	}
}
