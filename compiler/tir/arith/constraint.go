package arith

import "hone/compiler/tir"

// With makes cond hold until the returned function is called. Calls nest.
func (a *Analyzer) With(cond tir.Expr) (undo func()) {
	mark := a.enter(cond)
	return func() { a.leave(mark) }
}

// constraintMark remembers what enter changed.
type constraintMark struct {
	known, lits, pairs, conds int
	saved                     []varFacts
}

// enter makes cond, a conjunction, hold until leave.
func (a *Analyzer) enter(cond tir.Expr) constraintMark {
	m := constraintMark{known: len(a.known), lits: len(a.lits), pairs: len(a.pairs), conds: len(a.conds)}
	if cond.DType().Lanes > 1 {
		return m
	}
	a.learn(cond, &m)
	return m
}

// enterBranch is enter of the condition of a branch, of which what follows from
// quotients holds too.
func (a *Analyzer) enterBranch(cond tir.Expr) constraintMark {
	m := a.enter(cond)
	if cond.DType().Lanes == 1 {
		conjuncts(cond, func(c tir.Expr) {
			for _, d := range ofQuotient(c) {
				a.learn(d, &m)
			}
		})
	}
	return m
}

func (a *Analyzer) leave(m constraintMark) {
	for i := len(m.saved) - 1; i >= 0; i-- {
		*a.facts(m.saved[i].v) = m.saved[i]
	}
	a.known, a.lits, a.pairs, a.conds = a.known[:m.known], a.lits[:m.lits], a.pairs[:m.pairs], a.conds[:m.conds]
}

// conjuncts calls f for every condition that cond says.
func conjuncts(cond tir.Expr, f func(tir.Expr)) {
	if c := as(tir.OpAnd, cond); c != nil {
		conjuncts(c.A, f)
		conjuncts(c.B, f)
		return
	}
	if c, ok := cond.(*tir.Call); ok && c.Op == "likely" && len(c.Args) == 1 {
		conjuncts(c.Args[0], f)
		return
	}
	f(cond)
}

// learn takes a condition in four ways: as bounds and remainders of expressions,
// as a text that is true, and as a relation of two expressions. The bounds hold
// while the text is made.
func (a *Analyzer) learn(cond tir.Expr, m *constraintMark) {
	conjuncts(cond, func(c tir.Expr) {
		if x, b, ok := limits(c); ok && !isConst(x) {
			a.learnBound(x, b, m)
		}
	})
	a.learnRemainder(cond, m)
	pure := readsNothing(cond)
	conjuncts(simplifier{a, false}.visit(cond), func(c tir.Expr) {
		if pure && !isConst(c) {
			a.lits = append(a.lits, c, &tir.Not{A: negate(c)})
		}
	})
	conjuncts(cond, func(c tir.Expr) {
		a.conds = append(append(a.conds, c), ofQuotient(c)...)
		if p, ok := newPair(c); ok && pure {
			a.pairs = append(a.pairs, p)
		}
	})
}

func readsNothing(e tir.Expr) bool {
	ok := true
	tir.Walk(e, func(x tir.Expr) bool {
		switch x := x.(type) {
		case *tir.Load:
			ok = false
		case *tir.Call:
			ok = ok && (x.Op == "likely" || x.Op == "if_then_else")
		}
		return ok
	})
	return ok
}

func (a *Analyzer) learnBound(x tir.Expr, b Bound, m *constraintMark) {
	v, ok := x.(*tir.Var)
	if !ok {
		a.known = append(a.known, exprFact{x, b})
		return
	}
	f := a.facts(v)
	m.saved = append(m.saved, *f)
	f.bound = f.bound.Intersect(b)
}

// learnRemainder takes v % k == r.
func (a *Analyzer) learnRemainder(cond tir.Expr, m *constraintMark) {
	c := as(tir.OpEQ, cond)
	if c == nil {
		return
	}
	r, ok1 := tir.AsInt(c.B)
	d, ok2 := c.A.(*tir.Binary)
	if !ok1 || !ok2 || d.Op != tir.OpFloorMod && d.Op != tir.OpMod {
		return
	}
	v, ok1 := d.A.(*tir.Var)
	k, ok2 := tir.AsInt(d.B)
	if !ok1 || !ok2 || k <= 0 {
		return
	}
	f := a.facts(v)
	m.saved = append(m.saved, *f)
	f.mod = f.mod.intersect(newModular(k, r))
}

