package graphopt

import (
	"hone/compiler/graph"
)

// foldScale moves a constant factor per output channel into the weights of the
// convolution or matmul before it, a constant factor of all into the weights of the
// one behind it, and a constant term into a convolution's bias.
func foldScale(g *graph.Graph, _ Options) (int, error) {
	return rewriteAll(g, func(m *matcher, id graph.NodeID) bool {
		n := m.Node(id)
		if n.Op.Name == "conv" || n.Op.Name == "matmul" {
			return scaleWeights(m, id)
		}
		x, c, ok := m.withConst(n)
		if !ok || !m.Type(x).Elem.IsFloat() || !m.single(x) || !m.Type(x).SameLogical(m.Type(n.Outputs[0])) {
			return false
		}
		p := m.Producer(x)
		if p == nil {
			return false
		}
		switch n.Op.Name + " " + p.Op.Name {
		case "mul conv", "mul conv_transpose":
			return scaleConv(m, id, p, c)
		case "add conv", "add conv_transpose":
			return biasConv(m, id, p, c)
		case "mul matmul":
			return scaleMatmul(m, id, p, c)
		case "mul clip", "mul relu":
			return scaleClip(m, id, p, c)
		}
		return false
	})
}

// outAxis is the axis of the weights that counts output channels.
func outAxis(p *graph.Node) int {
	if p.Op.Name == "conv_transpose" {
		return 1
	}
	return 0
}

func scaleConv(m *matcher, id graph.NodeID, p *graph.Node, c graph.ValueID) bool {
	n := m.Node(id)
	w := m.Const(p.Inputs[1])
	f := perChannel(m.Const(c), m.Type(n.Outputs[0]).Shape, 1)
	if w == nil || f == nil || p.Op.Name == "conv_transpose" && p.Attrs.Int("group") != 1 {
		return false
	}
	in := append([]graph.ValueID(nil), p.Inputs...)
	if len(in) == 3 {
		b := m.Const(in[2])
		if b == nil {
			return false
		}
		in[2] = m.Constant(mapTensor(b, func(i int, x float64) float64 { return x * f[i] }), p.Name)
	}
	inner := 1
	for _, d := range w.Shape[outAxis(p)+1:] {
		inner *= int(d)
	}
	in[1] = m.Constant(mapTensor(w, func(i int, x float64) float64 { return x * f[i/inner%len(f)] }), p.Name)
	m.swap(id, m.Add1(p.Op.Name, p.Name, p.Attrs, in...))
	return true
}

func biasConv(m *matcher, id graph.NodeID, p *graph.Node, c graph.ValueID) bool {
	n := m.Node(id)
	t := m.Type(n.Outputs[0])
	f := perChannel(m.Const(c), t.Shape, 1)
	if f == nil {
		return false
	}
	if len(p.Inputs) == 3 {
		b := m.Const(p.Inputs[2])
		if b == nil {
			return false
		}
		for i := range f {
			f[i] += b.Float(i)
		}
	}
	bias := m.Constant(vector(t.Elem, f), p.Name)
	m.swap(id, m.Add1(p.Op.Name, p.Name, p.Attrs, p.Inputs[0], p.Inputs[1], bias))
	return true
}

func scaleMatmul(m *matcher, id graph.NodeID, p *graph.Node, c graph.ValueID) bool {
	n := m.Node(id)
	w := m.Const(p.Inputs[1])
	t := m.Type(n.Outputs[0])
	if w == nil || !t.Elem.IsFloat() {
		return false
	}
	f := perChannel(m.Const(c), t.Shape, t.Rank()-1)
	if f == nil {
		return false
	}
	scaled := m.Constant(mapTensor(w, func(i int, x float64) float64 { return x * f[i%len(f)] }), p.Name)
	m.swap(id, m.Add1("matmul", p.Name, nil, p.Inputs[0], scaled))
	return true
}

// scaleWeights takes a factor of the operand into the constant weights.
func scaleWeights(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	w := m.Const(n.Inputs[1])
	mul := m.ProducerOf(n.Inputs[0], "mul")
	if w == nil || mul == nil || !w.Type.IsFloat() {
		return false
	}
	x, c, ok := m.withConst(mul)
	f, one := m.scalarOf(c)
	if !ok || !one || !m.Type(x).SameLogical(m.Type(n.Inputs[0])) {
		return false
	}
	in := append([]graph.ValueID(nil), n.Inputs...)
	in[0], in[1] = x, m.Constant(mapTensor(w, func(_ int, v float64) float64 { return v * f }), n.Name)
	m.swapThrough(id, n.Inputs[0], m.Add1(n.Op.Name, n.Name, n.Attrs, in...))
	return true
}

// scaleClip moves a positive factor before the cut between a convolution and it.
func scaleClip(m *matcher, id graph.NodeID, cut *graph.Node, c graph.ValueID) bool {
	n := m.Node(id)
	f, one := m.scalarOf(c)
	x := cut.Inputs[0]
	conv := m.ProducerOf(x, "conv")
	if !one || !(f > 0) || conv == nil || !m.single(x) || m.Const(conv.Inputs[1]) == nil || !m.Type(x).Elem.IsFloat() {
		return false
	}
	name, attrs := cut.Op.Name, cut.Attrs // the node moves when others are added
	if name == "clip" {
		attrs = graph.A("max", attrs.Float("max")*f, "min", attrs.Float("min")*f)
	}
	label, v := n.Name, cut.Outputs[0]
	scaled := m.Add1("mul", label, nil, x, c)
	m.swapThrough(id, v, m.Add1(name, label, attrs, scaled))
	return true
}
