package ops

import (
	"fmt"
	"math"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

func init() {
	for _, name := range []string{"softmax", "log_softmax"} {
		graph.Register(&graph.Op{
			Name: name, Min: 1, Max: 1, Attrs: axisAttr, Class: graph.Reduction, Layout: graph.Spatial, KeepsZero: true,
			LayoutOK: func(c *graph.Call) bool { return c.Attrs.Int("axis") != 1 },
			Infer: func(c *graph.Call) ([]graph.Type, error) {
				if a := c.Attrs.Int("axis"); a < 0 || a >= int64(c.In[0].Rank()) || !c.In[0].Elem.IsFloat() {
					return nil, fmt.Errorf("is not defined on axis %d of %s", a, c.In[0])
				}
				return same(c)
			},
			Eval: evalSoftmax, Lower: lowerSoftmax,
		})
	}
}

func evalSoftmax(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	x, axis := doubles(in[0]), int(c.Attrs.Int("axis"))
	n, inner := in[0].Shape[axis], dtype.NumElements(in[0].Shape[axis+1:])
	log := c.Op.Name == "log_softmax"
	for o := range dtype.NumElements(in[0].Shape[:axis]) {
		for j := range inner {
			at := func(i int64) *float64 { return &x[(o*n+i)*inner+j] }
			m, sum := math.Inf(-1), 0.0
			for i := range n {
				m = math.Max(m, *at(i))
			}
			for i := range n {
				sum += math.Exp(*at(i) - m)
			}
			for i := range n {
				if log {
					*at(i) -= m + math.Log(sum)
				} else {
					*at(i) = math.Exp(*at(i)-m) / sum
				}
			}
		}
	}
	return one(fromDoubles(c.Out[0], x))
}

// lowerSoftmax emits maximum, exponentials, their sum and the quotients.
func lowerSoftmax(l *graph.Lowering) error {
	axis := int(l.Attrs.Int("axis"))
	extent := []int64{l.In[0].Shape[axis]}
	x := l.Args[0]
	t := l.Out[0]
	t.Shape = slices.Clone(t.Shape)
	t.Shape[axis] = 1
	along := func(idx, r []tir.Expr) []tir.Expr {
		src := slices.Clone(idx)
		src[axis] = r[0]
		return src
	}
	peak := l.Temp("softmax_max", t)
	l.Reduce("softmax_max", peak, extent, lowestOf(t.Elem), func(acc tir.Expr, idx, r []tir.Expr) tir.Expr {
		return tir.Max(acc, x.At(along(idx, r)))
	})
	sum := l.Temp("softmax_sum", t)
	if l.Op.Name == "log_softmax" {
		l.Sum("softmax_sum", sum, extent, func(idx, r []tir.Expr) tir.Expr {
			return intrinsic("exp", tir.Sub(x.At(along(idx, r)), peak.At(idx)))
		})
		l.Compute("softmax_log", l.Outs[0], func(idx []tir.Expr) tir.Expr {
			return tir.Sub(tir.Sub(x.At(idx), peak.At(idx)), intrinsic("log", sum.At(idx)))
		})
		return nil
	}
	e := l.Temp("softmax_exp", l.Out[0])
	l.Compute("softmax_exp", e, func(idx []tir.Expr) tir.Expr {
		return intrinsic("exp", tir.Sub(x.At(idx), peak.At(idx)))
	})
	l.Sum("softmax_sum", sum, extent, func(idx, r []tir.Expr) tir.Expr { return e.At(along(idx, r)) })
	one := tir.Const(1, t.Elem) // one division a row
	l.Compute("softmax_norm", l.Outs[0], func(idx []tir.Expr) tir.Expr { return tir.Mul(e.At(idx), tir.Div(one, sum.At(idx))) })
	return nil
}
