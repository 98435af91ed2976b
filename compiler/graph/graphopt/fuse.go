package graphopt

import (
	"slices"

	"hone/compiler/graph"
)

// fuse groups nodes into regions that become one kernel each, with one result:
//
//  1. every heavy node and reduction takes the elementwise operators behind it,
//     up to where the paths from it meet again (its immediate post-dominator),
//     as long as they keep its shape: bias, activation, residual sum;
//  2. a matmul takes pure movements (transposes, slices, reshapes) of its own
//     operands, a simple reduction also the arithmetic before it;
//  3. what is left clusters along the same paths.
//
// Views (reshapes and the like) at the border of a region leave it: there they
// cost nothing. Nodes without a group afterwards are views.
func fuse(g *graph.Graph, _ Options) (int, error) {
	order, err := g.Order()
	if err != nil {
		return 0, err
	}
	f := &fuser{matcher: newMatcher(g), order: order}
	for i := range g.Nodes {
		g.Nodes[i].Group = graph.NoGroup
	}
	f.postDominators()
	for _, id := range order {
		if c := g.Node(id).Op.Class; c == graph.OutFusable || c == graph.Reduction {
			f.start(id)
			f.down(id, graph.Broadcast)
		}
	}
	for _, id := range order {
		f.prologue(id)
	}
	for _, id := range order {
		if g.Node(id).Group == graph.NoGroup && f.clusters(id) {
			f.start(id)
			f.up(id, id, graph.Injective)
			f.down(id, graph.Injective)
		}
	}
	f.peelViews()
	f.groupRest()
	f.orderOperands()
	return f.renumber(), nil
}

type fuser struct {
	*matcher
	order []graph.NodeID
	ipdom []graph.NodeID // immediate post-dominator, NoNode is the graph's end
	depth []int
	next  int32
}

// postDominators computes the tree backwards over the order: a node's parent is
// the nearest common ancestor of its readers.
func (f *fuser) postDominators() {
	f.ipdom = make([]graph.NodeID, len(f.Nodes))
	f.depth = make([]int, len(f.Nodes))
	for i := len(f.order) - 1; i >= 0; i-- {
		id := f.order[i]
		first := true
		at := graph.NoNode
		for _, v := range f.Node(id).Outputs {
			for _, u := range f.uses[v] {
				if first {
					at, first = u, false
					continue
				}
				at = f.common(at, u)
			}
		}
		f.ipdom[id] = at
		if at != graph.NoNode {
			f.depth[id] = f.depth[at] + 1
		}
	}
}

func (f *fuser) common(a, b graph.NodeID) graph.NodeID {
	for a != b {
		if a == graph.NoNode || b == graph.NoNode {
			return graph.NoNode
		}
		if f.depth[a] >= f.depth[b] {
			a = f.ipdom[a]
		} else {
			b = f.ipdom[b]
		}
	}
	return a
}

func (f *fuser) start(id graph.NodeID) {
	f.Node(id).Group = f.next
	f.next++
}

// down extends the group of root towards the readers, step by step to the
// post-dominator, while everything on the way is of class limit or freer.
func (f *fuser) down(root graph.NodeID, limit graph.Class) {
	group := f.Node(root).Group
	want := f.Type(f.Node(root).Outputs[0])
	for tail := root; ; {
		p := f.ipdom[tail]
		if p == graph.NoNode {
			return
		}
		path := map[graph.NodeID]bool{}
		if !f.between(tail, p, path) {
			return
		}
		for id := range path {
			if !f.joinsDown(id, want, limit, len(path) == 1) {
				return
			}
		}
		for id := range path {
			f.Node(id).Group = group
		}
		if f.expanded(group) > maxExpression {
			for id := range path {
				f.Node(id).Group = graph.NoGroup
			}
			return
		}
		for id := range path {
			f.up(root, id, limit)
		}
		tail = p
	}
}

// maxExpression bounds the operators in the expression of one element of a region, in
// which a value that is read twice is written twice: sixty doublings of a vector would
// otherwise be an expression of 2^60 operators.
const maxExpression = 64

// expanded is the number of operators in the longest expression of a region.
func (f *fuser) expanded(group int32) int {
	size, longest := map[graph.ValueID]int{}, 0
	for _, id := range f.order {
		n := f.Node(id)
		if n.Group != group {
			continue
		}
		own := 1
		for _, v := range n.Inputs {
			own = min(own+size[v], 2*maxExpression) // more makes no difference
		}
		for _, v := range n.Outputs {
			size[v] = own
		}
		longest = max(longest, own)
	}
	return longest
}

// maxPath bounds the nodes between a node and its post-dominator.
const maxPath = 32

// between collects the nodes on paths from a (exclusive) to b (inclusive).
func (f *fuser) between(a, b graph.NodeID, path map[graph.NodeID]bool) bool {
	for _, v := range f.Node(a).Outputs {
		for _, u := range f.uses[v] {
			if path[u] {
				continue
			}
			if len(path) >= maxPath {
				return false
			}
			path[u] = true
			if u != b && !f.between(u, b, path) {
				return false
			}
		}
	}
	return true
}

// joinsDown reports whether a node may follow a region's result of type want.
// Epilogues keep its shape and layout; clusters may also move elements, on an
// unbranched path and without growing.
func (f *fuser) joinsDown(id graph.NodeID, want graph.Type, limit graph.Class, alone bool) bool {
	n := f.Node(id)
	if n.Group != graph.NoGroup || n.Op.Class > limit || len(n.Outputs) != 1 {
		return false
	}
	out := f.Type(n.Outputs[0])
	if n.Op.Class <= graph.Broadcast {
		return out.Len() == want.Len() && (limit > graph.Broadcast || slices.Equal(out.Shape, want.Shape)) && out.Layout == want.Layout
	}
	return alone && f.movement(n) && out.Len() <= want.Len()
}

