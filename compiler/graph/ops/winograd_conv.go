package ops

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

// winograd_conv is a convolution of x[N,C,H,W] by 3×3 with stride 1, padded by pads
// (top, left, bottom, right), with transformed weights[m+2,m+2,C,O]: the input's
// transform, the product and the transform back in one function, for schedules that
// take a block of tiles through all of them while it stays in a near cache.
var _ = graph.Register(&graph.Op{
	Name: "winograd_conv", Min: 2, Max: 2, Class: graph.OutFusable, Layout: graph.WritesBlocks,
	Attrs: []graph.AttrSpec{{Key: "pads", Zero: []int64(nil)}, {Key: "tile", Zero: int64(0)}},
	Infer: func(c *graph.Call) ([]graph.Type, error) {
		w, err := winogradOf(c)
		if err != nil {
			return nil, err
		}
		x, u, pads := c.In[0], c.In[1], c.Attrs.Ints("pads")
		if x.Rank() != 4 || !x.Elem.IsFloat() || len(pads) != 4 {
			return nil, fmt.Errorf("cannot transform %s with pads %v", x, pads)
		}
		if u.Rank() != 4 || u.Elem != x.Elem || !slices.Equal(u.Shape[:3], []int64{w.a, w.a, x.Shape[1]}) {
			return nil, fmt.Errorf("weights %s do not fit %s: [%d,%d,%d,O] are wanted", u, x, w.a, w.a, x.Shape[1])
		}
		height, width := x.Shape[2]+pads[0]+pads[2]-2, x.Shape[3]+pads[1]+pads[3]-2
		if height < 1 || width < 1 {
			return nil, fmt.Errorf("a window of 3×3 exceeds the padded %s", x)
		}
		return oneType(x.Elem, []int64{x.Shape[0], u.Shape[3], height, width}), nil
	},
	Eval: evalWinogradConv, Lower: lowerWinogradConv,
})

func evalWinogradConv(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	w, err := winogradOf(c)
	if err != nil {
		return nil, err
	}
	v, u := w.transformed(c, in[0]), doubles(in[1])
	channels, outs := in[1].Shape[2], in[1].Shape[3]
	tiles := int64(len(v)) / (w.a * w.a * channels)
	products := make([]float64, w.a*w.a*tiles*outs)
	for row := range w.a * w.a * tiles {
		for ch := range channels {
			x := v[row*channels+ch]
			for o := range outs {
				products[row*outs+o] += x * u[(row/tiles*channels+ch)*outs+o]
			}
		}
	}
	return one(fromDoubles(c.Out[0], w.result(products, c.Out[0])))
}

func lowerWinogradConv(l *graph.Lowering) error {
	w, err := winogradOf(l.Call)
	if err != nil {
		return err
	}
	x, u, elem := l.Args[0], l.Args[1], l.Out[0].Elem
	rows, cols := w.tiles(l.Call)
	tiles, channels := l.In[0].Shape[0]*rows*cols, l.In[0].Shape[1]
	v := l.Temp("input", graph.Of(elem, w.a, w.a, tiles, channels))
	w.input(l, x, v, l.Stage)
	p := l.Temp("product", graph.Of(elem, w.a, w.a, tiles, l.In[1].Shape[3]))
	l.Sum("product", p, []int64{channels}, func(i, r []tir.Expr) tir.Expr {
		return tir.Mul(v.At([]tir.Expr{i[0], i[1], i[2], r[0]}), u.At([]tir.Expr{i[0], i[1], r[0], i[3]}))
	})
	w.output(l, p, l.Outs[0])
	return nil
}
