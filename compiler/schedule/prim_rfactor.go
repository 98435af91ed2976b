package schedule

import (
	"slices"

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
	Refuses: []Condition{SingleChild, StagePipeline, ReductionBlock, LoopAnnotated, LoopStart, LoopPosition, ReduceBinding, Reducer, BadArgument},
})

func init() {
	kindRFactor.Apply = func(s *Schedule, c Call) error { _, err := s.RFactor(c.loop(0), c.int(0)); return err }
}

// RFactor makes the iterations of l, a serial loop, reduce into elements of their
// own of new buffers <buffer>.rf, which have the extent of l as their dimension
// factorAxis (negative: from the end), and adds a block that reduces these. The
// block below l is the only one there and the first one of its nest, a reduction
// block of a stage pipeline, of a kind that analysis.FindReducer knows. No loop is
// bound to spatial and reduce iterators both, and l to no spatial one. It returns
// the block <block>_rf; the handle of the block is the final one.
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
	partial  []*tir.Buffer // one for each of red's
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
	if l := &st.at(loop).loop; l.Kind != tir.Serial {
		return nil, refuse(LoopAnnotated, st.where(loop), "it is not serial")
	} else if !tir.IsConst(l.Min, 0) {
		return nil, refuse(LoopStart, st.where(loop), "it does not start at 0")
	}
	if err := st.factorLoops(p); err != nil {
		return nil, err
	}
	var why string
	if p.red, why = analysis.FindReducer(st.at(p.id).block); why != "" {
		return nil, refuse(Reducer, st.where(p.id), "%s", why)
	}
	for _, w := range st.at(p.id).block.Writes {
		if !slices.Contains(p.red.Buffers, w.Buffer) {
			return nil, refuse(Reducer, st.where(p.id), "it declares to write %s, which it does not reduce into", w.Buffer.Name)
		}
	}
	n := len(p.red.Indices)
	if p.axis = axis; axis < 0 {
		p.axis += n + 1
	}
	if p.axis < 0 || p.axis > n {
		return nil, refuse(BadArgument, st.where(p.id), "factor axis %d of a buffer of %d dimensions", axis, n)
	}
	return p, nil
}

// factorLoops sorts the loops by the iterators that they are bound to and
// refuses nests that cannot be computed twice, once with all loops and once
// without those of reductions.
func (st *state) factorLoops(p *factoring) *Error {
	if first := st.childBlocks(p.loops[0])[0]; first != p.id {
		return refuse(LoopPosition, st.where(p.loops[0]), "%s comes before %s", st.where(first), st.where(p.id))
	}
	if err := st.alone(p); err != nil {
		return err
	}
	n := st.at(p.id)
	reducing := false // the loops from here on repeat the updates of one element
	for _, id := range p.loops {
		l := &st.at(id).loop
		bound := map[tir.IterKind]bool{}
		for i, it := range n.block.Iters {
			bound[it.Kind] = bound[it.Kind] || usesOne(n.values[i], l.Var)
		}
		switch {
		case bound[tir.Spatial] && bound[tir.Reduce]:
			return refuse(ReduceBinding, st.where(id), "it is bound to spatial and to reduce iterators")
		case bound[tir.Spatial] && id == p.loop:
			return refuse(ReduceBinding, st.where(id), "it is bound to a spatial iterator")
		case bound[tir.Spatial]:
		case bound[tir.Reduce]:
			if k := len(st.childBlocks(id)); !reducing && k != 1 {
				return refuse(SingleChild, st.where(id), "%d blocks lie under it, the outermost loop of the reduction", k)
			}
			reducing = true
			if id != p.loop {
				p.reduce = append(p.reduce, id)
			}
		case id == p.loop && !tir.IsConst(l.Extent, 1):
			// The initialiser starts the reduction anew in each of its iterations.
			return refuse(ReduceBinding, st.where(id), "it is bound to no iterator")
		case reducing && !tir.IsConst(l.Extent, 1):
			return refuse(LoopPosition, st.where(id), "it lies under a loop of the reduction and no iterator is bound to it")
		}
	}
	return nil
}

// alone refuses a block beside which other statements than loops stand within its
// nest.
func (st *state) alone(p *factoring) *Error {
	for id := p.id; id != p.loops[0]; {
		up := st.at(id).parent
		for _, k := range st.at(up).kids {
			if k != id && st.at(k).kind != kLoop {
				return refuse(SingleChild, st.where(p.loops[0]), "beside %s stands a statement that is no loop", st.where(p.id))
			}
		}
		id = up
	}
	return nil
}
