package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// layoutStore is a store of a buffer whose new layout has padding.
type layoutStore struct {
	store *tir.Store
	block nid
	leaf  nid // whose statement holds the store, none in an initialiser
	// The loops that choose the place stored at, from the first to the last and all
	// between: nodes, then those inside the leaf's statement.
	loops   []nid
	within  []*tir.For
	inOrder bool // they are one loop per dimension, over all of it, in order
}

// planStores finds the stores and refuses nests that could not be replaced whole.
func (st *state) planStores(p *layout) *Error {
	f := storeFinder{st: st, layout: p, depth: map[*tir.Var][2]int{}, value: map[*tir.Var]tir.Expr{}, block: none, leaf: none}
	f.visit(p.scope)
	if len(p.stores) == 0 && len(st.at(p.scope).kids) == 0 {
		return refuse(BodyForm, st.where(p.scope), "it holds no block before which the padding of %s could be assumed", p.old.Name)
	}
	for i := range p.stores {
		s := &p.stores[i]
		if !s.inOrder || !st.onlyStores(s) || !st.canRunOver(s) {
			s.inOrder = false
			continue
		}
		if l := st.notAlone(s); l != "" {
			return refuse(SingleChild, "loop "+l, "the loops that store %s in order are not nested in one another alone", p.old.Name)
		}
	}
	return nil
}

// notAlone names a loop beside which the loop around it holds something else.
func (st *state) notAlone(s *layoutStore) string {
	for k, l := range s.loops {
		if k > 0 && st.at(l).parent != s.loops[k-1] {
			return st.at(l).loop.Var.Name
		}
	}
	for k, l := range s.within {
		if k > 0 && s.within[k-1].Body != tir.Stmt(l) {
			return l.Var.Name
		}
	}
	return ""
}

// canRunOver reports whether the block that stores can lose the loops of s: the
// iterators that it keeps are not bound to them, and it does not read what it
// stored elsewhere, which other loops would store in another order. Loops on either
// side of it take it with them.
func (st *state) canRunOver(s *layoutStore) bool {
	n := st.at(s.block)
	if len(s.loops) > 0 && len(s.within) > 0 {
		b := n.block
		if len(b.Iters)+len(b.Allocs)+len(b.Matches)+len(b.Ann) > 0 || b.Init != nil || !tir.IsConst(n.pred, 1) ||
			n.parent != s.loops[len(s.loops)-1] || b.Body != tir.Stmt(s.within[0]) {
			return false
		}
	}
	gone := func(v *tir.Var) bool {
		return slices.ContainsFunc(s.loops, func(l nid) bool { return st.at(l).loop.Var == v })
	}
	first := storedIters(n.block, s.store.Indices)
	for i, v := range n.values {
		if (first < 0 || i < first || i >= first+len(s.store.Indices)) && tir.UsesVar(v, gone) {
			return false
		}
	}
	same := true
	tir.Walk(s.store.Value, func(e tir.Expr) bool {
		if l, ok := e.(*tir.Load); ok && l.Buffer == s.store.Buffer {
			same = same && slices.EqualFunc(l.Indices, s.store.Indices, arith.Same)
		}
		return same
	})
	return same
}

// onlyStores reports whether everything below the loops of s stores as s does.
func (st *state) onlyStores(s *layoutStore) bool {
	same := true
	see := func(x tir.Stmt) bool {
		if o, ok := x.(*tir.Store); ok {
			same = same && o.Buffer == s.store.Buffer && slices.EqualFunc(o.Indices, s.store.Indices, arith.Same)
		}
		return same
	}
	if n := len(s.within); n > 0 {
		tir.WalkStmt(s.within[n-1].Body, see)
		return same
	}
	st.eachShell(s.loops[len(s.loops)-1], func(id nid) {
		switch n := st.at(id); {
		case n.kind == kBlock:
			tir.WalkStmt(n.block.Init, see)
			if len(n.kids) == 0 {
				tir.WalkStmt(n.block.Body, see)
			}
		case n.kind == kOther && len(n.kids) == 0:
			tir.WalkStmt(n.other, see)
		}
	})
	return same
}

// storeFinder goes through a scope and follows which loops choose which index.
type storeFinder struct {
	*layout
	st     *state
	active []activeLoop
	depth  map[*tir.Var][2]int // the first and the last loop that a variable depends on
	value  map[*tir.Var]tir.Expr
	block  nid
	leaf   nid
}

