package space_test

import (
	"bytes"
	"testing"

	"hone/bench/workload"
	"hone/compiler/dtype"
	"hone/compiler/pipeline"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/interp"
	"hone/compiler/tir/tirpass"
	"hone/internal/rng"
	"hone/tuner/preset"
	"hone/tuner/search"
)

func parse(t testing.TB, s string) target.Target {
	tgt, err := target.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return tgt
}

// workloads are small, with extents that no tile divides.
func workloads() map[string]*tir.PrimFunc {
	return map[string]*tir.PrimFunc{
		"matmul":        workload.Matmul(20, 56, 32),
		"matmul odd":    workload.Matmul(7, 20, 18),
		"matmul narrow": workload.Matmul(1, 40, 33),
		"conv":          workload.Conv(7, 9, 16, 16, 3, 8),
		"depthwise":     workload.Depthwise(9, 11, 16, 3, 8),
	}
}

// Every candidate that the space yields computes what the function computes,
// lowered and with packed weights; so does candidate zero.
func TestEveryCandidateComputesTheFunction(t *testing.T) {
	for _, tgt := range []target.Target{
		parse(t, `{"kind":"cpu","mcpu":"znver3","num-cores":2}`),
		parse(t, `{"kind":"cpu","isa":"x86_64","mcpu":"skylake-avx512","num-cores":4}`),
	} {
		for name, f := range workloads() {
			e, err := search.NewEngine(f, preset.CPU(), tgt)
			if err != nil {
				t.Fatal(err)
			}
			in := inputs(f)
			want := reference(t, f, in)
			zero, err := e.Default()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			cs := append(e.Propose(search.Round{N: 16, Rand: rng.New(3, name)}), zero)
			if len(cs) < 8 {
				t.Errorf("%s: only %d candidates", name, len(cs))
			}
			for _, c := range cs {
				check(t, name, c, &tgt, in, want)
			}
		}
	}
}

func check(t *testing.T, name string, c search.Candidate, tgt *target.Target, in []*dtype.Tensor, want []byte) {
	t.Helper()
	u, err := pipeline.LowerCPU(c.Func, tgt)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, tir.Script(c.Func))
	}
	args := make([]*dtype.Tensor, len(in))
	for i := range in {
		x := *in[i]
		for _, p := range u.Packs {
			if p.Param == i {
				packed, err := p.Apply(&x)
				if err != nil {
					t.Fatal(err)
				}
				samePacking(t, p, &x, packed)
				x = *packed
			}
		}
		x.Shape = []int64{int64(x.Len())}
		args[i] = &x
	}
	out := args[len(args)-1]
	out.Data = make([]byte, len(out.Data))
	if err := interp.Run(u.Func, args); err != nil {
		t.Fatalf("%s: %v\n%s\n%s", name, err, tir.Script(c.Func), tir.Script(u.Func))
	}
	if !bytes.Equal(want, out.Data) {
		t.Fatalf("%s: a candidate computes something else\n%s\n%s", name, tir.Script(c.Func), tir.Script(u.Func))
	}
}

// samePacking compares the packing in Go with the packing function that agents
// run.
func samePacking(t *testing.T, p tirpass.Pack, from, want *dtype.Tensor) {
	t.Helper()
	src, dst := *from, dtype.NewTensor(p.Type, want.Shape...)
	src.Shape, dst.Shape = []int64{int64(src.Len())}, []int64{int64(dst.Len())}
	if err := interp.Run(p.Func, []*dtype.Tensor{&src, dst}); err != nil {
		t.Fatalf("%v\n%s", err, tir.Script(p.Func))
	}
	if !bytes.Equal(dst.Data, want.Data) {
		t.Fatalf("packing functions differ\n%s", tir.Script(p.Func))
	}
}

func inputs(f *tir.PrimFunc) []*dtype.Tensor {
	r := rng.New(5)
	var out []*dtype.Tensor
	for _, b := range f.Buffers() {
		s, _ := b.StaticShape()
		x := dtype.NewTensor(b.Type, s...)
		for i := range x.Len() {
			x.SetInt(i, int64(r.Intn(3))+1)
		}
		out = append(out, x)
	}
	return out
}

func reference(t *testing.T, f *tir.PrimFunc, in []*dtype.Tensor) []byte {
	args := append([]*dtype.Tensor(nil), in...)
	last := *args[len(args)-1]
	last.Data = append([]byte(nil), last.Data...)
	args[len(args)-1] = &last
	if err := interp.Run(f, args); err != nil {
		t.Fatal(err)
	}
	return last.Data
}
