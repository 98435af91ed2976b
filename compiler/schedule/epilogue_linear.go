package schedule

import (
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// epilogueAdds refuses what would compute something else: an epilogue that is
// more than a term added to the sum, one that does not use every element where it
// is made, and terms that are not there yet when the reduction starts.
func (st *state) epilogueAdds(p *epilogueFusion) *Error {
	b := st.at(p.red).block
	update := sumUpdate(b, p.sum)
	switch {
	case update == nil:
		return refuse(Reducer, st.where(p.red), "it is no sum from zero")
	case !p.linear:
		return refuse(BodyForm, st.where(p.epi), "it does more to %s than add to it, which every step of the reduction would repeat", p.sum.Name)
	case p.load == nil || !sameExprs(p.load.Indices, update.Indices) || !sameExprs(p.store.Indices, update.Indices):
		return refuse(IndexForm, st.where(p.epi), "it does not load and store where %s stores", st.where(p.red))
	}
	mine, theirs := spatialVars(b), spatialVars(st.at(p.epi).block)
	r := &relaxer{a: st.bindLoops(p.scope)}
	st.run(r, st.loopsOf(p.epi))
	for i, it := range theirs {
		if !arith.Same(mine[i].Dom.Min, it.Dom.Min) || !arith.Same(mine[i].Dom.Extent, it.Dom.Extent) {
			return refuse(IndexForm, st.where(p.epi), "the domain of %s is not that of %s", it.Var.Name, mine[i].Var.Name)
		}
	}
	for i, it := range st.at(p.epi).block.Iters {
		dom, in := arith.RangeInterval(it.Dom), r.eval(st.at(p.epi).values[i])
		if !st.isAffine(p.epi) || !in.Bounded() || !r.same(in.Lo, dom.Lo) || !r.same(in.Hi, dom.Hi) {
			return refuse(RegionCover, st.where(p.epi), "it may not run over all of its domain")
		}
	}
	return st.termsReady(p)
}

// sumUpdate is the body of a block that adds to elements of buf, which it sets to
// zero first; nil when it does something else.
func sumUpdate(b *tir.Block, buf *tir.Buffer) *tir.Store {
	init, ok1 := b.Init.(*tir.Store)
	body, ok2 := b.Body.(*tir.Store)
	if !ok1 || !ok2 || body.Buffer != buf || init.Buffer != buf || !sameExprs(init.Indices, body.Indices) || !arith.Same(init.Value, tir.Const(0, buf.Type)) {
		return nil
	}
	sum, ok := body.Value.(*tir.Binary)
	if !ok || sum.Op != tir.OpAdd {
		return nil
	}
	element := func(e tir.Expr) bool {
		l, ok := e.(*tir.Load)
		return ok && l.Buffer == buf && sameExprs(l.Indices, body.Indices)
	}
	if element(sum.A) && !tir.LoadsFrom(sum.B, buf) || element(sum.B) && !tir.LoadsFrom(sum.A, buf) {
		return body
	}
	return nil
}

func (r *relaxer) same(a, b tir.Expr) bool {
	return arith.Same(a, b) || r.a.CanProve(tir.CompareFold(tir.OpEQ, a, b))
}

func sameExprs(a, b []tir.Expr) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !arith.Same(a[i], b[i]) {
			return false
		}
	}
	return true
}

// termsReady refuses other users of the sum, and terms that are not made, all of
// them, when the reduction starts: the scope would be no stage pipeline then.
func (st *state) termsReady(p *epilogueFusion) *Error {
	for _, o := range st.readersOf(p.scope, p.sum) {
		if o != p.epi && o != p.red {
			return refuse(Consumers, st.where(o), "it uses %s too", p.sum.Name)
		}
	}
	after := st.clone()
	after.fuseEpilogue(p)
	if err := after.stagePipeline(p.scope); err != nil {
		return refuse(Producers, st.where(p.red), "what the epilogue adds is not all there when it starts")
	}
	return nil
}