type activeLoop struct {
	loop *tir.For
	node nid // none for a loop inside a block's own statement
}

func (f *storeFinder) visit(id nid) {
	n := f.st.at(id)
	switch n.kind {
	case kLoop:
		f.enter(activeLoop{&n.loop, id})
		f.visit(n.kids[0])
		f.leave()
		return
	case kBlock:
		for i, it := range n.block.Iters {
			f.define(it.Var, n.values[i])
		}
		outer := f.block
		f.block = id
		f.stmt(n.block.Init)
		if len(n.kids) == 0 {
			f.inside(id, n.block.Body)
		}
		defer func() { f.block = outer }()
	case kOther:
		if len(n.kids) == 0 {
			f.inside(id, n.other)
		}
	}
	for _, k := range n.kids {
		f.visit(k)
	}
}

func (f *storeFinder) inside(leaf nid, s tir.Stmt) {
	f.leaf = leaf
	f.stmt(s)
	f.leaf = none
}

func (f *storeFinder) enter(l activeLoop) {
	f.depth[l.loop.Var] = [2]int{len(f.active), len(f.active)}
	f.active = append(f.active, l)
}

func (f *storeFinder) leave() {
	last := len(f.active) - 1
	delete(f.depth, f.active[last].loop.Var)
	f.active = f.active[:last]
}

func (f *storeFinder) define(v *tir.Var, e tir.Expr) {
	if lo, hi, ok := f.span(e); ok {
		f.depth[v] = [2]int{lo, hi}
		f.value[v] = tir.Substitute(e, f.value)
	}
}

// span is the range of loops that expressions depend on.
func (f *storeFinder) span(es ...tir.Expr) (lo, hi int, ok bool) {
	for _, e := range es {
		tir.Walk(e, func(e tir.Expr) bool {
			v, isVar := e.(*tir.Var)
			d, known := f.depth[v]
			switch {
			case !isVar || !known:
			case !ok:
				lo, hi, ok = d[0], d[1], true
			default:
				lo, hi = min(lo, d[0]), max(hi, d[1])
			}
			return true
		})
	}
	return lo, hi, ok
}

func (f *storeFinder) stmt(s tir.Stmt) {
	switch x := s.(type) {
	case *tir.For:
		f.enter(activeLoop{x, none})
		f.stmt(x.Body)
		f.leave()
	case *tir.Seq:
		for _, s := range x.Stmts {
			f.stmt(s)
		}
	case *tir.If:
		f.stmt(x.Then)
		if x.Else != nil {
			f.stmt(x.Else)
		}
	case *tir.Bind:
		f.define(x.Var, x.Value)
	case *tir.AttrStmt:
		f.stmt(x.Body)
	case *tir.While:
		f.stmt(x.Body)
	case *tir.BlockRealize:
		for i, it := range x.Block.Iters {
			f.define(it.Var, x.Values[i])
		}
		f.stmt(x.Block.Init)
		f.stmt(x.Block.Body)
	case *tir.Store:
		if x.Buffer == f.old {
			f.see(x)
		}
	}
}

func (f *storeFinder) see(x *tir.Store) {
	s := layoutStore{store: x, block: f.block, leaf: f.leaf}
	if lo, hi, ok := f.span(x.Indices...); ok {
		nest := f.active[lo : hi+1]
		s.inOrder = f.runsInOrder(nest, x.Indices)
		for _, l := range nest {
			switch {
			case l.node != none:
				s.loops = append(s.loops, l.node)
			case f.leaf != none:
				s.within = append(s.within, l.loop)
			default:
				s.inOrder = false
			}
		}
	}
	f.stores = append(f.stores, s)
}

func (f *storeFinder) runsInOrder(nest []activeLoop, idx []tir.Expr) bool {
	if len(nest) != len(f.old.Shape) {
		return false
	}
	for i, l := range nest {
		if tir.Substitute(idx[i], f.value) != tir.Expr(l.loop.Var) || !tir.IsConst(l.loop.Min, 0) ||
			!arith.Same(l.loop.Extent, f.old.Shape[i]) || l.loop.Kind != tir.Serial {
			return false
		}
	}
	return true
}
