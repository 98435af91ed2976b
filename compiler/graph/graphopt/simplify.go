package graphopt

import (
	"slices"

	"hone/compiler/graph"
)

// simplifiers are tried in order on every node: each replaces one node by a
// cheaper equal and reports whether it did.
var simplifiers = map[string][]func(m *matcher, id graph.NodeID) bool{
	"add":       {orderOperands, dropNeutral(0), shiftClip},
	"sub":       {subToAdd, dropNeutral(0)},
	"mul":       {orderOperands, dropNeutral(1), mergeScales},
	"max":       {orderOperands},
	"min":       {orderOperands},
	"div":       {divToMul, dropNeutral(1)},
	"pow":       {powToMul},
	"reshape":   {mergeReshape},
	"transpose": {transposeToReshape, mergeTranspose},
	"cast":      {dropCast, dropRoundTrip},
	"expand":    {dropSame},
	"slice":     {dropSame},
	"concat":    {dropSingle},
	"relu":      {dropRepeated},
	"clip":      {reluClip, mergeClips},
	"round":     {roundClip},
	"reorder":   {mergeReorder},
}

// simplify removes identities and brings arithmetic with constants to one form.
func simplify(g *graph.Graph, _ Options) (int, error) {
	return rewriteAll(g, func(m *matcher, id graph.NodeID) bool {
		for _, f := range simplifiers[m.Node(id).Op.Name] {
			if f(m, id) {
				return true
			}
		}
		return false
	})
}

// orderOperands gives commutative operators one order of operands, so that
// equal regions are written alike: constants last, the rest as they are made.
func orderOperands(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	a, b := n.Inputs[0], n.Inputs[1]
	ca, cb := m.Const(a) != nil, m.Const(b) != nil
	if ca == cb && a <= b || cb && !ca {
		return false
	}
	n.Inputs[0], n.Inputs[1] = b, a
	return true
}

// dropNeutral removes x∘c where c is all neutral and does not broadcast x.
func dropNeutral(neutral float64) func(m *matcher, id graph.NodeID) bool {
	return func(m *matcher, id graph.NodeID) bool {
		n := m.Node(id)
		x, c, ok := m.withConst(n)
		if !ok || (n.Op.Name == "sub" || n.Op.Name == "div") && c == n.Inputs[0] {
			return false
		}
		t := m.Const(c)
		for i := range t.Len() {
			if t.Float(i) != neutral {
				return false
			}
		}
		if !m.Type(x).SameLogical(m.Type(n.Outputs[0])) {
			return false
		}
		m.swap(id, x)
		return true
	}
}

// subToAdd makes x − c an addition, which has folds that a difference lacks.
func subToAdd(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	c := m.Const(n.Inputs[1])
	if c == nil || !c.Type.IsFloat() || m.Const(n.Inputs[0]) != nil {
		return false
	}
	neg := m.Constant(mapTensor(c, func(_ int, x float64) float64 { return -x }), n.Name)
	m.swap(id, m.Add1("add", n.Name, nil, n.Inputs[0], neg))
	return true
}

// divToMul makes x / c a product with the reciprocal.
func divToMul(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	c := m.Const(n.Inputs[1])
	if c == nil || !c.Type.IsFloat() || m.Const(n.Inputs[0]) != nil {
		return false
	}
	for i := range c.Len() {
		if c.Float(i) == 0 {
			return false
		}
	}
	inv := m.Constant(mapTensor(c, func(_ int, x float64) float64 { return 1 / x }), n.Name)
	m.swap(id, m.Add1("mul", n.Name, nil, n.Inputs[0], inv))
	return true
}

// powToMul spells squares as products.
func powToMul(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	x := n.Inputs[0]
	if !m.isScalar(n.Inputs[1], 2) || !m.Type(x).SameLogical(m.Type(n.Outputs[0])) {
		return false
	}
	m.swap(id, m.Add1("mul", n.Name, nil, x, x))
	return true
}

