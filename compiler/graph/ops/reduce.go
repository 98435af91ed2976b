package ops

import (
	"fmt"
	"math"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

// reduction describes a fold over axes: what every element contributes, how two
// partial results join, and what becomes of the total of n elements.
type reduction struct {
	name   string
	ints   bool
	start  float64
	term   func(x float64) float64
	join   func(a, b float64) float64
	finish func(v float64, n int64) float64
	expr   reductionExpr
}

// reductionExpr is the same over expressions; nil members mean identity.
type reductionExpr struct {
	term   func(x tir.Expr) tir.Expr
	join   func(a, b tir.Expr) tir.Expr
	finish func(x tir.Expr, n int64) tir.Expr
}

func plus(a, b float64) float64 { return a + b }

var reductions = []reduction{
	{name: "reduce_sum", ints: true, join: plus, expr: reductionExpr{join: tir.Add}},
	{name: "reduce_mean", join: plus, finish: func(v float64, n int64) float64 { return v / float64(n) },
		expr: reductionExpr{join: tir.Add, finish: func(x tir.Expr, n int64) tir.Expr { return tir.Mul(x, like(x, 1/float64(n))) }}},
	{name: "reduce_max", ints: true, start: math.Inf(-1), join: math.Max, expr: reductionExpr{join: tir.Max}},
	{name: "reduce_min", ints: true, start: math.Inf(1), join: math.Min, expr: reductionExpr{join: tir.Min}},
	{name: "reduce_prod", ints: true, start: 1, join: func(a, b float64) float64 { return a * b }, expr: reductionExpr{join: tir.Mul}},
	{name: "reduce_l1", ints: true, term: math.Abs, join: plus, expr: reductionExpr{term: absolute, join: tir.Add}},
	{name: "reduce_sum_square", ints: true, term: func(x float64) float64 { return x * x }, join: plus,
		expr: reductionExpr{term: func(x tir.Expr) tir.Expr { return tir.Mul(x, x) }, join: tir.Add}},
	{name: "reduce_l2", term: func(x float64) float64 { return x * x }, join: plus, finish: func(v float64, _ int64) float64 { return math.Sqrt(v) },
		expr: reductionExpr{term: func(x tir.Expr) tir.Expr { return tir.Mul(x, x) }, join: tir.Add,
			finish: func(x tir.Expr, _ int64) tir.Expr { return intrinsic("sqrt", x) }}},
}

var reduceAttrs = []graph.AttrSpec{{Key: "axes", Zero: []int64(nil)}, {Key: "keepdims", Zero: false}}

func init() {
	for _, r := range reductions {
		graph.Register(&graph.Op{
			Name: r.name, Min: 1, Max: 1, Attrs: reduceAttrs, Class: graph.Reduction, Layout: graph.Spatial, KeepsZero: true,
			LayoutOK: func(c *graph.Call) bool {
				return c.Attrs.Bool("keepdims") && !slices.Contains(c.Attrs.Ints("axes"), 1)
			},
			Infer: func(c *graph.Call) ([]graph.Type, error) { return inferReduce(r, c) },
			Eval: func(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
				return one(evalReduce(r, c, in[0]))
			},
			Lower: func(l *graph.Lowering) error { return lowerReduce(r, l) },
		})
	}
}

func inferReduce(r reduction, c *graph.Call) ([]graph.Type, error) {
	x := c.In[0]
	if !x.Elem.IsFloat() && !(r.ints && x.Elem.IsInt()) {
		return nil, fmt.Errorf("is not defined on %s", x.Elem)
	}
	shape, err := reducedShape(x.Shape, c.Attrs.Ints("axes"), c.Attrs.Bool("keepdims"))
	if err != nil {
		return nil, err
	}
	return oneType(x.Elem, shape), nil
}

// reducedShape drops the axes (sorted, distinct) or makes them 1.
func reducedShape(in, axes []int64, keep bool) ([]int64, error) {
	last := int64(-1)
	for _, a := range axes {
		if a <= last || a >= int64(len(in)) {
			return nil, fmt.Errorf("axes %v are not distinct sorted axes of a tensor of rank %d", axes, len(in))
		}
		last = a
	}
	out := []int64{}
	for d, n := range in {
		if !slices.Contains(axes, int64(d)) {
			out = append(out, n)
		} else if keep {
			out = append(out, 1)
		}
	}
	return out, nil
}

// outputStrides are the strides with which an index of x addresses the reduced
// tensor.
func outputStrides(in, axes []int64) []int64 {
	kept, _ := reducedShape(in, axes, true)
	return broadcastStrides(kept, in)
}

func evalReduce(r reduction, c *graph.Call, x *dtype.Tensor) *dtype.Tensor {
	v, acc := doubles(x), make([]float64, c.Out[0].Len())
	fill(acc, r.start)
	walk(x.Shape, func(i int, off []int64) {
		e := v[i]
		if r.term != nil {
			e = r.term(e)
		}
		acc[off[0]] = r.join(acc[off[0]], e)
	}, outputStrides(x.Shape, c.Attrs.Ints("axes")))
	if r.finish != nil {
		n := reducedCount(c)
		for i := range acc {
			acc[i] = r.finish(acc[i], n)
		}
	}
	return fromDoubles(c.Out[0], acc)
}

func reducedCount(c *graph.Call) int64 {
	n := int64(1)
	for _, a := range c.Attrs.Ints("axes") {
		n *= c.In[0].Shape[a]
	}
	return n
}

func lowerReduce(r reduction, l *graph.Lowering) error {
	axes := l.Attrs.Ints("axes")
	extents := make([]int64, len(axes))
	for i, a := range axes {
		extents[i] = l.In[0].Shape[a]
	}
	acc := l.Outs[0]
	if r.expr.finish != nil {
		acc = l.Temp(r.name+"_acc", l.Out[0])
	}
	l.Reduce(r.name, acc, extents, reduceStart(r, l.Out[0].Elem), func(acc tir.Expr, idx, k []tir.Expr) tir.Expr {
		x := l.Args[0].At(mergeAxes(idx, k, axes, l.In[0].Rank(), l.Attrs.Bool("keepdims")))
		if r.expr.term != nil {
			x = r.expr.term(x)
		}
		return r.expr.join(acc, x)
	})
	if r.expr.finish != nil {
		n := reducedCount(l.Call)
		l.Compute(r.name+"_finish", l.Outs[0], func(idx []tir.Expr) tir.Expr { return r.expr.finish(acc.At(idx), n) })
	}
	return nil
}

func reduceStart(r reduction, t dtype.DType) tir.Expr {
	switch {
	case math.IsInf(r.start, -1):
		return lowestOf(t)
	case math.IsInf(r.start, 1):
		return highestOf(t)
	}
	return tir.Const(r.start, t)
}

func highestOf(t dtype.DType) tir.Expr {
	if t.IsInt() {
		if t.Code == dtype.UInt {
			return tir.IntOf(-1, t)
		}
		return tir.IntOf(1<<(t.Bits-1)-1, t)
	}
	v, _ := lowestValue(t)
	return tir.Const(-v, t)
}

// mergeAxes weaves reduction indices into the kept ones.
func mergeAxes(idx, k []tir.Expr, axes []int64, rank int, keep bool) []tir.Expr {
	out := make([]tir.Expr, 0, rank)
	i, j := 0, 0
	for d := range rank {
		if slices.Contains(axes, int64(d)) {
			out = append(out, k[j])
			j++
			if keep {
				i++
			}
			continue
		}
		out = append(out, idx[i])
		i++
	}
	return out
}
