package schedule

import (
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// iterDomain is what an iterator has to cover: the needed values, and the limits
// of its own domain while it is not known that these hold; open when nothing is
// needed.
type iterDomain struct{ dom, bound interval }

// solveBuffer narrows the iterators by one region: by the exact inverse of its
// indices when they are a bijective map, else dimension by dimension.
func (st *state) solveBuffer(p *relocation, b *tir.Block, rg tir.Region, need []interval, doms []iterDomain) *Error {
	vars, iterDoms := iterDomains(b)
	idx := make([]tir.Expr, len(rg.Ranges))
	single := true
	for i, x := range rg.Ranges {
		idx[i] = x.Min
		single = single && tir.IsConst(x.Extent, 1)
	}
	r := relaxer{a: st.relaxOver(p.id, p.loop).a}
	if single && bounded(need) {
		if inv := inverse(b, idx); inv != nil && fullDims(idx, vars, iterDoms, rg.Buffer, r.a) {
			for i, at := range inv.Initial {
				r.add(at, need[i])
			}
			for i, e := range inv.Final {
				if in := r.eval(e); in.Bounded() {
					doms[i].union(r.a, in, arith.RangeInterval(iterDoms[i]))
				}
			}
			return nil
		}
	}
	for d, x := range rg.Ranges {
		if err := st.solveDim(p, b, rg.Buffer, d, arith.RangeInterval(x), need[d], doms, r.a); err != nil {
			return err
		}
	}
	return nil
}

func bounded(ins []interval) bool {
	for _, in := range ins {
		if !in.Bounded() {
			return false
		}
	}
	return true
}

// fullDims reports whether indices fill the buffer, as a bijection must.
func fullDims(idx []tir.Expr, vars []*tir.Var, doms []tir.Range, buf *tir.Buffer, a *arith.Analyzer) bool {
	r := relaxer{a: a}
	for i, v := range vars {
		r.add(v, arith.RangeInterval(doms[i]))
	}
	for i, e := range idx {
		in := r.eval(e)
		if !in.Bounded() || !tir.IsConst(a.Simplify(in.Lo), 0) || !arith.Same(rangeOf(in, a).Extent, buf.Shape[i]) {
			return false
		}
	}
	return true
}

// union adds values that are needed, within the given limits.
func (d *iterDomain) union(a *arith.Analyzer, need, bound interval) {
	r := relaxer{a: a}
	if d.dom.Bounded() {
		need, bound = r.union(d.dom, need), r.union(d.bound, bound)
	}
	d.dom, d.bound = need, bound
}

// solveDim narrows the iterator that one dimension of the region names.
func (st *state) solveDim(p *relocation, b *tir.Block, buf *tir.Buffer, d int, own, need interval, doms []iterDomain, a *arith.Analyzer) *Error {
	lo, hi := a.Simplify(own.Lo), a.Simplify(own.Hi)
	pattern := func(op tir.BinOp) (*tir.Var, tir.Expr) {
		x, ok := lo.(*tir.Binary)
		if !ok || x.Op != op {
			return nil, nil
		}
		if v, ok := x.A.(*tir.Var); ok {
			return v, x.B
		}
		if v, ok := x.B.(*tir.Var); ok && op == tir.OpMul {
			return v, x.A
		}
		return nil, nil
	}
	find := func(v *tir.Var) int {
		for i, it := range b.Iters {
			if it.Var == v {
				return i
			}
		}
		return -1
	}
	if v, c := pattern(tir.OpMul); v != nil && need.Bounded() {
		if i := find(v); i >= 0 {
			doms[i].union(a, span(tir.FloorDiv(need.Lo, c), tir.FloorDiv(need.Hi, c)), arith.RangeInterval(b.Iters[i].Dom))
			return nil
		}
	}
	if !need.Bounded() {
		return nil // the whole dimension is needed: no constraint
	}
	same := arith.Same(lo, hi)
	if v, ok := lo.(*tir.Var); ok && same {
		if i := find(v); i >= 0 {
			doms[i].union(a, need, arith.RangeInterval(b.Iters[i].Dom))
			return nil
		}
	}
	if v, c := pattern(tir.OpFloorDiv); v != nil && same {
		if i := find(v); i >= 0 {
			up := func(e tir.Expr) tir.Expr { return tir.Add(tir.Mul(e, c), tir.Sub(c, tir.IntOf(1, c.DType()))) }
			doms[i].union(a, span(tir.Mul(need.Lo, c), up(need.Hi)), arith.RangeInterval(b.Iters[i].Dom))
			return nil
		}
	}
	if v, _ := pattern(tir.OpFloorMod); v != nil && same && find(v) >= 0 {
		return nil
	}
	if !tir.UsesVar(lo, func(v *tir.Var) bool { return find(v) >= 0 }) && !tir.UsesVar(hi, func(v *tir.Var) bool { return find(v) >= 0 }) {
		return nil // a constant index constrains no iterator
	}
	return refuse(IndexForm, st.where(p.id), "its index %d of %s is not an iterator, a multiple or a quotient of one", d, buf.Name)
}

// settle decides between needed values and limits: where one lies in the other
// no condition is left; a constant overlap becomes the domain.
func settle(a *arith.Analyzer, d iterDomain, whole interval) iterDomain {
	if !d.dom.Bounded() {
		return iterDomain{dom: simplified(a, whole)}
	}
	dom, bound := simplified(a, d.dom), simplified(a, d.bound)
	r := relaxer{a: a}
	meet := simplified(a, span(r.larger(dom.Lo, bound.Lo), r.smaller(dom.Hi, bound.Hi)))
	eq := func(x, y tir.Expr) bool {
		x, y = tir.MatchTypes(x, y)
		return arith.Same(x, y) || a.CanProve(tir.CompareFold(tir.OpEQ, x, y))
	}
	_, c1 := tir.AsInt(meet.Lo)
	_, c2 := tir.AsInt(meet.Hi)
	switch {
	case eq(dom.Lo, meet.Lo) && eq(dom.Hi, meet.Hi):
		return iterDomain{dom: dom}
	case eq(bound.Lo, meet.Lo) && eq(bound.Hi, meet.Hi):
		return iterDomain{dom: bound}
	case c1 && c2:
		return iterDomain{dom: meet}
	}
	return iterDomain{dom, bound}
}

func simplified(a *arith.Analyzer, in interval) interval {
	if in.IsPoint() {
		return arith.Point(a.Simplify(in.Lo))
	}
	return span(a.Simplify(in.Lo), a.Simplify(in.Hi))
}
