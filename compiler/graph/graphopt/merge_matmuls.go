package graphopt

import (
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/graph"
)

// mergeMatmuls joins matmuls of one operand by constant matrices, such as the
// projections to queries, keys and values, into one wider matmul whose result
// is sliced: the operand is read once and the matrix is large enough to tile
// well. Constant biases behind all of them join, too.
func mergeMatmuls(g *graph.Graph, _ Options) (int, error) {
	return rewriteAll(g, func(m *matcher, id graph.NodeID) bool {
		n := m.Node(id)
		if n.Op.Name != "matmul" || m.matrix(n) == nil {
			return false
		}
		var group []graph.NodeID
		for _, u := range m.uses[n.Inputs[0]] {
			if u != graph.NoNode && !slices.Contains(group, u) && m.joins(n, m.Node(u)) {
				group = append(group, u)
			}
		}
		slices.Sort(group)
		if len(group) < 2 || group[0] != id {
			return false
		}
		m.join(group)
		return true
	})
}

// matrix is the constant right operand of a matmul of two dimensions.
func (m *matcher) matrix(n *graph.Node) *dtype.Tensor {
	if t := m.Const(n.Inputs[1]); t != nil && len(t.Shape) == 2 {
		return t
	}
	return nil
}

func (m *matcher) joins(n, u *graph.Node) bool {
	if u.Op.Name != "matmul" || u.Inputs[0] != n.Inputs[0] || m.matrix(u) == nil {
		return false
	}
	_, a := m.biasOf(n)
	_, b := m.biasOf(u)
	return (a == nil) == (b == nil)
}

// biasOf is the addition of a constant row behind a matmul, if that is its only
// reader.
func (m *matcher) biasOf(n *graph.Node) (graph.NodeID, *dtype.Tensor) {
	u, id := m.user(n.Outputs[0])
	if u == nil || u.Op.Name != "add" {
		return graph.NoNode, nil
	}
	_, c, ok := m.withConst(u)
	if !ok {
		return graph.NoNode, nil
	}
	t := m.Const(c)
	if len(t.Shape) != 1 || t.Shape[0] != m.matrix(n).Shape[1] {
		return graph.NoNode, nil
	}
	return id, t
}

func (m *matcher) join(group []graph.NodeID) {
	var weights, biases []*dtype.Tensor
	var ends []graph.NodeID
	for _, id := range group {
		n := m.Node(id)
		weights = append(weights, m.matrix(n))
		end := id
		if b, t := m.biasOf(n); t != nil {
			biases, end = append(biases, t), b
		}
		ends = append(ends, end)
	}
	first := m.Node(group[0])
	name, x := first.Name, first.Inputs[0]
	y := m.Add1("matmul", name, nil, x, m.Constant(joinColumns(weights), name))
	if len(biases) > 0 {
		y = m.Add1("add", name, nil, y, m.Constant(joinColumns(biases), name))
	}
	shape := m.Type(y).Shape
	axis, at := len(shape)-1, int64(0)
	for i, end := range ends {
		starts, sizes, steps := make([]int64, len(shape)), slices.Clone(shape), slices.Repeat([]int64{1}, len(shape))
		starts[axis], sizes[axis] = at, weights[i].Shape[1]
		at += sizes[axis]
		part := m.Add1("slice", m.Node(end).Name, graph.A("sizes", sizes, "starts", starts, "steps", steps), y)
		m.Replace(m.Node(end).Outputs[0], part)
	}
	for _, id := range append(ends, group...) {
		m.Delete(id)
	}
}

// joinColumns concatenates along the last dimension.
func joinColumns(list []*dtype.Tensor) *dtype.Tensor {
	shape := slices.Clone(list[0].Shape)
	axis := len(shape) - 1
	shape[axis] = 0
	for _, t := range list {
		shape[axis] += t.Shape[axis]
	}
	out := dtype.NewTensor(list[0].Type, shape...)
	size := int64(out.Type.Bytes())
	at := int64(0)
	for _, t := range list {
		row := t.Shape[axis] * size
		for r := range dtype.NumElements(shape[:axis]) {
			copy(out.Data[r*shape[axis]*size+at:], t.Data[r*row:(r+1)*row])
		}
		at += row
	}
	return out
}
