package schedule

import "hone/compiler/tir"

// mirrors reports whether writer w produces exactly what block id reads of buf,
// iteration by iteration: regions, bindings and predicates are the same but for
// the names of loops and iterators, as those of an initialiser and its update.
// Intervals cannot tell that of a predicate on a part of a binding.
func (st *state) mirrors(w, id nid, buf *tir.Buffer) bool {
	wn, rn := st.at(w), st.at(id)
	wr, rd := region(wn.block.Writes, buf), region(rn.block.Reads, buf)
	if wr == nil || rd == nil || len(wr.Ranges) != len(rd.Ranges) {
		return false
	}
	m := &mirror{vars: map[*tir.Var]*tir.Var{}, back: map[*tir.Var]*tir.Var{}}
	for i := range wr.Ranges {
		if !m.same(wr.Ranges[i].Min, rd.Ranges[i].Min) || !m.same(wr.Ranges[i].Extent, rd.Ranges[i].Extent) {
			return false
		}
	}
	iters := m.vars
	m.vars, m.back = map[*tir.Var]*tir.Var{}, map[*tir.Var]*tir.Var{}
	for i, it := range wn.block.Iters {
		other, ok := iters[it.Var]
		if !ok {
			return false // an iterator that chooses no element
		}
		for j, jt := range rn.block.Iters {
			if jt.Var == other && !m.same(wn.values[i], rn.values[j]) {
				return false
			}
		}
	}
	if !tir.IsConst(wn.pred, 1) && !m.same(wn.pred, rn.pred) {
		return false
	}
	return st.sameLoops(w, id, m)
}

// sameLoops compares the ranges of the loops that m pairs.
func (st *state) sameLoops(w, id nid, m *mirror) bool {
	loops := map[*tir.Var]*tir.For{}
	for _, n := range append(st.loopsOf(w), st.loopsOf(id)...) {
		loops[st.at(n).loop.Var] = &st.at(n).loop
	}
	for a, b := range m.vars {
		if a == b {
			continue
		}
		x, y := loops[a], loops[b]
		if x == nil || y == nil || !tir.EqualExpr(x.Min, y.Min) || !tir.EqualExpr(x.Extent, y.Extent) {
			return false
		}
	}
	return true
}

// mirror pairs variables one to one.
type mirror struct{ vars, back map[*tir.Var]*tir.Var }

func (m *mirror) same(a, b tir.Expr) bool {
	switch x := a.(type) {
	case *tir.Var:
		y, ok := b.(*tir.Var)
		if !ok {
			return false
		}
		p, known := m.vars[x]
		q, used := m.back[y]
		if !known && !used {
			m.vars[x], m.back[y] = y, x
			return true
		}
		return p == y && q == x
	case *tir.IntImm:
		y, ok := b.(*tir.IntImm)
		return ok && *x == *y
	case *tir.Cast:
		y, ok := b.(*tir.Cast)
		return ok && x.Type == y.Type && m.same(x.Value, y.Value)
	case *tir.Binary:
		y, ok := b.(*tir.Binary)
		return ok && x.Op == y.Op && m.same(x.A, y.A) && m.same(x.B, y.B)
	}
	return false
}
