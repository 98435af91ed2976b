package lower

import (
	"fmt"
	"slices"

	"hone/compiler/graph"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

// Lower lowers a graph. Nodes without a group must be views; every other group
// becomes a kernel.
func Lower(g *graph.Graph) (*Program, error) {
	order, err := g.Order()
	if err != nil {
		return nil, err
	}
	l := &lowering{g: g, order: order, p: &Program{Name: g.Name}, where: map[graph.ValueID]Arg{}, inside: map[graph.ValueID]part{}, names: map[string]int{}}
	l.index()
	l.placeParts()
	l.inputs()
	for _, id := range order {
		if err := l.node(id); err != nil {
			return nil, err
		}
	}
	if err := l.outputs(); err != nil {
		return nil, err
	}
	planMemory(l.p)
	return l.p, nil
}

// part is a value that lives inside another value's buffer.
type part struct {
	whole  graph.ValueID
	offset int64
}

type lowering struct {
	g      *graph.Graph
	order  []graph.NodeID
	p      *Program
	groups map[int32][]graph.NodeID
	tails  map[int32]graph.NodeID
	where  map[graph.ValueID]Arg
	inside map[graph.ValueID]part // values that a concatenation's buffer holds
	elided map[graph.NodeID]bool  // concatenations that need no kernel
	names  map[string]int
}

func (l *lowering) index() {
	l.groups, l.tails, l.elided = map[int32][]graph.NodeID{}, map[int32]graph.NodeID{}, map[graph.NodeID]bool{}
	for _, id := range l.order {
		if grp := l.g.Node(id).Group; grp != graph.NoGroup {
			l.groups[grp] = append(l.groups[grp], id)
			l.tails[grp] = id
		}
	}
}

// placeParts finds concatenations whose operands their producers can write into
// the result's buffer: every operand is a kernel's own result, of one place.
func (l *lowering) placeParts() {
	for _, id := range l.order {
		n := l.g.Node(id)
		offsets, ok := graph.Parts(l.g.Call(id))
		if !ok || len(l.groups[n.Group]) != 1 {
			continue
		}
		for i, v := range n.Inputs {
			ok = ok && l.movable(v) && !slices.Contains(n.Inputs[:i], v)
		}
		if !ok {
			continue
		}
		l.elided[id] = true
		for i, v := range n.Inputs {
			l.inside[v] = part{n.Outputs[0], offsets[i]}
		}
	}
}

// movable reports whether v is a kernel's result whose place is still open.
func (l *lowering) movable(v graph.ValueID) bool {
	if _, placed := l.inside[v]; placed {
		return false
	}
	for _, p := range l.g.Outputs {
		if p.Value == v {
			return false
		}
	}
	n := l.g.Producer(v)
	return n != nil && n.Group != graph.NoGroup
}

func (l *lowering) buffer(name string, kind BufferKind, t graph.Type) BufferID {
	l.p.Buffers = append(l.p.Buffers, Buffer{Name: name, Kind: kind, Type: t, Bytes: t.Bytes()})
	return BufferID(len(l.p.Buffers) - 1)
}

func (l *lowering) inputs() {
	for _, p := range l.g.Inputs {
		t := l.g.Type(p.Value)
		a := Arg{Buffer: l.buffer(p.Name, Input, t)}
		l.where[p.Value] = a
		l.p.Inputs = append(l.p.Inputs, Port{p.Name, t, a})
	}
}

// place gives a value its memory: of its own, inside a larger one, or as a
// constant.
func (l *lowering) place(v graph.ValueID) Arg {
	if a, ok := l.where[v]; ok {
		return a
	}
	x := l.g.Value(v)
	var a Arg
	if in, ok := l.inside[v]; ok {
		a = l.place(in.whole)
		a.Offset += in.offset
	} else if x.Const != nil {
		a.Buffer = l.buffer(x.Name, Constant, x.Type)
		l.p.Buffer(a.Buffer).Const = graph.PhysicalTensor(x.Const, x.Type)
	} else {
		a.Buffer = l.buffer(x.Name, Temp, x.Type)
	}
	l.where[v] = a
	return a
}

// node emits the kernel of a region when its last node comes, and resolves
// views as they come.
func (l *lowering) node(id graph.NodeID) error {
	n := l.g.Node(id)
	if n.Group == graph.NoGroup {
		offset, ok := graph.View(l.g.Call(id))
		if !ok {
			return &graph.Error{Node: n.Name, Op: n.Op.Name, Reason: "belongs to no region; run the pass \"fuse\" first"}
		}
		a := l.place(n.Inputs[0])
		a.Offset += offset
		l.where[n.Outputs[0]] = a
		return nil
	}
	if l.tails[n.Group] != id || l.elided[id] {
		return nil
	}
	r, err := LowerRegion(l.g, l.groups[n.Group])
	if err != nil {
		return err
	}
	return l.kernel(r)
}

func (l *lowering) kernel(r *Region) error {
	k := Kernel{Name: l.symbol(r.Func.Name), Func: r.Func, Nodes: r.Nodes}
	for _, v := range r.Values {
		k.Args = append(k.Args, l.place(v))
	}
	l.p.Kernels = append(l.p.Kernels, k)
	return nil
}

// symbol makes a function's name unique in the program.
func (l *lowering) symbol(base string) string {
	k := l.names[base]
	l.names[base]++
	return fmt.Sprintf("%s_k%d", base, k)
}

// outputs hands every graph output a buffer of its own: the temporary that holds
// it, or a copy where that is not possible.
func (l *lowering) outputs() error {
	for _, p := range l.g.Outputs {
		t := l.g.Type(p.Value)
		a := l.place(p.Value)
		b := l.p.Buffer(a.Buffer)
		if b.Kind != Temp || a.Offset != 0 || b.Bytes != t.Bytes() {
			var err error
			if a, err = l.copyOut(p, t, a); err != nil {
				return err
			}
		} else {
			b.Kind, b.Name = Output, p.Name
		}
		l.p.Outputs = append(l.p.Outputs, Port{p.Name, t, a})
	}
	return nil
}

// copyOut emits a copy of a value into an output of its own.
func (l *lowering) copyOut(p graph.Port, t graph.Type, from Arg) (Arg, error) {
	to := Arg{Buffer: l.buffer(p.Name, Output, t)}
	b := tir.NewBuilder("copy")
	src := b.Param("p0", t.Elem, t.BufferShape()...)
	dst := b.Param("out", t.Elem, t.BufferShape()...)
	b.Compute("copy", dst, func(i []tir.Expr) tir.Expr { return &tir.Load{Buffer: src, Indices: i} })
	f, err := analysis.InferRegions(b.Func())
	if err != nil {
		return to, err
	}
	l.p.Kernels = append(l.p.Kernels, Kernel{Name: l.symbol("copy"), Func: f, Args: []Arg{from, to}})
	return to, nil
}
