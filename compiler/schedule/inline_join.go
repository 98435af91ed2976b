package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// invertLoad solves b's load indices for its iterators and sets them to the
// producer's store indices. Where the iterators would leave their domains, or
// the indices not be hit, the producer gets a predicate.
func (st *state) invertLoad(p *reverseInlining) *Error {
	var idx []tir.Expr
	same := true
	for _, e := range append(slices.Clone(p.used.Indices), p.used.Value) {
		tir.Walk(e, func(e tir.Expr) bool {
			if l, ok := e.(*tir.Load); ok && l.Buffer == p.buf {
				for i := range l.Indices {
					same = same && (idx == nil || arith.Same(idx[i], l.Indices[i]))
				}
				idx = l.Indices
			}
			return true
		})
	}
	if idx == nil || !same {
		return refuse(SingleAccess, st.where(p.id), "it does not load %s at one place", p.buf.Name)
	}
	b := st.at(p.id).block
	inv := affineInverse(b, idx, arith.NoCheck)
	if inv != nil {
		p.iters = inv(p.made.Indices)
	}
	if p.iters == nil {
		return refuse(NotInvertible, st.where(p.id), "the indices at which it loads %s cannot be solved for its iterators", p.buf.Name)
	}
	if err := st.coversConsumer(p, b); err != nil {
		return err
	}
	if err := st.loadsApart(p, b, inv(idx)); err != nil {
		return err
	}
	return st.joinPredicate(p, b, idx)
}

// loadsApart refuses a consumer of which several iterations load one element: the
// producer would store for one of them alone. back are the iterators that the load's
// own indices are solved for.
func (st *state) loadsApart(p *reverseInlining, b *tir.Block, back map[*tir.Var]tir.Expr) *Error {
	a := arith.NewAnalyzer()
	for _, it := range b.Iters {
		a.Bind(it.Var, it.Dom)
	}
	for _, it := range b.Iters {
		x, y := tir.MatchTypes(back[it.Var], it.Var)
		if !a.CanProve(tir.CompareFold(tir.OpEQ, x, y)) {
			return refuse(NotInvertible, st.where(p.id), "several of its iterations load one element of %s", p.buf.Name)
		}
	}
	return nil
}

// coversConsumer refuses a consumer that computes elements for which its producer
// stores nothing: nobody would compute them any more.
func (st *state) coversConsumer(p *reverseInlining, b *tir.Block) *Error {
	var dom []arith.Dom
	for _, it := range st.at(p.producer).block.Iters {
		dom = append(dom, arith.Dom{Var: it.Var, Set: arith.RangeInterval(it.Dom)})
	}
	a := arith.NewAnalyzer()
	for _, it := range b.Iters {
		e := p.iters[it.Var]
		if e == nil {
			return refuse(NotInvertible, st.where(p.id), "the indices at which it loads %s do not mention its iterator %s", p.buf.Name, it.Var.Name)
		}
		e, end := tir.MatchTypes(e, tir.Add(it.Dom.Min, it.Dom.Extent))
		r := a.EvalSet(e, dom)
		if r.Lo != nil && a.CanProve(tir.CompareFold(tir.OpGT, r.Lo, it.Dom.Min)) ||
			r.Hi != nil && a.CanProve(tir.CompareFold(tir.OpLT, r.Hi, tir.Sub(end, tir.IntOf(1, end.DType())))) {
			return refuse(RegionCover, st.where(p.id), "its iterator %s takes values for which %s computes nothing", it.Var.Name, st.where(p.producer))
		}
	}
	return nil
}

// joinPredicate collects the conditions under which a stored element is used. A
// condition around the producer's store joins those that say something else.
func (st *state) joinPredicate(p *reverseInlining, b *tir.Block, idx []tir.Expr) *Error {
	n := st.at(p.producer)
	a := arith.NewAnalyzer()
	for _, it := range n.block.Iters {
		a.Bind(it.Var, it.Dom)
	}
	for _, l := range p.loops {
		a.Bind(l.Var, tir.Range{Min: l.Min, Extent: l.Extent})
	}
	var cond tir.Expr = tir.True
	for _, it := range b.Iters {
		e, lo := tir.MatchTypes(p.iters[it.Var], it.Dom.Min)
		f, hi := tir.MatchTypes(e, tir.Add(it.Dom.Min, it.Dom.Extent))
		cond = tir.And(cond, tir.And(tir.CompareFold(tir.OpGE, e, lo), tir.CompareFold(tir.OpLT, f, hi)))
	}
	cond = a.Simplify(cond)
	for d, e := range idx {
		x, y := tir.MatchTypes(tir.Substitute(e, p.iters), p.made.Indices[d])
		if c := tir.CompareFold(tir.OpEQ, x, y); !a.CanProve(c) {
			cond = tir.And(cond, a.Simplify(c))
		}
	}
	if err := st.joinGuard(p, a, &cond); err != nil {
		return err
	}
	values := make(map[*tir.Var]tir.Expr, len(n.values))
	for i, it := range n.block.Iters {
		values[it.Var] = n.values[i]
	}
	outer := st.bindLoops(p.producer)
	p.pred = outer.Simplify(tir.Substitute(cond, values))
	if !tir.IsConst(n.pred, 1) && !tir.IsConst(p.pred, 1) {
		for _, c := range conjuncts(n.pred) {
			if !implies(outer, p.pred, c) {
				return refuse(Predicate, st.where(p.producer), "its predicate does not follow from where its elements are used")
			}
		}
	}
	if tir.IsConst(p.pred, 1) {
		p.pred = n.pred
	}
	for _, l := range p.loops {
		if usesOne(p.pred, l.Var) {
			return refuse(Predicate, st.where(p.producer), "which of its elements are used depends on the loop %s inside", l.Var.Name)
		}
	}
	return nil
}

// joinGuard makes the condition around the producer's store part of cond, unless
// they agree or all elements are used. Elements that the condition leaves out
// are not computed by the consumer any more: it must not have had a value for them.
func (st *state) joinGuard(p *reverseInlining, a *arith.Analyzer, cond *tir.Expr) *Error {
	if p.guard == nil {
		return nil
	}
	if !implies(a, *cond, p.guard) && loadsByChoice(p.used.Value, p.buf) {
		return refuse(BodyForm, st.where(p.producer), "it stores under a condition, and %s has a value where it does not", st.where(p.id))
	}
	if tir.IsConst(*cond, 1) || arith.Same(a.Simplify(*cond), a.Simplify(p.guard)) {
		return nil
	}
	*cond, p.guard = a.Simplify(tir.And(*cond, p.guard)), nil
	return nil
}

// loadsByChoice reports whether a value may not need the loads of a buffer in it.
func loadsByChoice(e tir.Expr, buf *tir.Buffer) bool {
	found := false
	tir.Walk(e, func(e tir.Expr) bool {
		switch x := e.(type) {
		case *tir.Select:
			found = found || loadsFrom(x, buf)
		case *tir.Call:
			found = found || x.Op == "if_then_else" && loadsFrom(x, buf)
		}
		return !found
	})
	return found
}

func loadsFrom(e tir.Expr, buf *tir.Buffer) bool {
	found := false
	tir.Walk(e, func(e tir.Expr) bool {
		l, ok := e.(*tir.Load)
		found = found || ok && l.Buffer == buf
		return !found
	})
	return found
}

// implies proves that c holds wherever p does.
func implies(a *arith.Analyzer, p, c tir.Expr) bool {
	for _, x := range conjuncts(p) {
		if arith.Same(x, c) {
			return true
		}
	}
	return a.CanProve(tir.Or(tir.NewNot(p), c))
}
