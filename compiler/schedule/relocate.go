package schedule

import (
	"fmt"
	"slices"
	"strings"

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

// iterDomain is what an iterator has to cover: the needed values, and the limits
// of its own domain while it is not known that these hold; open when nothing is
// needed.
type iterDomain struct{ dom, bound interval }

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
	sibs := st.siblings(id)
	if why := st.whyNotComplete(id, sibs); why != "" {
		if st.at(id).block.Init != nil {
			why = st.whyNotReduction(id, sibs)
		}
		if why != "" {
			return nil, refuse(CompleteOrReduction, st.where(id), "%s", why)
		}
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
	return p, st.solveDomains(p, producers, consumers, producer)
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
		if st.at(n).kind == kLoop && l.Kind == tir.ThreadBinding && sharedUnder(buf.Scope, l.Thread.Tag) {
			r.add(l.Var, arith.RangeInterval(tir.Range{Min: l.Min, Extent: l.Extent}))
		}
	}
	return r
}

// sharedUnder reports whether threads of an axis see one buffer of a scope.
func sharedUnder(scope, tag string) bool {
	switch {
	case strings.HasPrefix(scope, "shared"):
		return strings.HasPrefix(tag, "threadIdx.")
	case strings.HasPrefix(scope, "warp"):
		return tag == "threadIdx.x"
	}
	return false
}

// solveBuffer narrows the iterators by one region: by the exact inverse of its
// indices when they are a bijective map, else dimension by dimension.
func (st *state) solveBuffer(p *relocation, b *tir.Block, rg tir.Region, need []interval, doms []iterDomain) *Error {
	vars, iterDoms := iterDomains(b)
	idx := make([]tir.Expr, len(rg.Ranges))
	single := true
	for i, x := range rg.Ranges {
		idx[i] = x.Min
		single = single && tir.IsConst(x.Extent, 1)
	}
	r := relaxer{a: st.relaxOver(p.id, p.loop).a}
	if single && bounded(need) {
		if inv, ok := invertIndices(idx, vars, iterDoms); ok && fullDims(idx, vars, iterDoms, rg.Buffer, r.a) {
			for i, at := range inv.at {
				r.add(at, need[i])
			}
			for i, v := range vars {
				if in := r.eval(inv.values[v]); in.Bounded() {
					doms[i].union(r.a, in, arith.RangeInterval(iterDoms[i]))
				}
			}
			return nil
		}
	}
	for d, x := range rg.Ranges {
		if err := st.solveDim(p, b, rg.Buffer, d, arith.RangeInterval(x), need[d], doms, r.a); err != nil {
			return err
		}
	}
	return nil
}

func bounded(ins []interval) bool {
	for _, in := range ins {
		if !in.Bounded() {
			return false
		}
	}
	return true
}

// fullDims reports whether indices fill the buffer, as a bijection must.
func fullDims(idx []tir.Expr, vars []*tir.Var, doms []tir.Range, buf *tir.Buffer, a *arith.Analyzer) bool {
	r := relaxer{a: a}
	for i, v := range vars {
		r.add(v, arith.RangeInterval(doms[i]))
	}
	for i, e := range idx {
		in := r.eval(e)
		if !in.Bounded() || !tir.IsConst(a.Simplify(in.Lo), 0) || !arith.Same(rangeOf(in, a).Extent, buf.Shape[i]) {
			return false
		}
	}
	return true
}

// union adds values that are needed, within the given limits.
func (d *iterDomain) union(a *arith.Analyzer, need, bound interval) {
	r := relaxer{a: a}
	if d.dom.Bounded() {
		need, bound = r.union(d.dom, need), r.union(d.bound, bound)
	}
	d.dom, d.bound = need, bound
}