// mergeScales makes (x·a)·b with scalars a and b one product.
func mergeScales(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	x, c, ok := m.withConst(n)
	if !ok || !m.single(x) {
		return false
	}
	inner := m.ProducerOf(x, "mul")
	b, isScalar := m.scalarOf(c)
	if inner == nil || !isScalar || !m.Type(c).Elem.IsFloat() {
		return false
	}
	y, c2, ok := m.withConst(inner)
	a, isScalar := m.scalarOf(c2)
	if !ok || !isScalar {
		return false
	}
	m.swap(id, m.Add1("mul", n.Name, nil, y, m.Constant(scalar(m.Type(c).Elem, a*b), n.Name)))
	return true
}

// mergeReshape makes a reshape of a reshape one, and drops one to the shape
// that is there already.
func mergeReshape(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	x := n.Inputs[0]
	if slices.Equal(m.Type(x).Shape, n.Attrs.Ints("shape")) {
		m.swap(id, x)
		return true
	}
	inner := m.ProducerOf(x, "reshape")
	if inner == nil {
		return false
	}
	m.swap(id, m.Add1("reshape", n.Name, n.Attrs, inner.Inputs[0]))
	return true
}

// transposeToReshape spots permutations that move only dimensions of extent 1.
func transposeToReshape(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	shape := m.Type(n.Inputs[0]).Shape
	last := int64(-1)
	for _, p := range n.Attrs.Ints("perm") {
		if shape[p] == 1 {
			continue
		}
		if p < last {
			return false
		}
		last = p
	}
	m.swap(id, m.Add1("reshape", n.Name, graph.A("shape", m.Type(n.Outputs[0]).Shape), n.Inputs[0]))
	return true
}

// mergeTranspose composes two transposes; a neutral result goes away as a
// reshape.
func mergeTranspose(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	inner := m.ProducerOf(n.Inputs[0], "transpose")
	if inner == nil {
		return false
	}
	p, q := inner.Attrs.Ints("perm"), n.Attrs.Ints("perm")
	perm := make([]int64, len(q))
	for i, d := range q {
		perm[i] = p[d]
	}
	m.swap(id, m.Add1("transpose", n.Name, graph.A("perm", perm), inner.Inputs[0]))
	return true
}

func dropCast(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	if m.Type(n.Inputs[0]).Elem != m.Type(n.Outputs[0]).Elem {
		return false
	}
	m.swap(id, n.Inputs[0])
	return true
}

// dropSame removes an operator that moves nothing: results of its operand's
// type, and for a slice, in order.
func dropSame(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	if !m.Type(n.Inputs[0]).SameLogical(m.Type(n.Outputs[0])) {
		return false
	}
	if slices.ContainsFunc(n.Attrs.Ints("steps"), func(s int64) bool { return s < 0 }) {
		return false
	}
	m.swap(id, n.Inputs[0])
	return true
}

func dropSingle(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	if len(n.Inputs) != 1 {
		return false
	}
	m.swap(id, n.Inputs[0])
	return true
}

func dropRepeated(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	if !m.is(n.Inputs[0], "relu") {
		return false
	}
	m.swap(id, n.Inputs[0])
	return true
}

// reluClip drops a relu before a clip that starts at 0 or above.
func reluClip(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	relu := m.ProducerOf(n.Inputs[0], "relu")
	if relu == nil || n.Attrs.Float("min") < 0 {
		return false
	}
	m.swap(id, m.Add1("clip", n.Name, n.Attrs, relu.Inputs[0]))
	return true
}

// mergeReorder cancels reorders of reorders.
func mergeReorder(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	x := n.Inputs[0]
	out := m.Type(n.Outputs[0])
	if m.Type(x).Layout == out.Layout {
		m.swap(id, x)
		return true
	}
	inner := m.ProducerOf(x, "reorder")
	if inner == nil {
		return false
	}
	v := m.Add1("reorder", n.Name, n.Attrs, inner.Inputs[0])
	m.Value(v).Type.Layout = out.Layout
	m.swap(id, v)
	return true
}
