package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

// factor performs a checked rfactor and returns the new block.
func (st *state) factor(p *factoring) nid {
	scope := st.scopeOf(p.id)
	l := st.at(p.loop).loop
	for _, b := range p.red.Buffers {
		rf := *b
		rf.Name += ".rf"
		rf.Strides, rf.ElemOffset = nil, nil
		reshape(&rf, slices.Insert(slices.Clone(b.Shape), p.axis, l.Extent))
		p.partial = append(p.partial, &rf)
	}
	top, out := st.partialNest(p)
	st.insertBefore(p.loops[0], top)
	st.final(p)
	for _, b := range p.partial {
		st.addAlloc(scope, b)
	}
	return out
}

// partialNest adds the nest that reduces into the new buffers: all loops, copied;
// the iterators of the block that the factored loop is bound to split into an
// iterator per loop.
func (st *state) partialNest(p *factoring) (top, id nid) {
	n := st.at(p.id)
	vars := make(map[*tir.Var]tir.Expr, len(p.loops))
	loops := make([]tir.For, len(p.loops))
	byVar := make(map[*tir.Var]*tir.For, len(p.loops))
	for i, l := range p.loops {
		old := st.at(l).loop
		byVar[old.Var] = &old
		loops[i] = old
		loops[i].Var = tir.NewVar(old.Var.Name, old.Var.Type)
		loops[i].Min, loops[i].Extent = tir.Substitute(old.Min, vars), tir.Substitute(old.Extent, vars)
		vars[old.Var] = loops[i].Var
	}
	b := &tir.Block{Name: n.block.Name + "_rf", Ann: n.block.Ann}
	var values []tir.Expr
	own := map[*tir.Var]tir.Expr{}   // loop variable → its own iterator
	iters := map[*tir.Var]tir.Expr{} // old iterator → expression
	addLoop := func(f *tir.For, kind tir.IterKind) {
		it := iterOf(f, kind)
		b.Iters, values = append(b.Iters, it), append(values, f.Var)
		own[f.Var] = it.Var
	}
	factor := st.at(p.loop).loop
	addLoop(&factor, tir.Spatial)
	for i, it := range n.block.Iters {
		if it.Kind == tir.Spatial || !usesOne(n.values[i], factor.Var) {
			v := tir.NewVar(it.Var.Name, it.Var.Type)
			iters[it.Var] = v
			b.Iters = append(b.Iters, &tir.IterVar{Var: v, Dom: it.Dom, Kind: it.Kind})
			values = append(values, n.values[i])
			continue
		}
		tir.Walk(n.values[i], func(e tir.Expr) bool {
			if v, ok := e.(*tir.Var); ok && byVar[v] != nil && own[v] == nil {
				addLoop(byVar[v], tir.Reduce)
			}
			return true
		})
		iters[it.Var] = tir.Substitute(n.values[i], own)
	}
	sub := func(e tir.Expr) tir.Expr { return tir.Substitute(e, iters) }
	at := own[factor.Var]
	for _, r := range n.block.Reads {
		b.Reads = append(b.Reads, mapRegion(r, sub))
	}
	for _, w := range n.block.Writes {
		w = mapRegion(w, sub)
		w.Buffer = p.partial[slices.Index(p.red.Buffers, w.Buffer)]
		w.Ranges = slices.Insert(w.Ranges, p.axis, tir.Range{Min: at, Extent: tir.IntOf(1, at.DType())})
		b.Writes = append(b.Writes, w)
	}
	red := p.red
	red.Buffers, red.Indices = p.partial, slices.Insert(tir.SubstituteAll(red.Indices, iters), p.axis, at)
	red.Values = tir.SubstituteAll(red.Values, iters)
	b.Body, b.Init = reduction(&red, slices.ContainsFunc(b.Iters, func(it *tir.IterVar) bool { return it.Kind == tir.Reduce }))
	return st.nest(loops, node{kind: kBlock, block: b, values: tir.SubstituteAll(values, vars), pred: tir.Substitute(n.pred, vars), affine: yes})
}

