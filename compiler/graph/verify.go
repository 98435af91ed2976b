package graph

import (
	"fmt"
)

// Verify checks that the graph is well formed: ids in range, every value made
// by the node that claims it, no cycle, unique port names, operands and
// attributes as the operator wants them, and types as inference finds them.
func (g *Graph) Verify() error {
	for id := range g.Nodes {
		if g.Nodes[id].Op == nil {
			continue
		}
		if err := g.verifyNode(NodeID(id)); err != nil {
			return err
		}
	}
	for v := range g.Values {
		if err := g.verifyValue(ValueID(v)); err != nil {
			return err
		}
	}
	if err := g.verifyPorts("input", g.Inputs); err != nil {
		return err
	}
	if err := g.verifyPorts("output", g.Outputs); err != nil {
		return err
	}
	_, err := g.Order()
	return err
}

func (g *Graph) verifyNode(id NodeID) error {
	n := &g.Nodes[id]
	fail := func(format string, args ...any) error {
		return &Error{Node: n.Name, Op: n.Op.Name, Reason: fmt.Sprintf(format, args...)}
	}
	for i, v := range n.Inputs {
		if v < 0 || int(v) >= len(g.Values) {
			return fail("operand %d is not a value of the graph", i)
		}
	}
	types, err := g.infer(n.Op, n.Name, n.Attrs, n.Inputs)
	if err != nil {
		return err
	}
	if len(types) != len(n.Outputs) {
		return fail("has %d results, want %d", len(n.Outputs), len(types))
	}
	for i, v := range n.Outputs {
		if v < 0 || int(v) >= len(g.Values) || g.Values[v].Def != id {
			return fail("result %d is not its own", i)
		}
		if t := g.Values[v].Type; !t.SameLogical(types[i]) {
			return fail("result %d is %s, want %s", i, t, types[i])
		}
	}
	return nil
}

func (g *Graph) verifyValue(v ValueID) error {
	x := &g.Values[v]
	for _, d := range x.Type.Shape {
		if d < 0 {
			return fmt.Errorf("value %%%d %q has a negative dimension: %s", v, x.Name, x.Type)
		}
	}
	if l := x.Type.Layout; l.Kind != Plain && (int(l.Axis) >= x.Type.Rank() || l.Axis < 0 || l.Block < 1) {
		return fmt.Errorf("value %%%d %q has an impossible layout: %s", v, x.Name, x.Type)
	}
	if x.Const == nil {
		return nil
	}
	if x.Def != NoNode {
		return fmt.Errorf("value %%%d %q is both a constant and a result", v, x.Name)
	}
	if !x.Type.SameLogical(Of(x.Const.Type, x.Const.Shape...)) {
		return fmt.Errorf("constant %%%d %q is %s, its tensor %s%v", v, x.Name, x.Type, x.Const.Type, x.Const.Shape)
	}
	return x.Const.CheckBytes()
}

func (g *Graph) verifyPorts(what string, ports []Port) error {
	seen := map[string]bool{}
	for _, p := range ports {
		if p.Value < 0 || int(p.Value) >= len(g.Values) {
			return fmt.Errorf("%s %q is not a value of the graph", what, p.Name)
		}
		if seen[p.Name] {
			return fmt.Errorf("two %ss are called %q", what, p.Name)
		}
		seen[p.Name] = true
	}
	return nil
}
