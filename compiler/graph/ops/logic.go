package ops

import (
	"fmt"
	"math"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

func init() {
	graph.Register(&graph.Op{
		Name: "where", Min: 3, Max: 3, Class: graph.Broadcast, Layout: graph.Transparent, KeepsZero: true,
		Infer:  inferWhere,
		Eval:   evalWhere,
		Scalar: func(_ *graph.Call, a []tir.Expr) tir.Expr { return tir.NewSelect(a[0], a[1], a[2]) },
		Lower:  graph.LowerScalar,
	})
	graph.Register(&graph.Op{
		Name: "logical_not", Min: 1, Max: 1, Class: graph.Elementwise, Layout: graph.Transparent, KeepsZero: true,
		Infer: func(c *graph.Call) ([]graph.Type, error) {
			if !c.In[0].Elem.IsBool() {
				return nil, fmt.Errorf("is not defined on %s", c.In[0].Elem)
			}
			return same(c)
		},
		Eval: func(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
			return one(mapElements(c.Out[0], in[0], func(x float64) float64 { return 1 - x }))
		},
		Scalar: func(_ *graph.Call, a []tir.Expr) tir.Expr { return tir.NewNot(a[0]) },
		Lower:  graph.LowerScalar,
	})
	graph.Register(&graph.Op{
		Name: "cast", Min: 1, Max: 1, Attrs: []graph.AttrSpec{{Key: "to", Zero: ""}},
		Class: graph.Elementwise, Layout: graph.Transparent, KeepsZero: true,
		Infer: func(c *graph.Call) ([]graph.Type, error) {
			to, err := dtype.Parse(c.Attrs.Str("to"))
			if err != nil {
				return nil, err
			}
			return oneType(to, c.In[0].Shape), nil
		},
		Eval:   evalCast,
		Scalar: scalarCast,
		Lower:  graph.LowerScalar,
	})
}

func inferWhere(c *graph.Call) ([]graph.Type, error) {
	if !c.In[0].Elem.IsBool() {
		return nil, fmt.Errorf("the condition is %s, want bool", c.In[0].Elem)
	}
	if c.In[1].Elem != c.In[2].Elem {
		return nil, fmt.Errorf("operands differ in type: %s and %s", c.In[1].Elem, c.In[2].Elem)
	}
	shape, err := graph.BroadcastShapes(c.In[0].Shape, c.In[1].Shape, c.In[2].Shape)
	if err != nil {
		return nil, err
	}
	return oneType(c.In[1].Elem, shape), nil
}

func evalWhere(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	t := c.Out[0]
	out := dtype.NewTensor(t.Elem, t.Shape...)
	n := int64(t.Elem.Bytes())
	sets := make([][]int64, 3)
	for i := range sets {
		sets[i] = broadcastStrides(in[i].Shape, t.Shape)
	}
	walk(t.Shape, func(i int, off []int64) {
		src := 2
		if in[0].Data[off[0]] != 0 {
			src = 1
		}
		copy(out.Data[int64(i)*n:int64(i+1)*n], in[src].Data[off[src]*n:(off[src]+1)*n])
	}, sets...)
	return one(out)
}

func evalCast(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	x, out := in[0], dtype.NewTensor(c.Out[0].Elem, c.Out[0].Shape...)
	to := c.Out[0].Elem
	for i := range x.Len() {
		switch {
		case to.IsBool():
			out.SetInt(i, itruth(x.Float(i) != 0))
		case x.Type.IsFloat() && !to.IsFloat():
			out.SetInt(i, int64(math.Trunc(x.Float(i))))
		case to.IsFloat():
			out.SetFloat(i, x.Float(i))
		default:
			out.SetInt(i, x.Int(i))
		}
	}
	return one(out)
}

func scalarCast(c *graph.Call, a []tir.Expr) tir.Expr {
	to := c.Out[0].Elem
	if to.IsBool() && !a[0].DType().IsBool() {
		return tir.Compare(tir.OpNE, a[0], like(a[0], 0))
	}
	return tir.NewCast(to, a[0])
}
