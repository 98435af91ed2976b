package ops

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

var _ = graph.Register(&graph.Op{
	Name: "concat", Min: 1, Max: -1, Attrs: []graph.AttrSpec{{Key: "axis", Zero: int64(0)}},
	Class: graph.Injective, Layout: graph.ChannelConcat, KeepsZero: true,
	Infer: inferConcat, Eval: evalConcat, Lower: lowerConcat,
})

func inferConcat(c *graph.Call) ([]graph.Type, error) {
	first, axis := c.In[0], c.Attrs.Int("axis")
	if axis < 0 || axis >= int64(first.Rank()) {
		return nil, fmt.Errorf("axis %d is outside a tensor of rank %d", axis, first.Rank())
	}
	shape := slices.Clone(first.Shape)
	for _, t := range c.In[1:] {
		if t.Elem != first.Elem || t.Rank() != first.Rank() {
			return nil, fmt.Errorf("cannot join %s and %s", first, t)
		}
		for d := range shape {
			if int64(d) != axis && t.Shape[d] != shape[d] {
				return nil, fmt.Errorf("cannot join %s and %s along axis %d", first, t, axis)
			}
		}
		shape[axis] += t.Shape[axis]
	}
	return oneType(first.Elem, shape), nil
}

func evalConcat(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	t, axis := c.Out[0], c.Attrs.Int("axis")
	out := dtype.NewTensor(t.Elem, t.Shape...)
	n := int64(t.Elem.Bytes())
	outer := dtype.NumElements(t.Shape[:axis])
	row := dtype.NumElements(t.Shape[axis:]) * n
	at := int64(0)
	for _, x := range in {
		part := dtype.NumElements(x.Shape[axis:]) * n
		for o := range outer {
			copy(out.Data[o*row+at:], x.Data[o*part:(o+1)*part])
		}
		at += part
	}
	return one(out)
}

// lowerConcat writes a chain of conditional reads: the innermost read is the
// last part's.
func lowerConcat(l *graph.Lowering) error {
	axis := int(l.Attrs.Int("axis"))
	starts := make([]int64, len(l.In))
	for i := 1; i < len(l.In); i++ {
		starts[i] = starts[i-1] + l.In[i-1].Shape[axis]
	}
	l.Compute("concat", l.Outs[0], func(idx []tir.Expr) tir.Expr {
		var e tir.Expr
		for i := len(l.Args) - 1; i >= 0; i-- {
			src := slices.Clone(idx)
			src[axis] = shiftIndex(idx[axis], starts[i], l.Args[i].Type.Layout)
			read := l.Args[i].At(src)
			if e == nil {
				e = read
				continue
			}
			e = tir.IfThenElse(less(idx[axis], tir.Int(starts[i+1])), read, e)
		}
		return e
	})
	return nil
}

// shiftIndex subtracts start from an index; in a blocked layout start is a
// whole number of blocks and the subtraction happens there.
func shiftIndex(e tir.Expr, start int64, layout graph.Layout) tir.Expr {
	if b := int64(layout.Block); layout.Kind == graph.Split && start%b == 0 {
		outer, inner := graph.SplitIndex(e, b)
		return graph.JoinIndex(tir.Sub(outer, tir.Int(start/b)), inner, b)
	}
	return tir.Sub(e, tir.Int(start))
}