// solveDim narrows the iterator that one dimension of the region names.
func (st *state) solveDim(p *relocation, b *tir.Block, buf *tir.Buffer, d int, own, need interval, doms []iterDomain, a *arith.Analyzer) *Error {
	lo, hi := a.Simplify(own.Lo), a.Simplify(own.Hi)
	pattern := func(op tir.BinOp) (*tir.Var, tir.Expr) {
		x, ok := lo.(*tir.Binary)
		if !ok || x.Op != op {
			return nil, nil
		}
		if v, ok := x.A.(*tir.Var); ok {
			return v, x.B
		}
		if v, ok := x.B.(*tir.Var); ok && op == tir.OpMul {
			return v, x.A
		}
		return nil, nil
	}
	find := func(v *tir.Var) int {
		for i, it := range b.Iters {
			if it.Var == v {
				return i
			}
		}
		return -1
	}
	if v, c := pattern(tir.OpMul); v != nil && need.Bounded() {
		if i := find(v); i >= 0 {
			doms[i].union(a, span(tir.FloorDiv(need.Lo, c), tir.FloorDiv(need.Hi, c)), arith.RangeInterval(b.Iters[i].Dom))
			return nil
		}
	}
	if !need.Bounded() {
		return nil // the whole dimension is needed: no constraint
	}
	same := arith.Same(lo, hi)
	if v, ok := lo.(*tir.Var); ok && same {
		if i := find(v); i >= 0 {
			doms[i].union(a, need, arith.RangeInterval(b.Iters[i].Dom))
			return nil
		}
	}
	if v, c := pattern(tir.OpFloorDiv); v != nil && same {
		if i := find(v); i >= 0 {
			up := func(e tir.Expr) tir.Expr { return tir.Add(tir.Mul(e, c), tir.Sub(c, tir.IntOf(1, c.DType()))) }
			doms[i].union(a, span(tir.Mul(need.Lo, c), up(need.Hi)), arith.RangeInterval(b.Iters[i].Dom))
			return nil
		}
	}
	if v, _ := pattern(tir.OpFloorMod); v != nil && same && find(v) >= 0 {
		return nil
	}
	if !tir.UsesVar(lo, func(v *tir.Var) bool { return find(v) >= 0 }) && !tir.UsesVar(hi, func(v *tir.Var) bool { return find(v) >= 0 }) {
		return nil // a constant index constrains no iterator
	}
	return refuse(IndexForm, st.where(p.id), "its index %d of %s is not an iterator, a multiple or a quotient of one", d, buf.Name)
}

// settle decides between needed values and limits: where one lies in the other
// no condition is left; a constant overlap becomes the domain.
func settle(a *arith.Analyzer, d iterDomain, whole interval) iterDomain {
	if !d.dom.Bounded() {
		return iterDomain{dom: simplified(a, whole)}
	}
	dom, bound := simplified(a, d.dom), simplified(a, d.bound)
	r := relaxer{a: a}
	meet := simplified(a, span(r.larger(dom.Lo, bound.Lo), r.smaller(dom.Hi, bound.Hi)))
	eq := func(x, y tir.Expr) bool {
		x, y = tir.MatchTypes(x, y)
		return arith.Same(x, y) || a.CanProve(tir.CompareFold(tir.OpEQ, x, y))
	}
	_, c1 := tir.AsInt(meet.Lo)
	_, c2 := tir.AsInt(meet.Hi)
	switch {
	case eq(dom.Lo, meet.Lo) && eq(dom.Hi, meet.Hi):
		return iterDomain{dom: dom}
	case eq(bound.Lo, meet.Lo) && eq(bound.Hi, meet.Hi):
		return iterDomain{dom: bound}
	case c1 && c2:
		return iterDomain{dom: meet}
	}
	return iterDomain{dom, bound}
}

func simplified(a *arith.Analyzer, in interval) interval {
	if in.IsPoint() {
		return arith.Point(a.Simplify(in.Lo))
	}
	return span(a.Simplify(in.Lo), a.Simplify(in.Hi))
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
	st.detach(p, by)
	n.values, n.pred = values, p.a.Simplify(pred)
	top := p.id
	for i := len(loops) - 1; i >= 0; i-- {
		top = st.add(node{kind: kLoop, loop: loops[i], kids: []nid{top}})
	}
	st.touch(p.id)
	st.insertInto(p.loop, p.position, top)
	n.affine = factOf(st.computeAffine(p.id))
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
