package interp

import (
	"strings"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

func TestFaultsAreLocated(t *testing.T) {
	x := newFlat()
	one := []tir.Expr{tir.Int(1)}
	store := func(v tir.Expr, idx ...tir.Expr) tir.Stmt { return &tir.Store{Buffer: x.idx, Value: v, Indices: idx} }
	stray := tir.NewStaticBuffer("stray", dtype.Int32, 4)
	cases := []struct {
		name string
		body tir.Stmt
		want string
	}{
		{"store out of bounds", loop(x.i, 20, tir.Serial, store(x.i, x.i)), "flat: store to idx[16] is outside of shape (16)"},
		{"load out of bounds", store(load(x.idx, tir.Int(-1)), one...), "flat: load of idx[-1] is outside of shape (16)"},
		{"vector out of bounds", store(&tir.Broadcast{Value: tir.Int(1), Lanes: 4}, &tir.Ramp{Base: tir.Int(14), Stride: tir.Int(1), Lanes: 4}),
			"flat: store to idx[16] is outside of shape (16)"},
		{"rank", store(tir.Int(1)), "flat: 0 indices for the 1 dimensions of buffer idx"},
		{"wrong type", store(tir.F32(1), one...), "flat: store to idx takes int32, the value T.float32(1.0) is float32"},
		{"unknown buffer", &tir.Store{Buffer: stray, Value: tir.Int(1), Indices: one}, "flat: buffer stray is not defined here"},
		{"unknown variable", store(x.j, one...), "flat: variable j is not defined here"},
		{"division", store(tir.NewBinary(tir.OpFloorDiv, tir.Int(1), load(x.idx, tir.Int(0))), one...), "flat: division by zero in 1 // idx[0]"},
		{"assertion", &tir.Assert{Cond: tir.False, Parts: []string{"no"}}, "flat: assertion failed: no"},
		{"unknown call", store(&tir.Call{Op: "foo", Type: dtype.Int32}, one...), "flat: call of foo cannot be interpreted"},
		{"mixed operands", store(tir.NewBinary(tir.OpAdd, tir.Int(1), tir.IntOf(1, dtype.Int64)), one...),
			"flat: operands of T.Add(1, T.int64(1)) are int32 and int64"},
		{"float index", store(tir.Int(1), tir.F32(1)), "flat: index T.float32(1.0) of buffer idx is float32"},
	}
	for _, c := range cases {
		err := Run(x.fn(c.body), x.args())
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
}

func TestArgumentErrors(t *testing.T) {
	f := matmul(2)
	ok := func() []*dtype.Tensor {
		return []*dtype.Tensor{ramp(2, 2), ramp(2, 2), dtype.NewTensor(dtype.Float32, 2, 2)}
	}
	cases := map[string]func(a []*dtype.Tensor) []*dtype.Tensor{
		"2 arguments for 3 parameters":                      func(a []*dtype.Tensor) []*dtype.Tensor { return a[:2] },
		"argument 1: no tensor":                             func(a []*dtype.Tensor) []*dtype.Tensor { a[1] = nil; return a },
		"argument 0: buffer A is float32, the tensor is in": func(a []*dtype.Tensor) []*dtype.Tensor { a[0] = dtype.NewTensor(dtype.Int32, 2, 2); return a },
		"argument 0: buffer A has 2 dimensions":             func(a []*dtype.Tensor) []*dtype.Tensor { a[0] = ramp(4); return a },
		"argument 2: dimension 1 of C is 2":                 func(a []*dtype.Tensor) []*dtype.Tensor { a[2] = ramp(2, 3); return a },
		"argument 0: tensor float32[2 2] holds 4 bytes":     func(a []*dtype.Tensor) []*dtype.Tensor { a[0].Data = a[0].Data[:4]; return a },
	}
	for want, change := range cases {
		if err := Run(f, change(ok())); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// matmulBlock returns f's only inner block.
func matmulBlock(f *tir.PrimFunc) *tir.BlockRealize {
	var found *tir.BlockRealize
	tir.WalkStmt(f.Body, func(s tir.Stmt) bool {
		if r, ok := s.(*tir.BlockRealize); ok {
			found = r
		}
		return true
	})
	return found
}

func TestIteratorOutsideOfItsDomain(t *testing.T) {
	f := matmul(2)
	r := matmulBlock(f)
	r.Values[1] = tir.Add(r.Values[1], tir.Int(1))
	args := []*dtype.Tensor{ramp(2, 2), ramp(2, 2), dtype.NewTensor(dtype.Float32, 2, 2)}
	want := `matmul: block "C" (v_i0=0, v_i1=2, v_k0=0): iterator v_i1 is 2, outside of its domain [0, 2)`
	if err := Run(f, args); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestRegionsMustCoverAccesses(t *testing.T) {
	args := func() []*dtype.Tensor {
		return []*dtype.Tensor{ramp(4, 4), ramp(4, 4), dtype.NewTensor(dtype.Float32, 4, 4)}
	}
	declare := func(kExtent int64, aFull bool) *tir.PrimFunc {
		f := matmul(4)
		b := matmulBlock(f).Block
		i, j, k := b.Iters[0].Var, b.Iters[1].Var, b.Iters[2].Var
		one := tir.Int(1)
		point := func(x ...tir.Expr) []tir.Range {
			out := make([]tir.Range, len(x))
			for d, e := range x {
				out[d] = tir.Range{Min: e, Extent: one}
			}
			return out
		}
		ps := f.Buffers()
		b.Reads = []tir.Region{{Buffer: ps[0], Ranges: point(i, k)}, {Buffer: ps[1], Ranges: point(k, j)}}
		if !aFull {
			b.Reads = b.Reads[1:]
		}
		b.Reads[len(b.Reads)-1].Ranges[0].Min = tir.FloorMod(k, tir.Int(kExtent))
		b.Writes = []tir.Region{{Buffer: ps[2], Ranges: point(i, j)}}
		return f
	}
	if err := RunWith(declare(4, true), args(), Options{Regions: true}); err != nil {
		t.Errorf("right regions: %v", err)
	}
	err := RunWith(declare(3, true), args(), Options{Regions: true})
	want := `matmul: block "C" (v_i0=0, v_i1=0, v_k0=3): read of B[3, 0], but block "C" declares only B[0:1, 0:1]`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	err = RunWith(declare(4, false), args(), Options{Regions: true})
	if err == nil || !strings.Contains(err.Error(), `read of A[0, 0], but block "C" declares no region of it`) {
		t.Errorf("got %v", err)
	}
	if err := Run(declare(3, false), args()); err != nil {
		t.Errorf("unchecked: %v", err)
	}
}

func TestRaces(t *testing.T) {
	x := newFlat()
	acc := tir.NewStaticBuffer("acc", dtype.Int32, 1)
	zero := []tir.Expr{tir.Int(0)}
	bump := &tir.Store{Buffer: acc, Value: tir.Add(load(acc, zero...), x.i), Indices: zero}
	clear := &tir.Store{Buffer: acc, Value: tir.Int(0), Indices: zero}
	copyOut := &tir.Store{Buffer: x.idx, Value: load(acc, zero...), Indices: []tir.Expr{x.i}}
	alloc := &tir.AllocBuffer{Buffer: acc}
	cases := []struct {
		name string
		body []tir.Stmt
		want string // "" for no race
	}{
		{"sum in a parallel loop", []tir.Stmt{alloc, clear, loop(x.i, 4, tir.Parallel, bump)}, "iterations of loop i race for an element of acc"},
		{"serial sum", []tir.Stmt{alloc, clear, loop(x.i, 4, tir.Serial, bump)}, ""},
		{"private accumulator", []tir.Stmt{loop(x.i, 4, tir.Parallel, tir.NewSeq(alloc, clear, bump, copyOut))}, ""},
		{"shared accumulator", []tir.Stmt{alloc, loop(x.i, 4, tir.Parallel, tir.NewSeq(clear, bump, copyOut))}, "iterations of loop i race"},
		{"reads of one element", []tir.Stmt{alloc, clear, loop(x.i, 4, tir.Vectorized, copyOut)}, ""},
		{"read then written by a neighbour", []tir.Stmt{loop(x.i, 4, tir.Vectorized, &tir.Store{Buffer: x.idx,
			Value: load(x.idx, tir.Add(x.i, tir.Int(1))), Indices: []tir.Expr{x.i}})}, "iterations of loop i race for an element of idx"},
		{"two loops after one another", []tir.Stmt{alloc, clear, loop(x.j, 3, tir.Serial, tir.NewSeq(
			loop(x.i, 1, tir.Parallel, bump), loop(x.i, 1, tir.Parallel, bump)))}, ""},
		{"inner loop of a parallel one", []tir.Stmt{loop(x.j, 2, tir.Parallel, loop(x.i, 2, tir.Vectorized,
			&tir.Store{Buffer: x.idx, Value: x.i, Indices: []tir.Expr{x.i}}))}, "iterations of loop j race"},
	}
	for _, c := range cases {
		err := RunWith(x.fn(c.body...), x.args(), Options{Races: true})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

func TestUninitialised(t *testing.T) {
	x := newFlat()
	tmp := tir.NewStaticBuffer("tmp", dtype.Float32, 2)
	zero, one := []tir.Expr{tir.Int(0)}, []tir.Expr{tir.Int(1)}
	set := &tir.Store{Buffer: tmp, Value: tir.F32(1), Indices: zero}
	get := func(i []tir.Expr) tir.Stmt { return &tir.Store{Buffer: x.out, Value: load(tmp, i...), Indices: zero} }
	run := func(i []tir.Expr) error {
		return RunWith(x.fn(&tir.AllocBuffer{Buffer: tmp}, set, get(i)), x.args(), Options{Uninitialised: true})
	}
	if err := run(zero); err != nil {
		t.Error(err)
	}
	if err := run(one); err == nil || err.Error() != "flat: load of an element of tmp that nothing has written" {
		t.Errorf("got %v", err)
	}
	args := x.args()
	if err := Run(x.fn(&tir.AllocBuffer{Buffer: tmp}, get(one)), args); err != nil || args[1].Float(0) == args[1].Float(0) {
		t.Errorf("unwritten memory reads as NaN, got %v, %v", args[1].Float(0), err)
	}
}
