package ops

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

// matmul multiplies the last two dimensions, [M,K]·[K,N], and broadcasts the
// leading ones. The importer makes vectors into matrices first.
var _ = graph.Register(&graph.Op{
	Name: "matmul", Min: 2, Max: 2, Class: graph.OutFusable,
	Infer: func(c *graph.Call) ([]graph.Type, error) {
		a, b := c.In[0], c.In[1]
		ra, rb := a.Rank(), b.Rank()
		if ra < 2 || rb < 2 || a.Elem != b.Elem || a.Elem.IsBool() {
			return nil, fmt.Errorf("cannot multiply %s by %s", a, b)
		}
		if a.Shape[ra-1] != b.Shape[rb-2] {
			return nil, fmt.Errorf("cannot multiply %s by %s: %d columns against %d rows", a, b, a.Shape[ra-1], b.Shape[rb-2])
		}
		batch, err := graph.BroadcastShapes(a.Shape[:ra-2], b.Shape[:rb-2])
		if err != nil {
			return nil, err
		}
		return oneType(a.Elem, append(batch, a.Shape[ra-2], b.Shape[rb-1])), nil
	},
	Eval: evalMatmul, Lower: lowerMatmul,
})

func evalMatmul(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	t := c.Out[0]
	r := t.Rank()
	m, n, k := t.Shape[r-2], t.Shape[r-1], in[0].Shape[len(in[0].Shape)-1]
	if t.Elem.IsInt() {
		return evalIntMatmul(c, in)
	}
	a, b := doubles(in[0]), doubles(in[1])
	out := make([]float64, t.Len())
	sa, sb := batchStrides(in[0].Shape, t.Shape), batchStrides(in[1].Shape, t.Shape)
	walk(t.Shape[:r-2], func(i int, off []int64) {
		for y := range m {
			row := out[(int64(i)*m+y)*n : (int64(i)*m+y+1)*n]
			for z := range k {
				x := a[off[0]+y*k+z]
				for j, w := range b[off[1]+z*n:][:len(row)] {
					row[j] += x * w
				}
			}
		}
	}, sa, sb)
	return one(fromDoubles(t, out))
}

// batchStrides are broadcastStrides of the leading dimensions, in elements of
// the whole tensor.
func batchStrides(shape, out []int64) []int64 {
	r := len(shape)
	s := broadcastStrides(shape[:r-2], out[:len(out)-2])
	for i := range s {
		s[i] *= shape[r-2] * shape[r-1]
	}
	return s
}

func evalIntMatmul(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	t := c.Out[0]
	r := t.Rank()
	m, n, k := t.Shape[r-2], t.Shape[r-1], in[0].Shape[len(in[0].Shape)-1]
	a, b, out := in[0].Int64s(), in[1].Int64s(), dtype.NewTensor(t.Elem, t.Shape...)
	walk(t.Shape[:r-2], func(i int, off []int64) {
		for p := range m * n {
			acc := int64(0)
			for z := range k {
				acc += a[off[0]+p/n*k+z] * b[off[1]+z*n+p%n]
			}
			out.SetInt(i*int(m*n)+int(p), acc)
		}
	}, batchStrides(in[0].Shape, t.Shape), batchStrides(in[1].Shape, t.Shape))
	return one(out)
}

func lowerMatmul(l *graph.Lowering) error {
	a, b := l.Args[0], l.Args[1]
	k := l.In[0].Shape[l.In[0].Rank()-1]
	l.Sum("matmul", l.Outs[0], []int64{k}, func(idx, r []tir.Expr) tir.Expr {
		n := len(idx)
		ai := slices.Concat(idx[:n-1], r)
		bi := slices.Concat(idx[:n-2], r, idx[n-1:])
		return tir.Mul(a.At(ai), b.At(bi))
	})
	return nil
}
