package feature

import (
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/target"
	"hone/compiler/tir"
)

// testTarget has 8 lanes of float32, 16 vector registers, 4 threads.
func testTarget() target.Target {
	return target.Target{
		Kind: "cpu", ISA: "x86_64", NumCores: 4, Threads: 4, L1D: 32 << 10, L2: 512 << 10,
		VectorBits: 256, VectorRegisters: 16,
	}
}

// axis is a loop of a hand-written nest.
type axis struct {
	name   string
	extent int64
	kind   tir.LoopKind
	ann    tir.Annotations
}

// loopsAround builds axes outer to inner around the statement that body makes of
// their variables.
func loopsAround(axes []axis, body func(v map[string]tir.Expr) tir.Stmt) tir.Stmt {
	vars := map[string]tir.Expr{}
	nest := make([]*tir.For, len(axes))
	for i, a := range axes {
		v := tir.NewVar(a.name, dtype.Int32)
		vars[a.name] = v
		nest[i] = &tir.For{Var: v, Min: tir.Int(0), Extent: tir.Int(a.extent), Kind: a.kind, Ann: a.ann}
	}
	s := body(vars)
	for i := len(nest) - 1; i >= 0; i-- {
		nest[i].Body = s
		s = nest[i]
	}
	return s
}

// iter is a block iterator with its binding.
type iter struct {
	name   string
	extent int64
	kind   tir.IterKind
	value  tir.Expr
}

// block builds the realisation of a block over iterators.
func block(name string, iters []iter, body func(v map[string]tir.Expr) tir.Stmt) *tir.BlockRealize {
	b := &tir.Block{Name: name}
	r := &tir.BlockRealize{Predicate: tir.True, Block: b}
	vars := map[string]tir.Expr{}
	for _, it := range iters {
		v := tir.NewVar(it.name, dtype.Int32)
		vars[it.name] = v
		b.Iters = append(b.Iters, &tir.IterVar{Var: v, Dom: tir.Range{Min: tir.Int(0), Extent: tir.Int(it.extent)}, Kind: it.kind})
		r.Values = append(r.Values, it.value)
	}
	b.Body = body(vars)
	return r
}

func function(params []*tir.Buffer, allocs []*tir.Buffer, body ...tir.Stmt) *tir.PrimFunc {
	f := &tir.PrimFunc{Name: "main", Body: &tir.BlockRealize{
		Predicate: tir.True,
		Block:     &tir.Block{Name: "root", Allocs: allocs, Body: tir.NewSeq(body...)},
	}}
	for _, p := range params {
		f.Params = append(f.Params, p)
	}
	return f
}

func load(b *tir.Buffer, at ...tir.Expr) *tir.Load { return &tir.Load{Buffer: b, Indices: at} }

// row is one extracted row under the names of its columns.
type row map[string]float32

func extract(t testing.TB, f *tir.PrimFunc) []row {
	t.Helper()
	rows, err := NewExtractor(testTarget()).Extract(f)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]row, len(rows))
	for i, r := range rows {
		if len(r) != Width {
			t.Fatalf("%d columns of %d", len(r), Width)
		}
		out[i] = row{}
		for k, name := range Names() {
			out[i][name] = r[k]
		}
	}
	return out
}

// want checks columns: logs are given as the number inside log2(x+1).
func (r row) want(t *testing.T, logs, raws map[string]float64) {
	t.Helper()
	for name, x := range logs {
		if got, ok := r[name]; !ok || got != slog(x) {
			t.Errorf("%s = %v, want log2(%v + 1) = %v", name, got, x, slog(x))
		}
	}
	for name, x := range raws {
		if got, ok := r[name]; !ok || got != float32(x) {
			t.Errorf("%s = %v, want %v", name, got, x)
		}
	}
}

