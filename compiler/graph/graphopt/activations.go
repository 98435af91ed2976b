package graphopt

import (
	"math"

	"hone/compiler/graph"
)

// recomposeActivations recognises products that are activation functions, in
// whatever order their factors were multiplied:
//
//	GELU        x · ½ · (1 + erf(x/√2))        and its tanh approximation
//	SiLU        x · sigmoid(x)
//	hard-swish  x · hard_sigmoid(x; 1/6, ½) and x · clip(x + 3, 0, 6) / 6
func recomposeActivations(g *graph.Graph, _ Options) (int, error) {
	return rewriteAll(g, func(m *matcher, id graph.NodeID) bool {
		n := m.Node(id)
		if n.Op.Name != "mul" {
			return false
		}
		p := product{k: 1}
		m.factors(n, &p, true)
		if len(p.factors) != 2 {
			return false
		}
		for i, x := range p.factors {
			op := m.activation(x, p.factors[1-i], p.k)
			if op == "" || !m.Type(x).SameLogical(m.Type(n.Outputs[0])) {
				continue
			}
			m.swap(id, m.Add1(op, n.Name, nil, x))
			return true
		}
		return false
	})
}

// product is a multiset of factors and the scalar constant among them.
type product struct {
	factors []graph.ValueID
	k       float64
}

// factors flattens a tree of products; inner ones must have no other reader.
func (m *matcher) factors(n *graph.Node, p *product, root bool) {
	for _, v := range n.Inputs {
		if c, ok := m.scalarOf(v); ok {
			p.k *= c
			continue
		}
		if inner := m.ProducerOf(v, "mul"); inner != nil && m.single(v) {
			m.factors(inner, p, false)
			continue
		}
		p.factors = append(p.factors, v)
	}
}

func (m *matcher) activation(x, f graph.ValueID, k float64) string {
	close := func(v float64) bool { return math.Abs(k-v) < 1e-5*v }
	switch {
	case close(1) && m.appliedTo(f, "sigmoid", x):
		return "silu"
	case close(1) && m.appliedTo(f, "hard_sigmoid", x):
		a := m.Producer(f).Attrs
		if math.Abs(a.Float("alpha")-1.0/6) < 1e-6 && math.Abs(a.Float("beta")-0.5) < 1e-6 {
			return "hard_swish"
		}
	case close(1.0 / 6):
		clip := m.ProducerOf(f, "clip")
		if clip != nil && clip.Attrs.Float("min") == 0 && clip.Attrs.Float("max") == 6 && m.plus(clip.Inputs[0], 3) == x {
			return "hard_swish"
		}
	case close(0.5):
		inner := m.plus(f, 1)
		if e := m.ProducerOf(inner, "erf"); e != nil && m.times(e.Inputs[0], 1/math.Sqrt2) == x {
			return "gelu"
		}
		if e := m.ProducerOf(inner, "tanh"); e != nil && m.geluCubic(e.Inputs[0], x) {
			return "gelu_tanh"
		}
	}
	return ""
}

func (m *matcher) appliedTo(v graph.ValueID, op string, x graph.ValueID) bool {
	n := m.ProducerOf(v, op)
	return n != nil && n.Inputs[0] == x
}

// plus is u when v = u + c, else NoValue; times is u when v = u · c.
func (m *matcher) plus(v graph.ValueID, c float64) graph.ValueID  { return m.with(v, "add", c) }
func (m *matcher) times(v graph.ValueID, c float64) graph.ValueID { return m.with(v, "mul", c) }

func (m *matcher) with(v graph.ValueID, op string, c float64) graph.ValueID {
	n := m.ProducerOf(v, op)
	if n == nil {
		return graph.NoValue
	}
	if u, k, ok := m.withConst(n); ok && m.isScalar(k, c) {
		return u
	}
	return graph.NoValue
}

// geluCubic matches √(2/π)·(x + 0.044715·x³).
func (m *matcher) geluCubic(v, x graph.ValueID) bool {
	sum := m.ProducerOf(m.times(v, 0.7978845608028654), "add")
	if sum == nil {
		return false
	}
	for i := range 2 {
		if sum.Inputs[i] != x {
			continue
		}
		n := m.ProducerOf(sum.Inputs[1-i], "mul")
		if n == nil {
			return false
		}
		p := product{k: 1}
		m.factors(n, &p, true)
		if len(p.factors) == 1 && math.Abs(p.k-0.044715) < 1e-6 {
			pow := m.ProducerOf(p.factors[0], "pow")
			return pow != nil && pow.Inputs[0] == x && m.isScalar(pow.Inputs[1], 3)
		}
		return len(p.factors) == 3 && p.factors[0] == x && p.factors[1] == x && p.factors[2] == x && math.Abs(p.k-0.044715) < 1e-6
	}
	return false
}
