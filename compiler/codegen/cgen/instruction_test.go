package cgen_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hone/compiler/codegen"
	"hone/compiler/codegen/cgen"
	"hone/compiler/codegen/codegentest"
	"hone/compiler/dtype"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/internal/cc"
)

// dots are the dot products of bytes of each target, with what its assembly says.
var dots = []struct {
	target, triple, intrin, left, right, word string
	lanes                                     int
	assembly                                  string
}{
	{"aws/c7a.large", "", "llvm.x86.avx512.vpdpbusd.512", "uint8", "int8", "int32", 16, "vpdpbusd"},
	{`{"kind":"cpu","mcpu":"alderlake"}`, "", "llvm.x86.avx512.vpdpbusd.256", "uint8", "int8", "int32", 8, "vpdpbusd"},
	{"raspberry-pi/5", "aarch64-linux-gnu", "llvm.aarch64.neon.sdot", "int8", "int8", "int32", 4, "sdot"},
	{"raspberry-pi/5", "aarch64-linux-gnu", "llvm.aarch64.neon.udot", "uint8", "uint8", "uint32", 4, "udot"},
}

// dotKernel adds the dot products of nine words with one word of the left operand each.
func dotKernel(intrin, left, right, word string, lanes int) *tir.PrimFunc {
	parse := func(s string) dtype.DType { t, _ := dtype.Parse(s); return t }
	lt, rt, wt := parse(left), parse(right), parse(word)
	a, b, c := tir.NewStaticBuffer("a", lt, 36), tir.NewStaticBuffer("b", rt, int64(36*lanes)), tir.NewStaticBuffer("c", wt, int64(lanes))
	i := tir.NewVar("i", dtype.Int32)
	at := func(b *tir.Buffer, from tir.Expr, n int) tir.Expr {
		return &tir.Load{Buffer: b, Indices: []tir.Expr{&tir.Ramp{Base: from, Stride: tir.Int(1), Lanes: n}}}
	}
	as := func(t dtype.DType, e tir.Expr) tir.Expr {
		return &tir.Call{Op: "reinterpret", Args: []tir.Expr{e}, Type: t}
	}
	vector := wt.WithLanes(lanes)
	bytes := as(wt, at(a, tir.Mul(i, tir.Int(4)), 4))
	x := tir.Expr(&tir.Broadcast{Value: bytes, Lanes: lanes})
	y := at(b, tir.Mul(i, tir.Int(int64(4*lanes))), 4*lanes)
	if strings.Contains(intrin, "x86") {
		y = as(vector, y)
	} else {
		x = as(lt.WithLanes(4*lanes), x)
	}
	sum := &tir.Call{Op: "call_llvm_pure_intrin", Args: []tir.Expr{&tir.StringImm{Value: intrin}, at(c, tir.Int(0), lanes), x, y}, Type: vector}
	body := &tir.Store{Buffer: c, Indices: []tir.Expr{&tir.Ramp{Base: tir.Int(0), Stride: tir.Int(1), Lanes: lanes}}, Value: sum}
	loop := &tir.For{Var: i, Min: tir.Int(0), Extent: tir.Int(9), Body: body}
	return &tir.PrimFunc{Name: "dot", Params: []tir.Param{a, b, c}, Body: loop, Ret: dtype.VoidType, Attrs: tir.Annotations{}.With(tir.AttrNoAlias, true)}
}

// anyByte draws all values of bytes, the greatest of which saturate what is no sum of
// 32 bits.
func anyByte(r *rand.Rand, _ int, t dtype.DType, _ int) float64 {
	switch {
	case t.Bits != 8:
		return float64(r.IntN(1000))
	case t.IsSigned():
		return float64(r.IntN(256) - 128)
	}
	return float64(255 - r.IntN(9))
}

// emitFor is the backend for another target than that of the compiler's flags: units
// for instructions that this machine lacks then compute byte by byte.
type emitFor struct{ tgt target.Target }

func (e emitFor) Emit(fs []codegen.Lowered, _ target.Target) (codegen.Source, error) {
	return cgen.Backend{}.Emit(fs, e.tgt)
}

// Dot products of bytes compute what the interpreter computes: those of ARM under
// emulation, those of x86 without their instruction.
func TestDotProducts(t *testing.T) {
	host, comps := native(t)
	for _, d := range dots {
		cases := []codegentest.Case{{Name: d.intrin, Func: dotKernel(d.intrin, d.left, d.right, d.word, d.lanes), Input: anyByte}}
		tgt := parsed(t, d.target).WithThreads(3)
		if d.triple == "" {
			if host.ISA != "x86_64" || tgt.VectorBits > host.VectorBits {
				continue // longer vectors have no calling convention here
			}
			for _, c := range comps {
				codegentest.RunCases(t, emitFor{tgt}, host, c, "", cases)
			}
			continue
		}
		comp, err := cc.Default(context.Background(), d.triple)
		qemu, qerr := exec.LookPath("qemu-aarch64-static")
		if err != nil || qerr != nil {
			t.Logf("%s: %v %v", d.target, err, qerr)
			continue
		}
		codegentest.RunCases(t, cgen.Backend{}, tgt, comp, qemu, cases)
	}
}

// Every compiler makes the instruction of a dot product.
func TestDotProductsAreInstructions(t *testing.T) {
	for _, d := range dots {
		tgt := parsed(t, d.target)
		comps, err := cc.Find(context.Background(), d.triple)
		if err != nil || tgt.ISA == "x86_64" && !strings.HasPrefix(cc.HostTriple(), "x86_64") {
			t.Logf("%s: %v", d.target, err)
			continue
		}
		src, err := cgen.Backend{}.Emit([]codegen.Lowered{{Symbol: "k", Func: dotKernel(d.intrin, d.left, d.right, d.word, d.lanes)}}, tgt)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range comps {
			dir := t.TempDir()
			in, out := filepath.Join(dir, "k.c"), filepath.Join(dir, "k.s")
			if err := os.WriteFile(in, []byte(src.C), 0o644); err != nil {
				t.Fatal(err)
			}
			if log, err := exec.Command(c.Path, append(append(append([]string{}, c.Args...), tgt.CFlags()...), "-S", in, "-o", out)...).CombinedOutput(); err != nil {
				t.Fatalf("%s, %s: %v\n%s", d.target, c.Name(), err, log)
			}
			text, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), d.assembly) {
				t.Errorf("%s, %s: no %s\n%s", d.target, c.Name(), d.assembly, text)
			}
		}
	}
}
