package schedule

import (
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

//	for i, k0, k1: C[i] += A[i, k0*4 + k1]
//	→  for i, k0, k1: C_rf[i, k1] += A[i, k0*4 + k1]
//	   for i, k1:     C[i] += C_rf[i, k1]

var kindRFactor = define(Kind{
	Name: "RFactor", Doc: "splits an associative reduction into partial ones over a loop",
	Params: "loop, factor_axis",
	In:     []Slot{{Name: "loop", Kind: SlotLoop}},
	Attrs:  []Slot{{Name: "factor_axis", Kind: SlotInt}}, Out: OutBlock,
})

func init() {
	kindRFactor.Apply = func(s *Schedule, c Call) error { _, err := s.RFactor(c.loop(0), c.int(0)); return err }
}

// RFactor makes the iterations of l, a serial loop bound to reduce iterators,
// reduce into elements of their own of a new buffer <buffer>.rf, which has the
// extent of l as its dimension factorAxis (negative: from the end), and adds a
// block that reduces these. The block below l is the only one of its nest, a
// reduction block of a stage pipeline, a sum, product, minimum or maximum whose
// initial value is the identity. It returns the block <block>_rf; the handle of
// the block is the final one.
func (s *Schedule) RFactor(l LoopRV, factorAxis int) (BlockRV, error) {
	const prim = "rfactor"
	st, loop, err := s.loop(l)
	var p *factoring
	if err == nil {
		p, err = st.canFactor(loop, factorAxis)
	}
	if err != nil {
		return 0, err.by(prim)
	}
	out := s.newBlock(st.index, st.factor(p))
	s.record(kindRFactor, []any{l}, []any{int64(factorAxis)}, []any{out}, nil)
	return out, nil
}

// factoring is a checked rfactor.
type factoring struct {
	id, loop nid
	loops    []nid // around the block, outermost first
	reduce   []nid // those bound to reduce iterators, loop excluded
	axis     int
	red      analysis.Reducer
}

func (st *state) canFactor(loop nid, axis int) (*factoring, *Error) {
	blocks := st.childBlocks(loop)
	if len(blocks) != 1 {
		return nil, refuse(SingleChild, st.where(loop), "%d blocks lie under it", len(blocks))
	}
	p := &factoring{id: blocks[0], loop: loop, loops: st.loopsOf(blocks[0])}
	if err := st.stagePipeline(st.scopeOf(p.id)); err != nil {
		return nil, err
	}
	if err := st.needReduction(p.id); err != nil {
		return nil, err
	}
	for n := p.id; n != p.loops[0]; n = st.at(n).parent {
		if st.at(st.at(n).parent).kind != kLoop {
			return nil, refuse(SingleChild, st.where(p.id), "a loop around it has more than one child")
		}
	}
	if l := &st.at(loop).loop; l.Kind != tir.Serial {
		return nil, refuse(LoopAnnotated, st.where(loop), "it is not serial")
	} else if !tir.IsConst(l.Min, 0) {
		return nil, refuse(LoopStart, st.where(loop), "it does not start at 0")
	}
	if err := st.loopKinds(p); err != nil {
		return nil, err
	}
	var why string
	if p.red, why = analysis.FindReducer(st.at(p.id).block); why != "" {
		return nil, refuse(Reducer, st.where(p.id), "%s", why)
	}
	n := len(p.red.Buffer.Shape)
	if p.axis = axis; axis < 0 {
		p.axis += n + 1
	}
	if p.axis < 0 || p.axis > n {
		return nil, refuse(BadArgument, st.where(p.id), "factor axis %d of a buffer of %d dimensions", axis, n)
	}
	return p, nil
}

// loopKinds sorts the loops by the iterators that they are bound to.
func (st *state) loopKinds(p *factoring) *Error {
	n := st.at(p.id)
	for _, l := range p.loops {
		spatial, reduce := false, 0
		for i, it := range n.block.Iters {
			if usesOne(n.values[i], st.at(l).loop.Var) {
				if it.Kind == tir.Reduce {
					reduce++
				} else {
					spatial = true
				}
			}
		}
		switch {
		case spatial && reduce > 0:
			return refuse(ReduceBinding, st.where(l), "it is bound to spatial and to reduce iterators")
		case l == p.loop && reduce == 0:
			return refuse(ReduceBinding, st.where(l), "it is bound to no reduce iterator")
		case reduce > 0 && l != p.loop:
			p.reduce = append(p.reduce, l)
		}
	}
	return nil
}

func (st *state) factor(p *factoring) nid {
	scope := st.scopeOf(p.id)
	l := st.at(p.loop).loop
	buf := *p.red.Buffer
	buf.Name += ".rf"
	buf.Shape = slices.Insert(slices.Clone(buf.Shape), p.axis, tir.NewCast(dimType(buf.Shape, l.Var), l.Extent))
	buf.Strides, buf.ElemOffset = nil, nil
	rf := &buf
	top, out := st.partial(p, rf)
	st.insertBefore(p.loops[0], top)
	st.final(p, rf)
	st.addAlloc(scope, rf)
	return out
}

func dimType(shape []tir.Expr, v *tir.Var) dtype.DType {
	if len(shape) > 0 {
		return shape[0].DType()
	}
	return v.Type
}

// partial adds the nest that reduces into rf: all loops, copied; the iterators
// of the block with the factored one split into an iterator per loop.
func (st *state) partial(p *factoring, rf *tir.Buffer) (top, id nid) {
	n := st.at(p.id)
	vars := make(map[*tir.Var]tir.Expr, len(p.loops))
	loops := make([]tir.For, len(p.loops))
	for i, l := range p.loops {
		loops[i] = st.at(l).loop
		v := tir.NewVar(loops[i].Var.Name, loops[i].Var.Type)
		vars[loops[i].Var] = v
		loops[i].Min, loops[i].Extent, loops[i].Var = tir.Substitute(loops[i].Min, vars), tir.Substitute(loops[i].Extent, vars), v
	}
	old := n.block
	b := &tir.Block{Name: old.Name + "_rf", Ann: old.Ann}
	var values []tir.Expr
	byLoop := map[*tir.Var]tir.Expr{} // loop variable → iterator of its own
	iters := map[*tir.Var]tir.Expr{}  // old iterator → expression
	addLoop := func(f *tir.For, kind tir.IterKind) {
		v := tir.NewVar("v"+f.Var.Name, f.Var.Type)
		b.Iters = append(b.Iters, &tir.IterVar{Var: v, Dom: tir.Range{Min: tir.IntOf(0, v.Type), Extent: f.Extent}, Kind: kind})
		values = append(values, f.Var)
		byLoop[f.Var] = v
	}
	factor := st.at(p.loop).loop
	addLoop(&factor, tir.Spatial)
	for i, it := range old.Iters {
		if it.Kind == tir.Spatial || !usesOne(n.values[i], factor.Var) {
			v := tir.NewVar(it.Var.Name, it.Var.Type)
			iters[it.Var] = v
			b.Iters = append(b.Iters, &tir.IterVar{Var: v, Dom: it.Dom, Kind: it.Kind})
			values = append(values, n.values[i])
			continue
		}
		for _, l := range p.loops {
			if f := st.at(l).loop; byLoop[f.Var] == nil && usesOne(n.values[i], f.Var) {
				addLoop(&f, tir.Reduce)
			}
		}
		iters[it.Var] = tir.Substitute(n.values[i], byLoop)
	}
	sub := func(e tir.Expr) tir.Expr { return tir.Substitute(e, iters) }
	idx := make([]tir.Expr, len(p.red.Indices))
	for i, e := range p.red.Indices {
		idx[i] = sub(e)
	}
	idx = slices.Insert(idx, p.axis, byLoop[factor.Var])
	for _, r := range old.Reads {
		b.Reads = append(b.Reads, mapRegion(r, sub))
	}
	b.Writes = []tir.Region{pointRegion(rf, idx)}
	body := &tir.Store{Buffer: rf, Value: sub(p.red.Value), Indices: idx}
	if slices.ContainsFunc(b.Iters, func(it *tir.IterVar) bool { return it.Kind == tir.Reduce }) {
		b.Init = &tir.Store{Buffer: rf, Value: p.red.Init, Indices: idx}
		body.Value = tir.Rebuild(p.red.Op, &tir.Load{Buffer: rf, Indices: idx}, body.Value)
	}
	b.Body = body
	return st.nest(loops, node{kind: kBlock, block: b, values: tir.SubstituteAll(values, vars), pred: tir.Substitute(n.pred, vars), affine: yes})
}

// final turns the block into the reduction of rf over the factored loop; loops
// bound to other reduce iterators go.
func (st *state) final(p *factoring, rf *tir.Buffer) {
	n := st.at(p.id)
	f := st.at(p.loop).loop
	old := n.block
	b := &tir.Block{Name: old.Name, Ann: old.Ann, Writes: nil}
	k := tir.NewVar("v"+f.Var.Name, f.Var.Type)
	b.Iters = []*tir.IterVar{{Var: k, Dom: tir.Range{Min: tir.IntOf(0, k.Type), Extent: f.Extent}, Kind: tir.Reduce}}
	values := []tir.Expr{f.Var}
	iters := map[*tir.Var]tir.Expr{}
	for i, it := range old.Iters {
		if it.Kind == tir.Spatial {
			v := tir.NewVar(it.Var.Name, it.Var.Type)
			iters[it.Var] = v
			b.Iters = append(b.Iters, &tir.IterVar{Var: v, Dom: it.Dom, Kind: it.Kind})
			values = append(values, n.values[i])
		}
	}
	sub := func(e tir.Expr) tir.Expr { return tir.Substitute(e, iters) }
	idx := tir.SubstituteAll(p.red.Indices, iters)
	far := slices.Insert(slices.Clone(idx), p.axis, tir.Expr(k))
	b.Reads = []tir.Region{pointRegion(rf, far)}
	for _, w := range old.Writes {
		b.Writes = append(b.Writes, mapRegion(w, sub))
	}
	b.Init = &tir.Store{Buffer: p.red.Buffer, Value: p.red.Init, Indices: idx}
	b.Body = &tir.Store{Buffer: p.red.Buffer, Value: tir.Rebuild(p.red.Op, &tir.Load{Buffer: p.red.Buffer, Indices: idx}, &tir.Load{Buffer: rf, Indices: far}), Indices: idx}
	// Conditions on the loops that stay are needed still: without them an
	// imperfect tile would store outside of the buffer. Partial results exist
	// where the loops that go can run at all, that is at their start.
	starts := map[*tir.Var]tir.Expr{}
	for _, l := range p.reduce {
		starts[st.at(l).loop.Var] = st.at(l).loop.Min
	}
	a := st.bindLoops(p.id)
	var pred tir.Expr = tir.True
	for _, c := range conjuncts(n.pred) {
		if c = tir.Substitute(c, starts); !a.CanProve(c) {
			pred = tir.And(pred, c)
		}
	}
	n.values, n.pred, n.affine = values, pred, yes
	st.setBlock(p.id, b)
	for _, l := range p.reduce {
		st.replace(l, st.at(l).kids[0])
		st.at(l).gone = "rfactor"
	}
}
