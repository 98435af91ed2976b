package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

//	for i in n: for j in m: A(i, j)   →   for i_m in n: for j_m in m:
//	for p in n: for q in m: B(p, q)           A(i_m, j_m)
//	                                          B(i_m, j_m)

var kindMerge = define(Kind{
	Name: "Merge", Doc: "makes one nest of nests beside each other",
	Params: "*loops",
	In:     []Slot{{Name: "loops", Kind: SlotLoop, Many: true}}, Out: OutLoop,
	Refuses: []Condition{LoopAnnotated, LoopStart, SingleChild, NotOneScope, RepeatedLoop, LoopPosition, EqualExtents, Dependence},
})

func init() {
	kindMerge.Apply = func(s *Schedule, c Call) error { _, err := s.Merge(c.loopsFrom(0)...); return err }
}

// Merge makes one nest of the nests that end in the given loops and start side
// by side. They must be equally deep, each loop but the last with a single child,
// all starting at zero, with equal extents, without annotation or thread binding.
// The bodies follow one another in the order of the arguments, where the last
// nest stood. A merge that would let a block see values of another iteration than
// it did is refused. The result is the innermost new loop.
func (s *Schedule) Merge(ls ...LoopRV) (LoopRV, error) {
	const prim = "merge"
	if len(ls) < 2 {
		return 0, refuse(BadArgument, "", "%d loops given, want two or more", len(ls)).by(prim)
	}
	st, ids, err := s.loops(ls)
	var nests []nest
	if err == nil {
		nests, err = st.canMerge(ids)
	}
	if err == nil {
		err = st.mergeKeepsOrder(nests)
	}
	if err != nil {
		return 0, err.by(prim)
	}
	out := s.newLoop(st.index, st.merge(nests))
	s.record(kindMerge, loopOutputs(ls), nil, []any{out}, nil)
	return out, nil
}

// nest is a chain of loops, outermost first.
type nest []nid

func (n nest) top() nid   { return n[0] }
func (n nest) inner() nid { return n[len(n)-1] }

func (st *state) canMerge(ids []nid) ([]nest, *Error) {
	lca := ids[0]
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return nil, refuse(RepeatedLoop, st.where(id), "it is named twice")
		}
		lca = st.lca(lca, id)
	}
	nests := make([]nest, len(ids))
	for i, id := range ids {
		for n := id; n != lca; n = st.at(n).parent {
			if st.at(n).kind != kLoop {
				continue
			}
			if err := st.plainLoop(n); err != nil {
				return nil, err
			}
			nests[i] = append(nests[i], n)
		}
		slices.Reverse(nests[i])
		for j, n := range nests[i] {
			if j > 0 && st.at(n).parent != nests[i][j-1] {
				return nil, refuse(SingleChild, st.where(nests[i][j-1]), "%s is not its only child", st.where(n))
			}
		}
		if err := st.sameShape(nests[0], nests[i], ids[0], id); err != nil {
			return nil, err
		}
	}
	for i, n := range nests {
		if len(n) == 0 || st.at(lca).kind != kSeq || st.at(n.top()).parent != lca {
			return nil, refuse(LoopPosition, st.where(ids[i]), "its nest does not stand beside the others")
		}
	}
	return nests, nil
}

// sameShape compares the scopes, depths and extents of two nests.
func (st *state) sameShape(a, b nest, x, y nid) *Error {
	switch {
	case st.scopeOf(x) != st.scopeOf(y):
		return refuse(NotOneScope, st.where(y), "it is not in the scope of %s", st.where(x))
	case len(a) != len(b):
		return refuse(LoopPosition, st.where(y), "its nest is %d loops deep, that of %s %d", len(b), st.where(x), len(a))
	}
	for i := range a {
		e, f := st.at(a[i]).loop.Extent, st.at(b[i]).loop.Extent
		if e.DType() != f.DType() || !arith.Same(e, f) && !st.free().CanProve(tir.CompareFold(tir.OpEQ, e, f)) {
			return refuse(EqualExtents, st.where(b[i]), "its extent differs from that of %s", st.where(a[i]))
		}
	}
	return nil
}

func (st *state) merge(nests []nest) nid {
	vars := make([]*tir.Var, len(nests[0]))
	for i, id := range nests[0] {
		v := st.at(id).loop.Var
		vars[i] = tir.NewVar(v.Name+"_m", v.Type)
	}
	bodies := make([]nid, len(nests))
	for i, n := range nests {
		r := rename{st: st, by: make([]tir.Expr, len(n)), scope: st.scopeOf(n.top()), units: true, plain: true}
		for j, id := range n {
			r.vars = append(r.vars, st.at(id).loop.Var)
			r.by[j] = vars[j]
		}
		bodies[i] = st.at(n.inner()).kids[0]
		r.below(bodies[i])
	}
	inner := st.add(node{kind: kSeq, kids: st.flatten(bodies)})
	var out nid
	for j := len(vars) - 1; j >= 0; j-- {
		l := tir.For{Var: vars[j], Min: tir.IntOf(0, vars[j].Type), Extent: st.at(nests[0][j]).loop.Extent}
		inner = st.add(node{kind: kLoop, loop: l, kids: []nid{inner}})
		if j == len(vars)-1 {
			out = inner
		}
	}
	last := len(nests) - 1
	st.replace(nests[last].top(), inner)
	for _, n := range nests {
		for _, id := range n {
			st.at(id).gone = "merge"
		}
	}
	for _, n := range nests[:last] {
		st.cut(n.top(), "merge")
	}
	return out
}
