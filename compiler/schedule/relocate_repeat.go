package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// leavesOut refuses to move a consumer to where it would not run for all that it
// runs for now: it reads beyond what its producers make, for elements that a
// condition of its own keeps it from using.
func (st *state) leavesOut(p *relocation) *Error {
	n := st.at(p.id)
	if !tir.IsConst(n.pred, 1) {
		return nil
	}
	a := arith.NewAnalyzer()
	before, after := relaxer{a: a}, relaxer{a: a}
	st.run(&before, st.loopsOf(p.id))
	st.run(&after, append(st.loopsOf(p.loop), p.loop))
	for i, it := range n.block.Iters {
		d := p.doms[i].dom
		if !d.Bounded() {
			continue
		}
		old := before.eval(n.values[i])
		if below(old.Lo, after.eval(d.Lo).Lo) || below(after.eval(d.Hi).Hi, old.Hi) {
			return refuse(Producers, st.where(p.id), "what is produced for it under %s does not reach all of its iterator %s", st.where(p.loop), it.Var.Name)
		}
	}
	return nil
}

// below compares constants.
func below(x, y tir.Expr) bool {
	if x == nil || y == nil {
		return false
	}
	a, ok1 := tir.AsInt(x)
	b, ok2 := tir.AsInt(y)
	return ok1 && ok2 && a < b
}

// repeats refuses a place where a reduction would take in operands again: under
// a loop that none of its iterators follows, inside one that a reduce iterator
// follows. Around all such loops it merely starts afresh.
func (st *state) repeats(p *relocation) *Error {
	b := st.at(p.id).block
	if b.Init == nil {
		return nil
	}
	loops := append(st.loopsOf(p.loop), p.loop)
	reduced := slices.IndexFunc(loops, func(l nid) bool { return st.follows(p, l, tir.Reduce) })
	if reduced < 0 {
		return nil
	}
	for _, l := range loops[reduced:] {
		if !tir.IsConst(st.at(l).loop.Extent, 1) && !st.follows(p, l, tir.Reduce) && !st.follows(p, l, tir.Spatial) {
			return refuse(LoopPosition, st.where(l), "each of its iterations would repeat a part of the reduction %s", b.Name)
		}
	}
	return nil
}

// follows reports whether the new binding of an iterator of a kind uses a loop.
func (st *state) follows(p *relocation, l nid, kind tir.IterKind) bool {
	for i, it := range st.at(p.id).block.Iters {
		if it.Kind == kind && p.doms[i].dom.Lo != nil && usesOne(p.doms[i].dom.Lo, st.at(l).loop.Var) {
			return true
		}
	}
	return false
}
