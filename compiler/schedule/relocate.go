package schedule

import (
	"fmt"
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
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
	if p.top = st.emptied(id); p.top == none {
		return nil, refuse(OnlyLeaf, st.where(id), "it is the only block of its scope")
	}
	producers, consumers := st.producers(id), st.consumers(id)
	if err := st.findPosition(p, producers, consumers, producer, index); err != nil {
		return nil, err
	}
	if st.lost(id) {
		return nil, refuse(AffineBinding, st.where(id), "moving it would lose a condition that ties its reduce iterators together")
	}
	if err := st.solveDomains(p, producers, consumers, producer); err != nil {
		return nil, err
	}
	return p, st.repeats(p)
}

// findPosition chooses where among the statements of the loop's body the block
// goes: after every producer, before every consumer; -1 is the last such place,
// -2 the first.
func (st *state) findPosition(p *relocation, producers, consumers []nid, producer bool, index int) *Error {
	members := st.members(st.at(p.loop).kids[0])
	lastProducer, firstConsumer := -1, len(members)
	visited := func(list []nid, cond Condition, what string, need bool, mark func(i int)) *Error {
		for _, b := range list {
			if !st.within(b, p.loop) {
				if need {
					return refuse(cond, st.where(b), "it %s %s and does not lie under %s", what, st.where(p.id), st.where(p.loop))
				}
				continue
			}
			for i, m := range members {
				if st.within(b, m) {
					mark(i)
				}
			}
		}
		return nil
	}
	if err := visited(producers, Producers, "produces for", !producer, func(i int) { lastProducer = max(lastProducer, i) }); err != nil {
		return err
	}
	if err := visited(consumers, Consumers, "consumes from", producer, func(i int) { firstConsumer = min(firstConsumer, i) }); err != nil {
		return err
	}
	if err := st.orderKept(p, producers, consumers); err != nil {
		return err
	}
	switch {
	case lastProducer >= firstConsumer:
		return refuse(LoopPosition, st.where(p.loop), "a producer of %s stands after a consumer", st.where(p.id))
	case index == -1:
		p.position = firstConsumer
	case index == -2:
		p.position = lastProducer + 1
	case index > lastProducer && index <= firstConsumer:
		p.position = index
	default:
		return refuse(BadArgument, st.where(p.loop), "index %d is not -1, -2 or from %d to %d", index, lastProducer+1, firstConsumer)
	}
	return nil
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

// solveDomains finds the values that every iterator must cover: those for which
// what the block touches meets what the other side touches under the loop.
func (st *state) solveDomains(p *relocation, producers, consumers []nid, producer bool) *Error {
	b := st.at(p.id).block
	own, others := b.Writes, consumers
	if !producer {
		own, others = b.Reads, producers
	}
	doms := make([]iterDomain, len(b.Iters))
	for _, rg := range own {
		var need []interval
		for _, o := range others {
			ob := st.at(o).block
			theirs := ob.Reads
			if !producer {
				theirs = ob.Writes
			}
			t := region(theirs, rg.Buffer)
			if t == nil {
				continue
			}
			r := st.relaxThreads(o, p.loop, rg.Buffer, producer)
			got := st.boundIntervals(o, r, t.Ranges)
			for d := range got {
				if need != nil {
					got[d] = r.union(need[d], got[d])
				}
			}
			need = got
		}
		if need == nil {
			continue
		}
		if err := st.solveBuffer(p, b, rg, need, doms); err != nil {
			return err
		}
	}
	p.a = st.relaxOver(p.id, p.loop).a
	for i := range doms {
		doms[i] = settle(p.a, doms[i], arith.RangeInterval(b.Iters[i].Dom))
	}
	p.doms = doms
	return nil
}

// boundIntervals evaluates a region of block id with its bindings put in.
func (st *state) boundIntervals(id nid, r *relaxer, ranges []tir.Range) []interval {
	n := st.at(id)
	sub := make(map[*tir.Var]tir.Expr, len(n.values))
	for i, it := range n.block.Iters {
		sub[it.Var] = n.values[i]
	}
	out := make([]interval, len(ranges))
	for i, x := range ranges {
		in := arith.RangeInterval(x)
		lo := r.eval(tir.Substitute(in.Lo, sub))
		if !in.IsPoint() {
			lo.Hi = r.eval(tir.Substitute(in.Hi, sub)).Hi
		}
		out[i] = lo
	}
	return out
}

// relaxThreads is relaxOver; a producer whose buffer is shared by threads must
// cover what all of them need, so the loops of these threads run too.
func (st *state) relaxThreads(o, loop nid, buf *tir.Buffer, producer bool) *relaxer {
	r := st.relaxOver(o, loop)
	if !producer {
		return r
	}
	for n := loop; n != none; n = st.at(n).parent {
		l := &st.at(n).loop
		if st.at(n).kind == kLoop && l.Kind == tir.ThreadBinding && analysis.SharedByThread(buf.Scope, l.Thread.Tag) {
			r.add(l.Var, arith.RangeInterval(tir.Range{Min: l.Min, Extent: l.Extent}))
		}
	}
	return r
}

// move performs the relocation; by names the primitive.
func (st *state) move(p *relocation, preserveUnits bool, by string) {
	n := st.at(p.id)
	var loops []tir.For
	values := make([]tir.Expr, len(p.doms))
	var pred tir.Expr = tir.True
	for i, d := range p.doms {
		rg := rangeOf(d.dom, p.a)
		values[i] = rg.Min
		if preserveUnits || !tir.IsConst(rg.Extent, 1) {
			t := rg.Extent.DType()
			if rg.Min.DType().Bits > t.Bits {
				t = rg.Min.DType()
			}
			v := tir.NewVar(fmt.Sprintf("ax%d", len(loops)), t)
			zero := tir.IntOf(0, t)
			loops = append(loops, tir.For{Var: v, Min: zero, Extent: rg.Extent})
			p.a.Bind(v, tir.Range{Min: zero, Extent: rg.Extent})
			values[i] = tir.Add(rg.Min, v)
		}
		pred = p.guard(pred, values[i], d.bound)
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
func (p *relocation) guard(pred, value tir.Expr, bound interval) tir.Expr {
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
