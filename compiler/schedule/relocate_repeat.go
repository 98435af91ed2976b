package schedule

import (
	"slices"

	"hone/compiler/tir"
)

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
