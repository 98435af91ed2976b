package schedule

import (
	"hone/compiler/tir"
)

// initialises reports whether a condition in the predicate of a reduction block
// leaves no element unwritten: it holds wherever the loops that move reduce
// iterators alone are at their start, so that the initialiser runs for every
// element. A tail of a reduction is such a condition.
func (st *state) initialises(id nid, r *relaxer, c tir.Expr) bool {
	n := st.at(id)
	b, ok := c.(*tir.Binary)
	if n.block.Init == nil || !ok || !b.Op.IsCompare() {
		return false
	}
	spatial := map[*tir.Var]bool{}
	for i, it := range n.block.Iters {
		if it.Kind != tir.Reduce {
			tir.Walk(n.values[i], func(e tir.Expr) bool {
				if v, ok := e.(*tir.Var); ok {
					spatial[v] = true
				}
				return true
			})
		}
	}
	start := map[*tir.Var]tir.Expr{}
	for _, d := range r.dom {
		if !spatial[d.Var] && d.Set.Lo != nil {
			start[d.Var] = d.Set.Lo
		}
	}
	x, y := r.eval(tir.Substitute(b.A, start)), r.eval(tir.Substitute(b.B, start))
	var holds tir.Expr
	switch b.Op {
	case tir.OpLT, tir.OpLE:
		if x.Hi == nil || y.Lo == nil {
			return false
		}
		holds = tir.CompareFold(b.Op, x.Hi, y.Lo)
	case tir.OpGT, tir.OpGE:
		if x.Lo == nil || y.Hi == nil {
			return false
		}
		holds = tir.CompareFold(b.Op, x.Lo, y.Hi)
	default:
		return false
	}
	return r.a.CanProve(holds)
}
