package graphopt

import (
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
)

// recomposeAttention recognises
//
//	softmax(q·kᵀ [· scale] [+ bias]) · v
//
// over heads, and makes it one operator, whose scores never leave the caches. Its
// operands and result have heads behind rows; the transposes that this takes meet
// those of the model. Rows and values of less than vectors stay as they are.
func recomposeAttention(g *graph.Graph, o Options) (int, error) {
	if o.Block < 2 {
		return 0, nil
	}
	return rewriteAll(g, func(m *matcher, id graph.NodeID) bool {
		n := m.Node(id)
		if n.Op.Name != "matmul" {
			return false
		}
		p := m.ProducerOf(n.Inputs[0], "softmax")
		if p == nil || !m.single(n.Inputs[0]) || p.Attrs.Int("axis") != 3 {
			return false
		}
		scores, scale, bias := m.scaled(p.Inputs[0])
		product := m.ProducerOf(scores, "matmul")
		if product == nil || !m.single(scores) || !m.attends(product, n, int64(o.Block)) {
			return false
		}
		name, q, kt, v := p.Name, product.Inputs[0], product.Inputs[1], n.Inputs[1]
		turn := func(v graph.ValueID, perm ...int64) graph.ValueID {
			return m.Add1("transpose", name, graph.A("perm", perm), v)
		}
		in := []graph.ValueID{turn(q, 0, 2, 1, 3), turn(kt, 0, 3, 1, 2), turn(v, 0, 2, 1, 3)}
		if bias != graph.NoValue {
			in = append(in, bias)
		}
		m.swap(id, turn(m.Add1("attention", name, graph.A("scale", scale), in...), 0, 2, 1, 3))
		return true
	})
}

// scaled reads x·scale + bias, each once; what is not there is 1 and NoValue.
func (m *matcher) scaled(v graph.ValueID) (x graph.ValueID, scale float64, bias graph.ValueID) {
	x, scale, bias = v, 1, graph.NoValue
	if n := m.ProducerOf(x, "add"); n != nil && m.single(x) {
		for i, a := range n.Inputs {
			if y, s := m.timesScalar(a); m.is(y, "matmul") && m.single(a) {
				return y, s, n.Inputs[1-i]
			}
		}
	}
	if y, s := m.timesScalar(x); m.single(x) {
		x, scale = y, s
	}
	return x, scale, bias
}

// timesScalar reads x·c with a constant c of one element.
func (m *matcher) timesScalar(v graph.ValueID) (graph.ValueID, float64) {
	if n := m.ProducerOf(v, "mul"); n != nil {
		if x, c, ok := m.withConst(n); ok {
			if s, ok := m.scalarOf(c); ok {
				return x, s
			}
		}
	}
	return v, 1
}

// attends reports whether two products are those of an attention that is worth one
// operator: equal heads, and vectors of rows and of values.
func (m *matcher) attends(scores, result *graph.Node, block int64) bool {
	q, kt, v := m.Type(scores.Inputs[0]), m.Type(scores.Inputs[1]), m.Type(result.Inputs[1])
	if q.Rank() != 4 || kt.Rank() != 4 || v.Rank() != 4 || q.Elem != dtype.Float32 {
		return false
	}
	if !slices.Equal(q.Shape[:2], kt.Shape[:2]) || !slices.Equal(q.Shape[:2], v.Shape[:2]) {
		return false
	}
	return q.Shape[2] >= 2*block && v.Shape[3]%block == 0
}
