package schedule

import (
	"hone/compiler/tir"
)

//	R: init t[i] = 0; t[i] += a[i, k]   →   R: init d[i] = 0 + b[i]
//	E: d[i] = t[i] + b[i]                      d[i] += a[i, k]
//
// That holds for what a sum is added to. The reference also takes epilogues such
// as max(t + b, 0), which it then applies after every step of the reduction, and
// does not ask whether anything else would change.

var kindFuseReductionEpilogue = define(Kind{
	Name: "FuseReductionEpilogue", Doc: "makes a reduction start from what an epilogue adds to it",
	Params: "reduction_block, epilogue_block",
	In:     []Slot{{Name: "reduction_block", Kind: SlotBlock}, {Name: "epilogue_block", Kind: SlotBlock}},
	Refuses: []Condition{RootBlock, NotOneScope, StagePipeline, SingleWriter, ReductionBlock, CompleteBlock, OutputBlock, Predicate,
		BodyForm, SingleAccess, IterKind, IndexForm, Reducer, Consumers, Producers, RegionCover},
})

func init() {
	kindFuseReductionEpilogue.Apply = func(s *Schedule, c Call) error {
		return s.FuseReductionEpilogue(c.block(0), c.block(1))
	}
}

// AllowNonlinearEpilogues makes FuseReductionEpilogue accept all that the reference
// accepts, with its results, which need not compute what the function did. Without
// it only sums of the reduction and other terms are accepted.
func (s *Schedule) AllowNonlinearEpilogues() { s.anyEpilogue = true }

// FuseReductionEpilogue removes the epilogue, a complete block that adds
// something to what the reduction computes, and makes the reduction start from it
// and write where the epilogue wrote. The scope must be a stage pipeline, the
// reduction a sum that nothing else uses, and both run over the same spatial
// domain, element by element.
func (s *Schedule) FuseReductionEpilogue(reduction, epilogue BlockRV) error {
	const prim = "fuse_reduction_epilogue"
	st, red, err := s.block(reduction)
	if err != nil {
		return err.by(prim)
	}
	st2, epi, err := s.block(epilogue)
	var p *epilogueFusion
	switch {
	case err != nil:
	case st2 != st:
		err = refuse(NotOneScope, st2.where(epi), "it belongs to another function")
	default:
		p, err = st.canFuseEpilogue(red, epi)
	}
	if err == nil && !s.anyEpilogue {
		err = st.epilogueAdds(p)
	}
	if err != nil {
		return err.by(prim)
	}
	st.fuseEpilogue(p)
	s.record(kindFuseReductionEpilogue, []any{reduction, epilogue}, nil, nil, nil)
	return nil
}

// epilogueFusion is a checked fuse_reduction_epilogue.
type epilogueFusion struct {
	red, epi, scope nid
	sum             *tir.Buffer
	store           *tir.Store // of the epilogue, over the iterators of the reduction
	reads           []tir.Region
	load            *tir.Load // of the sum, in store
	block           *tir.Block
	linear          bool // every update is that of the reduction
}

func (st *state) canFuseEpilogue(red, epi nid) (*epilogueFusion, *Error) {
	if err := st.notRoot(epi); err != nil {
		return nil, err
	}
	p := &epilogueFusion{red: red, epi: epi, scope: st.scopeOf(epi)}
	if err := st.stagePipeline(p.scope); err != nil {
		return nil, err
	}
	b := st.at(red).block
	switch {
	case red == st.root || st.scopeOf(red) != p.scope:
		return nil, refuse(NotOneScope, st.where(red), "it is not in the scope of %s", st.where(epi))
	case len(b.Writes) != 1:
		return nil, refuse(SingleWriter, st.where(red), "it writes %d buffers", len(b.Writes))
	}
	p.sum = b.Writes[0].Buffer
	if err := st.needReduction(red); err != nil {
		return nil, err
	}
	if err := st.needComplete(epi); err != nil {
		return nil, err
	}
	if st.isOutput(red) {
		return nil, refuse(OutputBlock, st.where(red), "it writes an output of its scope")
	}
	if err := st.epilogueForm(p); err != nil {
		return nil, err
	}
	p.block, p.linear = p.fused(b)
	return p, nil
}

// epilogueForm reads the epilogue over the iterators of the reduction.
func (st *state) epilogueForm(p *epilogueFusion) *Error {
	n := st.at(p.epi)
	store, ok := n.block.Body.(*tir.Store)
	switch {
	case !tir.IsConst(n.pred, 1):
		return refuse(Predicate, st.where(p.epi), "it has a predicate")
	case !ok || len(n.kids) > 0:
		return refuse(BodyForm, st.where(p.epi), "its body is not a single store")
	}
	mine, theirs := spatialVars(st.at(p.red).block), spatialVars(n.block)
	if len(mine) == len(st.at(p.red).block.Iters) {
		return refuse(IterKind, st.where(p.red), "it has no reduce iterator")
	}
	loads := 0
	scaled := false
	see := func(e tir.Expr) {
		tir.Walk(e, func(e tir.Expr) bool {
			if l, ok := e.(*tir.Load); ok && l.Buffer == p.sum {
				loads++
			}
			b, ok := e.(*tir.Binary)
			scaled = scaled || ok && scales(b.Op) && (tir.LoadsFrom(b.A, p.sum) || tir.LoadsFrom(b.B, p.sum))
			return true
		})
	}
	for _, e := range store.Indices {
		see(e)
	}
	scaled = false
	see(store.Value)
	switch {
	case loads != 1:
		return refuse(SingleAccess, st.where(p.epi), "it loads %s %d times, want once", p.sum.Name, loads)
	case scaled:
		return refuse(BodyForm, st.where(p.epi), "it multiplies or divides by %s", p.sum.Name)
	case len(store.Indices) != len(p.sum.Shape):
		return refuse(IndexForm, st.where(p.epi), "%s and %s have different ranks", store.Buffer.Name, p.sum.Name)
	case len(mine) != len(theirs):
		return refuse(IndexForm, st.where(p.epi), "it has %d spatial iterators, %s has %d", len(theirs), st.where(p.red), len(mine))
	}
	sub := map[*tir.Var]tir.Expr{}
	for i, it := range theirs {
		sub[it.Var] = mine[i].Var
	}
	over := func(e tir.Expr) tir.Expr { return tir.Substitute(e, sub) }
	p.store = tir.SubstituteStmt(store, sub).(*tir.Store)
	for _, r := range n.block.Reads {
		if r.Buffer != p.sum {
			p.reads = append(p.reads, mapRegion(r, over))
		}
	}
	tir.Walk(p.store.Value, func(e tir.Expr) bool {
		if l, ok := e.(*tir.Load); ok && l.Buffer == p.sum {
			p.load = l
		}
		return true
	})
	return nil
}

func scales(op tir.BinOp) bool { return op == tir.OpMul || op == tir.OpDiv || op == tir.OpMod }

func spatialVars(b *tir.Block) []*tir.IterVar {
	var out []*tir.IterVar
	for _, it := range b.Iters {
		if it.Kind == tir.Spatial {
			out = append(out, it)
		}
	}
	return out
}
