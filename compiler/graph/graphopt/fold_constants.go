package graphopt

import (
	"hone/compiler/dtype"
	"hone/compiler/graph"
)

// Folding is bounded in what a result may grow to against its operands and in
// the work of a contraction.
const (
	foldGrowth  = 16
	foldFree    = 64 << 10
	maxFoldWork = 1 << 28
)

// foldConstants evaluates nodes whose operands are all constant.
func foldConstants(g *graph.Graph, o Options) (int, error) {
	left := o.FoldBytes
	var failure error
	n, err := rewriteAll(g, func(m *matcher, id graph.NodeID) bool {
		if failure != nil || !foldable(m, id, left) {
			return false
		}
		n := m.Node(id)
		in := make([]*dtype.Tensor, len(n.Inputs))
		for i, v := range n.Inputs {
			in[i] = m.Const(v)
		}
		out, err := m.EvalNode(id, in)
		if err != nil {
			failure = err
			return false
		}
		name, results := n.Name, n.Outputs
		for i, t := range out {
			left -= int64(len(t.Data))
			m.Replace(results[i], m.Constant(t, name))
		}
		m.Delete(id)
		return true
	})
	if failure != nil {
		return n, failure
	}
	return n, err
}

func foldable(m *matcher, id graph.NodeID, left int64) bool {
	n := m.Node(id)
	if len(n.Inputs) == 0 {
		return false
	}
	operands, work := int64(0), float64(1)
	for _, v := range n.Inputs {
		if m.Const(v) == nil {
			return false
		}
		operands += m.Type(v).Bytes()
		work *= float64(max(m.Type(v).Len(), 1))
	}
	bytes := int64(0)
	for _, v := range n.Outputs {
		bytes += m.Type(v).Bytes()
		work *= float64(max(m.Type(v).Len(), 1))
	}
	if n.Op.Class >= graph.Reduction && work > maxFoldWork {
		return false
	}
	return bytes <= left && (bytes <= foldFree || bytes/foldGrowth <= operands)
}
