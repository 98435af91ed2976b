package ops

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

var _ = graph.Register(&graph.Op{
	Name: "reshape", Min: 1, Max: 1, Attrs: []graph.AttrSpec{{Key: "shape", Zero: []int64(nil)}}, Class: graph.Injective,
	Infer: func(c *graph.Call) ([]graph.Type, error) {
		shape := c.Attrs.Ints("shape")
		for _, d := range shape {
			if d < 0 {
				return nil, fmt.Errorf("the shape %v has a negative dimension", shape)
			}
		}
		if c.In[0].Len() != dtype.NumElements(shape) {
			return nil, fmt.Errorf("cannot view %v as %v: %d elements against %d", c.In[0].Shape, shape, c.In[0].Len(), dtype.NumElements(shape))
		}
		return oneType(c.In[0].Elem, shape), nil
	},
	Eval: func(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
		return one(&dtype.Tensor{Type: in[0].Type, Shape: c.Out[0].Shape, Data: in[0].Data})
	},
	Lower: func(l *graph.Lowering) error {
		l.Compute("reshape", l.Outs[0], func(idx []tir.Expr) tir.Expr {
			return l.Args[0].At(reshapeIndex(idx, l.Out[0].Shape, l.In[0].Shape))
		})
		return nil
	},
})

// reshapeIndex maps an index of one shape to the index of the same element in
// another. Dimensions are matched in groups of equal product, so that an index
// that both shapes share passes through without arithmetic.
func reshapeIndex(idx []tir.Expr, from, to []int64) []tir.Expr {
	out := make([]tir.Expr, len(to))
	for j := range out {
		out[j] = tir.Int(0)
	}
	if dtype.NumElements(from) == 0 {
		return out
	}
	for i, j := 0, 0; i < len(from) && j < len(to); {
		if from[i] == 1 {
			i++
			continue
		}
		if to[j] == 1 {
			j++
			continue
		}
		i0, j0, a, b := i, j, from[i], to[j]
		for i, j = i+1, j+1; a != b; {
			if a < b {
				a *= from[i]
				i++
			} else {
				b *= to[j]
				j++
			}
		}
		splitFlat(flatIndex(idx[i0:i], from[i0:i]), out[j0:j], to[j0:j])
	}
	return out
}

// flatIndex is the row-major position; dimensions of extent 1 do not appear.
func flatIndex(idx []tir.Expr, shape []int64) tir.Expr {
	var flat tir.Expr = tir.Int(0)
	for d, n := range shape {
		if n == 1 {
			continue
		}
		flat = tir.Add(tir.Mul(flat, tir.Int(n)), idx[d])
	}
	return flat
}

// splitFlat writes the index whose row-major position is flat.
func splitFlat(flat tir.Expr, out []tir.Expr, shape []int64) {
	leading := true
	inner := dtype.NumElements(shape)
	for d, n := range shape {
		inner /= max(n, 1)
		if n == 1 {
			out[d] = tir.Int(0)
			continue
		}
		e := tir.FloorDiv(flat, tir.Int(inner))
		if !leading {
			e = tir.FloorMod(e, tir.Int(n))
		}
		out[d] = e
		leading = false
	}
}

var _ = graph.Register(&graph.Op{
	Name: "transpose", Min: 1, Max: 1, Attrs: []graph.AttrSpec{{Key: "perm", Zero: []int64(nil)}}, Class: graph.Injective,
	Infer: func(c *graph.Call) ([]graph.Type, error) {
		perm, in := c.Attrs.Ints("perm"), c.In[0].Shape
		if len(perm) != len(in) {
			return nil, fmt.Errorf("the permutation %v does not fit a tensor of rank %d", perm, len(in))
		}
		shape, seen := make([]int64, len(in)), make([]bool, len(in))
		for i, p := range perm {
			if p < 0 || p >= int64(len(in)) || seen[p] {
				return nil, fmt.Errorf("%v is not a permutation", perm)
			}
			seen[p] = true
			shape[i] = in[p]
		}
		return oneType(c.In[0].Elem, shape), nil
	},
	Eval: func(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
		own := strides(in[0].Shape)
		step := make([]int64, len(own))
		for i, p := range c.Attrs.Ints("perm") {
			step[i] = own[p]
		}
		return one(move(c.Out[0], in[0], 0, step))
	},
	Lower: func(l *graph.Lowering) error {
		l.Compute("transpose", l.Outs[0], func(idx []tir.Expr) tir.Expr {
			src := make([]tir.Expr, len(idx))
			for i, p := range l.Attrs.Ints("perm") {
				src[p] = idx[i]
			}
			return l.Args[0].At(src)
		})
		return nil
	},
})

var _ = graph.Register(&graph.Op{
	Name: "expand", Min: 1, Max: 1, Attrs: []graph.AttrSpec{{Key: "shape", Zero: []int64(nil)}}, Class: graph.Broadcast,
	Infer: func(c *graph.Call) ([]graph.Type, error) {
		shape := c.Attrs.Ints("shape")
		got, err := graph.BroadcastShapes(c.In[0].Shape, shape)
		if err != nil {
			return nil, err
		}
		if !slices.Equal(got, shape) {
			return nil, fmt.Errorf("%v does not broadcast to %v", c.In[0].Shape, shape)
		}
		return oneType(c.In[0].Elem, shape), nil
	},
	Eval: func(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
		return one(move(c.Out[0], in[0], 0, broadcastStrides(in[0].Shape, c.Out[0].Shape)))
	},
	Lower: func(l *graph.Lowering) error {
		l.Compute("expand", l.Outs[0], l.Args[0].At)
		return nil
	},
})

// reorder copies a value into another layout: "block" is the size of the
// channel blocks, 0 for row-major. The logical value does not change.
var _ = graph.Register(&graph.Op{
	Name: "reorder", Min: 1, Max: 1, Attrs: []graph.AttrSpec{{Key: "block", Zero: int64(0)}}, Class: graph.Injective,
	Infer: func(c *graph.Call) ([]graph.Type, error) {
		if b := c.Attrs.Int("block"); b < 0 || b > 1<<14 || b > 0 && c.In[0].Rank() < 2 {
			return nil, fmt.Errorf("%s cannot have channel blocks of %d", c.In[0], b)
		}
		return same(c)
	},
	Eval: func(_ *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) { return one(in[0]) },
	Lower: func(l *graph.Lowering) error {
		l.Compute("reorder", l.Outs[0], func(idx []tir.Expr) tir.Expr { return channelOrZero(l, idx) })
		return nil
	},
})

// channelOrZero reads the operand, or the filling where a rounded-up channel
// axis of the result goes beyond it.
func channelOrZero(l *graph.Lowering, idx []tir.Expr) tir.Expr {
	in, out := l.In[0], l.Out[0]
	read := l.Args[0].At(idx)
	if b := int64(out.Layout.Block); out.Layout.Kind == graph.Split && in.Layout != out.Layout {
		if n := in.Shape[out.Layout.Axis]; n%b != 0 {
			inside := less(idx[out.Layout.Axis], tir.Int(n))
			return tir.IfThenElse(inside, read, like(read, 0))
		}
	}
	return read
}
