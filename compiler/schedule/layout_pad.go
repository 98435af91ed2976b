package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// storesInOrder reports whether the writer of a buffer can run over a new layout
// instead: it is the only writer, its nest holds nothing else, it has no
// predicate, and it stores at iterators that are loops over the whole buffer,
// consecutive ones.
func (st *state) storesInOrder(p *layout) bool {
	scope := p.owner
	if scope == none {
		scope = st.root
	}
	n := st.at(p.writer)
	store, ok := n.block.Body.(*tir.Store)
	if !ok || len(st.writersOf(scope, p.old)) != 1 || len(n.kids) > 0 || !tir.IsConst(n.pred, 1) || len(n.block.Writes) != 1 {
		return false
	}
	if _, err := st.onlyAccess(p.writer, p.old); err != nil {
		return false
	}
	loops := st.loopsOf(p.writer)
	for i, l := range loops {
		if i > 0 && st.at(l).parent != loops[i-1] {
			return false
		}
	}
	if len(loops) == 0 || st.at(p.writer).parent != loops[len(loops)-1] || len(loops) != len(n.block.Iters) {
		return false
	}
	for i, it := range n.block.Iters {
		l := st.at(loops[i]).loop
		if n.values[i] != tir.Expr(l.Var) || !arith.Same(l.Extent, it.Dom.Extent) || l.Kind != tir.Serial || len(l.Ann) > 0 {
			return false
		}
	}
	at := -1
	for d, e := range store.Indices {
		i := slices.IndexFunc(n.block.Iters, func(it *tir.IterVar) bool { return tir.Expr(it.Var) == e })
		if i < 0 || d > 0 && i != at+1 || !arith.Same(n.block.Iters[i].Dom.Extent, p.old.Shape[d]) {
			return false
		}
		at = i
	}
	return true
}

// axes makes loops and iterators over the new layout, and the pieces of the
// padding: where it is and what it holds.
func (p *layout) axes() (loops []tir.For, iters []*tir.IterVar, outside, pad tir.Expr, back map[*tir.Var]tir.Expr) {
	at := make(map[*tir.Var]tir.Expr, len(p.m.Final))
	fill := make(map[*tir.Var]tir.Expr, len(p.m.Final))
	for i, name := range p.axisNames() {
		t := p.new.Shape[i].DType()
		v, it := tir.NewVar(name, t), tir.NewVar("v_"+name, t)
		dom := tir.Range{Min: tir.IntOf(0, t), Extent: p.new.Shape[i]}
		loops = append(loops, tir.For{Var: v, Min: dom.Min, Extent: dom.Extent})
		iters = append(iters, &tir.IterVar{Var: it, Dom: dom, Kind: tir.Spatial})
		at[p.inv.at[i]] = it
		fill[p.pad.Initial[i]] = it
	}
	outside = tir.False
	for _, c := range p.inv.outside {
		outside = tir.Or(outside, tir.Substitute(c, at))
	}
	back = make(map[*tir.Var]tir.Expr, len(p.m.Initial))
	a := arith.NewAnalyzer()
	for _, v := range p.m.Initial {
		back[v] = a.Simplify(tir.Substitute(p.inv.values[v], at))
	}
	return loops, iters, outside, tir.Substitute(p.pad.Final[0], fill), back
}

// padInPlace lets the writer, whose indices are mapped already, run over the new
// layout and store the pad value outside of the old one.
func (st *state) padInPlace(p *layout) {
	n := st.at(p.writer)
	b := *n.block
	loops := st.loopsOf(p.writer)
	axes, iters, outside, pad, back := p.axes()
	// The iterators of the buffer's dimensions, consecutive ones, become those
	// of the new layout.
	first := slices.IndexFunc(b.Iters, func(it *tir.IterVar) bool { return usesAny(b.Writes[0], it.Var) })
	nOld := len(p.old.Shape)
	sub := map[*tir.Var]tir.Expr{}
	for d := range nOld {
		sub[b.Iters[first+d].Var] = back[p.m.Initial[d]]
	}
	var nest []tir.For
	var values []tir.Expr
	b.Iters = slices.Concat(b.Iters[:first], iters, b.Iters[first+nOld:])
	for i, l := range loops {
		if i == first {
			nest = append(nest, axes...)
			for _, x := range axes {
				values = append(values, x.Var)
			}
		}
		if i < first || i >= first+nOld {
			nest, values = append(nest, st.at(l).loop), append(values, n.values[i])
		}
	}
	idx := make([]tir.Expr, len(iters))
	for i, it := range iters {
		idx[i] = it.Var
	}
	a := arith.NewAnalyzer()
	for _, it := range b.Iters {
		a.Bind(it.Var, it.Dom)
	}
	load := func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.Load); ok && l.Buffer == p.new {
			return &tir.Load{Buffer: p.new, Indices: idx}
		}
		return e
	}
	value := func(e tir.Expr) tir.Expr { return tir.Substitute(tir.RewriteExpr(e, load), sub) }
	guarded := func(s tir.Stmt) tir.Stmt {
		return &tir.Store{Buffer: p.new, Value: tir.IfThenElse(outside, pad, value(s.(*tir.Store).Value)), Indices: idx}
	}
	b.Body = guarded(b.Body)
	if b.Init != nil {
		b.Init = guarded(b.Init)
	}
	b.Writes = []tir.Region{pointRegion(p.new, idx)}
	reads := slices.Clone(b.Reads)
	for i := range reads {
		reads[i] = mapRegion(reads[i], func(e tir.Expr) tir.Expr { return tir.Substitute(e, sub) })
		if reads[i].Buffer == p.new {
			reads[i] = b.Writes[0]
		}
	}
	b.Reads = reads
	n.block, n.values, n.affine, n.closed = &b, values, yes, unknown
	top := p.writer
	outer := loops[0]
	st.at(p.writer).parent = none
	for i := len(nest) - 1; i >= 0; i-- {
		top = st.add(node{kind: kLoop, loop: nest[i], kids: []nid{top}})
	}
	st.replace(outer, top)
	for _, l := range loops {
		st.at(l).gone = "transform_layout"
	}
	st.touch(p.writer)
}

func usesAny(r tir.Region, v *tir.Var) bool {
	for _, x := range r.Ranges {
		if usesOne(x.Min, v) {
			return true
		}
	}
	return false
}

// padAfter adds a block that fills the padding right after the last writer.
func (st *state) padAfter(p *layout) {
	loops, iters, outside, pad, _ := p.axes()
	idx, values := make([]tir.Expr, len(iters)), make([]tir.Expr, len(iters))
	for i, it := range iters {
		idx[i], values[i] = it.Var, loops[i].Var
	}
	sub := make(map[*tir.Var]tir.Expr, len(iters))
	for i, it := range iters {
		sub[it.Var] = loops[i].Var
	}
	b := &tir.Block{
		Name: "buffer_" + p.old.Name + "_padding", Iters: iters, Reads: []tir.Region{},
		Writes: []tir.Region{pointRegion(p.new, idx)},
		Body:   &tir.Store{Buffer: p.new, Value: pad, Indices: idx},
	}
	top, _ := st.nest(loops, node{kind: kBlock, block: b, values: values, pred: tir.Substitute(outside, sub), affine: yes})
	st.insertAfter(st.memberOf(st.scopeOf(p.writer), p.writer), top)
}
