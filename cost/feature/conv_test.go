package feature

import (
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// tiledConv is a 3×3 convolution of 64 channels on 56², input unpadded, weights
// packed by 8 output channels: parallel (channel block, row), 7 columns × 8
// channels in registers, padding read through a guard, reductions ci, kh, kw.
func tiledConv() *tir.PrimFunc {
	const ch, size = 64, 56
	in := tir.NewStaticBuffer("in", dtype.Float32, size, size, ch)
	weight := tir.NewStaticBuffer("weight", dtype.Float32, ch/8, ch, 3, 3, 8)
	out := tir.NewStaticBuffer("out", dtype.Float32, size, size, ch)
	add, mul := tir.Add, tir.Mul
	body := loopsAround([]axis{
		{name: "f", extent: ch / 8 * size, kind: tir.Parallel}, {name: "wo", extent: 8}, {name: "ci", extent: ch},
		{name: "kh", extent: 3}, {name: "kw", extent: 3}, {name: "wi", extent: 7, kind: tir.Unrolled}, {name: "c", extent: 8, kind: tir.Vectorized},
	}, func(v map[string]tir.Expr) tir.Stmt {
		channel := add(mul(tir.FloorDiv(v["f"], tir.Int(size)), tir.Int(8)), v["c"])
		return block("conv", []iter{
			{"vh", size, tir.Spatial, tir.FloorMod(v["f"], tir.Int(size))},
			{"vw", size, tir.Spatial, add(mul(v["wo"], tir.Int(7)), v["wi"])},
			{"vc", ch, tir.Spatial, channel},
			{"vi", ch, tir.Reduce, v["ci"]}, {"vkh", 3, tir.Reduce, v["kh"]}, {"vkw", 3, tir.Reduce, v["kw"]},
		}, func(x map[string]tir.Expr) tir.Stmt {
			h, w := tir.Sub(add(x["vh"], x["vkh"]), tir.Int(1)), tir.Sub(add(x["vw"], x["vkw"]), tir.Int(1))
			inside := tir.And(tir.And(tir.Compare(tir.OpGE, h, tir.Int(0)), tir.Compare(tir.OpLT, h, tir.Int(size))),
				tir.And(tir.Compare(tir.OpGE, w, tir.Int(0)), tir.Compare(tir.OpLT, w, tir.Int(size))))
			pixel := tir.IfThenElse(inside, load(in, h, w, x["vi"]), tir.F32(0))
			tap := load(weight, tir.FloorDiv(x["vc"], tir.Int(8)), x["vi"], x["vkh"], x["vkw"], tir.FloorMod(x["vc"], tir.Int(8)))
			at := []tir.Expr{x["vh"], x["vw"], x["vc"]}
			return &tir.Store{Buffer: out, Value: add(load(out, at...), mul(pixel, tap)), Indices: at}
		})
	})
	return function([]*tir.Buffer{in, weight, out}, nil, body)
}

func TestTiledConv(t *testing.T) {
	rows := extract(t, tiledConv())
	const n = 56 * 56 * 64 * 64 * 9
	rows[0].want(t, map[string]float64{
		"arith.float_mul": n, "arith.float_addsub": n, "arith.float_math": n, "arith.bool": 3 * n, "arith.int_compare": 4 * n,
		"outer.iterations": n, "outer.loops": 7,
		// 7 accumulators of one vector, one weight vector, 7 broadcast pixels.
		"tile.accumulators": 7, "tile.loaded": 1, "tile.ops_per_load": 7.0 / 8, "tile.spatial": 56,
		"tile.reduce_innermost": 3, "tile.reduce_total": 64 * 9,
		// The weights of a channel block are read in one go, and the next block
		// follows.
		"packed.run_bytes": 64 * 64 * 9 * 4, "packed.reduce_stride": 64 * 4,
		"parallel_work.chunks": 448, "bounds.waste": 0,
		// Under kw: 7 outputs of 8 channels; 9 pixels of one row; 3 taps of 8
		// channels.
		"cache.reduce_over_l1": float64(7*8*4+9*4+3*8*4) / (32 << 10),
	}, map[string]float64{
		"tile.pressure": 9.0 / 16, "vector.lane_use": 1, "vector.contiguous": 1, "parallel_work.balance": 1,
	})
}

func BenchmarkExtractConv(b *testing.B) {
	f, x := tiledConv(), NewExtractor(testTarget())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := x.Extract(f); err != nil {
			b.Fatal(err)
		}
	}
}
