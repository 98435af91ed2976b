package arith

import "hone/compiler/tir"

// Linear writes e as c·v + rest, where rest does not mention v. ok is false when
// v occurs in another way, such as under a quotient. e has index type.
func (a *Analyzer) Linear(e tir.Expr, v *tir.Var) (c int64, rest tir.Expr, ok bool) {
	if !isIndex(e.DType()) {
		return 0, nil, false
	}
	m := len(a.terms)
	base := a.sum(e)
	a.squash(m)
	n := m
	ok = true
	for i := m; i < len(a.terms); i++ {
		t := a.terms[i]
		if t.index == tir.Expr(v) && t.lower == 1 && t.upper == PosInf {
			c = t.scale
			continue
		}
		if tir.UsesVar(t.index, func(u *tir.Var) bool { return u == v }) {
			ok = false
		}
		a.terms[n] = t
		n++
	}
	a.terms = a.terms[:n]
	rest = a.normal(form{sum: true, base: base, m: m}, e.DType(), nil)
	if !ok {
		return 0, nil, false
	}
	return c, rest, true
}
