package schedule_test

import (
	"fmt"
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
// exact in any order; integers are indices where functions gather.
func arguments(f *tir.PrimFunc) ([]*dtype.Tensor, error) {
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
		shape, err := shapeOf(b)
		if err != nil {
			return nil, err
		}
		x := dtype.NewTensor(b.Type, shape...)
		for i := range x.Len() {
			if b.Type == dtype.Int32 {
				x.SetFloat(i, float64(r.Intn(5)))
			} else {
				x.SetFloat(i, float64(r.Intn(9)-4))
			}
		}
		out = append(out, x)
	}
	return out, nil
}

func shapeOf(b *tir.Buffer) ([]int64, error) {
	out := make([]int64, len(b.Shape))
	for i, e := range b.Shape {
		n, ok := tir.AsInt(arith.NewAnalyzer().Simplify(tir.SubstituteFunc(e, func(v *tir.Var) tir.Expr { return tir.IntOf(symbol, v.Type) })))
		if !ok {
			return nil, fmt.Errorf("%s has the extent %s", b.Name, tir.ExprString(e))
		}
		out[i] = n
	}
	return out, nil
}

func compute(f *tir.PrimFunc) ([]*dtype.Tensor, error) {
	args, err := arguments(f)
	if err != nil {
		return nil, err
	}
	return args, interp.RunWith(f, args, interp.Options{})
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
		if why := compare(f, g); why != "" {
			t.Errorf("%s: %s\n%s", pos, why, tir.Script(g))
		}
	}
}

// compare says how the results of two functions differ, "" if they do not. It
// cannot tell when a parameter has changed its layout.
func compare(before, after *tir.PrimFunc) string {
	if relaid(before, after) {
		return ""
	}
	key := tir.Script(before)
	want, ok := results[key]
	if !ok {
		var err error
		if want, err = compute(before); err != nil {
			return err.Error()
		}
		results[key] = want
	}
	got, err := compute(after)
	if err != nil {
		return err.Error()
	}
	for i := range want {
		for j := range want[i].Len() {
			x, y := want[i].Float(j), got[i].Float(j)
			if math.Abs(x-y) > 1e-5*(1+math.Abs(x)) || math.IsNaN(x) != math.IsNaN(y) {
				return fmt.Sprintf("argument %d differs at %d: %v, want %v", i, j, y, x)
			}
		}
	}
	return ""
}

func relaid(before, after *tir.PrimFunc) bool {
	for i, b := range before.Buffers() {
		x, _ := shapeOf(b)
		y, _ := shapeOf(after.Buffers()[i])
		if !slices.Equal(x, y) {
			return true
		}
	}
	return false
}
