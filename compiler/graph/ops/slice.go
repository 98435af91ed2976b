package ops

import (
	"fmt"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

// slice takes sizes[d] elements of every dimension d, from starts[d] by
// steps[d], which may be negative.
var _ = graph.Register(&graph.Op{
	Name: "slice", Min: 1, Max: 1, Class: graph.Injective,
	Attrs: []graph.AttrSpec{{Key: "sizes", Zero: []int64(nil)}, {Key: "starts", Zero: []int64(nil)}, {Key: "steps", Zero: []int64(nil)}},
	Infer: func(c *graph.Call) ([]graph.Type, error) {
		starts, sizes, steps := sliceAttrs(c)
		in := c.In[0]
		if len(starts) != in.Rank() || len(sizes) != in.Rank() || len(steps) != in.Rank() {
			return nil, fmt.Errorf("the slice does not fit a tensor of rank %d", in.Rank())
		}
		for d, n := range sizes {
			if n < 0 {
				return nil, fmt.Errorf("negative size %d in dimension %d", n, d)
			}
			last := starts[d] + (n-1)*steps[d]
			if n > 0 && (starts[d] < 0 || starts[d] >= in.Shape[d] || last < 0 || last >= in.Shape[d]) {
				return nil, fmt.Errorf("elements %d to %d are outside dimension %d of %s", starts[d], last, d, in)
			}
		}
		return oneType(in.Elem, sizes), nil
	},
	Eval: func(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
		starts, _, steps := sliceAttrs(c)
		own := strides(in[0].Shape)
		at := int64(0)
		for d := range own {
			at += starts[d] * own[d]
			own[d] *= steps[d]
		}
		return one(move(c.Out[0], in[0], at, own))
	},
	Lower: func(l *graph.Lowering) error {
		starts, _, steps := sliceAttrs(l.Call)
		l.Compute("slice", l.Outs[0], func(idx []tir.Expr) tir.Expr {
			src := make([]tir.Expr, len(idx))
			for d, e := range idx {
				src[d] = tir.Add(tir.Mul(e, tir.Int(steps[d])), tir.Int(starts[d]))
			}
			return l.Args[0].At(src)
		})
		return nil
	},
})

func sliceAttrs(c *graph.Call) (starts, sizes, steps []int64) {
	return c.Attrs.Ints("starts"), c.Attrs.Ints("sizes"), c.Attrs.Ints("steps")
}

// tile repeats the whole tensor repeats[d] times along every dimension.
var _ = graph.Register(&graph.Op{
	Name: "tile", Min: 1, Max: 1, Attrs: []graph.AttrSpec{{Key: "repeats", Zero: []int64(nil)}}, Class: graph.Injective,
	Infer: func(c *graph.Call) ([]graph.Type, error) {
		in, rep := c.In[0], c.Attrs.Ints("repeats")
		if len(rep) != in.Rank() {
			return nil, fmt.Errorf("%d repeats for a tensor of rank %d", len(rep), in.Rank())
		}
		shape := make([]int64, in.Rank())
		for d, n := range rep {
			if n < 0 || n > 1<<31 {
				return nil, fmt.Errorf("repeat count %d in dimension %d", n, d)
			}
			shape[d] = in.Shape[d] * n
		}
		return oneType(in.Elem, shape), nil
	},
	Eval: func(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
		out := dtype.NewTensor(c.Out[0].Elem, c.Out[0].Shape...)
		n := int64(out.Type.Bytes())
		own, mine := strides(in[0].Shape), strides(out.Shape)
		for i := range int64(out.Len()) {
			j := int64(0)
			for d := range own {
				j += i / mine[d] % out.Shape[d] % in[0].Shape[d] * own[d]
			}
			copy(out.Data[i*n:(i+1)*n], in[0].Data[j*n:(j+1)*n])
		}
		return one(out)
	},
	Lower: func(l *graph.Lowering) error {
		l.Compute("tile", l.Outs[0], func(idx []tir.Expr) tir.Expr {
			src := make([]tir.Expr, len(idx))
			for d, e := range idx {
				src[d] = tir.FloorMod(e, tir.Int(l.In[0].Shape[d]))
			}
			return l.Args[0].At(src)
		})
		return nil
	},
})
