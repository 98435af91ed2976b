package tunertest

import (
	"math"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/pipeline"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/interp"
	"hone/compiler/tir/tirpass"
	"hone/internal/rng"
)

// Oracle knows what a function computes on fixed inputs, small positive integers
// for which sums are exact in every order.
type Oracle struct {
	in   []*dtype.Tensor
	want *dtype.Tensor
}

// NewOracle runs f, whose last parameter is the result, in the interpreter.
func NewOracle(t testing.TB, f *tir.PrimFunc) *Oracle {
	t.Helper()
	r := rng.New(5)
	o := &Oracle{}
	for _, b := range f.Buffers() {
		shape, ok := b.StaticShape()
		if !ok {
			t.Fatalf("%s has no static shape", b.Name)
		}
		x := dtype.NewTensor(b.Type, shape...)
		for i := range x.Len() {
			x.SetInt(i, int64(r.Intn(3))+1)
		}
		o.in = append(o.in, x)
	}
	args := append([]*dtype.Tensor(nil), o.in...)
	o.want = result(args)
	if err := interp.Run(f, args); err != nil {
		t.Fatalf("%v\n%s", err, tir.Script(f))
	}
	return o
}

// result puts an empty tensor in place of the last argument.
func result(args []*dtype.Tensor) *dtype.Tensor {
	last := *args[len(args)-1]
	last.Data = make([]byte, len(last.Data))
	args[len(args)-1] = &last
	return &last
}

// Scheduled checks a scheduled function: it verifies and computes the same.
func (o *Oracle) Scheduled(t testing.TB, name string, f *tir.PrimFunc) {
	t.Helper()
	if err := tir.Verify(f); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, tir.Script(f))
	}
	args := append([]*dtype.Tensor(nil), o.in...)
	got := result(args)
	if err := interp.Run(f, args); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, tir.Script(f))
	}
	o.same(t, name, got, tir.Script(f))
}

// Lowered checks a postprocessed function as a target runs it: lowered, with its
// constant arguments packed.
func (o *Oracle) Lowered(t testing.TB, name string, f *tir.PrimFunc, tgt *target.Target) {
	t.Helper()
	u, err := pipeline.LowerCPU(f, tgt)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, tir.Script(f))
	}
	args := append([]*dtype.Tensor(nil), o.in...)
	got := result(args)
	for i := range args {
		x := *args[i]
		for _, p := range u.Packs {
			if p.Param == i {
				x = *packed(t, name, p, &x)
			}
		}
		x.Shape = []int64{int64(x.Len())}
		args[i] = &x
	}
	if err := interp.Run(u.Func, args); err != nil {
		t.Fatalf("%s: %v\n%s\n%s", name, err, tir.Script(f), tir.Script(u.Func))
	}
	o.same(t, name, got, tir.Script(f)+"\n"+tir.Script(u.Func))
}

// packed packs an argument in Go and by the function that agents run, which must
// agree.
func packed(t testing.TB, name string, p tirpass.Pack, from *dtype.Tensor) *dtype.Tensor {
	t.Helper()
	want, err := p.Apply(from)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	src, dst := *from, dtype.NewTensor(p.Type, want.Shape...)
	src.Shape, dst.Shape = []int64{int64(src.Len())}, []int64{int64(dst.Len())}
	if err := interp.Run(p.Func, []*dtype.Tensor{&src, dst}); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, tir.Script(p.Func))
	}
	if string(dst.Data) != string(want.Data) {
		t.Fatalf("%s: packing functions differ\n%s", name, tir.Script(p.Func))
	}
	return want
}

// same allows for the rounding of divisions and exponentials only.
func (o *Oracle) same(t testing.TB, name string, got *dtype.Tensor, text string) {
	t.Helper()
	for i := range o.want.Len() {
		x, y := o.want.Float(i), got.Float(i)
		if !(math.Abs(x-y) <= 1e-6*math.Abs(x)) {
			t.Fatalf("%s: element %d is %v, want %v\n%s", name, i, y, x, text)
		}
	}
}
