package pipeline

import (
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/target"
	"hone/compiler/tir"
)

// nest builds a scheduled nest by hand: loops around a block whose iterators are
// bound to expressions of the loop variables.
type nest struct {
	loops []*tir.For
	vars  map[string]*tir.Var
}

func newNest() *nest { return &nest{vars: map[string]*tir.Var{}} }

func (n *nest) loop(name string, extent int64, kind tir.LoopKind) *nest {
	v := tir.NewVar(name, dtype.Int32)
	n.vars[name] = v
	n.loops = append(n.loops, &tir.For{Var: v, Min: tir.Int(0), Extent: tir.Int(extent), Kind: kind})
	return n
}

func (n *nest) ann(key string, v any) *nest {
	l := n.loops[len(n.loops)-1]
	l.Ann = l.Ann.With(key, v)
	return n
}

func wrap(loops []*tir.For, body tir.Stmt) tir.Stmt {
	for i := len(loops) - 1; i >= 0; i-- {
		loops[i].Body = body
		body = loops[i]
	}
	return body
}

type axis struct {
	name   string
	extent int64
	kind   tir.IterKind
	value  tir.Expr
}

func block(name string, pred tir.Expr, axes []axis, body func(v []tir.Expr) tir.Stmt) tir.Stmt {
	b := &tir.Block{Name: name, Reads: []tir.Region{}, Writes: []tir.Region{}}
	r := &tir.BlockRealize{Predicate: pred, Block: b}
	var vs []tir.Expr
	for _, a := range axes {
		v := tir.NewVar(a.name, dtype.Int32)
		b.Iters = append(b.Iters, &tir.IterVar{Var: v, Dom: tir.Range{Min: tir.Int(0), Extent: tir.Int(a.extent)}, Kind: a.kind})
		r.Values = append(r.Values, a.value)
		vs = append(vs, v)
	}
	b.Body = body(vs)
	return r
}

func lin2(a tir.Expr, k int64, b tir.Expr) tir.Expr { return tir.Add(tir.Mul(a, tir.Int(k)), b) }

// tiledMatmul is relu(A·B + bias), tiled MR×NV vectors by hand, with an
// imperfect row tile.
func tiledMatmul(m, n, k, mr, nv, vl, ku int64) *tir.PrimFunc {
	b := tir.NewBuilder("main")
	A := b.Param("A", dtype.Float32, m, k)
	B := b.Param("B", dtype.Float32, k, n)
	bias := b.Param("bias", dtype.Float32, n)
	C := b.Param("C", dtype.Float32, m, n)
	T := b.Alloc("T", dtype.Float32, m, n)
	nr := nv * vl
	outer := newNest().loop("i0", (m+mr-1)/mr, tir.Parallel).loop("j0", n/nr, tir.Serial)
	i0, j0 := outer.vars["i0"], outer.vars["j0"]
	make1 := func(name string, reduce bool, body func(v []tir.Expr) tir.Stmt) tir.Stmt {
		t := newNest()
		if reduce {
			t.loop("k", k, tir.Serial).ann("hone.unroll_k", ku)
		}
		t.loop("i1", mr, tir.Serial).loop("j1", nv, tir.Serial).loop("jv", vl, tir.Vectorized)
		vi := lin2(i0, mr, t.vars["i1"])
		vj := lin2(j0, nr, lin2(t.vars["j1"], vl, t.vars["jv"]))
		axes := []axis{{"vi", m, tir.Spatial, vi}, {"vj", n, tir.Spatial, vj}}
		if reduce {
			axes = append(axes, axis{"vk", k, tir.Reduce, t.vars["k"]})
		}
		pred := tir.CompareFold(tir.OpLT, vi, tir.Int(m))
		if m%mr == 0 {
			pred = tir.True
		}
		return wrap(t.loops, block(name, pred, axes, body))
	}
	load := func(b *tir.Buffer, i ...tir.Expr) tir.Expr { return &tir.Load{Buffer: b, Indices: i} }
	init := make1("T_init", false, func(v []tir.Expr) tir.Stmt {
		return &tir.Store{Buffer: T, Value: tir.F32(0), Indices: v}
	})
	update := make1("T_update", true, func(v []tir.Expr) tir.Stmt {
		return &tir.Store{Buffer: T, Indices: v[:2], Value: tir.Add(load(T, v[0], v[1]), tir.Mul(load(A, v[0], v[2]), load(B, v[2], v[1])))}
	})
	epi := make1("C", false, func(v []tir.Expr) tir.Stmt {
		return &tir.Store{Buffer: C, Indices: v, Value: tir.Max(tir.Add(load(T, v[0], v[1]), load(bias, v[1])), tir.F32(0))}
	})
	f := b.Func()
	f.Body.(*tir.BlockRealize).Block.Body = wrap(outer.loops, tir.NewSeq(init, update, epi))
	return f
}

func TestPrint(t *testing.T) {
	tgt, err := target.Parse(`{"kind":"cpu","mcpu":"znver3","num-cores":2}`)
	if err != nil {
		t.Fatal(err)
	}
	r := Runner{Dump: func(p, s string) { t.Logf("after %s\n%s", p, s) }}
	if _, err := r.LowerCPU(tiledMatmul(13, 32, 7, 6, 2, 8, 4), &tgt); err != nil {
		t.Fatal(err)
	}
}
