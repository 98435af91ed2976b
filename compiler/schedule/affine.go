package schedule

import (
	"cmp"
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// isAffine reports whether the bindings of a block are quasi-affine: together
// they name every combination of the loops at most once, and every one of their
// own values. It is a fact learned when a block is loaded, made or moved.
func (st *state) isAffine(id nid) bool { return st.at(id).affine == yes }

func (st *state) computeAffine(id nid) bool {
	n := st.at(id)
	loops := st.loopsOf(id)
	if len(loops) == 0 || len(n.values) == 0 || tir.IsConst(n.pred, 1) && st.plainBindings(n, loops) {
		return true
	}
	return arith.IsAffineBinding(&tir.BlockRealize{Values: n.values, Predicate: n.pred, Block: n.block}, st.loopDomains(loops))
}

// loopDomains are loops as arith takes them.
func (st *state) loopDomains(loops []nid) []arith.Loop {
	out := make([]arith.Loop, len(loops))
	for i, l := range loops {
		f := &st.at(l).loop
		out[i] = arith.Loop{Var: f.Var, Dom: tir.Range{Min: f.Min, Extent: f.Extent}}
	}
	return out
}

// plainBindings recognises the common case: every binding is a sum of loop
// variables times constants plus a constant, no variable twice, the constants
// growing as digits do.
func (st *state) plainBindings(n *node, loops []nid) bool {
	var seen []*tir.Var
	for _, v := range n.values {
		var buf [12]linearTerm
		terms, _, ok := appendLinear(buf[:0], 0, v, 1)
		if !ok {
			return false
		}
		for _, t := range terms {
			if slices.Contains(seen, t.v) {
				return false
			}
			seen = append(seen, t.v)
		}
		if !st.digits(terms, loops) {
			return false
		}
	}
	return true
}

// digits reports whether terms are the digits of a number: every coefficient is
// the product of the extents of the smaller digits.
func (st *state) digits(terms []linearTerm, loops []nid) bool {
	slices.SortStableFunc(terms, func(a, b linearTerm) int { return cmp.Compare(b.coef, a.coef) })
	want := int64(1)
	for i := len(terms) - 1; i >= 0; i-- {
		ext, ok := st.extentOf(terms[i].v, loops)
		if !ok {
			return i == 0 && terms[i].coef == want
		}
		if ext == 1 {
			continue
		}
		if terms[i].coef != want {
			return false
		}
		want *= ext
	}
	return true
}

// extentOf is the constant extent of a loop variable.
func (st *state) extentOf(v *tir.Var, loops []nid) (int64, bool) {
	for _, l := range loops {
		if st.at(l).loop.Var == v {
			return tir.AsInt(st.at(l).loop.Extent)
		}
	}
	return 0, false
}

// affineInverse inverts store indices that are a bijective affine map of the
// iterators of a block; nil when they are not.
func (st *state) affineInverse(b *tir.Block, idx []tir.Expr) func([]tir.Expr) []tir.Expr {
	inv := inverse(b, idx)
	if inv == nil {
		return nil
	}
	return inv.Apply
}

// inverse gives the iterators of a block by indices that are a bijective affine
// map of them; nil when they are not.
func inverse(b *tir.Block, idx []tir.Expr) *tir.IndexMap {
	m := &tir.IndexMap{Final: idx}
	var extents []tir.Expr
	for _, it := range b.Iters {
		if _, ok := tir.AsInt(it.Dom.Extent); !ok || !tir.IsConst(it.Dom.Min, 0) {
			return nil
		}
		m.Initial, extents = append(m.Initial, it.Var), append(extents, it.Dom.Extent)
	}
	inv, err := arith.NewAnalyzer().Inverse(m, extents)
	if err != nil {
		return nil
	}
	return inv
}

func iterDomains(b *tir.Block) ([]*tir.Var, []tir.Range) {
	vars, doms := make([]*tir.Var, len(b.Iters)), make([]tir.Range, len(b.Iters))
	for i, it := range b.Iters {
		vars[i], doms[i] = it.Var, it.Dom
	}
	return vars, doms
}
