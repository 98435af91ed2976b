package graphopt

import (
	"math"

	"hone/compiler/dtype"
	"hone/compiler/graph"
)

// foldBatchNorm replaces a batch norm of constant parameters by a factor and a
// term per channel; fold-scale then moves them into a convolution.
func foldBatchNorm(g *graph.Graph, _ Options) (int, error) {
	return rewriteAll(g, func(m *matcher, id graph.NodeID) bool {
		n := m.Node(id)
		if n.Op.Name != "batch_norm" {
			return false
		}
		var p [4]*dtype.Tensor // scale, bias, mean, variance
		for i := range p {
			if p[i] = m.Const(n.Inputs[i+1]); p[i] == nil {
				return false
			}
		}
		x := n.Inputs[0]
		t := m.Type(x)
		eps := n.Attrs.Float("epsilon")
		factor := mapTensor(p[0], func(i int, s float64) float64 { return s / math.Sqrt(p[3].Float(i)+eps) })
		term := mapTensor(p[1], func(i int, b float64) float64 {
			return b - p[2].Float(i)*p[0].Float(i)/math.Sqrt(p[3].Float(i)+eps)
		})
		shape := make([]int64, t.Rank()-1)
		for i := range shape {
			shape[i] = 1
		}
		shape[0] = t.Shape[1]
		factor.Shape, term.Shape = shape, shape
		name := n.Name
		y := m.Add1("mul", name, nil, x, m.Constant(factor, name))
		m.swap(id, m.Add1("add", name, nil, y, m.Constant(term, name)))
		return true
	})
}
