package graph

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
)

// NodeID names a node of one graph.
type NodeID int32

// ValueID names a value of one graph.
type ValueID int32

// NoNode and NoValue are the absent node and value.
const (
	NoNode  NodeID  = -1
	NoValue ValueID = -1
)

// Node applies Op to values. A node whose Op is nil is deleted.
type Node struct {
	Op      *Op
	Name    string // where the model says this came from; for messages only
	Attrs   Attrs
	Inputs  []ValueID
	Outputs []ValueID
	Group   int32 // fused region, NoGroup before fusion
}

// NoGroup marks a node that belongs to no fused region.
const NoGroup int32 = -1

// Value is a tensor of the graph: an input, a constant or a node's result.
type Value struct {
	Name  string // a hint; interface names are those of the ports
	Type  Type
	Def   NodeID        // the node that makes it, NoNode otherwise
	Const *dtype.Tensor // of logical shape; nil unless constant
}

// Port is a named input or output of the graph.
type Port struct {
	Name  string
	Value ValueID
}

// Graph is a model. Nodes is an arena, not an order: Order gives one.
type Graph struct {
	Name    string
	Nodes   []Node
	Values  []Value
	Inputs  []Port
	Outputs []Port
}

// New makes an empty graph.
func New(name string) *Graph { return &Graph{Name: name} }

// Node returns the node named id; the pointer is good until nodes are added.
func (g *Graph) Node(id NodeID) *Node { return &g.Nodes[id] }

// Value returns the value named id; the pointer is good until values are added.
func (g *Graph) Value(id ValueID) *Value { return &g.Values[id] }

// Type returns the type of a value.
func (g *Graph) Type(id ValueID) Type { return g.Values[id].Type }

// Const returns the tensor of a constant value, nil for any other.
func (g *Graph) Const(id ValueID) *dtype.Tensor {
	if id < 0 {
		return nil
	}
	return g.Values[id].Const
}

// Producer returns the node that makes v, nil for inputs and constants.
func (g *Graph) Producer(v ValueID) *Node {
	if v < 0 || g.Values[v].Def == NoNode {
		return nil
	}
	return &g.Nodes[g.Values[v].Def]
}

// ProducerOf returns the node that makes v when it applies the named operator.
func (g *Graph) ProducerOf(v ValueID, op string) *Node {
	if n := g.Producer(v); n != nil && n.Op.Name == op {
		return n
	}
	return nil
}

func (g *Graph) newValue(v Value) ValueID {
	g.Values = append(g.Values, v)
	return ValueID(len(g.Values) - 1)
}

// Input adds a graph input.
func (g *Graph) Input(name string, t Type) ValueID {
	v := g.newValue(Value{Name: name, Type: t, Def: NoNode})
	g.Inputs = append(g.Inputs, Port{name, v})
	return v
}

// Constant adds a constant. The tensor is shared, not copied.
func (g *Graph) Constant(t *dtype.Tensor, name string) ValueID {
	return g.newValue(Value{Name: name, Type: Type{Elem: t.Type, Shape: t.Shape}, Def: NoNode, Const: t})
}

// Output adds a graph output.
func (g *Graph) Output(name string, v ValueID) { g.Outputs = append(g.Outputs, Port{name, v}) }

// Add appends a node and infers the types of its results.
func (g *Graph) Add(op *Op, name string, attrs Attrs, inputs ...ValueID) ([]ValueID, error) {
	types, err := g.infer(op, name, attrs, inputs)
	if err != nil {
		return nil, err
	}
	id := NodeID(len(g.Nodes))
	outs := make([]ValueID, len(types))
	for i, t := range types {
		outs[i] = g.newValue(Value{Name: name, Type: t, Def: id})
	}
	g.Nodes = append(g.Nodes, Node{Op: op, Name: name, Attrs: attrs, Inputs: slices.Clone(inputs), Outputs: outs, Group: NoGroup})
	return outs, nil
}

// Add1 is Add for operators of one result, by operator name. It is for passes,
// which build only what they know to be valid: an error is a bug.
func (g *Graph) Add1(op, name string, attrs Attrs, inputs ...ValueID) ValueID {
	outs, err := g.Add(MustLookup(op), name, attrs, inputs...)
	if err != nil {
		panic(fmt.Sprintf("BUG: %v", err))
	}
	return outs[0]
}

func (g *Graph) infer(op *Op, name string, attrs Attrs, inputs []ValueID) ([]Type, error) {
	c := &Call{Op: op, Attrs: attrs, In: make([]Type, len(inputs))}
	for i, v := range inputs {
		if v < 0 || int(v) >= len(g.Values) {
			return nil, &Error{Node: name, Op: op.Name, Reason: fmt.Sprintf("operand %d is not a value of the graph", i)}
		}
		c.In[i] = g.Values[v].Type
	}
	types, err := op.infer(c)
	if err != nil {
		return nil, &Error{Node: name, Op: op.Name, Reason: err.Error()}
	}
	return types, nil
}

// Error is a fault of one node, located by the model's own name for it.
type Error struct{ Node, Op, Reason string }

// Error implements error.
func (e *Error) Error() string {
	if e.Node == "" {
		return fmt.Sprintf("%s: %s", e.Op, e.Reason)
	}
	return fmt.Sprintf("%s %q: %s", e.Op, e.Node, e.Reason)
}
