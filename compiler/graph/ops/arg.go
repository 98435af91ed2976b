package ops

import (
	"fmt"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

func init() {
	for _, name := range []string{"argmax", "argmin"} {
		graph.Register(&graph.Op{
			Name: name, Min: 1, Max: 1, Class: graph.Reduction,
			Attrs: []graph.AttrSpec{{Key: "axis", Zero: int64(0)}, {Key: "keepdims", Zero: false}, {Key: "last", Zero: false}},
			Infer: func(c *graph.Call) ([]graph.Type, error) {
				a := c.Attrs.Int("axis")
				if c.In[0].Elem.IsBool() || a < 0 || a >= int64(c.In[0].Rank()) || c.In[0].Shape[a] == 0 {
					return nil, fmt.Errorf("is not defined on axis %d of %s", a, c.In[0])
				}
				shape, err := reducedShape(c.In[0].Shape, []int64{a}, c.Attrs.Bool("keepdims"))
				return oneType(dtype.Int64, shape), err
			},
			Eval: evalArg, Lower: lowerArg,
		})
	}
}

func evalArg(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	x, axis := doubles(in[0]), c.Attrs.Int("axis")
	out := dtype.NewTensor(dtype.Int64, c.Out[0].Shape...)
	n, inner := in[0].Shape[axis], dtype.NumElements(in[0].Shape[axis+1:])
	for i := range int64(out.Len()) {
		base := i/inner*n*inner + i%inner
		best := int64(0)
		for k := int64(1); k < n; k++ {
			a, b := x[base+k*inner], x[base+best*inner]
			if c.Op.Name == "argmin" {
				a, b = b, a
			}
			if a > b || c.Attrs.Bool("last") && a == b {
				best = k
			}
		}
		out.SetInt(int(i), best)
	}
	return one(out)
}

// lowerArg finds the extremum, then the first (or last) position that equals
// it: two plain reductions, which every schedule rule knows.
func lowerArg(l *graph.Lowering) error {
	axis := l.Attrs.Int("axis")
	n := l.In[0].Shape[axis]
	keep := l.Attrs.Bool("keepdims")
	at := func(idx, r []tir.Expr) tir.Expr {
		return l.Args[0].At(mergeAxes(idx, r, []int64{axis}, l.In[0].Rank(), keep))
	}
	t := l.Out[0]
	t.Elem = l.In[0].Elem
	best := l.Temp(l.Op.Name+"_value", t)
	start, join := lowestOf(t.Elem), tir.Max
	if l.Op.Name == "argmin" {
		start, join = highestOf(t.Elem), tir.Min
	}
	l.Reduce(l.Op.Name+"_value", best, []int64{n}, start, func(acc tir.Expr, idx, r []tir.Expr) tir.Expr { return join(acc, at(idx, r)) })
	pick, first, none := tir.Min, n-1, n-1
	if l.Attrs.Bool("last") {
		pick, first, none = tir.Max, 0, 0
	}
	l.Reduce(l.Op.Name, l.Outs[0], []int64{n}, tir.IntOf(first, dtype.Int64), func(acc tir.Expr, idx, r []tir.Expr) tir.Expr {
		equal := tir.Compare(tir.OpEQ, at(idx, r), best.At(idx))
		return pick(acc, tir.NewSelect(equal, tir.NewCast(dtype.Int64, r[0]), tir.IntOf(none, dtype.Int64)))
	})
	return nil
}

// fill makes a tensor of one value.
var _ = graph.Register(&graph.Op{
	Name: "fill", Min: 1, Max: 1, Class: graph.Broadcast,
	Attrs: []graph.AttrSpec{{Key: "shape", Zero: []int64(nil)}},
	Infer: func(c *graph.Call) ([]graph.Type, error) {
		if c.In[0].Len() != 1 {
			return nil, fmt.Errorf("the value is %s, want one element", c.In[0])
		}
		return oneType(c.In[0].Elem, c.Attrs.Ints("shape")), nil
	},
	Eval: func(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
		return one(move(c.Out[0], in[0], 0, make([]int64, c.Out[0].Rank())))
	},
	Lower: func(l *graph.Lowering) error {
		l.Compute("fill", l.Outs[0], func([]tir.Expr) tir.Expr { return l.Args[0].At(nil) })
		return nil
	},
})
