package ops

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

// depthwise_bytes convolves every channel of bytes x[N,C,…] by itself with int8
// weights w[C,1,…], adds an optional bias int32[C], and sums in int32. Unlike
// conv_bytes it takes the zero point off each byte, so that padding adds nothing;
// difference and product fit 16 bits, of which vectors hold twice as many.
var _ = graph.Register(&graph.Op{
	Name: "depthwise_bytes", Min: 2, Max: 3, Class: graph.OutFusable, Layout: graph.Convolution,
	Attrs: []graph.AttrSpec{
		{Key: "dilations", Zero: []int64(nil)}, {Key: "pads", Zero: []int64(nil)}, {Key: "strides", Zero: []int64(nil)}, {Key: "zero", Zero: int64(0)},
	},
	Infer: inferDepthwiseBytes, Eval: evalDepthwiseBytes, Lower: lowerDepthwiseBytes,
})

func inferDepthwiseBytes(c *graph.Call) ([]graph.Type, error) {
	x, w := c.In[0], c.In[1]
	if err := areBytes(x, w); err != nil {
		return nil, err
	}
	if x.Rank() < 3 || w.Rank() != x.Rank() || w.Shape[0] != x.Shape[1] || w.Shape[1] != 1 {
		return nil, fmt.Errorf("cannot convolve %s with %s channel by channel", x, w)
	}
	if err := inByte(c.Attrs.Int("zero"), x.Elem); err != nil {
		return nil, err
	}
	ws, err := windows(c, w.Shape[2:], false)
	if err != nil {
		return nil, err
	}
	if err := checkSums(c, w.Shape[0]); err != nil {
		return nil, err
	}
	shape := []int64{x.Shape[0], w.Shape[0]}
	for _, w := range ws {
		shape = append(shape, w.out)
	}
	return oneType(dtype.Int32, shape), nil
}

// evalDepthwiseBytes is the convolution of the differences in int32.
func evalDepthwiseBytes(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	x := dtype.NewTensor(dtype.Int32, in[0].Shape...)
	for i := range x.Len() {
		x.SetInt(i, in[0].Int(i)-c.Attrs.Int("zero"))
	}
	plain := &graph.Call{Attrs: c.Attrs.With("group", x.Shape[1]), In: []graph.Type{graph.Of(dtype.Int32, x.Shape...)}, Out: c.Out}
	return evalConv(plain, append([]*dtype.Tensor{x}, in[1:]...))
}

func lowerDepthwiseBytes(l *graph.Lowering) error {
	ws, err := windows(l.Call, l.In[1].Shape[2:], false)
	if err != nil {
		return err
	}
	t := l.In[0]
	t.Elem = dtype.Int16
	x := l.Temp("x_less_zero", t)
	zero := tir.IntOf(l.Attrs.Int("zero"), dtype.Int16)
	l.Compute("x_less_zero", x, func(idx []tir.Expr) tir.Expr {
		return tir.Sub(tir.NewCast(dtype.Int16, l.Args[0].At(idx)), zero)
	})
	x = padWindows(l, x, ws, 0)
	return withBias(l, func(out *graph.Operand) {
		l.Sum("depthwise_bytes", out, l.In[1].Shape[2:], func(idx, r []tir.Expr) tir.Expr {
			src := slices.Concat(idx[:2], positions(ws, idx[2:], r))
			w := l.Args[1].At(slices.Concat([]tir.Expr{idx[1], tir.Int(0)}, r))
			return tir.NewCast(dtype.Int32, tir.Mul(x.At(src), tir.NewCast(dtype.Int16, w)))
		})
	})
}
