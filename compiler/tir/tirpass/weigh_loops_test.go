package tirpass_test

import (
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/tirpass"
)

// rowsOf is a parallel loop that stores a value in n vectors of eight for each of rows.
func rowsOf(rows, n int64, value func(x tir.Expr) tir.Expr) *tir.For {
	t := dtype.Float32.WithLanes(8)
	x := &tir.Buffer{Name: "x", Type: dtype.Float32, Shape: []tir.Expr{tir.Int(rows * n * 8)}, Scope: "global"}
	y := *x
	y.Name = "y"
	i, j := tir.NewVar("i", dtype.Int32), tir.NewVar("j", dtype.Int32)
	at := []tir.Expr{&tir.Ramp{Base: tir.Mul(tir.Add(tir.Mul(i, tir.Int(n)), j), tir.Int(8)), Stride: tir.Int(1), Lanes: 8}}
	store := &tir.Store{Buffer: &y, Indices: at, Value: value(&tir.Load{Buffer: x, Indices: at})}
	if store.Value.DType() != t {
		panic("BUG: value is no vector")
	}
	inner := &tir.For{Var: j, Min: tir.Int(0), Extent: tir.Int(n), Body: store}
	return &tir.For{Var: i, Min: tir.Int(0), Extent: tir.Int(rows), Kind: tir.Parallel, Body: inner}
}

// What a loop does decides, not how often it goes round; what is unknown stays parallel.
func TestWeighLoops(t *testing.T) {
	eight := func(dtype.DType) int { return 8 }
	scalar := func(dtype.DType) int { return 1 }
	same := func(x tir.Expr) tir.Expr { return x }
	exp := func(x tir.Expr) tir.Expr { return &tir.Call{Op: "exp", Args: []tir.Expr{x}, Type: x.DType()} }
	rows := tir.NewVar("rows", dtype.Int32)
	open := rowsOf(2, 1, same)
	open.Extent = rows
	for _, c := range []struct {
		name  string
		loop  *tir.For
		lanes func(dtype.DType) int
		want  tir.LoopKind
	}{
		{"1,000 vectors copied", rowsOf(1000, 1, same), eight, tir.Serial},
		{"1,000 vectors on a machine without vectors", rowsOf(1000, 1, same), scalar, tir.Parallel},
		{"1,000 exponentials", rowsOf(10, 100, exp), eight, tir.Parallel},
		{"100 exponentials", rowsOf(100, 1, exp), eight, tir.Serial},
		{"10,000 vectors copied", rowsOf(2, 5000, same), eight, tir.Parallel},
		{"as many rows as somebody says", open, eight, tir.Parallel},
	} {
		outer := &tir.For{Var: tir.NewVar("o", dtype.Int32), Min: tir.Int(0), Extent: tir.Int(100), Body: c.loop}
		got := tirpass.WeighLoops(outer, c.lanes).(*tir.For).Body.(*tir.For)
		if got.Kind != c.want {
			t.Errorf("%s: the loop is %v, want %v", c.name, got.Kind, c.want)
		}
		if got.Body != c.loop.Body || got.Extent != c.loop.Extent {
			t.Errorf("%s: more than the kind changed", c.name)
		}
	}
}
