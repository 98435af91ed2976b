package lower_test

import (
	"fmt"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/graph/graphopt"
	"hone/compiler/tir"
)

// Height and width are one axis where every pixel is treated alike, and only there.
func TestPlanesOfPointwiseConvolutionsAreOneAxis(t *testing.T) {
	type netFunc func(n *net, x graph.ValueID) graph.ValueID
	after := func(shape ...int64) netFunc {
		return func(n *net, x graph.ValueID) graph.ValueID {
			return n.op("mul", n.conv(x, 16, 1, 1, 1), n.weight(shape...))
		}
	}
	for _, c := range []struct {
		name   string
		h, w   int64
		build  netFunc
		joined bool
	}{
		{"relu", 7, 7, func(n *net, x graph.ValueID) graph.ValueID { return n.op("relu", n.conv(x, 16, 1, 1, 1)) }, true},
		{"residual", 5, 6, func(n *net, x graph.ValueID) graph.ValueID { return n.op("add", n.conv(x, 8, 1, 1, 1), x) }, true},
		{"odd channels", 3, 7, func(n *net, x graph.ValueID) graph.ValueID { return n.op("relu", n.conv(x, 6, 1, 1, 1)) }, true},
		{"gate per channel", 7, 7, after(1, 16, 1, 1), true},
		{"factor per pixel", 4, 5, after(1, 1, 4, 5), true},
		{"factor per column", 4, 5, after(5), false},
		{"factor per row", 4, 5, after(1, 1, 4, 1), false},
		{"three taps", 7, 7, func(n *net, x graph.ValueID) graph.ValueID { return n.conv(x, 16, 3, 1, 1) }, false},
		{"stride", 7, 7, func(n *net, x graph.ValueID) graph.ValueID { return n.conv(x, 16, 1, 2, 1) }, false},
		{"groups", 7, 7, func(n *net, x graph.ValueID) graph.ValueID { return n.conv(x, 16, 1, 1, 2) }, false},
		{"wide", 4, 17, func(n *net, x graph.ValueID) graph.ValueID { return n.conv(x, 16, 1, 1, 1) }, true},
		{"one row", 1, 9, func(n *net, x graph.ValueID) graph.ValueID { return n.conv(x, 16, 1, 1, 1) }, false},
	} {
		for _, block := range []int{0, 8} {
			t.Run(fmt.Sprintf("%s_%d", c.name, block), func(t *testing.T) {
				n := newNet()
				n.Output("y", c.build(n, n.op("tanh", n.Input("x", graph.Of(dtype.Float32, 1, 8, c.h, c.w)))))
				if err := graphopt.Run(n.Graph, graphopt.Options{Block: block}); err != nil {
					t.Fatal(err)
				}
				p := checkProgram(t, n.Graph, inputsFor(t, n.Graph, false, 2), 1e-5)
				joined := false
				for _, k := range p.Kernels {
					for _, b := range k.Func.Buffers() {
						for _, d := range b.Shape {
							joined = joined || tir.IsConst(d, c.h*c.w) && c.h > 1
						}
					}
				}
				if joined != c.joined {
					t.Errorf("joined: %v\n%s", joined, p)
				}
			})
		}
	}
}
