package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// reindexStage is a cache stage that indexes the cache by an index map of the
// iterators of a block, and runs the loops which these iterators depend on.
type reindexStage struct {
	cacheStage
	id    nid
	write bool
	old   []tir.Expr // where the block accesses the original
	new   []tir.Expr // and the cache
	iters []int      // the iterators of the block that both use
}

func (st *state) planReindexStage(id nid, index int, scopeName string, m *tir.IndexMap, write bool) (*reindexStage, *Error) {
	c, err := st.newStage(id, index, scopeName, write)
	if err == nil {
		err = st.stagePipeline(c.scope)
	}
	if err != nil {
		return nil, err
	}
	r := &reindexStage{cacheStage: *c, id: id, write: write}
	if write {
		err = r.placeOut(st)
	} else {
		err = r.placeIn(st)
	}
	for _, f := range []func() *Error{
		func() *Error { return r.point(st) },
		func() *Error { return r.mapIndices(st, m) },
		func() *Error { return st.readyIndices(r.scope, id, slices.Concat(r.old, r.new), r.at) },
		func() *Error { return r.sameIters(st) },
		func() *Error { return r.onePlaceEach(st) },
	} {
		if err == nil {
			err = f()
		}
	}
	if err != nil {
		return nil, err
	}
	return r, r.shape(st, scopeName, m)
}

// placeIn puts the copy before the block, right where the buffer is ready.
func (r *reindexStage) placeIn(st *state) *Error {
	r.at = place{r.scope, 0}
	if err := st.oneRegion(r.id, st.at(r.id).block.Reads, r.buf); err != nil {
		return err
	}
	w, err := st.oneWriter(r.scope, r.buf, r.id)
	if err != nil || w == none {
		return err
	}
	var ok bool
	if r.at, ok = st.placeBetween(r.scope, w, []nid{r.id}); !ok || r.passes(st, r.id) {
		return refuse(Consumers, st.where(r.id), "it does not come after %s, which writes %s", st.where(w), r.buf.Name)
	}
	return nil
}

// placeOut puts the copy after the block, before the buffer is read.
func (r *reindexStage) placeOut(st *state) *Error {
	if _, err := st.oneWriter(r.scope, r.buf, r.id); err != nil {
		return err
	}
	if err := st.needFreshWrite(r.id, r.buf); err != nil {
		return err
	}
	var readers []nid
	for _, c := range st.consumers(r.id) {
		if reads(st.at(c).block, r.buf) {
			readers = append(readers, c)
		}
	}
	r.at = st.atEnd(r.scope)
	if len(readers) > 0 {
		var ok bool
		if r.at, ok = st.placeBetween(r.scope, r.id, readers); !ok {
			return refuse(Consumers, st.where(readers[0]), "it and %s stand under a statement that is no loop", st.where(r.id))
		}
	}
	return nil
}

// point takes the one element that the block declares to access.
func (r *reindexStage) point(st *state) *Error {
	rs := st.at(r.id).block.Reads
	if r.write {
		rs = st.at(r.id).block.Writes
	}
	for _, x := range region(rs, r.buf).Ranges {
		if !tir.IsConst(x.Extent, 1) {
			return refuse(SingleAccess, st.where(r.id), "its region of %s is more than one element", r.buf.Name)
		}
		r.old = append(r.old, x.Min)
	}
	return st.insideBuffer(r.id, r.buf, r.old, tir.True)
}

func (r *reindexStage) mapIndices(st *state, m *tir.IndexMap) *Error {
	b := st.at(r.id).block
	if len(m.Initial) != len(b.Iters) {
		return refuse(IndexForm, st.where(r.id), "the map takes %d indices, the block has %d iterators", len(m.Initial), len(b.Iters))
	}
	args := make([]tir.Expr, len(b.Iters))
	for i, it := range b.Iters {
		args[i] = it.Var
	}
	var a arith.Analyzer
	for _, e := range m.Apply(args) {
		r.new = append(r.new, a.Simplify(e))
	}
	return nil
}

// sameIters refuses an iterator that chooses the element of one side only.
func (r *reindexStage) sameIters(st *state) *Error {
	uses := func(es []tir.Expr, v *tir.Var) bool {
		return slices.ContainsFunc(es, func(e tir.Expr) bool { return usesOne(e, v) })
	}
	for i, it := range st.at(r.id).block.Iters {
		old, now := uses(r.old, it.Var), uses(r.new, it.Var)
		if old != now {
			return refuse(IndexForm, st.where(r.id), "iterator %s is used by one of the indices of %s and of the cache only", it.Var.Name, r.buf.Name)
		}
		if now {
			r.iters = append(r.iters, i)
		}
	}
	return nil
}

