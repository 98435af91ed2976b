package schedule_test

import (
	"math"
	"slices"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
	"hone/compiler/tir/interp"
	"hone/internal/rng"
)

// results caches what unscheduled functions compute, by their text.
var results = map[string][]*dtype.Tensor{}

// symbol is what variables stand for that the parameters of a function leave open.
const symbol = 12

// arguments fills the parameters of f with small integers, so that sums are
// exact in any order.
func arguments(t *testing.T, f *tir.PrimFunc) []*dtype.Tensor {
	t.Helper()
	r := rng.New(1, "arguments")
	var out []*dtype.Tensor
	for _, p := range f.Params {
		b, ok := p.(*tir.Buffer)
		if !ok {
			x := dtype.NewTensor(p.(*tir.Var).Type)
			x.SetFloat(0, symbol)
			out = append(out, x)
			continue
		}
		x := dtype.NewTensor(b.Type, shapeOf(t, b)...)
		for i := range x.Len() {
			x.SetFloat(i, float64(r.Intn(9)-4))
		}
		out = append(out, x)
	}
	return out
}

func shapeOf(t *testing.T, b *tir.Buffer) []int64 {
	t.Helper()
	out := make([]int64, len(b.Shape))
	for i, e := range b.Shape {
		n, ok := tir.AsInt(arith.NewAnalyzer().Simplify(tir.SubstituteFunc(e, func(v *tir.Var) tir.Expr { return tir.IntOf(symbol, v.Type) })))
		if !ok {
			t.Fatalf("%s has the extent %s", b.Name, tir.ExprString(e))
		}
		out[i] = n
	}
	return out
}

func compute(t *testing.T, pos string, f *tir.PrimFunc) []*dtype.Tensor {
	t.Helper()
	args := arguments(t, f)
	if err := interp.RunWith(f, args, interp.Options{}); err != nil {
		t.Fatalf("%s: %v\n%s", pos, err, tir.Script(f))
	}
	return args
}

// checkSame: the functions of both modules compute the same from the same inputs.
func checkSame(t *testing.T, pos string, before, after *tir.Module) {
	t.Helper()
	for _, f := range before.Funcs {
		g, ok := after.Lookup(f.Name)
		if !ok {
			t.Errorf("%s: function %s is gone", pos, f.Name)
			continue
		}
		sameFunc(t, pos, f, g)
	}
}

func sameFunc(t *testing.T, pos string, before, after *tir.PrimFunc) {
	t.Helper()
	key := tir.Script(before)
	want, ok := results[key]
	if !ok {
		want = compute(t, pos, before)
		results[key] = want
	}
	for i, b := range before.Buffers() {
		if !slices.Equal(shapeOf(t, b), shapeOf(t, after.Buffers()[i])) {
			return // a parameter changed its layout
		}
	}
	got := compute(t, pos, after)
	for i := range want {
		for j := range want[i].Len() {
			x, y := want[i].Float(j), got[i].Float(j)
			if math.Abs(x-y) > 1e-5*(1+math.Abs(x)) || math.IsNaN(x) != math.IsNaN(y) {
				t.Errorf("%s: argument %d differs at %d: %v, want %v\n%s", pos, i, j, y, x, tir.Script(after))
				return
			}
		}
	}
}
