package schedule

import (
	"fmt"
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// relocation is a checked compute_at or reverse_compute_at: block id leaves its
// loops and gets new ones under loop, just enough for what is needed there.
type relocation struct {
	id, loop, scope nid
	top             nid // what has to go with the block
	position        int // among the statements of the loop's body
	doms            []iterDomain
	a               *arith.Analyzer
}

// relocate checks a move. For compute_at (producer true) all consumers of the
// block must lie under the loop, for reverse_compute_at all producers.
func (st *state) relocate(id, loop nid, producer bool, index int) (*relocation, *Error) {
	if err := st.notRoot(id); err != nil {
		return nil, err
	}
	p := &relocation{id: id, loop: loop, scope: st.scopeOf(id)}
	if err := st.stagePipeline(p.scope); err != nil {
		return nil, err
	}
	if err := st.needCompleteOrReduction(id, p.scope); err != nil {
		return nil, err
	}
	switch {
	case st.scopeOf(loop) != p.scope:
		return nil, refuse(NotOneScope, st.where(loop), "it is not in the scope of %s", st.where(id))
	case st.within(id, loop):
		return nil, refuse(AncestorLoop, st.where(loop), "%s lies under it already", st.where(id))
	case producer && st.isOutput(id):
		return nil, refuse(OutputBlock, st.where(id), "it writes an output of its scope")
	}
	var err *Error
	if p.top, err = st.removable(id); err != nil {
		return nil, err
	}
	if !producer {
		if err := st.unconditional(p); err != nil {
			return nil, err
		}
	}
	cond := Producers
	if producer {
		cond = Consumers
	}
	if err := st.hidden(id, cond); err != nil {
		return nil, err
	}
	producers, consumers := st.producers(id), st.consumers(id)
	if err := st.findPosition(p, producers, consumers, producer, index); err != nil {
		return nil, err
	}
	if st.lost(id) {
		return nil, refuse(AffineBinding, st.where(id), "moving it would lose a condition that ties its reduce iterators together")
	}
	if l := st.namedLoop(id); l != none {
		return nil, refuse(IndexForm, st.where(id), "it names the variable of %s, which it leaves, otherwise than in a binding", st.where(l))
	}
	if err := st.solveDomains(p, producers, consumers, producer); err != nil {
		return nil, err
	}
	if !producer {
		if err := st.leavesOut(p); err != nil {
			return nil, err
		}
	}
	return p, st.repeats(p)
}

// unconditional refuses to move a consumer out of or into a condition.
func (st *state) unconditional(p *relocation) *Error {
	for _, from := range []nid{p.id, p.loop} {
		for n := st.at(from).parent; n != p.scope; n = st.at(n).parent {
			if st.at(n).kind == kOther {
				return refuse(LoopPosition, st.where(from), "it stands under a statement that is no loop")
			}
		}
	}
	return nil
}

// namedLoop is the first loop of the scope around a block whose variable the block
// names itself, in regions and views as in its statements; none when they all pass
// through its bindings.
func (st *state) namedLoop(id nid) nid {
	found := none
	loops := st.loopsOf(id)
	whole := &tir.BlockRealize{Predicate: tir.True, Block: st.fullBlock(st.at(id))}
	tir.WalkExprs(whole, func(e tir.Expr) bool {
		if v, ok := e.(*tir.Var); ok && found == none {
			if i := slices.IndexFunc(loops, func(l nid) bool { return st.at(l).loop.Var == v }); i >= 0 {
				found = loops[i]
			}
		}
		return found == none
	})
	return found
}

// findPosition chooses where among the statements of the loop's body the block
// goes: after every producer, before every consumer; -1 is the last such place,
// -2 the first.
func (st *state) findPosition(p *relocation, producers, consumers []nid, producer bool, index int) *Error {
	members := st.members(st.at(p.loop).kids[0])
	last, first := -1, len(members) // the last producer and the first consumer
	for i, m := range members {
		if slices.ContainsFunc(producers, func(b nid) bool { return st.within(b, m) }) {
			last = i
		}
		if first == len(members) && slices.ContainsFunc(consumers, func(b nid) bool { return st.within(b, m) }) {
			first = i
		}
	}
	if last >= first {
		return refuse(LoopPosition, st.where(p.loop), "a producer of %s stands after a consumer", st.where(p.id))
	}
	needed, cond, what := producers, Producers, "produces for"
	if producer {
		needed, cond, what = consumers, Consumers, "consumes from"
	}
	for _, b := range needed {
		if !st.within(b, p.loop) {
			return refuse(cond, st.where(b), "it %s %s and does not lie under %s", what, st.where(p.id), st.where(p.loop))
		}
	}
	switch {
	case index == -1:
		p.position = first
	case index == -2:
		p.position = last + 1
	case index > last && index <= first:
		p.position = index
	default:
		return refuse(BadArgument, st.where(p.loop), "index %d is not -1, -2 or from %d to %d", index, last+1, first)
	}
	return st.orderKept(p, producers, consumers)
}

// orderKept refuses a loop that comes before a producer or after a consumer
// which does not lie under it.
func (st *state) orderKept(p *relocation, producers, consumers []nid) *Error {
	seen := false // the blocks under the loop
	for _, b := range st.childBlocks(p.scope) {
		switch inside := st.within(b, p.loop); {
		case inside:
			seen = true
		case seen && slices.Contains(producers, b):
			return refuse(Producers, st.where(b), "it produces for %s and comes after %s", st.where(p.id), st.where(p.loop))
		case !seen && slices.Contains(consumers, b):
			return refuse(Consumers, st.where(b), "it consumes from %s and comes before %s", st.where(p.id), st.where(p.loop))
		}
	}
	return nil
}

// move performs the relocation; by names the primitive.
func (st *state) move(p *relocation, preserveUnits bool, by string) {
	n := st.at(p.id)
	var loops []tir.For
	values := make([]tir.Expr, len(p.doms))
	var pred tir.Expr = tir.True
	for i, d := range p.doms {
		rg := d.covered(n.block.Iters[i].Dom)
		values[i] = rg.Min
		if preserveUnits || !tir.IsConst(rg.Extent, 1) {
			t := rg.Extent.DType()
			if rg.Min.DType().Bits > t.Bits {
				t = rg.Min.DType()
			}
			v := tir.NewVar(fmt.Sprintf("ax%d", len(loops)), t)
			zero := tir.IntOf(0, t)
			loops = append(loops, tir.For{Var: v, Min: zero, Extent: p.a.Simplify(rg.Extent)})
			p.a.Bind(v, tir.Range{Min: zero, Extent: rg.Extent})
			values[i] = tir.Add(rg.Min, v)
		}
		pred = p.guard(pred, values[i], d)
	}
	kept := p.keepReduction(n, values, pred)
	st.detach(p, by)
	n.values, n.pred = values, p.a.Simplify(pred)
	top := p.id
	for i := len(loops) - 1; i >= 0; i-- {
		top = st.add(node{kind: kLoop, loop: loops[i], kids: []nid{top}})
	}
	st.touch(p.id)
	st.insertInto(p.loop, p.position, top)
	n.affine = factOf(st.computeAffine(p.id))
	if kept != pred { // leaving instances out keeps the others apart
		n.pred = p.a.Simplify(kept)
		st.touch(p.id)
	}
}

// guard adds the limits that are not proved.
func (p *relocation) guard(pred, value tir.Expr, d iterDomain) tir.Expr {
	bound := d.bound
	if !d.limited {
		return pred
	}
	if bound.Lo != nil {
		if c := tir.CompareFold(tir.OpGE, value, bound.Lo); !p.a.CanProve(c) {
			pred = tir.And(pred, c)
		}
	}
	if bound.Hi != nil {
		if c := tir.CompareFold(tir.OpLT, value, tir.Add(bound.Hi, tir.IntOf(1, bound.Hi.DType()))); !p.a.CanProve(c) {
			pred = tir.And(pred, c)
		}
	}
	return pred
}

// detach takes the block out of its place; its loops that held nothing else go.
func (st *state) detach(p *relocation, by string) {
	st.bury(p.top, p.id, by)
	// The block may stand beside the loop it moves under: the position counts
	// the statements of the loop's own body and is not touched by the cut.
	st.cut(p.top, by)
}
