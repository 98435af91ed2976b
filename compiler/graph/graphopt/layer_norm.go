package graphopt

import (
	"slices"

	"hone/compiler/graph"
)

// recomposeLayerNorm recognises
//
//	d = x − mean(x);  y = d / √(mean(d²) + ε)  [· scale] [+ bias]
//
// over trailing dimensions, as exporters write layer norms of opsets before 17.
func recomposeLayerNorm(g *graph.Graph, _ Options) (int, error) {
	return rewriteAll(g, func(m *matcher, id graph.NodeID) bool {
		x, axis, eps, ok := m.normalised(m.Node(id))
		if !ok {
			return false
		}
		n := m.Node(id)
		elem, name := m.Type(x).Elem, n.Name
		tail := m.Type(x).Shape[axis:]
		end := id
		params := []graph.ValueID{graph.NoValue}
		if c, next := m.affine(n.Outputs[0], "mul", tail); c != graph.NoValue {
			params[0], end = c, next
		}
		if params[0] == graph.NoValue {
			params[0] = m.Constant(scalar(elem, 1), name)
		}
		if c, next := m.affine(m.Node(end).Outputs[0], "add", tail); c != graph.NoValue {
			params, end = append(params, c), next
		}
		attrs := graph.A("axis", axis, "epsilon", eps)
		m.swap(end, m.Add1("layer_norm", name, attrs, append([]graph.ValueID{x}, params...)...))
		return true
	})
}

// affine finds the only reader of v when that applies op with a constant of the
// normalised dimensions.
func (m *matcher) affine(v graph.ValueID, op string, tail []int64) (graph.ValueID, graph.NodeID) {
	u, id := m.user(v)
	if u == nil || u.Op.Name != op {
		return graph.NoValue, graph.NoNode
	}
	_, c, ok := m.withConst(u)
	if !ok || !slices.Equal(m.Type(c).Shape, tail) {
		return graph.NoValue, graph.NoNode
	}
	return c, id
}

// normalised matches d / √(mean(d²) + ε) and the same as a product with a
// reciprocal.
func (m *matcher) normalised(n *graph.Node) (x graph.ValueID, axis int, eps float64, ok bool) {
	var d, root graph.ValueID
	switch {
	case n.Op.Name == "div":
		d, root = n.Inputs[0], n.Inputs[1]
	case n.Op.Name == "mul" && m.is(n.Inputs[1], "reciprocal"):
		d, root = n.Inputs[0], m.Producer(n.Inputs[1]).Inputs[0]
	default:
		return
	}
	sub, sqrt := m.ProducerOf(d, "sub"), m.ProducerOf(root, "sqrt")
	if sub == nil || sqrt == nil {
		return
	}
	sum := m.ProducerOf(sqrt.Inputs[0], "add")
	if sum == nil {
		return
	}
	variance, c, ok := m.withConst(sum)
	if !ok {
		return
	}
	if eps, ok = m.scalarOf(c); !ok {
		return
	}
	x = sub.Inputs[0]
	axis, ok = m.meanOver(sub.Inputs[1], x)
	if !ok {
		return
	}
	mean := m.ProducerOf(variance, "reduce_mean")
	if mean == nil {
		return x, 0, 0, false
	}
	square := m.Producer(mean.Inputs[0])
	if square == nil || square.Op.Name != "mul" || square.Inputs[0] != d || square.Inputs[1] != d {
		return x, 0, 0, false
	}
	axis2, ok2 := m.meanOver(variance, mean.Inputs[0])
	return x, axis, eps, ok2 && axis == axis2
}

// meanOver reports the first of the trailing axes over which v is the mean of
// x, with the dimensions kept.
func (m *matcher) meanOver(v, x graph.ValueID) (int, bool) {
	n := m.ProducerOf(v, "reduce_mean")
	if n == nil || n.Inputs[0] != x || !n.Attrs.Bool("keepdims") {
		return 0, false
	}
	axes, rank := n.Attrs.Ints("axes"), int64(m.Type(x).Rank())
	for i, a := range axes {
		if a != rank-int64(len(axes)-i) {
			return 0, false
		}
	}
	return int(rank) - len(axes), len(axes) > 0
}
