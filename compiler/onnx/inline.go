package onnx

import (
	"fmt"
	"slices"

	"hone/compiler/graph"
)

// inline imports the body of a model-local function in place of a call.
func (im *importer) inline(f *FunctionProto, n *NodeProto, sc *scope, where string) error {
	key := f.Domain + "::" + f.Name
	if slices.Contains(im.calls, key) {
		return errorAt(where, "the function %s calls itself", key)
	}
	if sc.depth >= im.limits.Subgraphs {
		return errorAt(where, "functions and subgraphs nest deeper than %d", im.limits.Subgraphs)
	}
	if len(n.Inputs) > len(f.Inputs) || len(n.Outputs) > len(f.Outputs) {
		return errorAt(where, "the function %s takes %d operands and gives %d results", key, len(f.Inputs), len(f.Outputs))
	}
	im.calls = append(im.calls, key)
	defer func() { im.calls = im.calls[:len(im.calls)-1] }()
	body := &scope{names: map[string]graph.ValueID{}, attrs: map[string]*AttrProto{}, opsets: f.Opsets, depth: sc.depth + 1}
	for name, a := range f.Defaults {
		body.attrs[name] = a
	}
	for name, a := range n.Attrs {
		if a.Ref != "" {
			a = sc.attrs[a.Ref]
		}
		body.attrs[name] = a
	}
	for i, name := range n.Inputs {
		if name == "" {
			continue
		}
		v, ok := sc.lookup(name)
		if !ok {
			return errorAt(where, "reads %q, which no input, initializer or earlier node provides", name)
		}
		body.names[f.Inputs[i]] = v
	}
	if err := im.walk(f.Nodes, body, where+" → "+f.Name); err != nil {
		return err
	}
	for i, name := range n.Outputs {
		v, ok := body.names[f.Outputs[i]]
		if !ok {
			return errorAt(where, "the function %s does not compute its result %q", key, f.Outputs[i])
		}
		if name != "" {
			sc.names[name] = v
		}
	}
	return nil
}

func init() { register("If", 1, importIf) }

// importIf inlines the branch that a constant condition picks.
func importIf(c *opCtx) {
	cond := c.constOf(0, "condition")
	if c.err != nil {
		return
	}
	if cond.Len() != 1 || !cond.Type.IsBool() {
		c.fail("the condition is %s%v, want one bool", cond.Type, cond.Shape)
		return
	}
	name := "else_branch"
	if cond.Int(0) != 0 {
		name = "then_branch"
	}
	a := c.attr(name, AttrGraph)
	if a == nil || a.G == nil {
		c.fail("the attribute %s is missing", name)
		return
	}
	outs, err := c.im.subgraph(a.G, c.sc, fmt.Sprintf("%s.%s", c.where, name))
	if err != nil {
		c.err = err
		return
	}
	if len(outs) < len(c.n.Outputs) {
		c.fail("%s gives %d results, want %d", name, len(outs), len(c.n.Outputs))
		return
	}
	c.result(outs...)
}

// subgraph imports a graph without inputs inside a scope.
func (im *importer) subgraph(g *GraphProto, sc *scope, path string) ([]graph.ValueID, error) {
	if sc.depth >= im.limits.Subgraphs {
		return nil, errorAt(path, "functions and subgraphs nest deeper than %d", im.limits.Subgraphs)
	}
	inner := &scope{names: map[string]graph.ValueID{}, outer: sc, attrs: sc.attrs, opsets: sc.opsets, depth: sc.depth + 1}
	if err := im.initializers(g, inner, path); err != nil {
		return nil, err
	}
	if err := im.walk(g.Nodes, inner, path); err != nil {
		return nil, err
	}
	var outs []graph.ValueID
	for _, o := range g.Outputs {
		v, ok := inner.lookup(o.Name)
		if !ok {
			return nil, errorAt(path, "nothing produces the result %q", o.Name)
		}
		outs = append(outs, v)
	}
	return outs, nil
}
