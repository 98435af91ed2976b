package lower

import (
	"fmt"
	"slices"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

// Region is a lowered region: its function and the graph values that its
// parameters stand for, the result last.
type Region struct {
	Func   *tir.PrimFunc
	Values []graph.ValueID
	Nodes  []string
}

// LowerRegion lowers the nodes of one region, of which exactly one result may
// be read outside. The parameters are the operands from outside in the order in
// which a walk from the result meets them, first those of the run, then the
// constants, then the result. Constants of one element become immediates.
func LowerRegion(g *graph.Graph, nodes []graph.NodeID) (*Region, error) {
	r := &regionLowering{g: g, member: map[graph.NodeID]bool{}, at: map[graph.ValueID]*graph.Operand{}, names: map[string]int{}}
	for _, id := range nodes {
		r.member[id] = true
	}
	tail, err := r.tail(nodes)
	if err != nil {
		return nil, err
	}
	r.visit(tail)
	r.joinPlanes()
	name := r.funcName()
	r.b = tir.NewBuilder(name)
	r.params(g.Node(tail).Outputs[0])
	for _, id := range r.order {
		if err := r.node(id, id == tail); err != nil {
			return nil, err
		}
	}
	if len(r.free) > 0 {
		r.b.Attr(tir.AttrLayoutFree, r.free)
	}
	f, err := analysis.InferRegions(r.b.Func())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out := &Region{Func: f, Values: r.values}
	for _, id := range r.order {
		if n := g.Node(id).Name; n != "" && !slices.Contains(out.Nodes, n) {
			out.Nodes = append(out.Nodes, n)
		}
	}
	return out, nil
}

type regionLowering struct {
	g       *graph.Graph
	member  map[graph.NodeID]bool
	order   []graph.NodeID // of members, from the result backwards
	outside []graph.ValueID
	at      map[graph.ValueID]*graph.Operand
	names   map[string]int
	b       *tir.Builder
	values  []graph.ValueID
	free    []int64
	plane   [2]int64 // height and width that are one axis, see joinPlanes
}

// tail is the member whose results are read outside.
func (r *regionLowering) tail(nodes []graph.NodeID) (graph.NodeID, error) {
	tail := graph.NoNode
	uses := r.g.Uses()
	for _, id := range nodes {
		for _, v := range r.g.Node(id).Outputs {
			leaves := func(u graph.NodeID) bool { return u == graph.NoNode || !r.member[u] }
			if !slices.ContainsFunc(uses[v], leaves) {
				continue
			}
			if tail != graph.NoNode && tail != id || len(r.g.Node(id).Outputs) != 1 {
				return tail, fmt.Errorf("region %d has more than one result", r.g.Node(id).Group)
			}
			tail = id
		}
	}
	if tail == graph.NoNode {
		return tail, fmt.Errorf("region %d has no result", r.g.Node(nodes[0]).Group)
	}
	return tail, nil
}

// visit orders the members, operands first, and lists operands from outside.
func (r *regionLowering) visit(id graph.NodeID) {
	if !r.member[id] || slices.Contains(r.order, id) {
		return
	}
	for _, v := range r.g.Node(id).Inputs {
		if d := r.g.Value(v).Def; d != graph.NoNode && r.member[d] {
			r.visit(d)
		} else if !slices.Contains(r.outside, v) {
			r.outside = append(r.outside, v)
		}
	}
	r.order = append(r.order, id)
}

// funcName joins the operators' names; it is a C identifier. Movements of the
// operands of heavier operators are left out.
func (r *regionLowering) funcName() string {
	heavy := slices.ContainsFunc(r.order, func(id graph.NodeID) bool { return r.g.Node(id).Op.Class > graph.Injective })
	var parts []string
	for _, id := range r.order {
		n := r.g.Node(id)
		name := n.Op.Name
		if heavy && n.Op.Class == graph.Injective {
			continue
		}
		if name == "conv" && n.Attrs.Int("group") > 1 && n.Attrs.Int("group") == r.g.Type(n.Inputs[0]).Shape[1] {
			name = "depthwise_conv"
		}
		parts = append(parts, name)
	}
	const most = 6
	if len(parts) > most {
		parts = append(parts[:most], "etc")
	}
	return strings.Join(parts, "_")
}

// params declares the parameters and inlines scalar constants.
func (r *regionLowering) params(result graph.ValueID) {
	weights := 0
	for _, constants := range []bool{false, true} {
		for _, v := range r.outside {
			c := r.g.Const(v)
			if (c != nil) != constants {
				continue
			}
			if c != nil && c.Len() == 1 {
				r.at[v] = &graph.Operand{Type: r.typ(r.g.Type(v)), Scalar: immediate(c)}
				continue
			}
			name := fmt.Sprintf("p%d", len(r.values)-weights)
			if constants {
				name = fmt.Sprintf("w%d", weights)
				weights++
				if r.layoutFree(v) {
					r.free = append(r.free, int64(len(r.values)))
				}
			}
			r.param(name, v)
		}
	}
	r.param("out", result)
}

func (r *regionLowering) param(name string, v graph.ValueID) {
	t := r.typ(r.g.Type(v))
	r.at[v] = &graph.Operand{Type: t, Buf: r.b.Param(name, t.Elem, t.BufferShape()...)}
	r.values = append(r.values, v)
}

func immediate(t *dtype.Tensor) tir.Expr {
	if t.Type.IsFloat() {
		return tir.Const(t.Float(0), t.Type)
	}
	return tir.IntOf(t.Int(0), t.Type)
}

// layoutFree reports whether a constant is the weights of a convolution or
// matmul, and nothing else here: a schedule may then choose how it lies, unless it is
// packed for an instruction already.
func (r *regionLowering) layoutFree(v graph.ValueID) bool {
	free := false
	for _, id := range r.order {
		n := r.g.Node(id)
		for i, x := range n.Inputs {
			if x != v {
				continue
			}
			if i != 1 || n.Op.Class != graph.OutFusable || n.Op.Name == "conv_bytes" || n.Op.Name == "matmul_bytes" {
				return false
			}
			free = true
		}
	}
	return free
}

func (r *regionLowering) node(id graph.NodeID, last bool) error {
	n := r.g.Node(id)
	if n.Op.Lower == nil {
		return &graph.Error{Node: n.Name, Op: n.Op.Name, Reason: "cannot be lowered"}
	}
	l := &graph.Lowering{Call: r.g.Call(id), B: r.b, Unique: r.unique}
	for _, ts := range [][]graph.Type{l.In, l.Out} {
		for i := range ts {
			ts[i] = r.typ(ts[i])
		}
	}
	for _, v := range n.Inputs {
		l.Args = append(l.Args, r.at[v])
	}
	for i, v := range n.Outputs {
		if r.at[v] == nil {
			r.at[v] = l.Temp(n.Op.Name, l.Out[i])
		}
		l.Outs = append(l.Outs, r.at[v])
	}
	if err := n.Op.Lower(l); err != nil {
		return &graph.Error{Node: n.Name, Op: n.Op.Name, Reason: err.Error()}
	}
	return nil
}

// unique numbers repeated names: conv, conv_1, …
func (r *regionLowering) unique(base string) string {
	k := r.names[base]
	r.names[base]++
	if k == 0 {
		return base
	}
	return fmt.Sprintf("%s_%d", base, k)
}
