package schedule

import (
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// division is how the iterators of a block divide into those that the loops
// above a place move and those that the loops below do. sub are the old
// iterators by the new ones.
type division struct {
	outer, inner iterSide
	sub          map[*tir.Var]tir.Expr
}

// iterSide is one half: iterators, what they are bound to, and the condition.
type iterSide struct {
	iters  []*tir.IterVar
	values []tir.Expr
	pred   tir.Expr
}

type iterPair struct {
	iter  *tir.IterVar
	value tir.Expr
}

func (s *iterSide) pairs() []iterPair {
	out := make([]iterPair, len(s.iters))
	for i, it := range s.iters {
		out[i] = iterPair{it, s.values[i]}
	}
	return out
}

func (s *iterSide) add(old *tir.IterVar, suffix string, extent, value tir.Expr) *tir.Var {
	v := tir.NewVar(old.Var.Name+suffix, old.Var.Type)
	dom := tir.Range{Min: tir.IntOf(0, extent.DType()), Extent: extent}
	s.iters = append(s.iters, &tir.IterVar{Var: v, Dom: dom, Kind: old.Kind})
	s.values = append(s.values, value)
	return v
}

// divide divides the iterators of a block: the loops inner, around it, move the
// inner ones.
func (st *state) divide(id nid, inner []nid, units bool) (*division, *Error) {
	sub, err := st.subspaces(id, inner, units)
	if err != nil {
		return nil, err
	}
	d := &division{sub: map[*tir.Var]tir.Expr{}}
	d.outer.pred, d.inner.pred = sub.OuterPred, sub.InnerPred
	for i, it := range st.at(id).block.Iters {
		x := &sub.Divisions[i]
		o := d.outer.add(it, "_o", x.OuterExtent, x.Outer)
		one := tir.IsConst(x.OuterExtent, 1)
		if tir.IsConst(x.InnerExtent, 1) {
			if d.sub[it.Var] = o; one && !units {
				d.sub[it.Var] = tir.IntOf(0, x.OuterExtent.DType())
			}
			continue
		}
		in := d.inner.add(it, "_i", x.InnerExtent, x.Inner)
		if d.sub[it.Var] = in; !one {
			o, n := tir.MatchTypes(o, x.InnerExtent)
			d.sub[it.Var] = tir.Add(tir.Mul(o, n), in)
		}
	}
	return d, nil
}

// subspaces divides the bindings as iteration maps or, where they are none, as
// what only one side moves. Divisions that would lose a condition or shift an
// iterator are refused: its new domains start at zero.
func (st *state) subspaces(id nid, inner []nid, units bool) (*arith.Subspace, *Error) {
	n := st.at(id)
	all := st.loopsOf(id)
	vars := make([]*tir.Var, len(inner))
	starts := map[*tir.Var]tir.Expr{}
	for i, l := range inner {
		vars[i] = st.at(l).loop.Var
		starts[vars[i]] = st.at(l).loop.Min
	}
	sub, err := arith.SubspaceDivide(n.values, st.loopDomains(all), vars, n.pred, arith.Surjective, !units)
	if err != nil {
		return st.trivialSubspaces(id, all, vars)
	}
	if sub.Lost {
		return nil, refuse(Predicate, st.where(id), "its predicate has a condition that neither the outer nor the inner block would keep")
	}
	a := arith.NewAnalyzer()
	for i, it := range n.block.Iters {
		if !tir.IsConst(a.Simplify(tir.Substitute(sub.Divisions[i].Inner, starts)), 0) {
			return nil, refuse(AffineBinding, st.where(id), "the binding of %s starts at an offset", it.Var.Name)
		}
	}
	return sub, nil
}

// trivialSubspaces divides bindings of any form that only outer or only inner
// loops move.
func (st *state) trivialSubspaces(id nid, all []nid, inner []*tir.Var) (*arith.Subspace, *Error) {
	n := st.at(id)
	bad := func(v *tir.Var, why string) *Error {
		return refuse(AffineBinding, st.where(id), "the binding of %s %s", v.Name, why)
	}
	sub := &arith.Subspace{OuterPred: tir.True, InnerPred: tir.True}
	isInner := func(v *tir.Var) bool { return slices.Contains(inner, v) }
	isOuter := func(v *tir.Var) bool {
		return !isInner(v) && slices.ContainsFunc(all, func(l nid) bool { return st.at(l).loop.Var == v })
	}
	for i, it := range n.block.Iters {
		v := n.values[i]
		zero, one := tir.Int(0), tir.Int(1)
		outer, in := tir.UsesVar(v, isOuter), tir.UsesVar(v, isInner)
		switch {
		case outer && in || !tir.IsConst(n.pred, 1):
			return nil, bad(it.Var, "does not divide into an outer and an inner part")
		case !outer && !in && !tir.IsConst(v, 0) || !tir.IsConst(it.Dom.Min, 0):
			return nil, bad(it.Var, "starts at an offset")
		case !outer && it.Var.Type != dtype.Int32:
			return nil, bad(it.Var, "is no iteration map, and the unit iterator beside it would have another type")
		case outer:
			sub.Divisions = append(sub.Divisions, arith.Division{Outer: v, Inner: zero, OuterExtent: it.Dom.Extent, InnerExtent: one})
		case in:
			sub.Divisions = append(sub.Divisions, arith.Division{Outer: zero, Inner: v, OuterExtent: one, InnerExtent: it.Dom.Extent})
		default:
			sub.Divisions = append(sub.Divisions, arith.Division{Outer: zero, Inner: zero, OuterExtent: one, InnerExtent: one})
		}
	}
	return sub, nil
}

// mapBelow applies f to every expression of a block but its own bindings and
// predicate.
func (st *state) mapBelow(id nid, f func(tir.Expr) tir.Expr) {
	w := tir.StmtRewriter{Expr: f}
	st.eachShell(id, func(x nid) {
		switch n := st.at(x); {
		case n.kind == kLoop:
			n.loop.Min, n.loop.Extent = f(n.loop.Min), f(n.loop.Extent)
			st.touch(x)
		case n.kind == kOther && len(n.kids) > 0:
			n.other = w.Rewrite(n.other)
			st.touch(x)
		case n.kind == kBlock && x != id:
			values := make([]tir.Expr, len(n.values))
			for i, v := range n.values {
				values[i] = f(v)
			}
			n.values, n.pred = values, f(n.pred)
			st.touch(x)
		}
		st.mapShell(x, w.Rewrite)
	})
}

// relearn computes the facts of the blocks in a scope again, nested ones
// included. The scope itself counts as covered: which of its reads are produced is
// for the scope around it to say, which is not looked at, as in Apache TVM.
func (st *state) relearn(scope nid) {
	st.at(scope).cover = yes
	st.learnScope(scope, st.loopsAround(scope))
}

// loopsAround lists the loops around a node, through all scopes, outermost
// first.
func (st *state) loopsAround(id nid) []*tir.For {
	var out []*tir.For
	for p := st.at(id).parent; p != none; p = st.at(p).parent {
		if st.at(p).kind == kLoop {
			out = append(out, &st.at(p).loop)
		}
	}
	slices.Reverse(out)
	return out
}