// ofQuotient are the limits of x that a comparison of x // k with a constant sets.
func ofQuotient(cond tir.Expr) []tir.Expr {
	x, b, ok := limits(cond)
	if !ok {
		return nil
	}
	q := as(tir.OpFloorDiv, x)
	if q == nil {
		return nil
	}
	k, ok := tir.AsInt(q.B)
	if !ok || k <= 0 {
		return nil
	}
	t := q.T
	limit := typeBound(t)
	lo, hi := satMul(b.Lo, k), satMul(satAdd(b.Hi, 1), k)
	var out []tir.Expr
	if b.Lo != NegInf && limit.holds(lo) {
		out = append(out, tir.CompareFold(tir.OpGE, q.A, tir.IntOf(lo, t)))
	}
	if b.Hi != PosInf && limit.holds(hi) {
		out = append(out, tir.CompareFold(tir.OpLT, q.A, tir.IntOf(hi, t)))
	}
	return out
}

// limits reads a comparison of an index expression with a constant as an
// interval of that expression.
func limits(e tir.Expr) (tir.Expr, Bound, bool) {
	c, ok := e.(*tir.Binary)
	if !ok || !c.Op.IsCompare() || !isIndex(c.A.DType()) {
		return nil, Bound{}, false
	}
	x, op := c.A, c.Op
	k, ok := tir.AsInt(c.B)
	if !ok {
		if k, ok = tir.AsInt(c.A); !ok {
			return nil, Bound{}, false
		}
		x, op = c.B, flip(op)
	}
	switch op {
	case tir.OpLT:
		return x, Bound{NegInf, k - 1}, true
	case tir.OpLE:
		return x, Bound{NegInf, k}, true
	case tir.OpGT:
		return x, Bound{k + 1, PosInf}, true
	case tir.OpGE:
		return x, Bound{k, PosInf}, true
	case tir.OpEQ:
		return x, Bound{k, k}, true
	}
	return nil, Bound{}, false
}

// flip is the comparison with its sides exchanged.
func flip(op tir.BinOp) tir.BinOp {
	switch op {
	case tir.OpLT:
		return tir.OpGT
	case tir.OpLE:
		return tir.OpGE
	case tir.OpGT:
		return tir.OpLT
	case tir.OpGE:
		return tir.OpLE
	}
	return op
}

// decided returns True or False when a constraint says so, else nil. Only the
// rules know constraints as text, not the canonical pass.
func (s simplifier) decided(e tir.Expr) tir.Expr {
	if s.canon {
		return nil
	}
	for _, c := range s.lits {
		if Same(c, e) {
			return tir.True
		}
		if n, ok := c.(*tir.Not); ok && Same(n.A, e) {
			return tir.False
		}
	}
	return nil
}

// negate is the negation of a condition, moved inwards.
func negate(e tir.Expr) tir.Expr {
	switch x := e.(type) {
	case *tir.Not:
		return inOrder(x.A)
	case *tir.Binary:
		switch x.Op {
		case tir.OpAnd:
			return tir.Or(negate(x.A), negate(x.B))
		case tir.OpOr:
			return tir.And(negate(x.A), negate(x.B))
		case tir.OpLT:
			return tir.CompareFold(tir.OpLE, x.B, x.A)
		case tir.OpLE:
			return tir.CompareFold(tir.OpLT, x.B, x.A)
		case tir.OpGT:
			return tir.CompareFold(tir.OpLE, x.A, x.B)
		case tir.OpGE:
			return tir.CompareFold(tir.OpLT, x.A, x.B)
		case tir.OpEQ:
			return tir.CompareFold(tir.OpNE, x.A, x.B)
		case tir.OpNE:
			return tir.CompareFold(tir.OpEQ, x.A, x.B)
		}
	}
	return &tir.Not{A: e}
}

// inOrder is e with a comparison by greater turned around.
func inOrder(e tir.Expr) tir.Expr {
	switch x := e.(type) {
	case *tir.Not:
		return negate(x.A)
	case *tir.Binary:
		if x.Op == tir.OpGT || x.Op == tir.OpGE {
			return tir.CompareFold(flip(x.Op), x.B, x.A)
		}
	}
	return e
}