// onePlaceEach refuses a map that puts two elements into one place: neither is
// every old index one of the new ones, nor do all iterators have places of their
// own.
func (r *reindexStage) onePlaceEach(st *state) *Error {
	known := func(e tir.Expr) bool {
		e = normal(e)
		return isConstant(e) || slices.ContainsFunc(r.new, func(n tir.Expr) bool { return arith.Same(n, e) })
	}
	if !slices.ContainsFunc(r.old, func(e tir.Expr) bool { return !known(e) }) {
		return nil
	}
	loops := make([]arith.Loop, len(r.iters))
	for i, k := range r.iters {
		it := st.at(r.id).block.Iters[k]
		loops[i] = arith.Loop{Var: it.Var, Dom: it.Dom}
	}
	if _, err := arith.DetectIterMap(r.new, loops, nil, arith.Injective, true); err != nil {
		return refuse(NotInvertible, st.where(r.id), "the map may put two elements of %s into one place", r.buf.Name)
	}
	return nil
}

// shape gives the cache its dimensions: those of the map's image of the domains.
func (r *reindexStage) shape(st *state, scopeName string, m *tir.IndexMap) *Error {
	b := st.at(r.id).block
	dims := make([]tir.Expr, len(b.Iters))
	for i, it := range b.Iters {
		dims[i] = it.Dom.Extent
	}
	shape, err := new(arith.Analyzer).MapShape(m, dims)
	if err != nil {
		return refuse(IndexForm, st.where(r.id), "%v", err)
	}
	r.cacheBuffer(st, scopeName)
	reshape(r.cache, shape)
	return r.insideCache(st)
}

// insideCache refuses a map that takes iterators which do not start at 0 out of the
// cache, whose dimensions are the images of domains that do.
func (r *reindexStage) insideCache(st *state) *Error {
	b := st.at(r.id).block
	a, moved := st.free(), false
	for _, k := range r.iters {
		a.Bind(b.Iters[k].Var, b.Iters[k].Dom)
		moved = moved || !tir.IsConst(b.Iters[k].Dom.Min, 0)
	}
	for d, e := range r.new {
		if moved && !a.CanProveGreaterEqual(tir.Sub(r.cache.Shape[d], e), tir.IntOf(1, e.DType())) {
			return refuse(IndexForm, st.where(r.id), "new index %d may lie outside of the cache", d)
		}
	}
	return nil
}

// reindexCache performs reindex_cache_read, or reindex_cache_write.
func (s *Schedule) reindexCache(k *Kind, b BlockRV, index int, scope string, m *tir.IndexMap) (BlockRV, error) {
	st, id, err := s.block(b)
	var r *reindexStage
	if err == nil {
		r, err = st.planReindexStage(id, index, scope, m, k == kindReindexCacheWrite)
	}
	if err != nil {
		return 0, err.by(k.Method())
	}
	top, n := r.build(st)
	r.redirect(st)
	r.insert(st, top, n)
	out := s.newBlock(st.index, n)
	s.record(k, []any{b, m}, []any{int64(index), scope}, []any{out}, nil)
	return out, nil
}

// build makes the copy: the loops and iterators of the block that choose its
// element, under those conditions of the block which they decide.
func (r *reindexStage) build(st *state) (top, block nid) {
	n := st.at(r.id)
	var values []tir.Expr
	for _, k := range r.iters {
		values = append(values, n.values[k])
	}
	var loops []tir.For
	sub, outer := map[*tir.Var]tir.Expr{}, map[*tir.Var]bool{}
	for _, l := range st.loopsOf(r.id) {
		f := st.at(l).loop
		switch below := l != r.at.parent && st.within(l, r.at.parent); {
		case !below:
			outer[f.Var] = true
		case slices.ContainsFunc(values, func(e tir.Expr) bool { return usesOne(e, f.Var) }):
			v := tir.NewVar(f.Var.Name, f.Var.Type)
			loops = append(loops, tir.For{Var: v, Min: f.Min, Extent: f.Extent})
			sub[f.Var] = v
		case tir.IsConst(f.Extent, 1):
			sub[f.Var] = f.Min
		}
	}
	var pred tir.Expr = tir.True
	for _, p := range conjuncts(n.pred) {
		if !tir.UsesVar(p, func(v *tir.Var) bool { return sub[v] == nil && !outer[v] }) {
			pred = tir.And(pred, tir.Substitute(p, sub))
		}
	}
	values = tir.SubstituteAll(values, sub)
	iters := make([]*tir.IterVar, len(r.iters))
	for i, k := range r.iters {
		it := n.block.Iters[k]
		iters[i] = &tir.IterVar{Var: tir.NewVar(it.Var.Name, it.Var.Type), Dom: it.Dom, Kind: tir.Spatial}
		sub[it.Var] = iters[i].Var
	}
	old, now := tir.SubstituteAll(r.old, sub), tir.SubstituteAll(r.new, sub)
	b := copyBlock(r.cache.Name, iters, r.buf, old, r.cache, now)
	if r.write {
		b = copyBlock(r.cache.Name, iters, r.cache, now, r.buf, old)
	}
	return st.nest(loops, node{kind: kBlock, block: b, values: values, pred: pred})
}

// redirect makes all accesses of the block to the buffer the one to the cache.
func (r *reindexStage) redirect(st *state) {
	x := &reindexing{old: r.buf, new: r.cache, kept: r.new}
	st.eachShell(r.id, func(id nid) {
		if id == r.id || r.write {
			st.mapShell(id, x.redirect)
		}
	})
}
