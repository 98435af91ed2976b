package graph

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
)

// Eval runs the graph on host tensors by the operators' own Eval: slow, and
// the reference for everything that is fast. Inputs and results are by port
// name and of logical shape; layouts do not matter here.
func (g *Graph) Eval(inputs map[string]*dtype.Tensor) (map[string]*dtype.Tensor, error) {
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	e := evaluation{g: g, at: make([]*dtype.Tensor, len(g.Values)), left: make([]int, len(g.Values))}
	for v, users := range g.Uses() {
		e.left[v] = len(users)
		e.at[v] = g.Values[v].Const
	}
	for _, p := range g.Inputs {
		x, ok := inputs[p.Name]
		if !ok {
			return nil, fmt.Errorf("input %q is missing", p.Name)
		}
		if want := g.Type(p.Value); !want.SameLogical(Of(x.Type, x.Shape...)) {
			return nil, fmt.Errorf("input %q is %s%v, want %s", p.Name, x.Type, x.Shape, want)
		}
		e.at[p.Value] = x
	}
	for _, id := range order {
		if err := e.node(id); err != nil {
			return nil, err
		}
	}
	out := map[string]*dtype.Tensor{}
	for _, p := range g.Outputs {
		out[p.Name] = e.at[p.Value]
	}
	return out, nil
}

type evaluation struct {
	g    *Graph
	at   []*dtype.Tensor
	left []int // readers that have not run yet
}

func (e *evaluation) node(id NodeID) error {
	n := &e.g.Nodes[id]
	in := make([]*dtype.Tensor, len(n.Inputs))
	for i, v := range n.Inputs {
		in[i] = e.at[v]
	}
	out, err := e.g.EvalNode(id, in)
	if err != nil {
		return err
	}
	for i, v := range n.Outputs {
		e.at[v] = out[i]
	}
	for _, v := range n.Inputs {
		if e.left[v]--; e.left[v] == 0 && e.g.Values[v].Const == nil {
			e.at[v] = nil
		}
	}
	return nil
}

// Call describes one node's application, with the types of its results.
func (g *Graph) Call(id NodeID) *Call {
	n := &g.Nodes[id]
	c := &Call{Op: n.Op, Attrs: n.Attrs, In: make([]Type, len(n.Inputs)), Out: make([]Type, len(n.Outputs))}
	for i, v := range n.Inputs {
		c.In[i] = g.Values[v].Type
	}
	for i, v := range n.Outputs {
		c.Out[i] = g.Values[v].Type
	}
	return c
}

// EvalNode runs one node on host tensors and checks the types of its results.
func (g *Graph) EvalNode(id NodeID, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	n := &g.Nodes[id]
	if n.Op.Eval == nil {
		return nil, &Error{Node: n.Name, Op: n.Op.Name, Reason: "has no reference evaluation"}
	}
	c := g.Call(id)
	out, err := n.Op.Eval(c, in)
	if err != nil {
		return nil, &Error{Node: n.Name, Op: n.Op.Name, Reason: err.Error()}
	}
	for i, x := range out {
		if x.Type != c.Out[i].Elem || !slices.Equal(x.Shape, c.Out[i].Shape) {
			panic(fmt.Sprintf("BUG: %s evaluated to %s%v, inferred %s", n.Op.Name, x.Type, x.Shape, c.Out[i]))
		}
	}
	return out, nil
}
