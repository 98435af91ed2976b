package schedule

import "hone/compiler/tir"

// keepReduction carries the conditions on reduce iterators from the old predicate
// of a block over to its new bindings. The reference drops them, which repeats
// part of a reduction whose length its factors do not divide. A condition counts
// when every loop variable in it is a whole binding.
func (p *relocation) keepReduction(n *node, values []tir.Expr, pred tir.Expr) tir.Expr {
	bound := map[*tir.Var]tir.Expr{}
	reduce := map[*tir.Var]bool{}
	for i, it := range n.block.Iters {
		if v, ok := n.values[i].(*tir.Var); ok {
			bound[v] = values[i]
			reduce[v] = it.Kind == tir.Reduce
		}
	}
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