// naiveMatmul is C = A·B of n³ with one loop an axis.
func naiveMatmul(n int64) *tir.PrimFunc {
	b := tir.NewBuilder("matmul")
	x, y := b.Param("A", dtype.Float32, n, n), b.Param("B", dtype.Float32, n, n)
	c := b.Param("C", dtype.Float32, n, n)
	b.ReduceSum("C", c, []int64{n}, func(s, r []tir.Expr) tir.Expr {
		return tir.Mul(load(x, s[0], r[0]), load(y, r[0], s[1]))
	})
	return b.Func()
}

// tiledMatmul is a 512³ product as multi-level tiling with packed weights leaves
// it: parallel rows, a 6×2-vector register tile, a write cache.
func tiledMatmul() *tir.PrimFunc {
	const n = 512
	a := tir.NewStaticBuffer("A", dtype.Float32, n, n)
	packed := tir.NewStaticBuffer("B_packed", dtype.Float32, n/16, n, 16)
	c := tir.NewStaticBuffer("C", dtype.Float32, n, n)
	cache := tir.NewStaticBuffer("C_local", dtype.Float32, n, n)
	mul, add := tir.Mul, tir.Add
	tile := func(v map[string]tir.Expr) tir.Stmt {
		row := add(mul(v["io"], tir.Int(4)), v["ii"])
		col := add(mul(v["jo"], tir.Int(16)), v["ji"])
		k := add(mul(v["ko"], tir.Int(64)), v["ki"])
		return block("update", []iter{{"vi", n, tir.Spatial, row}, {"vj", n, tir.Spatial, col}, {"vk", n, tir.Reduce, k}},
			func(x map[string]tir.Expr) tir.Stmt {
				i, j, k := x["vi"], x["vj"], x["vk"]
				p := tir.Mul(load(a, i, k), load(packed, tir.FloorDiv(j, tir.Int(16)), k, tir.FloorMod(j, tir.Int(16))))
				return &tir.Store{Buffer: cache, Value: add(load(cache, i, j), p), Indices: []tir.Expr{i, j}}
			})
	}
	unroll := tir.Annotations{}.With("hone.unroll_k", 2)
	outer := []axis{{name: "io", extent: n / 4, kind: tir.Parallel}, {name: "jo", extent: n / 16}}
	body := loopsAround(outer, func(v map[string]tir.Expr) tir.Stmt {
		with := func(axes []axis, f func(v map[string]tir.Expr) tir.Stmt) tir.Stmt {
			return loopsAround(axes, func(inner map[string]tir.Expr) tir.Stmt {
				inner["io"], inner["jo"] = v["io"], v["jo"]
				return f(inner)
			})
		}
		start := with([]axis{{name: "ii", extent: 4}, {name: "ji", extent: 16, kind: tir.Vectorized}},
			func(x map[string]tir.Expr) tir.Stmt {
				at := []tir.Expr{add(mul(x["io"], tir.Int(4)), x["ii"]), add(mul(x["jo"], tir.Int(16)), x["ji"])}
				return &tir.Store{Buffer: cache, Value: tir.F32(0), Indices: at}
			})
		update := with([]axis{
			{name: "ko", extent: n / 64}, {name: "ki", extent: 64, ann: unroll}, {name: "ii", extent: 4, kind: tir.Unrolled}, {name: "ji", extent: 16, kind: tir.Vectorized},
		}, tile)
		finish := with([]axis{{name: "ii", extent: 4}, {name: "ji", extent: 16, kind: tir.Vectorized}},
			func(x map[string]tir.Expr) tir.Stmt {
				at := []tir.Expr{add(mul(x["io"], tir.Int(4)), x["ii"]), add(mul(x["jo"], tir.Int(16)), x["ji"])}
				return &tir.Store{Buffer: c, Value: load(cache, at...), Indices: at}
			})
		return tir.NewSeq(start, update, finish)
	})
	return function([]*tir.Buffer{a, packed, c}, []*tir.Buffer{cache}, body)
}
