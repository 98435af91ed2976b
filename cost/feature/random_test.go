package feature

import (
	"math"
	"math/rand/v2"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// randomFunction draws a nest of odd shape: kinds, guards, gathers, divisions,
// several buffers, blocks and reductions.
func randomFunction(r *rand.Rand) *tir.PrimFunc {
	types := []dtype.DType{dtype.Float32, dtype.Float64, dtype.Int8, dtype.BFloat16}
	buffers := make([]*tir.Buffer, 4)
	for i := range buffers {
		buffers[i] = tir.NewStaticBuffer("b", types[r.IntN(len(types))], 1+r.Int64N(40), 1+r.Int64N(40))
	}
	var nests []tir.Stmt
	for range 1 + r.IntN(3) {
		axes := make([]axis, r.IntN(6))
		vars := make([]*tir.Var, 0, 6)
		for i := range axes {
			axes[i] = axis{name: string(rune('a' + i)), extent: 1 + r.Int64N(20), kind: tir.LoopKind(r.IntN(4))}
			if r.IntN(4) == 0 {
				axes[i].ann = tir.Annotations{}.With("pragma_auto_unroll_max_step", r.IntN(512))
			}
		}
		nests = append(nests, loopsAround(axes, func(v map[string]tir.Expr) tir.Stmt {
			vars = append(vars, tir.NewVar("free", dtype.Int32))
			for _, a := range axes {
				vars = append(vars, v[a.name].(*tir.Var))
			}
			return randomBlock(r, vars, buffers)
		}))
	}
	return function(buffers[:2], buffers[2:], nests...)
}

func randomBlock(r *rand.Rand, vars []*tir.Var, buffers []*tir.Buffer) tir.Stmt {
	var iters []iter
	for range 1 + r.IntN(3) {
		e, _ := randomIndex(r, vars, r.IntN(3))
		iters = append(iters, iter{"v", 1 + r.Int64N(30), []tir.IterKind{tir.Spatial, tir.Reduce}[r.IntN(2)], e})
	}
	b := block("b", iters, func(map[string]tir.Expr) tir.Stmt { return nil })
	inner := make([]*tir.Var, len(iters))
	for i, it := range b.Block.Iters {
		inner[i] = it.Var
	}
	at := func() []tir.Expr {
		x, _ := randomIndex(r, inner, r.IntN(3))
		y, _ := randomIndex(r, inner, r.IntN(2))
		return []tir.Expr{x, y}
	}
	to := buffers[r.IntN(len(buffers))]
	value := tir.Expr(load(buffers[r.IntN(len(buffers))], at()...))
	for range r.IntN(4) {
		other := load(buffers[r.IntN(len(buffers))], at()...)
		switch r.IntN(5) {
		case 0:
			value = tir.Arith(tir.OpMax, value, other)
		case 1:
			value = &tir.Call{Op: "exp", Args: []tir.Expr{value}, Type: value.DType()}
		case 2:
			value = tir.NewSelect(tir.Compare(tir.OpLT, value, other), value, other)
		case 3:
			gather := load(other.Buffer, tir.NewCast(dtype.Int32, other), tir.Int(0))
			value = tir.Add(value, gather)
		default:
			value = tir.Mul(value, other)
		}
	}
	b.Block.Body = &tir.Store{Buffer: to, Value: value, Indices: at()}
	if r.IntN(3) == 0 {
		b.Predicate = tir.Compare(tir.OpLT, inner[0], tir.Int(3))
	}
	return b
}

// TestRandomFunctions: columns are finite, logs are not negative, and a second
// extraction and one after renaming give the same rows.
func TestRandomFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := NewExtractor(testTarget())
	for i := range 1500 {
		f := randomFunction(r)
		first, err := x.Extract(f)
		if err != nil {
			t.Fatal(err)
		}
		rename(f)
		second, err := NewExtractor(testTarget()).Extract(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(first) != len(second) {
			t.Fatalf("case %d: %d rows, then %d", i, len(first), len(second))
		}
		for k := range first {
			for c, v := range first[k] {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) || v < 0 {
					t.Fatalf("case %d, row %d: %s = %v", i, k, names[c], v)
				}
				if second[k][c] != v {
					t.Fatalf("case %d, row %d: %s = %v, after renaming %v", i, k, names[c], v, second[k][c])
				}
			}
		}
	}
}
