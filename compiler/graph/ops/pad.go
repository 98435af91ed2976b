package ops

import (
	"fmt"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

// pad surrounds a tensor: pads[d] elements before and pads[rank+d] after
// dimension d (negative ones crop), filled with value in mode "constant" or
// from the tensor in modes "edge", "reflect" and "wrap".
var _ = graph.Register(&graph.Op{
	Name: "pad", Min: 1, Max: 1, Class: graph.Injective, Layout: graph.Spatial, KeepsZero: true,
	Attrs: []graph.AttrSpec{{Key: "mode", Zero: ""}, {Key: "pads", Zero: []int64(nil)}, {Key: "value", Zero: 0.0}},
	LayoutOK: func(c *graph.Call) bool {
		pads, n := c.Attrs.Ints("pads"), c.In[0].Rank()
		return n > 2 && pads[1] == 0 && pads[n+1] == 0
	},
	Infer: inferPad, Eval: evalPad, Lower: lowerPad,
})

func inferPad(c *graph.Call) ([]graph.Type, error) {
	in, pads := c.In[0], c.Attrs.Ints("pads")
	if len(pads) != 2*in.Rank() {
		return nil, fmt.Errorf("%d pads for a tensor of rank %d", len(pads), in.Rank())
	}
	shape := make([]int64, in.Rank())
	for d, n := range in.Shape {
		before, after := pads[d], pads[in.Rank()+d]
		if before > 1<<31 || after > 1<<31 || before < -n || after < -n || n+before+after < 0 {
			return nil, fmt.Errorf("pads %d and %d do not fit dimension %d of %s", before, after, d, in)
		}
		shape[d] = n + before + after
		switch mode := c.Attrs.Str("mode"); {
		case mode == "constant":
		case mode == "edge" && n > 0:
		case mode == "reflect" && (before < n && after < n || n == 0 && before+after == 0):
		case mode == "wrap" && n > 0:
		default:
			return nil, fmt.Errorf("mode %q cannot pad dimension %d of %s by %d and %d", mode, d, in, before, after)
		}
	}
	return oneType(in.Elem, shape), nil
}

// padSource is the position that the mode reads for position i of n elements,
// -1 for the constant.
func padSource(mode string, i, n int64) int64 {
	if i >= 0 && i < n {
		return i
	}
	switch mode {
	case "edge":
		return min(max(i, 0), n-1)
	case "reflect":
		if i < 0 {
			return -i
		}
		return 2*(n-1) - i
	case "wrap":
		return ((i % n) + n) % n
	}
	return -1
}

func evalPad(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	x, out := in[0], dtype.NewTensor(c.Out[0].Elem, c.Out[0].Shape...)
	pads, mode, n := c.Attrs.Ints("pads"), c.Attrs.Str("mode"), int64(x.Type.Bytes())
	own, mine := strides(x.Shape), strides(out.Shape)
	for i := range int64(out.Len()) {
		j := int64(0)
		for d := range own {
			s := padSource(mode, i/mine[d]%out.Shape[d]-pads[d], x.Shape[d])
			if s < 0 {
				j = -1
				break
			}
			j += s * own[d]
		}
		if j < 0 {
			out.SetFloat(int(i), c.Attrs.Float("value"))
			continue
		}
		copy(out.Data[i*n:(i+1)*n], x.Data[j*n:(j+1)*n])
	}
	return one(out)
}

func lowerPad(l *graph.Lowering) error {
	l.Compute("pad", l.Outs[0], func(idx []tir.Expr) tir.Expr {
		return padded(l.Args[0], idx, l.Attrs.Ints("pads"), l.Attrs.Str("mode"), l.Attrs.Float("value"))
	})
	return nil
}

// padded reads x at an index of the padded tensor.
func padded(x *graph.Operand, idx []tir.Expr, pads []int64, mode string, value float64) tir.Expr {
	src := make([]tir.Expr, len(idx))
	var inside tir.Expr = tir.True
	for d, e := range idx {
		before, after, n := pads[d], pads[len(idx)+d], x.Type.Shape[d]
		if before == 0 && after == 0 {
			src[d] = e
			continue
		}
		src[d] = tir.Sub(e, tir.Int(before))
		if mode != "constant" {
			src[d] = padIndex(mode, src[d], n)
			continue
		}
		if before > 0 {
			inside = tir.And(inside, tir.Compare(tir.OpGE, e, tir.Int(before)))
		}
		if after > 0 {
			inside = tir.And(inside, less(e, tir.Int(before+n)))
		}
	}
	read := x.At(src)
	return tir.IfThenElse(inside, read, like(read, value))
}

func padIndex(mode string, e tir.Expr, n int64) tir.Expr {
	last := tir.Int(n - 1)
	switch mode {
	case "edge":
		return tir.Min(tir.Max(e, tir.Int(0)), last)
	case "reflect":
		mirrored := tir.NewSelect(less(e, tir.Int(0)), tir.Mul(e, tir.Int(-1)), e)
		return tir.NewSelect(more(mirrored, last), tir.Sub(tir.Int(2*(n-1)), mirrored), mirrored)
	}
	return tir.FloorMod(e, tir.Int(n))
}
