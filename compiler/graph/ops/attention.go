package ops

import (
	"fmt"
	"math"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

// attention is softmax(scale · q·kᵀ + bias) · v for every head: q[B,S,H,D], k[B,T,H,D]
// and v[B,T,H,E] give [B,S,H,E]. The bias, if there is one, broadcasts to [B,H,S,T]
// and is added after the scale.
//
// Scores lie turned, [B,H,T,S], and the quotient by a row's sum is taken of the result:
// all stages are then vectors along rows, which a block of rows goes through at a time,
// and none of them is a sum across a vector.
var _ = graph.Register(&graph.Op{
	Name: "attention", Min: 3, Max: 4, Class: graph.OutFusable, Attrs: []graph.AttrSpec{{Key: "scale", Zero: 0.0}},
	Infer: inferAttention, Eval: evalAttention, Lower: lowerAttention,
})

func inferAttention(c *graph.Call) ([]graph.Type, error) {
	q, k, v := c.In[0], c.In[1], c.In[2]
	for i, t := range c.In {
		if i < 3 && t.Rank() != 4 || t.Elem != q.Elem || !t.Elem.IsFloat() {
			return nil, fmt.Errorf("is not defined on %s as operand %d: queries, keys and values have four dimensions, all one type of floats", t, i)
		}
	}
	same := func(d int) bool { return q.Shape[d] == k.Shape[d] && (d == 3 || q.Shape[d] == v.Shape[d]) }
	if !same(0) || !same(2) || !same(3) || k.Shape[1] != v.Shape[1] {
		return nil, fmt.Errorf("queries %s, keys %s and values %s do not fit", q, k, v)
	}
	if len(c.In) == 4 {
		scores := []int64{q.Shape[0], q.Shape[2], q.Shape[1], k.Shape[1]}
		if b, err := graph.BroadcastShapes(c.In[3].Shape, scores); err != nil || !slices.Equal(b, scores) {
			return nil, fmt.Errorf("the bias %s does not broadcast to scores %v", c.In[3], scores)
		}
	}
	return oneType(q.Elem, []int64{q.Shape[0], q.Shape[1], q.Shape[2], v.Shape[3]}), nil
}

func evalAttention(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	q, k, v := doubles(in[0]), doubles(in[1]), doubles(in[2])
	s, heads, d := in[0].Shape[1], in[0].Shape[2], in[0].Shape[3]
	keys, e := in[2].Shape[1], in[2].Shape[3]
	var bias []float64
	var stride []int64
	if len(in) == 4 {
		bias, stride = doubles(in[3]), broadcastStrides(in[3].Shape, []int64{in[0].Shape[0], heads, s, keys})
	}
	out := make([]float64, c.Out[0].Len())
	row := make([]float64, keys)
	for at := range in[0].Shape[0] * s * heads {
		b, i, h := at/(s*heads), at/heads%s, at%heads
		peak, sum := math.Inf(-1), 0.0
		for j := range keys {
			x := 0.0
			for z := range d {
				x += q[at*d+z] * k[((b*keys+j)*heads+h)*d+z]
			}
			if x *= c.Attrs.Float("scale"); bias != nil {
				x += bias[b*stride[0]+h*stride[1]+i*stride[2]+j*stride[3]]
			}
			row[j], peak = x, math.Max(peak, x)
		}
		for j, x := range row {
			row[j] = math.Exp(x - peak)
			sum += row[j]
		}
		for j, x := range row {
			for z := range e {
				out[at*e+z] += x / sum * v[((b*keys+int64(j))*heads+h)*e+z]
			}
		}
	}
	return one(fromDoubles(c.Out[0], out))
}

func lowerAttention(l *graph.Lowering) error {
	q, k, v, t := l.Args[0], l.Args[1], l.Args[2], l.Out[0]
	batch, s, heads, d := t.Shape[0], t.Shape[1], t.Shape[2], l.In[0].Shape[3]
	keys := l.In[1].Shape[1]
	scale := tir.Const(l.Attrs.Float("scale"), t.Elem)
	turned := l.Temp("queries", graph.Of(t.Elem, batch, heads, d, s))
	l.Stage("queries", turned, func(i []tir.Expr) tir.Expr {
		return tir.Mul(q.At([]tir.Expr{i[0], i[3], i[1], i[2]}), scale)
	})
	scores := l.Temp("scores", graph.Of(t.Elem, batch, heads, keys, s))
	l.Sum("scores", scores, []int64{d}, func(i, r []tir.Expr) tir.Expr {
		return tir.Mul(k.At([]tir.Expr{i[0], i[2], i[1], r[0]}), turned.At([]tir.Expr{i[0], i[1], r[0], i[3]}))
	})
	if len(l.Args) == 4 {
		plain := scores
		scores = l.Temp("biased", plain.Type)
		l.Stage("biased", scores, func(i []tir.Expr) tir.Expr {
			return tir.Add(plain.At(i), l.Args[3].At([]tir.Expr{i[0], i[1], i[3], i[2]}))
		})
	}
	row := graph.Of(t.Elem, batch, heads, s)
	peak, sum := l.Temp("peak", row), l.Temp("sum", row)
	along := func(i, r []tir.Expr) []tir.Expr { return []tir.Expr{i[0], i[1], r[0], i[2]} }
	l.Reduce("peak", peak, []int64{keys}, lowestOf(t.Elem), func(acc tir.Expr, i, r []tir.Expr) tir.Expr {
		return tir.Max(acc, scores.At(along(i, r)))
	})
	weights := l.Temp("weights", scores.Type)
	l.Stage("weights", weights, func(i []tir.Expr) tir.Expr {
		return intrinsic("exp", tir.Sub(scores.At(i), peak.At([]tir.Expr{i[0], i[1], i[3]})))
	})
	l.Sum("sum", sum, []int64{keys}, func(i, r []tir.Expr) tir.Expr { return weights.At(along(i, r)) })
	total := l.Temp("values", t)
	l.Sum("values", total, []int64{keys}, func(i, r []tir.Expr) tir.Expr {
		return tir.Mul(weights.At([]tir.Expr{i[0], i[2], r[0], i[1]}), v.At([]tir.Expr{i[0], r[0], i[2], i[3]}))
	})
	l.Compute("attention", l.Outs[0], func(i []tir.Expr) tir.Expr {
		return tir.Div(total.At(i), sum.At([]tir.Expr{i[0], i[2], i[1]}))
	})
	return nil
}