// iterOf is an iterator over the range of a loop.
func iterOf(f *tir.For, kind tir.IterKind) *tir.IterVar {
	v := tir.NewVar("v"+f.Var.Name, f.Var.Type)
	return &tir.IterVar{Var: v, Dom: tir.Range{Min: f.Min, Extent: f.Extent}, Kind: kind}
}

// reduction writes a reduction's update and initialiser; when nothing is left to
// reduce over, the values are just stored.
func reduction(r *analysis.Reducer, reduces bool) (body, init tir.Stmt) {
	n := len(r.Buffers)
	stores, inits := make([]tir.Stmt, 0, 2*n), make([]tir.Stmt, n)
	results := r.Values
	if reduces {
		results = r.Combine(r.Elements(), r.Values)
	}
	if reduces && n > 1 {
		// Every result uses all the elements: none may be stored too early.
		bound := make([]tir.Expr, n)
		for i, e := range results {
			v := tir.NewVar("v_"+r.Buffers[i].Name, e.DType())
			bound[i] = v
			stores = append(stores, &tir.Bind{Var: v, Value: e})
		}
		results = bound
	}
	for i, buf := range r.Buffers {
		stores = append(stores, &tir.Store{Buffer: buf, Value: results[i], Indices: r.Indices})
		inits[i] = &tir.Store{Buffer: buf, Value: r.Init[i], Indices: r.Indices}
	}
	if !reduces {
		return tir.NewSeq(stores...), nil
	}
	return tir.NewSeq(stores...), tir.NewSeq(inits...)
}

// final turns the block into the reduction of the partial results over the
// factored loop; loops bound to other reduce iterators go.
func (st *state) final(p *factoring) {
	n := st.at(p.id)
	f := st.at(p.loop).loop
	k := iterOf(&f, tir.Reduce)
	b := &tir.Block{Name: n.block.Name, Ann: n.block.Ann, Iters: []*tir.IterVar{k}}
	values := []tir.Expr{f.Var}
	iters := map[*tir.Var]tir.Expr{}
	for i, it := range n.block.Iters {
		if it.Kind == tir.Spatial {
			v := tir.NewVar(it.Var.Name, it.Var.Type)
			iters[it.Var] = v
			b.Iters = append(b.Iters, &tir.IterVar{Var: v, Dom: it.Dom, Kind: it.Kind})
			values = append(values, n.values[i])
		}
	}
	red := p.red
	red.Indices, red.Values = tir.SubstituteAll(red.Indices, iters), nil
	far := slices.Insert(slices.Clone(red.Indices), p.axis, tir.Expr(k.Var))
	for i, rf := range p.partial {
		red.Values = append(red.Values, &tir.Load{Buffer: rf, Indices: far})
		b.Reads = append(b.Reads, pointRegion(rf, far))
		b.Writes = append(b.Writes, pointRegion(red.Buffers[i], red.Indices))
	}
	b.Body, b.Init = reduction(&red, true)
	n.values, n.pred, n.affine = values, st.finalPredicate(p), yes
	st.setBlock(p.id, b)
	for _, l := range p.reduce {
		st.replace(l, st.at(l).kids[0])
		st.at(l).gone = "rfactor"
	}
}

// finalPredicate keeps the conditions on the loops that stay: without them an
// imperfect tile would store outside of the buffer. Partial results exist where
// the loops that go can run at all, that is at their start.
func (st *state) finalPredicate(p *factoring) tir.Expr {
	starts := map[*tir.Var]tir.Expr{}
	for _, l := range p.reduce {
		starts[st.at(l).loop.Var] = st.at(l).loop.Min
	}
	a := st.bindLoops(p.id)
	var pred tir.Expr = tir.True
	for _, c := range conjuncts(st.at(p.id).pred) {
		if c = tir.Substitute(c, starts); !a.CanProve(c) {
			pred = tir.And(pred, c)
		}
	}
	return pred
}
