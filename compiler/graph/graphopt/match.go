package graphopt

import (
	"math"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
)

// matcher looks at a graph while a pass rewrites it; refresh it after a change.
type matcher struct {
	*graph.Graph
	uses [][]graph.NodeID
}

func newMatcher(g *graph.Graph) *matcher { return &matcher{g, g.Uses()} }

func (m *matcher) refresh() { m.uses = m.Uses() }

// rewriteAll offers every node to f, in order, until none matches any more, and
// counts the matches. f reports whether it changed the graph.
func rewriteAll(g *graph.Graph, f func(m *matcher, id graph.NodeID) bool) (int, error) {
	m := newMatcher(g)
	total := 0
	for {
		order, err := g.Order()
		if err != nil {
			return total, err
		}
		changed := 0
		for _, id := range order {
			if g.Node(id).Op != nil && f(m, id) {
				changed++
				m.refresh()
			}
		}
		if changed == 0 {
			return total, nil
		}
		total += changed
	}
}

// single reports whether v is read exactly once, by a node.
func (m *matcher) single(v graph.ValueID) bool {
	return len(m.uses[v]) == 1 && m.uses[v][0] != graph.NoNode
}

// user is the only node that reads v, nil when there is none or several.
func (m *matcher) user(v graph.ValueID) (*graph.Node, graph.NodeID) {
	if !m.single(v) {
		return nil, graph.NoNode
	}
	id := m.uses[v][0]
	return m.Node(id), id
}

// is reports whether v is the result of the named operator.
func (m *matcher) is(v graph.ValueID, op string) bool { return m.ProducerOf(v, op) != nil }

// swap replaces the only result of a node by v and deletes the node.
func (m *matcher) swap(id graph.NodeID, v graph.ValueID) {
	out := m.Node(id).Outputs[0]
	m.Replace(out, v)
	m.Delete(id)
}

// swapThrough is swap, and also deletes the node that makes inner where only this
// node reads it.
func (m *matcher) swapThrough(id graph.NodeID, inner, v graph.ValueID) {
	def := m.Value(inner).Def
	alone := m.single(inner)
	m.swap(id, v)
	if alone {
		m.Delete(def)
	}
}

// scalarOf is the value of a constant of one element.
func (m *matcher) scalarOf(v graph.ValueID) (float64, bool) {
	t := m.Const(v)
	if t == nil || t.Len() != 1 {
		return 0, false
	}
	return t.Float(0), true
}

// isScalar compares a one-element constant with x, to float32's precision.
func (m *matcher) isScalar(v graph.ValueID, x float64) bool {
	c, ok := m.scalarOf(v)
	return ok && math.Abs(c-x) <= 2e-6*math.Abs(x)
}

// withConst splits a commutative binary node into its constant and its other
// operand.
func (m *matcher) withConst(n *graph.Node) (x graph.ValueID, c graph.ValueID, ok bool) {
	if len(n.Inputs) != 2 {
		return
	}
	a, b := n.Inputs[0], n.Inputs[1]
	switch {
	case m.Const(b) != nil && m.Const(a) == nil:
		return a, b, true
	case m.Const(a) != nil && m.Const(b) == nil:
		return b, a, true
	}
	return
}

// perChannel views a constant as one factor per element of dimension axis of a
// tensor of the given shape: nil unless it broadcasts along all others.
func perChannel(t *dtype.Tensor, shape []int64, axis int) []float64 {
	n := int(shape[axis])
	at := axis - len(shape) + len(t.Shape)
	for d, k := range t.Shape {
		if k != 1 && (d != at || k != shape[axis]) {
			return nil
		}
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = t.Float(i % t.Len())
	}
	if len(t.Shape) > len(shape) {
		return nil
	}
	return out
}

// mapTensor makes a tensor of the same type and shape, element by element.
func mapTensor(t *dtype.Tensor, f func(i int, x float64) float64) *dtype.Tensor {
	out := dtype.NewTensor(t.Type, slices.Clone(t.Shape)...)
	for i := range out.Len() {
		out.SetFloat(i, f(i, t.Float(i)))
	}
	return out
}

// vector makes a one-dimensional tensor.
func vector(elem dtype.DType, v []float64) *dtype.Tensor {
	t := dtype.NewTensor(elem, int64(len(v)))
	for i, x := range v {
		t.SetFloat(i, x)
	}
	return t
}

// scalar makes a tensor of one element.
func scalar(elem dtype.DType, v float64) *dtype.Tensor {
	t := dtype.NewTensor(elem)
	t.SetFloat(0, v)
	return t
}
