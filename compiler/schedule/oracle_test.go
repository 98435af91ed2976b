package schedule_test

import (
	"math"
	"slices"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/interp"
	"hone/internal/rng"
)

// results caches what unscheduled functions compute, by their text.
var results = map[string][]*dtype.Tensor{}

// arguments fills the parameters of f with small integers, so that sums are
// exact in any order.
func arguments(t *testing.T, f *tir.PrimFunc) []*dtype.Tensor {
	t.Helper()
	r := rng.New(1, "arguments")
	var out []*dtype.Tensor
	for _, b := range f.Buffers() {
		shape, ok := b.StaticShape()
		if !ok {
			t.Fatalf("%s has no static shape", b.Name)
		}
		x := dtype.NewTensor(b.Type, shape...)
		for i := range x.Len() {
			x.SetFloat(i, float64(r.Intn(9)-4))
		}
		out = append(out, x)
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

// checkSame: both functions compute the same from the same inputs.
func checkSame(t *testing.T, pos string, before, after *tir.PrimFunc) {
	t.Helper()
	key := tir.Script(before)
	want, ok := results[key]
	if !ok {
		want = compute(t, pos, before)
		results[key] = want
	}
	for i, b := range before.Buffers() {
		x, _ := b.StaticShape()
		y, _ := after.Buffers()[i].StaticShape()
		if !slices.Equal(x, y) {
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
