package graphopt

import (
	"slices"

	"hone/compiler/graph"
)

// pushTransposes moves slices before transposes, so that every reader of a part
// has its own, fusable transpose, and cancels transposes around elementwise
// operators.
func pushTransposes(g *graph.Graph, _ Options) (int, error) {
	return rewriteAll(g, func(m *matcher, id graph.NodeID) bool {
		switch m.Node(id).Op.Name {
		case "slice":
			return sliceFirst(m, id)
		case "transpose":
			return mergeTranspose(m, id) || cancelAround(m, id)
		}
		return false
	})
}

func sliceFirst(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	t := m.ProducerOf(n.Inputs[0], "transpose")
	if t == nil {
		return false
	}
	perm := t.Attrs.Ints("perm")
	attrs := graph.Attrs{}
	for _, key := range []string{"sizes", "starts", "steps"} {
		list := make([]int64, len(perm))
		for i, p := range perm {
			list[p] = n.Attrs.Ints(key)[i]
		}
		attrs = attrs.With(key, list)
	}
	x, name, tattrs := t.Inputs[0], n.Name, t.Attrs
	m.swap(id, m.Add1("transpose", name, tattrs, m.Add1("slice", name, attrs, x)))
	return true
}

// cancelAround turns transpose(f(transpose(x))) into f(x) for an elementwise f
// of one tensor when the permutations undo each other.
func cancelAround(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	f := m.Producer(n.Inputs[0])
	if f == nil || f.Op.Class != graph.Elementwise || !m.single(n.Inputs[0]) || len(f.Inputs) != 1 {
		return false
	}
	t := m.ProducerOf(f.Inputs[0], "transpose")
	if t == nil {
		return false
	}
	p, q := t.Attrs.Ints("perm"), n.Attrs.Ints("perm")
	for i, d := range q {
		if p[d] != int64(i) {
			return false
		}
	}
	op, name, attrs, x := f.Op.Name, f.Name, slices.Clone(f.Attrs), t.Inputs[0]
	m.swap(id, m.Add1(op, name, attrs, x))
	return true
}
