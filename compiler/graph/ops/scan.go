package ops

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

// cumsum adds up along an axis, optionally from the end (reverse) and without
// the element itself (exclusive).
var _ = graph.Register(&graph.Op{
	Name: "cumsum", Min: 1, Max: 1, Class: graph.Reduction,
	Attrs: []graph.AttrSpec{{Key: "axis", Zero: int64(0)}, {Key: "exclusive", Zero: false}, {Key: "reverse", Zero: false}},
	Infer: func(c *graph.Call) ([]graph.Type, error) {
		if a := c.Attrs.Int("axis"); a < 0 || a >= int64(c.In[0].Rank()) || c.In[0].Elem.IsBool() {
			return nil, fmt.Errorf("is not defined on axis %d of %s", a, c.In[0])
		}
		return same(c)
	},
	Eval: func(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
		x, axis := in[0], c.Attrs.Int("axis")
		out := dtype.NewTensor(x.Type, x.Shape...)
		n, inner := x.Shape[axis], dtype.NumElements(x.Shape[axis+1:])
		for o := range dtype.NumElements(x.Shape[:axis]) {
			for k := range inner {
				scanLine(c.Attrs, x, out, (o*n)*inner+k, inner, n)
			}
		}
		return one(out)
	},
	Lower: func(l *graph.Lowering) error {
		axis, n := int(l.Attrs.Int("axis")), l.In[0].Shape[l.Attrs.Int("axis")]
		l.Sum("cumsum", l.Outs[0], []int64{n}, func(idx, r []tir.Expr) tir.Expr {
			src := slices.Clone(idx)
			src[axis] = r[0]
			x := l.Args[0].At(src)
			return tir.NewSelect(scanTakes(l.Attrs, r[0], idx[axis]), x, like(x, 0))
		})
		return nil
	},
})

func scanLine(a graph.Attrs, x, out *dtype.Tensor, start, step, n int64) {
	isum, fsum := int64(0), 0.0
	for i := range n {
		at := int(start + i*step)
		if a.Bool("reverse") {
			at = int(start + (n-1-i)*step)
		}
		bi, bf := isum, fsum
		isum += x.Int(at)
		fsum += x.Float(at)
		if !a.Bool("exclusive") {
			bi, bf = isum, fsum
		}
		if x.Type.IsFloat() {
			out.SetFloat(at, bf)
		} else {
			out.SetInt(at, bi)
		}
	}
}

func scanTakes(a graph.Attrs, k, i tir.Expr) tir.Expr {
	op := tir.OpLE
	switch {
	case a.Bool("reverse") && a.Bool("exclusive"):
		op = tir.OpGT
	case a.Bool("reverse"):
		op = tir.OpGE
	case a.Bool("exclusive"):
		op = tir.OpLT
	}
	return tir.Compare(op, k, i)
}

// trilu keeps the upper or lower triangle of the last two dimensions, counted
// from the k-th diagonal.
var _ = graph.Register(&graph.Op{
	Name: "trilu", Min: 1, Max: 1, Class: graph.Injective,
	Attrs: []graph.AttrSpec{{Key: "k", Zero: int64(0)}, {Key: "upper", Zero: false}},
	Infer: func(c *graph.Call) ([]graph.Type, error) {
		if c.In[0].Rank() < 2 {
			return nil, fmt.Errorf("is not defined on %s", c.In[0])
		}
		return same(c)
	},
	Eval: func(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
		x, r := in[0], len(in[0].Shape)
		out := dtype.NewTensor(x.Type, x.Shape...)
		n, k := int64(x.Type.Bytes()), c.Attrs.Int("k")
		for i := range int64(x.Len()) {
			col := i % x.Shape[r-1]
			row := i / x.Shape[r-1] % x.Shape[r-2]
			if c.Attrs.Bool("upper") == (col >= row+k) || col == row+k {
				copy(out.Data[i*n:(i+1)*n], x.Data[i*n:(i+1)*n])
			}
		}
		return one(out)
	},
	Lower: func(l *graph.Lowering) error {
		op := tir.OpLE
		if l.Attrs.Bool("upper") {
			op = tir.OpGE
		}
		k := min(max(l.Attrs.Int("k"), -1<<30), 1<<30)
		l.Compute("trilu", l.Outs[0], func(idx []tir.Expr) tir.Expr {
			r := len(idx)
			x := l.Args[0].At(idx)
			return tir.NewSelect(tir.Compare(op, idx[r-1], tir.Add(idx[r-2], tir.Int(k))), x, like(x, 0))
		})
		return nil
	},
})
