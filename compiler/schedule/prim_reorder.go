package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// Loops that are not named keep their places; the named ones are permuted among
// theirs:  i, x, j  reordered as (j, i)  gives  j, x, i.

var kindReorder = define(Kind{
	Name: "Reorder", Doc: "permutes nested loops",
	Params:  "*ordered_loops",
	In:      []Slot{{Name: "ordered_loops", Kind: SlotLoop, Many: true}},
	Refuses: []Condition{RepeatedLoop, NotOneChain, NotOneScope, SingleChild, IterKind, AffineBinding, DependentDomain, Dependence},
})

func init() {
	kindReorder.Apply = func(s *Schedule, c Call) error { return s.Reorder(c.loopsFrom(0)...) }
}

// Reorder permutes loops of one nest into the given order. Between the
// outermost and the innermost of them every loop has a single child, no domain
// may come to depend on an inner loop, and the blocks below have only spatial
// and reduce iterators and bindings that are affine, if not in all loops then in
// those from the outermost named one inwards. Fewer than two loops are left as
// they are.
func (s *Schedule) Reorder(ls ...LoopRV) error {
	if len(ls) > 0 {
		st, ids, err := s.loops(ls)
		var chain, order []nid
		if err == nil && len(ids) > 1 {
			chain, order, err = st.reordered(ids)
		}
		if err != nil {
			return err.by("reorder")
		}
		if len(chain) > 0 {
			st.reorder(chain, order)
		}
	}
	s.record(kindReorder, loopOutputs(ls), nil, nil, nil)
	return nil
}

// reordered returns the nest from the outermost to the innermost named loop as
// it is and as it shall be.
func (st *state) reordered(ids []nid) (chain, order []nid, err *Error) {
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return nil, nil, refuse(RepeatedLoop, st.where(id), "it is named twice")
		}
	}
	bottom := ids[0]
	for _, id := range ids[1:] {
		switch {
		case st.within(id, bottom):
			bottom = id
		case !st.within(bottom, id):
			return nil, nil, refuse(NotOneChain, st.where(id), "it is not nested with %s", st.where(bottom))
		}
	}
	left := len(ids)
	for n := bottom; ; n = st.at(n).parent {
		switch st.at(n).kind {
		case kBlock:
			return nil, nil, refuse(NotOneScope, st.where(n), "it lies between the loops")
		case kLoop:
		default:
			return nil, nil, refuse(SingleChild, st.where(st.at(n).parent), "it has more than one child")
		}
		chain = append(chain, n)
		if slices.Contains(ids, n) {
			left--
		}
		if left == 0 {
			break
		}
	}
	slices.Reverse(chain)
	order = slices.Clone(chain)
	next := 0
	for i, n := range chain {
		if slices.Contains(ids, n) {
			order[i] = ids[next]
			next++
		}
	}
	if err := st.blocksReorderable(chain[0]); err != nil {
		return nil, nil, err
	}
	if err := st.domainsFit(order); err != nil {
		return nil, nil, err
	}
	if err := st.startsKept(chain, order); err != nil {
		return nil, nil, err
	}
	return chain, order, st.repeatsReduction(order)
}

// startsKept refuses an order in which a reduction would not begin at its first
// element: when loops feed a reduce iterator and a spatial one together, as those
// of a fused nest that was split elsewhere, only their own order visits it first.
func (st *state) startsKept(chain, order []nid) *Error {
	for _, b := range st.childBlocks(chain[0]) {
		n := st.at(b)
		for i, it := range n.block.Iters {
			if it.Kind != tir.Reduce || n.block.Init == nil {
				continue
			}
			feeds := func(l nid) bool { return usesOne(n.values[i], st.at(l).loop.Var) }
			if st.feedSpatial(n, chain, feeds) && !slices.Equal(keep(chain, feeds), keep(order, feeds)) {
				return refuse(Dependence, st.where(b), "its reduction over %s would not begin at the first element", it.Var.Name)
			}
		}
	}
	return nil
}

// repeatsReduction refuses an order that puts a loop which no iterator of a
// reduction follows inside one that its reduce iterators follow: outside it
// starts the reduction afresh, inside it would take operands in again.
func (st *state) repeatsReduction(order []nid) *Error {
	for _, b := range st.childBlocks(order[0]) {
		n := st.at(b)
		if n.block.Init == nil {
			continue
		}
		reduced := false
		for _, l := range order {
			used, v := false, st.at(l).loop.Var
			for i, it := range n.block.Iters {
				follows := usesOne(n.values[i], v)
				used, reduced = used || follows, reduced || follows && it.Kind == tir.Reduce
			}
			if !used && reduced && !tir.IsConst(st.at(l).loop.Extent, 1) {
				return refuse(Dependence, st.where(l), "each of its iterations would repeat a part of the reduction %s", n.block.Name)
			}
		}
	}
	return nil
}

// feedSpatial reports whether a spatial iterator depends on one of the loops.
func (st *state) feedSpatial(n *node, loops []nid, which func(nid) bool) bool {
	for i, it := range n.block.Iters {
		if it.Kind == tir.Spatial && slices.ContainsFunc(loops, func(l nid) bool { return which(l) && usesOne(n.values[i], st.at(l).loop.Var) }) {
			return true
		}
	}
	return false
}

func keep(list []nid, which func(nid) bool) []nid {
	return slices.DeleteFunc(slices.Clone(list), func(x nid) bool { return !which(x) })
}

func (st *state) domainsFit(order []nid) *Error {
	for i, outer := range order {
		l := &st.at(outer).loop
		for _, inner := range order[i+1:] {
			v := st.at(inner).loop.Var
			if usesOne(l.Extent, v) || usesOne(l.Min, v) {
				return refuse(DependentDomain, st.where(outer), "its domain would depend on the inner %s", st.where(inner))
			}
		}
	}
	return nil
}

func (st *state) blocksReorderable(top nid) *Error {
	for _, b := range st.childBlocks(top) {
		for _, it := range st.at(b).block.Iters {
			if it.Kind != tir.Spatial && it.Kind != tir.Reduce {
				return refuse(IterKind, st.where(b), "iterator %s is neither spatial nor reduce", it.Var.Name)
			}
			if !st.isAffine(b) && !st.affineFrom(b, top) {
				return refuse(AffineBinding, st.where(b), "its bindings are not quasi-affine")
			}
		}
	}
	return nil
}

// affineFrom reports whether the bindings of a block are quasi-affine in the
// loops from top inwards, those further out being constants.
func (st *state) affineFrom(id, top nid) bool {
	n := st.at(id)
	loops := st.loopsOf(id)
	loops = loops[slices.Index(loops, top):]
	return arith.IsAffineBinding(&tir.BlockRealize{Values: n.values, Predicate: n.pred, Block: n.block}, st.loopDomains(loops))
}

// reorder relinks the loops of a nest.
func (st *state) reorder(chain, order []nid) {
	if slices.Equal(chain, order) {
		return
	}
	parent := st.at(chain[0]).parent
	body := st.at(chain[len(chain)-1]).kids[0]
	kids := slices.Clone(st.at(parent).kids)
	kids[slices.Index(kids, chain[0])] = order[0]
	for i, n := range order {
		next := body
		if i+1 < len(order) {
			next = order[i+1]
		}
		m := st.at(n)
		m.kids, m.made = []nid{next}, nil
		st.at(next).parent = n
	}
	st.setKids(parent, kids...)
}
