package ops

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

var axisAttr = []graph.AttrSpec{{Key: "axis", Zero: int64(0)}}

// gather replaces one axis of the first operand by the shape of the second,
// whose elements pick positions; negative ones count from the end.
var _ = graph.Register(&graph.Op{
	Name: "gather", Min: 2, Max: 2, Attrs: axisAttr, Class: graph.Injective,
	Infer: func(c *graph.Call) ([]graph.Type, error) {
		x, idx, axis := c.In[0], c.In[1], c.Attrs.Int("axis")
		if axis < 0 || axis >= int64(x.Rank()) {
			return nil, fmt.Errorf("axis %d is outside a tensor of rank %d", axis, x.Rank())
		}
		if idx.Elem != dtype.Int32 && idx.Elem != dtype.Int64 {
			return nil, fmt.Errorf("indices are %s, want int32 or int64", idx.Elem)
		}
		return oneType(x.Elem, slices.Concat(x.Shape[:axis], idx.Shape, x.Shape[axis+1:])), nil
	},
	Eval: evalGather, Lower: lowerGather,
})

func evalGather(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	x, axis := in[0], int(c.Attrs.Int("axis"))
	out := dtype.NewTensor(c.Out[0].Elem, c.Out[0].Shape...)
	n := x.Shape[axis]
	row := dtype.NumElements(x.Shape[axis+1:]) * int64(x.Type.Bytes())
	at := int64(0)
	for o := range dtype.NumElements(x.Shape[:axis]) {
		for i := range in[1].Len() {
			k, err := position(in[1].Int(i), n)
			if err != nil {
				return nil, err
			}
			src := (o*n + k) * row
			copy(out.Data[at:at+row], x.Data[src:src+row])
			at += row
		}
	}
	return one(out)
}

// position resolves a possibly negative index into n elements.
func position(k, n int64) (int64, error) {
	p := k
	if p < 0 {
		p += n
	}
	if p < 0 || p >= n {
		return 0, fmt.Errorf("index %d is outside a dimension of %d", k, n)
	}
	return p, nil
}

// lowerGather clamps indices into the axis: a kernel has no way to refuse, and
// must not read beyond the table.
func lowerGather(l *graph.Lowering) error {
	axis, rank := int(l.Attrs.Int("axis")), l.In[1].Rank()
	n := l.In[0].Shape[axis]
	l.Compute("gather", l.Outs[0], func(idx []tir.Expr) tir.Expr {
		k := l.Args[1].At(idx[axis : axis+rank])
		if rank == 0 {
			k = l.Args[1].At(nil)
		}
		k = clampIndex(k, n)
		return l.Args[0].At(slices.Concat(idx[:axis], []tir.Expr{k}, idx[axis+rank:]))
	})
	return nil
}

func clampIndex(k tir.Expr, n int64) tir.Expr {
	if v, ok := tir.AsInt(k); ok {
		if v < 0 {
			v += n
		}
		return tir.Int(min(max(v, 0), n-1))
	}
	size := tir.IntOf(n, k.DType())
	k = tir.NewSelect(less(k, like(k, 0)), tir.Add(k, size), k)
	k = tir.Min(tir.Max(k, like(k, 0)), tir.IntOf(n-1, k.DType()))
	return tir.NewCast(dtype.Int32, k)
}

// gather_elements picks along one axis with an index for every result element.
var _ = graph.Register(&graph.Op{
	Name: "gather_elements", Min: 2, Max: 2, Attrs: axisAttr, Class: graph.Injective,
	Infer: func(c *graph.Call) ([]graph.Type, error) {
		x, idx, axis := c.In[0], c.In[1], c.Attrs.Int("axis")
		if idx.Rank() != x.Rank() || axis < 0 || axis >= int64(x.Rank()) {
			return nil, fmt.Errorf("cannot pick %s from %s along axis %d", idx, x, axis)
		}
		for d, n := range idx.Shape {
			if int64(d) != axis && n > x.Shape[d] {
				return nil, fmt.Errorf("indices %v reach beyond %v", idx.Shape, x.Shape)
			}
		}
		if idx.Elem != dtype.Int32 && idx.Elem != dtype.Int64 {
			return nil, fmt.Errorf("indices are %s, want int32 or int64", idx.Elem)
		}
		return oneType(x.Elem, idx.Shape), nil
	},
	Eval: func(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
		x, axis := in[0], int(c.Attrs.Int("axis"))
		out := dtype.NewTensor(c.Out[0].Elem, c.Out[0].Shape...)
		own, n := strides(x.Shape), int64(x.Type.Bytes())
		step := slices.Clone(own)
		step[axis] = 0
		var bad error
		walk(out.Shape, func(i int, off []int64) {
			k, err := position(in[1].Int(i), x.Shape[axis])
			if err != nil {
				bad = err
				return
			}
			j := off[0] + k*own[axis]
			copy(out.Data[int64(i)*n:int64(i+1)*n], x.Data[j*n:(j+1)*n])
		}, step)
		if bad != nil {
			return nil, bad
		}
		return one(out)
	},
	Lower: func(l *graph.Lowering) error {
		axis := int(l.Attrs.Int("axis"))
		l.Compute("gather_elements", l.Outs[0], func(idx []tir.Expr) tir.Expr {
			src := slices.Clone(idx)
			src[axis] = clampIndex(l.Args[1].At(idx), l.In[0].Shape[axis])
			return l.Args[0].At(src)
		})
		return nil
	},
})
