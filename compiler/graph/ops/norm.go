package ops

import (
	"fmt"
	"math"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

var epsilonAttr = graph.AttrSpec{Key: "epsilon", Zero: 0.0}

// batch_norm is scale·(x−mean)/√(var+ε)+bias per channel (axis 1), with
// operands x, scale, bias, mean, var.
var _ = graph.Register(&graph.Op{
	Name: "batch_norm", Min: 5, Max: 5, Attrs: []graph.AttrSpec{epsilonAttr}, Class: graph.Broadcast, Layout: graph.Spatial,
	Infer: func(c *graph.Call) ([]graph.Type, error) {
		x := c.In[0]
		if x.Rank() < 2 || !x.Elem.IsFloat() {
			return nil, fmt.Errorf("cannot normalise %s", x)
		}
		for _, p := range c.In[1:] {
			if !p.SameLogical(graph.Of(x.Elem, x.Shape[1])) {
				return nil, fmt.Errorf("a parameter is %s, want %s[%d]", p, x.Elem, x.Shape[1])
			}
		}
		return same(c)
	},
	Eval: func(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
		x := doubles(in[0])
		inner, channels := int(dtype.NumElements(in[0].Shape[2:])), int(in[0].Shape[1])
		for i := range x {
			ch := i / inner % channels
			d := math.Sqrt(in[4].Float(ch) + c.Attrs.Float("epsilon"))
			x[i] = in[1].Float(ch)*(x[i]-in[3].Float(ch))/d + in[2].Float(ch)
		}
		return one(fromDoubles(c.Out[0], x))
	},
	Lower: func(l *graph.Lowering) error {
		l.Compute("batch_norm", l.Outs[0], func(idx []tir.Expr) tir.Expr {
			ch := idx[1:2]
			d := intrinsic("sqrt", tir.Add(l.Args[4].At(ch), tir.Const(l.Attrs.Float("epsilon"), l.Out[0].Elem)))
			y := tir.Div(tir.Sub(l.Args[0].At(idx), l.Args[3].At(ch)), d)
			return tir.Add(tir.Mul(y, l.Args[1].At(ch)), l.Args[2].At(ch))
		})
		return nil
	},
})

// layer_norm normalises over the dimensions from axis on and applies scale and
// an optional bias, both of those dimensions' shape (or broadcasting to it).
var _ = graph.Register(&graph.Op{
	Name: "layer_norm", Min: 2, Max: 3, Class: graph.Reduction,
	Attrs: []graph.AttrSpec{{Key: "axis", Zero: int64(0)}, epsilonAttr},
	Infer: inferLayerNorm, Eval: evalLayerNorm, Lower: lowerLayerNorm,
})

// rms_norm divides by the root mean square over the dimensions from axis on.
var _ = graph.Register(&graph.Op{
	Name: "rms_norm", Min: 2, Max: 2, Class: graph.Reduction,
	Attrs: []graph.AttrSpec{{Key: "axis", Zero: int64(0)}, epsilonAttr},
	Infer: inferLayerNorm, Eval: evalLayerNorm, Lower: lowerLayerNorm,
})

func inferLayerNorm(c *graph.Call) ([]graph.Type, error) {
	x, axis := c.In[0], c.Attrs.Int("axis")
	if axis < 0 || axis >= int64(x.Rank()) || !x.Elem.IsFloat() {
		return nil, fmt.Errorf("cannot normalise %s from axis %d", x, axis)
	}
	for _, p := range c.In[1:] {
		s, err := graph.BroadcastShapes(p.Shape, x.Shape[axis:])
		if err != nil || !slices.Equal(s, x.Shape[axis:]) || p.Elem != x.Elem {
			return nil, fmt.Errorf("a parameter is %s, want one that broadcasts to %v", p, x.Shape[axis:])
		}
	}
	return same(c)
}

func evalLayerNorm(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	x, axis := doubles(in[0]), c.Attrs.Int("axis")
	tail := in[0].Shape[axis:]
	n := int(dtype.NumElements(tail))
	if n == 0 {
		return one(fromDoubles(c.Out[0], x))
	}
	center := c.Op.Name == "layer_norm"
	for at := 0; at < len(x); at += n {
		row := x[at : at+n]
		mean, sq := 0.0, 0.0
		if center {
			for _, v := range row {
				mean += v / float64(n)
			}
		}
		for _, v := range row {
			sq += (v - mean) * (v - mean) / float64(n)
		}
		d := math.Sqrt(sq + c.Attrs.Float("epsilon"))
		for i := range row {
			row[i] = (row[i] - mean) / d
		}
		sets := [][]int64{broadcastStrides(in[1].Shape, tail)}
		if len(in) == 3 {
			sets = append(sets, broadcastStrides(in[2].Shape, tail))
		}
		walk(tail, func(i int, off []int64) {
			row[i] *= in[1].Float(int(off[0]))
			if len(in) == 3 {
				row[i] += in[2].Float(int(off[1]))
			}
		}, sets...)
	}
	return one(fromDoubles(c.Out[0], x))
}

// lowerLayerNorm emits two passes, the mean and the mean square of the
// differences: one pass would cancel.
func lowerLayerNorm(l *graph.Lowering) error {
	axis := int(l.Attrs.Int("axis"))
	x, tail := l.Args[0], l.In[0].Shape[axis:]
	t := graph.Of(l.In[0].Elem, l.In[0].Shape[:axis]...)
	inv := tir.Const(1/float64(dtype.NumElements(tail)), t.Elem)
	full := func(idx, r []tir.Expr) []tir.Expr { return slices.Concat(idx, r) }
	centered := x.At
	if l.Op.Name == "layer_norm" {
		sum := l.Temp("norm_sum", t)
		l.Sum("norm_sum", sum, tail, func(idx, r []tir.Expr) tir.Expr { return x.At(full(idx, r)) })
		mean := l.Temp("norm_mean", t)
		l.Compute("norm_mean", mean, func(idx []tir.Expr) tir.Expr { return tir.Mul(sum.At(idx), inv) })
		centered = func(idx []tir.Expr) tir.Expr { return tir.Sub(x.At(idx), mean.At(idx[:axis])) }
	}
	sq := l.Temp("norm_square", t)
	l.Sum("norm_square", sq, tail, func(idx, r []tir.Expr) tir.Expr {
		d := centered(full(idx, r))
		return tir.Mul(d, d)
	})
	scale := l.Temp("norm_rsqrt", t)
	l.Compute("norm_rsqrt", scale, func(idx []tir.Expr) tir.Expr {
		return intrinsic("rsqrt", tir.Add(tir.Mul(sq.At(idx), inv), tir.Const(l.Attrs.Float("epsilon"), t.Elem)))
	})
	l.Compute(l.Op.Name, l.Outs[0], func(idx []tir.Expr) tir.Expr {
		y := tir.Mul(tir.Mul(centered(idx), scale.At(idx[:axis])), l.Args[1].At(idx[axis:]))
		if len(l.Args) == 3 {
			y = tir.Add(y, l.Args[2].At(idx[axis:]))
		}
		return y
	})
	return nil
}