// movement reports operators that only rearrange one operand.
func (f *fuser) movement(n *graph.Node) bool {
	switch n.Op.Name {
	case "transpose", "slice", "reshape", "expand", "reorder":
		return true
	}
	return false
}

// up takes producers that only member id of the group of root reads.
func (f *fuser) up(root, id graph.NodeID, limit graph.Class) {
	if limit <= graph.Broadcast {
		return // epilogues read finished values
	}
	for _, v := range f.Node(id).Inputs {
		p := f.Producer(v)
		if p == nil || !f.single(v) || p.Group != graph.NoGroup || p.Op.Class > limit || len(p.Outputs) != 1 {
			continue
		}
		pid := f.Value(v).Def
		if f.inPlace(pid) || f.isView(pid) && f.allExternal(pid) {
			continue
		}
		p.Group = f.Node(root).Group
		if f.expanded(p.Group) > maxExpression {
			p.Group = graph.NoGroup
			continue
		}
		f.up(root, pid, limit)
	}
}

// allExternal reports whether a node's operand is an input, a constant or
// another region's result, so that a view of it is free.
func (f *fuser) allExternal(id graph.NodeID) bool {
	p := f.Producer(f.Node(id).Inputs[0])
	return p == nil || p.Group != graph.NoGroup
}

// prologue lets a matmul take movements of its operands, and a reduction of one
// pass the arithmetic before it.
func (f *fuser) prologue(id graph.NodeID) {
	n := f.Node(id)
	switch n.Op.Name {
	case "matmul", "attention":
		f.lead(id, id, func(p *graph.Node) bool { return f.movement(p) })
	case "reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_l1", "reduce_l2", "reduce_sum_square", "reduce_prod":
		f.lead(id, id, func(p *graph.Node) bool { return p.Op.Class <= graph.Broadcast || f.movement(p) })
	}
}

func (f *fuser) lead(root, id graph.NodeID, accept func(p *graph.Node) bool) {
	for _, v := range f.Node(id).Inputs {
		p := f.Producer(v)
		if p == nil || !f.single(v) || p.Group != graph.NoGroup || !accept(p) {
			continue
		}
		p.Group = f.Node(root).Group
		f.lead(root, f.Value(v).Def, accept)
	}
}

// clusters reports whether a node may start a cluster.
func (f *fuser) clusters(id graph.NodeID) bool {
	n := f.Node(id)
	return n.Op.Class <= graph.Injective && len(n.Outputs) == 1 && !f.isView(id) && !f.inPlace(id)
}

func (f *fuser) isView(id graph.NodeID) bool {
	_, ok := graph.View(f.Call(id))
	return ok
}

// inPlace reports concatenations whose parts their producers can write.
func (f *fuser) inPlace(id graph.NodeID) bool {
	if _, ok := graph.Parts(f.Call(id)); !ok {
		return false
	}
	for _, v := range f.Node(id).Inputs {
		if f.Producer(v) == nil || f.isView(f.Value(v).Def) {
			return false
		}
	}
	return true
}

// peelViews takes views out of regions where they read from outside or end the
// region.
func (f *fuser) peelViews() {
	for changed := true; changed; {
		changed = false
		for _, id := range f.order {
			n := f.Node(id)
			if n.Group == graph.NoGroup || !f.isView(id) || !(f.readsOutside(id) || f.leaves(id)) {
				continue
			}
			n.Group = graph.NoGroup
			changed = true
		}
	}
}

func (f *fuser) readsOutside(id graph.NodeID) bool {
	p := f.Producer(f.Node(id).Inputs[0])
	return p == nil || p.Group != f.Node(id).Group
}

func (f *fuser) leaves(id graph.NodeID) bool {
	for _, u := range f.uses[f.Node(id).Outputs[0]] {
		if u == graph.NoNode || f.Node(u).Group != f.Node(id).Group {
			return true
		}
	}
	return false
}

// groupRest gives every node that is not a view a region of its own.
func (f *fuser) groupRest() {
	for _, id := range f.order {
		if f.Node(id).Group == graph.NoGroup && !f.isView(id) {
			f.start(id)
		}
	}
}

// orderOperands puts what a region computed itself first in commutative
// operators, so that equal regions are written alike.
func (f *fuser) orderOperands() {
	for _, id := range f.order {
		n := f.Node(id)
		switch n.Op.Name {
		case "add", "mul", "max", "min":
			own := func(v graph.ValueID) bool {
				p := f.Producer(v)
				return p != nil && p.Group == n.Group && n.Group != graph.NoGroup
			}
			if !own(n.Inputs[0]) && own(n.Inputs[1]) {
				n.Inputs[0], n.Inputs[1] = n.Inputs[1], n.Inputs[0]
			}
		}
	}
}

// renumber numbers the regions in the order in which they end, and counts them.
func (f *fuser) renumber() int {
	last := map[int32]int{}
	for i, id := range f.order {
		if grp := f.Node(id).Group; grp != graph.NoGroup {
			last[grp] = i
		}
	}
	old := make([]int32, 0, len(last))
	for grp := range last {
		old = append(old, grp)
	}
	slices.SortFunc(old, func(a, b int32) int { return last[a] - last[b] })
	number := map[int32]int32{}
	for i, grp := range old {
		number[grp] = int32(i)
	}
	for _, id := range f.order {
		if n := f.Node(id); n.Group != graph.NoGroup {
			n.Group = number[n.Group]
		}
	}
	return len(old)
}
