package schedule

import "hone/compiler/tir"

// keepReduction carries the conditions on reduce iterators from the old predicate
// of a block over to its new bindings. The reference drops them, which repeats
// part of a reduction whose length its factors do not divide. A condition counts
// when every loop variable in it is a whole binding.
func (p *relocation) keepReduction(n *node, values []tir.Expr, pred tir.Expr) tir.Expr {
	bound, reduce := wholes(n, values)
	for _, c := range conjuncts(n.pred) {
		known, reduces := true, false
		tir.Walk(c, func(e tir.Expr) bool {
			if v, ok := e.(*tir.Var); ok {
				known = known && bound[v] != nil
				reduces = reduces || reduce[v]
			}
			return known
		})
		if !known || !reduces {
			continue
		}
		if moved := tir.Substitute(c, bound); !p.a.CanProve(moved) {
			pred = tir.And(pred, moved)
		}
	}
	return pred
}

// wholes maps the loop variables that are whole bindings of a block to the new
// bindings of their iterators, and tells which of them reduce.
func wholes(n *node, values []tir.Expr) (bound map[*tir.Var]tir.Expr, reduce map[*tir.Var]bool) {
	bound, reduce = map[*tir.Var]tir.Expr{}, map[*tir.Var]bool{}
	for i, it := range n.block.Iters {
		if v, ok := n.values[i].(*tir.Var); ok {
			bound[v] = values[i]
			reduce[v] = it.Kind == tir.Reduce
		}
	}
	return bound, reduce
}

// lost reports a condition on reduce iterators that keepReduction cannot carry and
// the domains of the iterators do not say: it ties several of them together
// through loops that were fused or split since.
func (st *state) lost(id nid) bool {
	n := st.at(id)
	bound, _ := wholes(n, n.values)
	for _, c := range conjuncts(n.pred) {
		known, reduces := true, false
		tir.Walk(c, func(e tir.Expr) bool {
			v, ok := e.(*tir.Var)
			if !ok {
				return true
			}
			known = known && bound[v] != nil
			for i, it := range n.block.Iters {
				reduces = reduces || it.Kind == tir.Reduce && usesOne(n.values[i], v)
			}
			return true
		})
		if !known && reduces && !st.computeAffine(id) {
			return true
		}
	}
	return false
}
