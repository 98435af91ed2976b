package feature

import (
	"math"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// TestNaiveMatmul checks a row against numbers worked out by hand for
// C[i,j] += A[i,k]·B[k,j] with 16 iterations a loop.
func TestNaiveMatmul(t *testing.T) {
	rows := extract(t, naiveMatmul(16))
	if len(rows) != 1 {
		t.Fatalf("%d rows, want one for C", len(rows))
	}
	const n = 4096
	rows[0].want(t, map[string]float64{
		"arith.float_addsub": n, "arith.float_mul": n, "arith.float_mad": 0, "arith.float_math": 0,
		"arith.int_addsub": 0, "arith.int_mul": 0, "arith.bool": 0, "arith.select": 0,
		"vectorize.loops": 0, "unroll.loops": 0, "parallel.loops": 0,
		"gpu.block_x": 1, "gpu.vthread": 1,
		// B has the most lines: a column walk.
		"buffer0.bytes": 4 * n, "buffer0.unique_bytes": 1024, "buffer0.lines": n, "buffer0.unique_lines": 16,
		"buffer0.reuse_iterations": 256, "buffer0.reuse_bytes": 64 + 64 + 1024, "buffer0.reuse_count": 16,
		"buffer0.bytes_per_reuse": n / 4, "buffer0.unique_bytes_per_reuse": 64, "buffer0.lines_per_reuse": n / 16, "buffer0.stride": 16,
		// Then A: dense along k, used again by j.
		"buffer1.bytes": 4 * n, "buffer1.lines": n / 16, "buffer1.unique_lines": 16, "buffer1.stride": 1,
		"buffer1.reuse_iterations": 16, "buffer1.reuse_bytes": 4 + 64 + 64, "buffer1.reuse_count": 16,
		// Then C, whose element stays through k.
		"buffer2.bytes": 4 * n, "buffer2.lines": 16, "buffer2.stride": 0,
		"buffer2.reuse_iterations": 1, "buffer2.reuse_bytes": 12, "buffer2.reuse_count": 16,
		"buffer3.bytes": 0,
		// 2·4096 operations on 3 KiB at the outermost level.
		"intensity.10": 8192.0 / 3072, "curve.5": 8192.0 / 3072,
		// At 1638.4 operations, between 512 on 1152 bytes and all of them.
		"intensity.2": 512.0/1152 + (8192.0/3072-512.0/1152)*(1638.4-512)/(8192-512),
		// Below the innermost level, 32 operations on 132 bytes.
		"curve.1":     32.0 / 132,
		"alloc.bytes": 1024, "alloc.elements_executed": 256, "alloc.outer": 1, "alloc.inner": n,
		"outer.iterations": n, "outer.loops": 3, "outer.unroll_max_step": 0,
		"tile.accumulators": 1, "tile.reduce_innermost": 16, "tile.reduce_total": 16, "tile.unroll_k": 0,
		"parallel_work.chunks": 1, "parallel_work.ops_per_chunk": 8192, "cache.ops_in_l1": n, "bounds.waste": 0,
	}, map[string]float64{
		"gpu.is_gpu": 0, "vectorize.at_none": 1, "vectorize.at_mixed": 0,
		"buffer0.read": 1, "buffer0.reuse_loop": 1, "buffer1.read": 1, "buffer2.read_write": 1, "buffer2.write": 0,
		"buffer3.read": 0, "vector.lane_use": 1.0 / 8, "bounds.guarded": 0, "parallel_work.balance": 0.25,
		"tile.over_budget": 0,
	})
}

// TestTiledMatmul checks what is new in a scheduled nest: compaction of the
// write cache, the register tile, packing and balance.
func TestTiledMatmul(t *testing.T) {
	rows := extract(t, tiledMatmul())
	if len(rows) != 2 {
		t.Fatalf("%d rows, want one for the cache and one for C", len(rows))
	}
	const n = 512 * 512 * 512
	rows[0].want(t, map[string]float64{
		"arith.float_mul": n, "arith.float_addsub": n,
		// i*4+ii, k*64+kk in A; k*64+kk in B (both of its other indices are single
		// loops); the cache lies inside io and jo and is indexed by ii, jj alone.
		"arith.int_addsub": 3 * n, "arith.int_mul": 3 * n, "arith.int_divmod": 0,
		"vectorize.loops": 1, "vectorize.product": 16, "unroll.product": 4, "parallel.product": 128, "parallel.innermost": 128,
		"alloc.bytes": 4 * 16 * 4, "alloc.outer": 128 * 32, "alloc.inner": 512 * 64, "alloc.elements_executed": 64 * 128 * 32,
		"outer.loops":       6,
		"tile.accumulators": 8, "tile.loaded": 2, "tile.ops_per_load": 8.0 / 6, "tile.unroll_k": 2, "tile.spatial": 64,
		"tile.reduce_innermost": 64, "tile.reduce_total": 512,
		"vector.registers": 2, "vector.gather": 0,
		// Under one (io, jo): B_packed[jo, :, :] is read in one run of 512·16 floats
		// and goes on with the next jo; A in runs of 512.
		"packed.run_bytes": 512 * 512 * 4, "packed.reduce_stride": 16 * 4,
		"parallel_work.chunks": 128, "parallel_work.chunks_per_thread": 32, "parallel_work.ops_per_chunk": 2 * n / 128,
		"cache.reduce_over_l1": float64(64*4+4*64*4+64*16*4) / (32 << 10),
		"bounds.waste":         0,
	}, map[string]float64{
		"tile.pressure": 11.0 / 16, "tile.over_budget": 0, "tile.in_memory": 0,
		"vector.lane_use": 1, "vector.contiguous": 1, "parallel_work.balance": 1,
		"vectorize.at_mixed": 1, "parallel.at_mixed": 1,
	})
	rows[1].want(t, map[string]float64{
		"outer.loops": 4, "outer.iterations": 512 * 512, "alloc.bytes": 4 * 512 * 512, "alloc.outer": 1,
		"tile.reduce_total": 1, "arith.float_mul": 0, "intensity.1": 0,
	}, map[string]float64{
		// The memory of the cache is used again by the next jo.
		"buffer1.reuse_loop": 1, "buffer1.read": 1, "buffer0.write": 1,
	})
}

// TestFusedAndGuarded follows a fused loop through floordiv and floormod, an
// imperfect split with its predicate, and padding read through a guard.
func TestFusedAndGuarded(t *testing.T) {
	in := tir.NewStaticBuffer("in", dtype.Float32, 10, 14)
	out := tir.NewStaticBuffer("out", dtype.Float32, 10, 14)
	body := loopsAround([]axis{{name: "f", extent: 10, kind: tir.Parallel}, {name: "x", extent: 16}}, func(v map[string]tir.Expr) tir.Stmt {
		flat := tir.Add(tir.Mul(v["f"], tir.Int(16)), v["x"])
		r := block("copy", []iter{
			{"vi", 10, tir.Spatial, tir.FloorDiv(flat, tir.Int(14))}, {"vj", 14, tir.Spatial, tir.FloorMod(flat, tir.Int(14))},
		}, func(x map[string]tir.Expr) tir.Stmt {
			i, j := x["vi"], x["vj"]
			left := tir.Sub(j, tir.Int(1))
			value := tir.IfThenElse(tir.Compare(tir.OpGE, left, tir.Int(0)), load(in, i, left), tir.F32(0))
			return &tir.Store{Buffer: out, Value: value, Indices: []tir.Expr{i, j}}
		})
		r.Predicate = tir.Compare(tir.OpLT, flat, tir.Int(140))
		return r
	})
	rows := extract(t, function([]*tir.Buffer{in, out}, nil, body))
	rows[0].want(t, map[string]float64{
		"bounds.waste": 160.0/140 - 1, "parallel_work.chunks": 10, "arith.float_math": 160,
		"arith.int_compare": 160, "alloc.bytes": 560,
	}, map[string]float64{"bounds.guarded": 1, "parallel_work.balance": 10.0 / 12})
	if got := rows[0]["buffer0.unique_bytes"]; got != slog(560) {
		t.Errorf("unique bytes %v, want the whole buffer, %v", got, slog(560))
	}
}

// TestUnitLoopsVanish checks that a loop of one iteration changes nothing.
func TestUnitLoopsVanish(t *testing.T) {
	build := func(axes ...axis) *tir.PrimFunc {
		in, out := tir.NewStaticBuffer("in", dtype.Float32, 8), tir.NewStaticBuffer("out", dtype.Float32, 8)
		return function([]*tir.Buffer{in, out}, nil, loopsAround(axes, func(v map[string]tir.Expr) tir.Stmt {
			i := v["i"]
			if u, ok := v["u"]; ok {
				i = tir.Add(tir.Mul(u, tir.Int(8)), i)
			}
			return &tir.Store{Buffer: out, Value: tir.Add(load(in, i), tir.F32(1)), Indices: []tir.Expr{i}}
		}))
	}
	a, b := extract(t, build(axis{name: "i", extent: 8})), extract(t, build(axis{name: "u", extent: 1}, axis{name: "i", extent: 8}))
	for name, v := range a[0] {
		if b[0][name] != v {
			t.Errorf("%s: %v with a unit loop, %v without", name, b[0][name], v)
		}
	}
}

// TestLaterStoreWins: rows are per buffer, the last store to it counts, constants
// are skipped.
func TestLaterStoreWins(t *testing.T) {
	out := tir.NewStaticBuffer("out", dtype.Float32, 8)
	store := func(extent int64, value tir.Expr) tir.Stmt {
		return loopsAround([]axis{{name: "i", extent: extent}}, func(v map[string]tir.Expr) tir.Stmt {
			return &tir.Store{Buffer: out, Value: value, Indices: []tir.Expr{v["i"]}}
		})
	}
	other := tir.NewStaticBuffer("other", dtype.Float32, 8)
	f := function([]*tir.Buffer{out, other}, nil,
		store(3, tir.Add(load(other, tir.Int(0)), tir.F32(1))), store(5, tir.Add(load(other, tir.Int(1)), tir.F32(1))), store(8, tir.F32(0)))
	rows := extract(t, f)
	if len(rows) != 1 {
		t.Fatalf("%d rows, want 1", len(rows))
	}
	rows[0].want(t, map[string]float64{"outer.iterations": 5}, nil)
}

func TestTooDeep(t *testing.T) {
	out := tir.NewStaticBuffer("out", dtype.Float32, 8)
	axes := make([]axis, maxLoops+1)
	for i := range axes {
		axes[i] = axis{name: "i", extent: 2}
	}
	f := function([]*tir.Buffer{out}, nil, loopsAround(axes, func(v map[string]tir.Expr) tir.Stmt {
		return &tir.Store{Buffer: out, Value: tir.F32(1), Indices: []tir.Expr{tir.Int(0)}}
	}))
	if _, err := NewExtractor(testTarget()).Extract(f); err == nil {
		t.Error("65 nested loops are accepted")
	}
}

// TestNamesDoNotMatter renames everything in place.
func TestNamesDoNotMatter(t *testing.T) {
	f := tiledMatmul()
	before := extract(t, f)
	rename(f)
	after := extract(t, f)
	for i := range before {
		for name, v := range before[i] {
			if after[i][name] != v {
				t.Errorf("row %d, %s: %v after renaming, %v before", i, name, after[i][name], v)
			}
		}
	}
}

func rename(f *tir.PrimFunc) {
	n := 0
	fresh := func() string { n++; return string(rune('z'-n%26)) + string(rune('a'+n/26)) }
	buffers := map[*tir.Buffer]bool{}
	touch := func(b *tir.Buffer) {
		if !buffers[b] {
			buffers[b] = true
			b.Name = fresh()
		}
	}
	for _, b := range f.Buffers() {
		touch(b)
	}
	tir.WalkStmt(f.Body, func(s tir.Stmt) bool {
		switch s := s.(type) {
		case *tir.For:
			s.Var.Name = fresh()
		case *tir.BlockRealize:
			s.Block.Name = fresh()
			for _, it := range s.Block.Iters {
				it.Var.Name = fresh()
			}
			for _, b := range s.Block.Allocs {
				touch(b)
			}
		}
		return true
	})
}

// TestExtractorForgets: a second function gives the same rows in a used extractor.
func TestExtractorForgets(t *testing.T) {
	x := NewExtractor(testTarget())
	if _, err := x.Extract(tiledMatmul()); err != nil {
		t.Fatal(err)
	}
	got, err := x.Extract(naiveMatmul(16))
	if err != nil {
		t.Fatal(err)
	}
	want, err := NewExtractor(testTarget()).Extract(naiveMatmul(16))
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		for k := range want[i] {
			if got[i][k] != want[i][k] || math.IsNaN(float64(got[i][k])) {
				t.Fatalf("row %d, %s: %v, fresh %v", i, names[k], got[i][k], want[i][k])
			}
		}
	}
}

func BenchmarkExtractMatmul(b *testing.B) {
	f, x := tiledMatmul(), NewExtractor(testTarget())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := x.Extract(f); err != nil {
			b.Fatal(err)
		}
	}
}
