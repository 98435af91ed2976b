package arith

import "hone/compiler/tir"

// With makes cond hold until the returned function is called. Calls nest.
func (a *Analyzer) With(cond tir.Expr) (undo func()) {
	mark := a.enter(cond)
	return func() { a.leave(mark) }
}

// constraintMark remembers what enter changed.
type constraintMark struct {
	known, lits int
	saved       []varFacts
}

// enter makes cond, a conjunction, hold until leave.
func (a *Analyzer) enter(cond tir.Expr) constraintMark {
	m := constraintMark{known: len(a.known), lits: len(a.lits)}
	a.learn(cond, &m)
	return m
}

func (a *Analyzer) leave(m constraintMark) {
	for i := len(m.saved) - 1; i >= 0; i-- {
		*a.facts(m.saved[i].v) = m.saved[i]
	}
	a.known, a.lits = a.known[:m.known], a.lits[:m.lits]
}

func (a *Analyzer) learn(cond tir.Expr, m *constraintMark) {
	if c := as(tir.OpAnd, cond); c != nil {
		a.learn(c.A, m)
		a.learn(c.B, m)
		return
	}
	if c, ok := cond.(*tir.Call); ok && c.Op == "likely" && len(c.Args) == 1 {
		a.learn(c.Args[0], m)
		return
	}
	if cond.DType().Lanes > 1 {
		return
	}
	simple := a.Simplify(cond)
	if isConst(simple) {
		return
	}
	if simple != cond && as(tir.OpAnd, simple) != nil {
		a.learn(simple, m)
		return
	}
	a.learnFact(simple, m)
	a.lits = append(a.lits, simple)
	if !Same(simple, cond) {
		a.lits = append(a.lits, cond)
	}
}

// learnFact turns one comparison into bounds of a variable or expression.
func (a *Analyzer) learnFact(c tir.Expr, m *constraintMark) {
	if x, b, ok := limits(c); ok {
		a.learnBound(x, b, m)
		return
	}
	p, ok := c.(*tir.Binary)
	if !ok || !p.Op.IsCompare() || !isIndex(p.A.DType()) {
		return
	}
	if r := as(tir.OpFloorMod, p.A); r != nil && p.Op == tir.OpEQ {
		return
	}
	n := len(a.terms)
	base := a.diff(p.A, p.B)
	diff := a.normal(n, 0, p.A.DType(), nil)
	if isConst(diff) {
		return
	}
	var b Bound
	switch p.Op {
	case tir.OpLT:
		b = Bound{NegInf, satAdd(-1, -base)}
	case tir.OpLE:
		b = Bound{NegInf, -base}
	case tir.OpEQ:
		b = Bound{-base, -base}
	default:
		return
	}
	a.known = append(a.known, exprFact{diff, b})
}

func (a *Analyzer) learnBound(x tir.Expr, b Bound, m *constraintMark) {
	if v, ok := x.(*tir.Var); ok {
		f := a.facts(v)
		m.saved = append(m.saved, *f)
		f.bound = f.bound.Intersect(b)
		if f.bound.Lo == f.bound.Hi {
			f.value = tir.IntOf(f.bound.Lo, v.Type)
		}
		return
	}
	if r := as(tir.OpFloorMod, x); r != nil && b.Lo == b.Hi {
		if v, ok := r.A.(*tir.Var); ok {
			if k, ok := tir.AsInt(r.B); ok && k > 0 {
				f := a.facts(v)
				m.saved = append(m.saved, *f)
				if f.mod == everyInteger || k%f.mod.Coeff == 0 {
					f.mod = newModular(k, b.Lo)
				}
			}
		}
	}
	y, c := offset(x)
	if y != nil && c != 0 {
		x, b = y, b.add(Bound{-c, -c})
	}
	a.known = append(a.known, exprFact{x, b})
}
