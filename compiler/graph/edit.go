package graph

import "fmt"

// Uses lists, for every value, the nodes that read it; a node that reads it
// twice is listed twice. Graph outputs count as NoNode.
func (g *Graph) Uses() [][]NodeID {
	uses := make([][]NodeID, len(g.Values))
	for id := range g.Nodes {
		if g.Nodes[id].Op == nil {
			continue
		}
		for _, v := range g.Nodes[id].Inputs {
			uses[v] = append(uses[v], NodeID(id))
		}
	}
	for _, p := range g.Outputs {
		uses[p.Value] = append(uses[p.Value], NoNode)
	}
	return uses
}

// Replace makes every reader of old read v instead. It does not rewrite v's
// own producer, so a value may be replaced by something computed from it.
func (g *Graph) Replace(old, v ValueID) {
	skip := g.Values[v].Def
	for id := range g.Nodes {
		if NodeID(id) == skip {
			continue
		}
		for i, x := range g.Nodes[id].Inputs {
			if x == old {
				g.Nodes[id].Inputs[i] = v
			}
		}
	}
	for i := range g.Outputs {
		if g.Outputs[i].Value == old {
			g.Outputs[i].Value = v
		}
	}
}

// Delete removes a node; its results must have no readers left by the next
// Compact or Verify.
func (g *Graph) Delete(id NodeID) { g.Nodes[id] = Node{Group: NoGroup} }

// Order lists the nodes that the outputs need, producers first: a depth-first
// walk that follows operands in order, which keeps lifetimes short. A cycle is
// an error that names one of its nodes.
func (g *Graph) Order() ([]NodeID, error) {
	const (
		unseen = iota
		open
		done
	)
	state := make([]byte, len(g.Nodes))
	var order []NodeID
	type frame struct {
		id   NodeID
		next int
	}
	var stack []frame
	push := func(v ValueID) error {
		d := g.Values[v].Def
		if d == NoNode || state[d] == done {
			return nil
		}
		if state[d] == open {
			return &Error{Node: g.Nodes[d].Name, Op: g.Nodes[d].Op.Name, Reason: "depends on its own result"}
		}
		if g.Nodes[d].Op == nil {
			return fmt.Errorf("value %%%d is made by a deleted node", v)
		}
		state[d] = open
		stack = append(stack, frame{d, 0})
		return nil
	}
	for _, p := range g.Outputs {
		if err := push(p.Value); err != nil {
			return nil, err
		}
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			n := &g.Nodes[f.id]
			if f.next == len(n.Inputs) {
				state[f.id] = done
				order = append(order, f.id)
				stack = stack[:len(stack)-1]
				continue
			}
			f.next++
			if err := push(n.Inputs[f.next-1]); err != nil {
				return nil, err
			}
		}
	}
	return order, nil
}

// Compact drops nodes and values that the outputs do not need and renumbers
// the rest in execution order: graph inputs first (all are kept), then
// constants and results as they are needed.
func (g *Graph) Compact() error {
	order, err := g.Order()
	if err != nil {
		return err
	}
	c := compaction{old: g, id: make([]ValueID, len(g.Values))}
	for i := range c.id {
		c.id[i] = NoValue
	}
	for i := range g.Inputs {
		g.Inputs[i].Value = c.value(g.Inputs[i].Value)
	}
	for _, id := range order {
		c.node(id)
	}
	for i := range g.Outputs {
		g.Outputs[i].Value = c.value(g.Outputs[i].Value)
	}
	g.Nodes, g.Values = c.nodes, c.values
	return nil
}

type compaction struct {
	old    *Graph
	id     []ValueID
	nodes  []Node
	values []Value
}

func (c *compaction) value(v ValueID) ValueID {
	if c.id[v] == NoValue {
		c.id[v] = ValueID(len(c.values))
		c.values = append(c.values, c.old.Values[v])
	}
	return c.id[v]
}

func (c *compaction) node(id NodeID) {
	n := c.old.Nodes[id]
	in := make([]ValueID, len(n.Inputs))
	for i, v := range n.Inputs {
		in[i] = c.value(v)
	}
	outs := make([]ValueID, len(n.Outputs))
	for i, v := range n.Outputs {
		outs[i] = c.value(v)
		c.values[outs[i]].Def = NodeID(len(c.nodes))
	}
	n.Inputs, n.Outputs = in, outs
	c.nodes = append(c.nodes, n)
}

// Clone copies the graph; tensors, operators and attributes are shared.
func (g *Graph) Clone() *Graph {
	c := *g
	c.Nodes = append([]Node(nil), g.Nodes...)
	for i := range c.Nodes {
		c.Nodes[i].Inputs = append([]ValueID(nil), c.Nodes[i].Inputs...)
		c.Nodes[i].Outputs = append([]ValueID(nil), c.Nodes[i].Outputs...)
	}
	c.Values = append([]Value(nil), g.Values...)
	c.Inputs = append([]Port(nil), g.Inputs...)
	c.Outputs = append([]Port(nil), g.Outputs...)
	return &c
}
