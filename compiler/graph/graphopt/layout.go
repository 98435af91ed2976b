package graphopt

import (
	"slices"

	"hone/compiler/graph"
	"hone/compiler/graph/ops"
)

// chooseLayout stores activations in channel blocks of o.Block wherever
// convolutions make them, through everything that works in whatever layout it
// gets, and inserts a reorder where a plain operator reads such a value. A
// dense convolution reads either layout equally well (it reads scalars and
// writes vectors), so that reorders occur only at the end of a region, or where
// two kinds of operands meet; there the layout of more bytes wins.
//
// Constants keep their layout: weights O,I,… and vectors per channel are only
// filled up with zeros to whole blocks where the channel count is not one.
func chooseLayout(g *graph.Graph, o Options) (int, error) {
	if o.Block < 2 {
		return 0, nil
	}
	order, err := g.Order()
	if err != nil {
		return 0, err
	}
	p := layoutPass{matcher: newMatcher(g), block: int64(o.Block), copies: map[copyKey]graph.ValueID{}}
	for _, id := range order {
		p.node(id)
	}
	for i := range g.Outputs {
		g.Outputs[i].Value = p.in(g.Outputs[i].Value, graph.Layout{})
	}
	return p.count, nil
}

type copyKey struct {
	v      graph.ValueID
	layout graph.Layout
}

type layoutPass struct {
	*matcher
	block  int64
	copies map[copyKey]graph.ValueID // reorders made so far
	count  int
}

func (p *layoutPass) node(id graph.NodeID) {
	n := p.Node(id)
	call := p.Call(id)
	blocked := graph.Blocked(int(p.block))
	out := graph.Layout{}
	if n.Op.Layout == graph.Packed || p.wantsBlocks(n, call) {
		out = blocked
	}
	inputs := slices.Clone(n.Inputs)
	for i, v := range inputs {
		inputs[i] = p.operand(n, call, i, v, out)
	}
	copy(p.Node(id).Inputs, inputs)
	if out != (graph.Layout{}) {
		for _, v := range p.Node(id).Outputs {
			p.Value(v).Type.Layout = out
		}
		p.count++
	}
}

// wantsBlocks decides whether a node's result is blocked.
func (p *layoutPass) wantsBlocks(n *graph.Node, c *graph.Call) bool {
	t := c.Out[0]
	if n.Op.Layout == graph.PlainOnly || n.Op.Layout == graph.ReadsAny || t.Rank() < 3 || len(c.Out) != 1 || n.Op.LayoutOK != nil && !n.Op.LayoutOK(c) {
		return false
	}
	if n.Op.Layout == graph.Convolution {
		return p.worthBlocks(n, c)
	}
	if n.Op.Layout == graph.WritesBlocks {
		return t.Shape[1]%p.block == 0
	}
	if t.Shape[1]%p.block != 0 && !n.Op.KeepsZero {
		return false
	}
	votes := int64(0)
	for i, v := range n.Inputs {
		switch {
		case p.Const(v) != nil || !p.hasChannels(c, i):
		case c.In[i].Rank() != t.Rank():
			return false // a channel axis elsewhere than the result's
		case c.In[i].Layout.Kind == graph.Split:
			votes += c.In[i].Bytes()
		default:
			votes -= c.In[i].Bytes()
		}
	}
	if n.Op.Layout == graph.ChannelConcat && n.Attrs.Int("axis") == 1 && !p.wholeBlocks(c.In) {
		return false
	}
	return votes > 0
}

// worthBlocks accepts a convolution whose channels fill their blocks by three
// quarters, and whose groups are one, single channels, or whole blocks.
func (p *layoutPass) worthBlocks(n *graph.Node, c *graph.Call) bool {
	oc, b := c.Out[0].Shape[1], p.block
	if oc*4 < (oc+b-1)/b*b*3 || p.Const(n.Inputs[1]) == nil {
		return false
	}
	if len(n.Inputs) == 3 && oc%b != 0 && p.Const(n.Inputs[2]) == nil {
		return false
	}
	group := n.Attrs.Int("group")
	if group == 1 || depthwise(n, c) {
		return true
	}
	return c.In[1].Shape[1]%b == 0 && oc/group%b == 0
}

func depthwise(n *graph.Node, c *graph.Call) bool {
	return n.Op.Name == "depthwise_bytes" || n.Op.Name == "conv" && n.Attrs.Int("group") == c.In[0].Shape[1] && c.Out[0].Shape[1] == c.In[0].Shape[1]
}

func (p *layoutPass) wholeBlocks(in []graph.Type) bool {
	return !slices.ContainsFunc(in, func(t graph.Type) bool { return t.Shape[1]%p.block != 0 })
}

// hasChannels reports whether operand i has an extent along the result's
// channel axis.
func (p *layoutPass) hasChannels(c *graph.Call, i int) bool {
	t := c.In[i]
	axis := channelAxis(t, c.Out[0])
	return axis >= 0 && t.Shape[axis] > 1
}

// channelAxis is the axis of a broadcasting operand that meets axis 1 of out.
func channelAxis(t, out graph.Type) int { return 1 - out.Rank() + t.Rank() }

// operand brings operand i into the layout that the node reads.
func (p *layoutPass) operand(n *graph.Node, c *graph.Call, i int, v graph.ValueID, out graph.Layout) graph.ValueID {
	plain := out == graph.Layout{}
	constant := p.Const(v) != nil
	switch n.Op.Layout {
	case graph.ReadsAny, graph.WritesBlocks:
		return v
	case graph.Packed:
		switch i {
		case 0:
			return p.in(v, graph.Blocked(int(c.In[1].Shape[4]*ops.Quad)))
		case 1:
			return v
		}
		return p.round(v, 0)
	case graph.Convolution:
		switch {
		case i == 0 && !depthwise(n, c) && n.Attrs.Int("group") == 1:
			return v // reads either
		case i == 0:
			return p.in(v, out)
		case constant && !plain && n.Op.Name == "conv_transpose" && i == 1:
			return p.round(v, 1)
		case constant && !plain:
			return p.round(v, 0)
		}
		return p.in(v, graph.Layout{})
	}
	if plain {
		return p.in(v, out)
	}
	if constant {
		if p.hasChannels(c, i) {
			return p.round(v, channelAxis(c.In[i], c.Out[0]))
		}
		return v
	}
	if !p.hasChannels(c, i) {
		return p.in(v, graph.Layout{})
	}
	return p.in(v, out)
}

// round fills a constant's axis up to whole blocks.
func (p *layoutPass) round(v graph.ValueID, axis int) graph.ValueID {
	t := p.Type(v)
	if t.Shape[axis]%p.block == 0 {
		return v
	}
	layout := graph.Rounded(axis, int(p.block))
	key := copyKey{v, layout}
	if w, ok := p.copies[key]; ok {
		return w
	}
	w := p.Constant(p.Const(v), p.Value(v).Name)
	p.Value(w).Type.Layout = layout
	p.copies[key] = w
	return w
}

// in is v in the given layout, by a reorder where it lies otherwise.
func (p *layoutPass) in(v graph.ValueID, layout graph.Layout) graph.ValueID {
	have := p.Type(v).Layout
	if have == layout || p.Const(v) != nil {
		return v
	}
	key := copyKey{v, layout}
	if w, ok := p.copies[key]; ok {
		return w
	}
	w := p.Add1("reorder", p.Value(v).Name, graph.A("block", int64(layout.Block)), v)
	p.Value(w).Type.Layout = layout
	p.copies[key] = w
	return w
}
