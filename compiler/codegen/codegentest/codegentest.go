// Package codegentest is the conformance suite of code generators: the same
// functions and inputs through a backend's compiled code and through the
// interpreter, for every element type and construct a backend must have.
//
// A backend gets it by one line, codegentest.Run(t, backend). The suite needs a
// C compiler and skips without one; other architectures run under emulation
// where the emulator is installed.
package codegentest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"hone/compiler/codegen"
	"hone/compiler/dtype"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/interp"
	"hone/internal/cc"
)

// Case is one function with what its result may differ by.
type Case struct {
	Name string
	Func *tir.PrimFunc
	// RTol and ATol bound |got − want| ≤ ATol + RTol·|want|; both zero demand
	// equal bits (any NaN equals any other).
	RTol, ATol float64
	// Input draws element i of parameter p; nil draws small integers, which
	// float arithmetic treats exactly.
	Input func(r *rand.Rand, p int, t dtype.DType, i int) float64

	// Zeros says that zeros of either sign are equal: the smaller of 0 and −0 is
	// either.
	Zeros bool

	bulk bool // one of many combinations of operator, type and length
}

// config is a way to run the suite: a target, a compiler and a place to run.
type config struct {
	name string
	tgt  target.Target
	comp *cc.Compiler
	qemu string // empty: this machine runs it
}

// configs lists what this machine can run: its own vector width and narrower
// ones with every compiler, and aarch64 under emulation.
func configs(t *testing.T) []config {
	t.Helper()
	ctx := context.Background()
	comps, err := cc.Find(ctx, "")
	if err != nil {
		t.Skip(err)
	}
	native, err := target.Native()
	if err != nil {
		t.Skip(err)
	}
	var out []config
	for _, c := range comps {
		out = append(out, config{name: "native-" + c.Name(), tgt: native.WithThreads(3), comp: c})
	}
	if native.ISA == "x86_64" && native.VectorBits > 128 {
		if sse, err := target.Parse("x86_64/sse4.2"); err == nil {
			out = append(out, config{name: "sse4.2-" + comps[0].Name(), tgt: sse.WithThreads(3), comp: comps[0]})
		}
	}
	if qemu, err := exec.LookPath("qemu-aarch64-static"); err == nil && native.ISA != "aarch64" {
		arm, terr := target.Parse("raspberry-pi/4b")
		if c, cerr := cc.Default(ctx, "aarch64-linux-gnu"); cerr == nil && terr == nil {
			out = append(out, config{name: "neon-" + c.Name(), tgt: arm.WithThreads(3), comp: c, qemu: qemu})
		}
	}
	return out
}

// sample keeps every case of control flow, access and storage and, of the many
// combinations of operators and types, a share that differs between
// configurations. HONE_TEST_SOAK keeps all.
func sample(cases []Case, config, configs int) []Case {
	if os.Getenv("HONE_TEST_SOAK") != "" {
		return cases
	}
	var out []Case
	n := 0
	for _, c := range cases {
		if c.bulk {
			n++
			if n%(sampleShare*configs) != config*sampleShare%(sampleShare*configs) {
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// sampleShare times the number of configurations is how many combinations there
// are to one that runs by default.
const sampleShare = 8

// Run holds a CPU backend to the suite. By default it runs a sample.
func Run(t *testing.T, b codegen.Backend) {
	all := configs(t)
	for i, c := range all {
		t.Run(c.name, func(t *testing.T) {
			RunCases(t, b, c.tgt, c.comp, c.qemu, sample(Cases(c.tgt.Lanes(32)), i, len(all)))
		})
	}
}

// RunCases checks functions on one target. They share a unit; qemu names the
// emulator that runs it, if it is not for this machine.
func RunCases(t *testing.T, b codegen.Backend, tgt target.Target, comp *cc.Compiler, qemu string, cases []Case) {
	t.Helper()
	var funcs []codegen.Lowered
	for i, c := range cases {
		funcs = append(funcs, codegen.Lowered{Symbol: fmt.Sprintf("k%d", i), Func: c.Func})
	}
	src, err := b.Emit(funcs, tgt)
	if err != nil {
		t.Fatal(err)
	}
	var m runner
	if qemu != "" {
		m = emulate(t, src, tgt, comp, qemu)
	} else {
		m = Load(t, src, tgt, comp)
	}
	workers := []int{1, 3}
	if qemu != "" {
		workers = []int{3} // a process a call
	}
	for i, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			for _, threads := range workers {
				c.check(t, m, src.Entries[i], threads)
			}
		})
	}
}

// runner runs kernels of a unit.
type runner interface {
	Call(e codegen.Entry, args [][]byte, threads int) error
}

// check compares one run with the interpreter's.
func (c Case) check(t *testing.T, m runner, e codegen.Entry, threads int) {
	t.Helper()
	want, args := c.inputs()
	if err := interp.Run(c.Func, want); err != nil {
		t.Fatalf("interpreter: %v", err)
	}
	if err := m.Call(e, args, threads); err != nil {
		t.Fatal(err)
	}
	for p, w := range want {
		got := &dtype.Tensor{Type: w.Type, Shape: w.Shape, Data: args[p]}
		for i := range w.Len() {
			if !c.close(got, w, i) {
				t.Fatalf("%d threads: element %d of argument %d is %v, the interpreter has %v", threads, i, p, read(got, i), read(w, i))
			}
		}
	}
}

func read(t *dtype.Tensor, i int) any {
	if t.Type.IsFloat() {
		return t.Float(i)
	}
	return t.Int(i)
}

func (c Case) close(got, want *dtype.Tensor, i int) bool {
	if !want.Type.IsFloat() {
		return got.Int(i) == want.Int(i)
	}
	a, b := got.Float(i), want.Float(i)
	switch {
	case a != a || b != b:
		return a != a && b != b
	case c.RTol == 0 && c.ATol == 0:
		return a == b && (c.Zeros && a == 0 || math.Signbit(a) == math.Signbit(b))
	case math.IsInf(b, 0) || math.IsInf(a, 0):
		return a == b
	}
	return math.Abs(a-b) <= c.ATol+c.RTol*math.Abs(b)
}

// inputs draws the arguments twice: for the interpreter and, aligned, for the
// kernel.
func (c Case) inputs() (want []*dtype.Tensor, args [][]byte) {
	r := rand.New(rand.NewPCG(1, 2))
	for p, b := range c.Func.Buffers() {
		shape, _ := b.StaticShape()
		x := dtype.NewTensor(b.Type, shape...)
		for i := range x.Len() {
			v := smallInteger(r, b.Type)
			if c.Input != nil {
				v = c.Input(r, p, b.Type, i)
			}
			x.SetFloat(i, v)
		}
		a := aligned(len(x.Data))
		copy(a, x.Data)
		want, args = append(want, x), append(args, a)
	}
	return want, args
}

// smallInteger draws a value that is exact in every element type.
func smallInteger(r *rand.Rand, t dtype.DType) float64 {
	switch {
	case t.IsBool():
		return float64(r.IntN(2))
	case t.Code == dtype.UInt:
		return float64(r.IntN(9))
	}
	return float64(r.IntN(17) - 8)
}
