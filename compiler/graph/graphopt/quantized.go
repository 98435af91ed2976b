package graphopt

import (
	"math"

	"hone/compiler/dtype"
	"hone/compiler/graph"
)

// What quantising and dequantising leave in between two convolutions of floats is
// rounding and a cut: these rules of simplify take out the way through the integers.

// dropRoundTrip removes a cast of floats to an integer type and back where the
// values are integers of that type already, unless something computes with the
// integers: they are a fraction of the bytes then.
func dropRoundTrip(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	inner := m.ProducerOf(n.Inputs[0], "cast")
	if inner == nil || !m.Type(inner.Outputs[0]).Elem.IsInt() {
		return false
	}
	x := inner.Inputs[0]
	for _, u := range m.uses[n.Inputs[0]] {
		if u == graph.NoNode || m.Node(u).Op.Name != "cast" {
			return false
		}
	}
	if m.Type(x).Elem != m.Type(n.Outputs[0]).Elem || !m.integersOf(x, m.Type(inner.Outputs[0]).Elem) {
		return false
	}
	m.swapThrough(id, n.Inputs[0], x)
	return true
}

// integersOf reports whether float32 values are known to be integers that t holds:
// those of a clip between two such of a round, to which one may have been added.
func (m *matcher) integersOf(v graph.ValueID, t dtype.DType) bool {
	cut := m.ProducerOf(v, "clip")
	if cut == nil || m.Type(v).Elem != dtype.Float32 || t.Bits > 16 {
		return false
	}
	lo, hi := rangeOf(t)
	a, b := cut.Attrs.Float("min"), cut.Attrs.Float("max")
	if a < lo || b > hi || a != math.Trunc(a) || b != math.Trunc(b) {
		return false
	}
	x := cut.Inputs[0]
	if sum := m.ProducerOf(x, "add"); sum != nil {
		y, c, ok := m.withConst(sum)
		if z, one := m.scalarOf(c); !ok || !one || z != math.Trunc(z) || math.Abs(z) > 1<<16 {
			return false
		}
		x = y
	}
	return m.is(x, "round")
}

// rangeOf is the least and the greatest value of an integer type.
func rangeOf(t dtype.DType) (lo, hi float64) {
	if !t.IsSigned() {
		return 0, math.Exp2(float64(t.Bits)) - 1
	}
	return -math.Exp2(float64(t.Bits - 1)), math.Exp2(float64(t.Bits-1)) - 1
}

// shiftClip makes clip(x + z) − z a clip of x between shifted bounds, for small
// integers z.
func shiftClip(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	v, c, ok := m.withConst(n)
	if !ok || !m.single(v) {
		return false
	}
	cut := m.ProducerOf(v, "clip")
	if cut == nil || !m.Type(v).Elem.IsFloat() {
		return false
	}
	sum := m.ProducerOf(cut.Inputs[0], "add")
	if sum == nil {
		return false
	}
	x, d, ok := m.withConst(sum)
	z, one := m.scalarOf(c)
	w, also := m.scalarOf(d)
	if !ok || !one || !also || z != -w || z != math.Trunc(z) || math.Abs(z) > 1<<16 || !m.Type(x).SameLogical(m.Type(n.Outputs[0])) {
		return false
	}
	bounds := graph.A("max", cut.Attrs.Float("max")+z, "min", cut.Attrs.Float("min")+z)
	m.swapThrough(id, v, m.Add1("clip", n.Name, bounds, x))
	return true
}

// roundClip rounds before a cut instead of after it, where the cut may join the next
// one: round never changes an order, so the bounds are those rounded, as they are in
// the type of the value.
func roundClip(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	cut := m.Producer(n.Inputs[0])
	if cut == nil || !m.single(n.Inputs[0]) || cut.Op.Name != "clip" && cut.Op.Name != "relu" || !m.Type(n.Inputs[0]).Elem.IsFloat() {
		return false
	}
	label, name, attrs, v, x := n.Name, cut.Op.Name, cut.Attrs, n.Inputs[0], cut.Inputs[0]
	if name == "clip" {
		bound := func(key string) float64 { return math.RoundToEven(scalar(m.Type(x).Elem, attrs.Float(key)).Float(0)) }
		attrs = graph.A("max", bound("max"), "min", bound("min"))
	}
	rounded := m.Add1("round", label, nil, x)
	m.swapThrough(id, v, m.Add1(name, label, attrs, rounded))
	return true
}

// mergeClips makes two cuts one.
func mergeClips(m *matcher, id graph.NodeID) bool {
	n := m.Node(id)
	inner := m.ProducerOf(n.Inputs[0], "clip")
	if inner == nil {
		return false
	}
	lo, hi := n.Attrs.Float("min"), n.Attrs.Float("max")
	a, b := inner.Attrs.Float("min"), inner.Attrs.Float("max")
	if a > b || lo > hi {
		return false // what comes last decides
	}
	cut := func(x float64) float64 { return math.Min(math.Max(x, lo), hi) }
	m.swapThrough(id, n.Inputs[0], m.Add1("clip", n.Name, graph.A("max", cut(b), "min", cut(a)), inner.Inputs[0]))
	return true
}
