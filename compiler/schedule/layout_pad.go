package schedule

import (
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// Nothing is computed of the blocks that state or fill padding, as in Apache TVM.
const (
	addedPadding = "transform_layout added the block for padding and claims nothing of it"
	roundPadding = "transform_layout added an assumption about padding to its blocks and claims nothing of it since"
)

// padStores makes the places that hold nothing hold the pad value.
func (st *state) padStores(p *layout) {
	if len(p.stores) == 0 {
		st.assumePadding(p)
		return
	}
	found := false
	done := map[*tir.For]bool{}
	for i := range p.stores {
		s := &p.stores[i]
		if !s.inOrder {
			continue
		}
		found = true
		switch {
		case len(s.loops) > 0 && st.at(s.loops[0]).gone != "":
		case len(s.within) == 0:
			st.runOver(p, s)
		case !done[s.within[0]]:
			done[s.within[0]] = true
			st.runInside(p, s)
		}
	}
	if !found {
		st.fillPadding(p, &p.stores[len(p.stores)-1])
	}
}

// newAxes are loops over a new layout, and iterators bound to them. A plain index
// gives its name to its axis.
type newAxes struct {
	loops []tir.For
	iters []*tir.IterVar
}

func (p *layout) axes() newAxes {
	var x newAxes
	for i, v := range p.inv.Initial {
		name, n := v.Name, p.new.Shape[i]
		if old, ok := p.m.Final[i].(*tir.Var); ok {
			name = old.Name
		}
		dom := tir.Range{Min: tir.IntOf(0, n.DType()), Extent: n}
		x.loops = append(x.loops, tir.For{Var: tir.NewVar(name, v.Type), Min: dom.Min, Extent: n})
		x.iters = append(x.iters, &tir.IterVar{Var: tir.NewVar("v_"+name, v.Type), Dom: dom, Kind: tir.Spatial})
	}
	return x
}

func (x newAxes) loopVars() []tir.Expr {
	out := make([]tir.Expr, len(x.loops))
	for i := range out {
		out[i] = x.loops[i].Var
	}
	return out
}

func (x newAxes) iterVars() []tir.Expr {
	out := make([]tir.Expr, len(x.iters))
	for i := range out {
		out[i] = x.iters[i].Var
	}
	return out
}

// holesAt is the condition for places that hold nothing.
func (p *layout) holesAt(at []tir.Expr) tir.Expr {
	m := tir.IndexMap{Initial: p.inv.Initial, Final: []tir.Expr{p.holes}}
	return m.Apply(at)[0]
}

func (p *layout) padAt(at []tir.Expr) tir.Expr {
	return arith.NewAnalyzer().Simplify(p.pad.Apply(at)[0])
}

// plainDomains gives the iterators of a block that stands alone the domains that
// start at a plain zero, whatever their type.
func (x newAxes) plainDomains() []*tir.IterVar {
	out := slices.Clone(x.iters)
	for i, it := range out {
		c := *it
		c.Dom.Min = tir.IntOf(0, dtype.Int32)
		out[i] = &c
	}
	return out
}

// assumePadding puts an assumption about the padding of a buffer that nothing
// writes in front of the scope.
func (st *state) assumePadding(p *layout) {
	x := p.axes()
	at := x.iterVars()
	known := tir.Or(tir.NewNot(p.holesAt(at)), tir.CompareFold(tir.OpEQ, &tir.Load{Buffer: p.new, Indices: at}, p.padAt(at)))
	b := &tir.Block{
		Name: "buffer_" + p.old.Name + "_assumptions", Iters: x.plainDomains(),
		Reads: []tir.Region{pointRegion(p.new, at)}, Writes: []tir.Region{},
		Body: &tir.Evaluate{Value: &tir.Call{Op: "assume", Args: []tir.Expr{known}, Type: dtype.BoolType}},
	}
	top, _ := st.nest(x.loops, node{kind: kBlock, block: b, values: x.loopVars(), pred: tir.True, affine: no, cover: no, stages: no, why: addedPadding})
	st.insertInto(p.scope, 0, top)
	s := st.at(p.scope)
	s.affine, s.cover, s.stages, s.why = no, no, no, roundPadding
}

// fillPadding adds a block that fills the padding right after the last store.
func (st *state) fillPadding(p *layout, last *layoutStore) {
	x := p.axes()
	at := x.iterVars()
	b := &tir.Block{
		Name: "buffer_" + p.old.Name + "_padding", Iters: x.plainDomains(), Reads: []tir.Region{},
		Writes: []tir.Region{pointRegion(p.new, at)},
		Body:   &tir.Store{Buffer: p.new, Value: p.padAt(at), Indices: at},
	}
	at = x.loopVars()
	pred := p.holesAt(at)
	if len(last.loops) == 0 && len(last.within) > 0 {
		fill := nestOf(x.loops, &tir.BlockRealize{Values: at, Predicate: pred, Block: b})
		st.swapInside(last.leaf, last.within[0], tir.NewSeq(last.within[0], fill))
		for _, id := range st.childBlocks(last.block) {
			if n := st.at(id); n.block == b {
				n.affine, n.cover, n.stages, n.why = no, no, no, addedPadding
			}
		}
		return
	}
	top, _ := st.nest(x.loops, node{kind: kBlock, block: b, values: at, pred: pred, affine: no, cover: no, stages: no, why: addedPadding})
	after := last.block
	if len(last.loops) > 0 {
		after = last.loops[0]
	}
	st.insertAfter(after, top)
}

// runInside is runOver for loops inside a statement, and for those around a block
// without iterators that end inside its statement: these take the block away.
func (st *state) runInside(p *layout, s *layoutStore) {
	x := p.axes()
	at := x.loopVars()
	sub := map[*tir.Var]tir.Expr{}
	for i, e := range p.inv.Apply(at) {
		if i < len(s.loops) {
			sub[st.at(s.loops[i]).loop.Var] = e
		} else {
			sub[s.within[i-len(s.loops)].Var] = e
		}
	}
	r := overLayout{st: st, layout: p, sub: sub, at: at, holes: p.holesAt(at), fill: p.padAt(at)}
	out := nestOf(x.loops, r.stmt(s.within[len(s.within)-1].Body))
	if len(s.loops) == 0 {
		st.swapInside(s.leaf, s.within[0], out)
		return
	}
	st.replace(s.loops[0], st.add(node{kind: kOther, other: out}))
	st.buryAll(s.loops[0], "transform_layout")
}

// nestOf puts loops around a statement.
func nestOf(loops []tir.For, s tir.Stmt) tir.Stmt {
	for i := len(loops) - 1; i >= 0; i-- {
		l := loops[i]
		l.Body = s
		s = &l
	}
	return s
}

// swapInside replaces a loop inside the statement of a leaf; what it is replaced by
// may hold blocks.
func (st *state) swapInside(leaf nid, old *tir.For, by tir.Stmt) {
	w := tir.StmtRewriter{Stmt: func(s tir.Stmt) tir.Stmt {
		if s == tir.Stmt(old) {
			return by
		}
		return s
	}}
	n := st.at(leaf)
	switch {
	case n.kind == kBlock:
		b := *n.block
		b.Body = w.Rewrite(b.Body)
		st.setBlock(leaf, &b)
		if hasBlocks(by) {
			st.setKids(leaf, st.load(b.Body))
		}
	case hasBlocks(by):
		st.replaceMany(leaf, st.load(w.Rewrite(n.other)))
	default:
		n.other = w.Rewrite(n.other)
		st.touch(leaf)
	}
}

// runOver lets the loops that store a buffer in order run over the new layout,
// and store the pad value where that holds nothing.
func (st *state) runOver(p *layout, s *layoutStore) {
	x := p.axes()
	at := x.loopVars()
	sub := map[*tir.Var]tir.Expr{}
	for i, e := range p.inv.Apply(at) {
		sub[st.at(s.loops[i]).loop.Var] = e
	}
	n := st.at(s.block)
	iters, values := n.block.Iters, n.values
	if first := storedIters(n.block, s.store.Indices); first >= 0 {
		last := first + len(s.store.Indices)
		iters = slices.Concat(iters[:first], x.iters, iters[last:])
		values = slices.Concat(values[:first], at, values[last:])
		at = x.iterVars()
		for i, e := range p.inv.Apply(at) {
			sub[n.block.Iters[first+i].Var] = e
		}
	}
	r := overLayout{st: st, layout: p, sub: sub, at: at, holes: p.holesAt(at), fill: p.padAt(at)}
	bottom := s.loops[len(s.loops)-1]
	body := st.at(bottom).kids[0]
	r.below(body)
	c := *n.block
	c.Iters = iters
	n.block, n.values, n.affine = &c, values, yes
	top := body
	for i := len(x.loops) - 1; i >= 0; i-- {
		top = st.add(node{kind: kLoop, loop: x.loops[i], kids: []nid{top}})
	}
	st.replace(s.loops[0], top)
	for _, l := range s.loops {
		st.at(l).gone = "transform_layout"
	}
	st.touch(s.block)
}

// storedIters finds the first of the consecutive spatial iterators of a block
// that are the indices; -1 when they are not.
func storedIters(b *tir.Block, idx []tir.Expr) int {
	n := len(b.Iters) - len(idx)
	if n < 0 || len(idx) == 0 {
		return -1
	}
	first := slices.IndexFunc(b.Iters[:n+1], func(it *tir.IterVar) bool { return tir.Expr(it.Var) == idx[0] })
	if first < 0 {
		return -1
	}
	for i, e := range idx {
		if it := b.Iters[first+i]; tir.Expr(it.Var) != e || it.Kind != tir.Spatial {
			return -1
		}
	}
	return first
}

// overLayout rewrites what stands below loops that run over a new layout now.
type overLayout struct {
	*layout
	st          *state
	sub         map[*tir.Var]tir.Expr // loops and iterators that are gone
	at          []tir.Expr            // where to store
	holes, fill tir.Expr
}

func (r *overLayout) expr(e tir.Expr) tir.Expr { return replaceVars(e, r.sub) }

func (r *overLayout) stmt(s tir.Stmt) tir.Stmt {
	w := tir.StmtRewriter{
		Expr: r.expr,
		Stmt: func(s tir.Stmt) tir.Stmt {
			if x, ok := s.(*tir.Store); ok && x.Buffer == r.old {
				return &tir.Store{Buffer: r.new, Value: tir.IfThenElse(r.holes, r.fill, x.Value), Indices: r.at}
			}
			return s
		},
	}
	return w.Rewrite(s)
}

func (r *overLayout) below(top nid) {
	r.st.eachShell(top, func(id nid) {
		n := r.st.at(id)
		switch n.kind {
		case kLoop:
			n.loop.Min, n.loop.Extent = r.expr(n.loop.Min), r.expr(n.loop.Extent)
		case kBlock:
			values := make([]tir.Expr, len(n.values))
			for i, v := range n.values {
				values[i] = r.expr(v)
			}
			n.values, n.pred, n.closed = values, r.expr(n.pred), unknown
			r.st.mapShell(id, r.stmt)
		case kOther:
			if x, ok := n.other.(*tir.If); ok && len(n.kids) > 0 {
				n.other = &tir.If{Cond: r.expr(x.Cond), Then: x.Then, Else: x.Else}
			} else {
				r.st.mapShell(id, r.stmt)
			}
		}
		r.st.touch(id)
	})
}
