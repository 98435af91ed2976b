package cgen_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"hone/compiler/codegen"
	"hone/compiler/codegen/cgen"
	"hone/compiler/codegen/codegentest"
	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/internal/rng"
)

// bunched computes a function on vectors that are bound together, n at a time.
func bunched(op string, lanes, n int64) *tir.PrimFunc {
	in, out := tir.NewStaticBuffer("in0", dtype.Float32, chunk), tir.NewStaticBuffer("out", dtype.Float32, chunk)
	i := v32("i")
	var binds, stores []tir.Stmt
	for k := range n {
		idx := &tir.Ramp{Base: tir.Add(tir.Mul(i, tir.Int(n*lanes)), tir.Int(k*lanes)), Stride: tir.Int(1), Lanes: int(lanes)}
		t := dtype.Float32.WithLanes(int(lanes))
		v := tir.NewVar("y", t)
		binds = append(binds, &tir.Bind{Var: v, Value: &tir.Call{Op: op, Args: []tir.Expr{at(in, idx)}, Type: t}})
		stores = append(stores, set(out, idx, v))
	}
	body := loop(i, chunk/(n*lanes), tir.NewSeq(append(binds, stores...)...))
	return &tir.PrimFunc{Name: op, Params: []tir.Param{in, out}, Body: body}
}

// Functions whose statements take turns give the bits of those that do not, for any
// float and however many stand together.
func TestBunchedCallsGiveTheSameBits(t *testing.T) {
	tgt, comps := native(t)
	lanes := int64(tgt.Lanes(32))
	for _, comp := range comps {
		var ls []codegen.Lowered
		for _, op := range []string{"exp", "log", "tanh", "erf", "sigmoid"} {
			ls = append(ls, codegen.Lowered{Symbol: "one_" + op, Func: mapKernel(op, 1, dtype.Float32, int(lanes))})
			for n := int64(2); n <= 4; n++ {
				ls = append(ls, codegen.Lowered{Symbol: fmt.Sprintf("by%d_%s", n, op), Func: bunched(op, lanes, n)})
			}
		}
		src, err := cgen.Backend{}.Emit(ls, tgt)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(src.C, "_by4("); n != 10 { // a helper and a call each
			t.Errorf("%d helpers and calls for four vectors, want 10", n)
		}
		img := codegentest.Load(t, src, tgt, comp)
		in, r := make([]byte, 4*chunk), rng.New(3, "bunch")
		for i := range chunk {
			bits := uint32(r.Uint64())
			if i < len(specials32) {
				bits = specials32[i]
			} else if i%2 == 0 {
				bits = math.Float32bits(float32(r.Float64()*20 - 10))
			}
			binary.LittleEndian.PutUint32(in[4*i:], bits)
		}
		var want []byte
		for i, e := range src.Entries {
			out := make([]byte, 4*chunk)
			if err := img.Call(e, [][]byte{in, out}, 1); err != nil {
				t.Fatal(err)
			}
			if i%4 == 0 {
				want = out
				continue
			}
			done := chunk / (int(lanes) * (i%4 + 1)) * int(lanes) * (i%4 + 1) * 4
			if bytes.Equal(out, make([]byte, len(out))) {
				t.Errorf("%s, %s computes nothing", comp.Name(), ls[i].Symbol)
			}
			copy(out[done:], want[done:])
			if !sameBits32(out, want) {
				t.Errorf("%s, %s: other bits than one at a time", comp.Name(), ls[i].Symbol)
			}
		}
	}
}
