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
	if len(loops) == 0 || len(n.values) > 0 && tir.IsConst(n.pred, 1) && st.plainBindings(n, loops) {
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

// affineInverse inverts indices that are an affine map of the iterators of a
// block: given expressions in the place of the indices, it returns what each
// iterator is, not simplified. Iterators of one value that the map leaves out
// have this value. It is nil when the indices are no such map of that level.
func affineInverse(b *tir.Block, idx []tir.Expr, level arith.Level) func(at []tir.Expr) map[*tir.Var]tir.Expr {
	loops := make([]arith.Loop, len(b.Iters))
	fixed := map[*tir.Var]tir.Expr{}
	for i, it := range b.Iters {
		loops[i] = arith.Loop{Var: it.Var, Dom: it.Dom}
		if _, ok := tir.AsInt(it.Dom.Min); ok && tir.IsConst(it.Dom.Extent, 1) {
			fixed[it.Var] = it.Dom.Min
		}
	}
	sums, err := arith.DetectIterMap(idx, loops, nil, level, false)
	if err != nil {
		return nil
	}
	return func(at []tir.Expr) map[*tir.Var]tir.Expr {
		values, err := arith.InverseAffine(sums, at)
		if err != nil {
			return nil
		}
		for v, e := range values {
			if e.DType() != v.DType() {
				values[v] = tir.NewCast(v.DType(), e)
			}
		}
		for v, e := range fixed {
			if level == arith.Bijective || values[v] == nil {
				values[v] = e
			}
		}
		return values
	}
}
