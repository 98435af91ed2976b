package ops

import (
	"fmt"
	"math"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

var poolAttrs = []graph.AttrSpec{
	{Key: "ceil_mode", Zero: false}, {Key: "dilations", Zero: []int64(nil)}, {Key: "kernel", Zero: []int64(nil)},
	{Key: "pads", Zero: []int64(nil)}, {Key: "strides", Zero: []int64(nil)},
}

func init() {
	graph.Register(&graph.Op{
		Name: "max_pool", Min: 1, Max: 1, Attrs: poolAttrs, Class: graph.Reduction, Layout: graph.Spatial, KeepsZero: true,
		Infer: inferPool,
		Eval: func(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
			return evalPool(c, in, func(v []float64, _ int64) float64 { return slices.Max(append(v, math.Inf(-1))) })
		},
		Lower: lowerMaxPool,
	})
	// avg_pool divides by the elements inside the tensor or, with
	// count_include_pad, inside the padded tensor.
	graph.Register(&graph.Op{
		Name: "avg_pool", Min: 1, Max: 1, Class: graph.Reduction, Layout: graph.Spatial, KeepsZero: true,
		Attrs: append([]graph.AttrSpec{{Key: "count_include_pad", Zero: false}}, poolAttrs...),
		Infer: inferPool,
		Eval: func(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
			return evalPool(c, in, func(v []float64, count int64) float64 {
				sum := 0.0
				for _, x := range v {
					sum += x
				}
				return sum / float64(count)
			})
		},
		Lower: lowerAvgPool,
	})
}

func inferPool(c *graph.Call) ([]graph.Type, error) {
	x := c.In[0]
	if x.Rank() < 3 || x.Elem.IsBool() || c.Op.Name == "avg_pool" && !x.Elem.IsFloat() {
		return nil, fmt.Errorf("cannot pool %s", x)
	}
	ws, err := windows(c, c.Attrs.Ints("kernel"), c.Attrs.Bool("ceil_mode"))
	if err != nil {
		return nil, err
	}
	shape := slices.Clone(x.Shape[:2])
	for i, w := range ws {
		if w.before >= w.kernel*w.dilation || w.after >= w.kernel*w.dilation {
			return nil, fmt.Errorf("dimension %d: pads %d and %d are as large as the window", i, w.before, w.after)
		}
		shape = append(shape, w.out)
	}
	return oneType(x.Elem, shape), nil
}

func evalPool(c *graph.Call, in []*dtype.Tensor, f func(v []float64, count int64) float64) ([]*dtype.Tensor, error) {
	ws, err := windows(c, c.Attrs.Ints("kernel"), c.Attrs.Bool("ceil_mode"))
	if err != nil {
		return nil, err
	}
	x, t := doubles(in[0]), c.Out[0]
	out := make([]float64, t.Len())
	plane := dtype.NumElements(c.In[0].Shape[2:])
	outPlane := dtype.NumElements(t.Shape[2:])
	own := strides(c.In[0].Shape[2:])
	list := taps(c.Attrs.Ints("kernel"))
	var v []float64
	for p := range t.Shape[0] * t.Shape[1] {
		for i := range outPlane {
			v = v[:0]
			count := int64(0)
			for _, tap := range list {
				at, inside, padded := poolSource(ws, i, tap, own)
				if inside {
					v = append(v, x[p*plane+at])
				}
				if inside || padded && c.Attrs.Bool("count_include_pad") {
					count++
				}
			}
			out[p*outPlane+i] = f(v, count)
		}
	}
	return one(fromDoubles(t, out))
}

// poolSource is the input offset of one tap, and whether that lies inside the
// tensor or at least inside its stated padding.
func poolSource(ws []window, flat int64, tap, own []int64) (at int64, inside, padded bool) {
	inside, padded = true, true
	for d := len(ws) - 1; d >= 0; d-- {
		w := ws[d]
		p := flat%w.out*w.stride + tap[d]*w.dilation - w.before
		inside = inside && p >= 0 && p < w.in
		padded = padded && p < w.in+w.after
		at += p * own[d]
		flat /= w.out
	}
	return at, inside, padded
}

func lowerMaxPool(l *graph.Lowering) error {
	ws, err := windows(l.Call, l.Attrs.Ints("kernel"), l.Attrs.Bool("ceil_mode"))
	if err != nil {
		return err
	}
	lowest := lowestOf(l.Out[0].Elem)
	v, _ := lowestValue(l.Out[0].Elem)
	x := padWindows(l, l.Args[0], ws, v)
	l.Reduce("max_pool", l.Outs[0], l.Attrs.Ints("kernel"), lowest, func(acc tir.Expr, idx, r []tir.Expr) tir.Expr {
		return tir.Max(acc, x.At(slices.Concat(idx[:2], positions(ws, idx[2:], r))))
	})
	return nil
}

// lowestValue is the least finite value of a type as a float64 that converts.
func lowestValue(t dtype.DType) (float64, bool) {
	switch {
	case t == dtype.Float16:
		return -65504, true
	case t.Code == dtype.BFloat || t == dtype.Float32:
		return -math.MaxFloat32, true
	case t.IsFloat():
		return -math.MaxFloat64, true
	case t.IsSigned():
		return -math.Exp2(float64(t.Bits - 1)), true
	}
	return 0, !t.IsBool()
}

func lowestOf(t dtype.DType) tir.Expr {
	v, _ := lowestValue(t)
	return tir.Const(v, t)
}

func lowerAvgPool(l *graph.Lowering) error {
	ws, err := windows(l.Call, l.Attrs.Ints("kernel"), l.Attrs.Bool("ceil_mode"))
	if err != nil {
		return err
	}
	x := padWindows(l, l.Args[0], ws, 0)
	sum := l.Temp("pool_sum", l.Out[0])
	l.Sum("pool_sum", sum, l.Attrs.Ints("kernel"), func(idx, r []tir.Expr) tir.Expr {
		return x.At(slices.Concat(idx[:2], positions(ws, idx[2:], r)))
	})
	l.Compute("avg_pool", l.Outs[0], func(idx []tir.Expr) tir.Expr {
		return tir.Div(sum.At(idx), tir.NewCast(l.Out[0].Elem, poolCount(ws, idx[2:], l.Attrs.Bool("count_include_pad"))))
	})
	return nil
}

// poolCount is the number of elements that a window at idx averages, a
// constant wherever every window has as many.
func poolCount(ws []window, idx []tir.Expr, includePad bool) tir.Expr {
	var count tir.Expr = tir.Int(1)
	for d, w := range ws {
		lo, hi := -w.before, w.in
		if includePad {
			hi += w.after
		} else {
			lo = 0
		}
		first := -w.before >= lo
		last := (w.out-1)*w.stride-w.before+(w.kernel-1)*w.dilation < hi
		if first && last {
			count = tir.Mul(count, tir.Int(w.kernel))
			continue
		}
		start := tir.Sub(tir.Mul(idx[d], tir.Int(w.stride)), tir.Int(w.before))
		// The taps k with lo ≤ start + k·dilation < hi.
		end := tir.Min(tir.CeilDiv(tir.Sub(tir.Int(hi), start), tir.Int(w.dilation)), tir.Int(w.kernel))
		begin := tir.Max(tir.CeilDiv(tir.Sub(tir.Int(lo), start), tir.Int(w.dilation)), tir.Int(0))
		count = tir.Mul(count, tir.Sub(end, begin))
	}
	return count
}
