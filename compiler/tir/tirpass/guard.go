package tirpass

import (
	"math"

	"hone/compiler/tir"
)

// LiftGuards turns a guarded contribution into a guarded statement: where a
// store accumulates a value that is the neutral element unless a condition
// holds, as inlined padding does, the whole store moves under the condition.
// (A zero times an infinite or NaN weight is skipped too: padding means "no tap".)
func LiftGuards(s tir.Stmt) tir.Stmt {
	w := tir.StmtRewriter{Stmt: func(s tir.Stmt) tir.Stmt {
		if st, ok := s.(*tir.Store); ok {
			return liftStore(st)
		}
		return s
	}}
	return w.Rewrite(s)
}

func liftStore(st *tir.Store) tir.Stmt {
	op, own, val, ok := accumulation(st)
	if !ok {
		return st
	}
	cond, inner := neutralUnless(op, val)
	if cond == nil {
		return st
	}
	return &tir.If{Cond: cond, Then: liftStore(&tir.Store{Buffer: st.Buffer, Value: tir.NewBinary(op, own, inner), Indices: st.Indices})}
}

// accumulation matches X[i] = op(X[i], val) for a commutative op with a neutral
// element, on either side.
func accumulation(st *tir.Store) (op tir.BinOp, own *tir.Load, val tir.Expr, ok bool) {
	b, isBin := st.Value.(*tir.Binary)
	if !isBin {
		return 0, nil, nil, false
	}
	switch b.Op {
	case tir.OpAdd, tir.OpMax, tir.OpMin:
	default:
		return 0, nil, nil, false
	}
	for _, p := range [2][2]tir.Expr{{b.A, b.B}, {b.B, b.A}} {
		ld, isLoad := p[0].(*tir.Load)
		if isLoad && ld.Buffer == st.Buffer && sameExprs(ld.Indices, st.Indices) && !tir.LoadsFrom(p[1], st.Buffer) {
			return b.Op, ld, p[1], true
		}
	}
	return 0, nil, nil, false
}

// neutralUnless finds a condition outside of which val is op's neutral element
// and val as it is when the condition holds; nil when there is none.
func neutralUnless(op tir.BinOp, val tir.Expr) (cond, inner tir.Expr) {
	switch x := val.(type) {
	case *tir.Call:
		if x.Op == "if_then_else" && isNeutral(op, x.Args[2]) {
			return x.Args[0], x.Args[1]
		}
	case *tir.Select:
		if isNeutral(op, x.Else) {
			return x.Cond, x.Then
		}
	case *tir.Cast:
		if c, in := neutralUnless(op, x.Value); c != nil && op == tir.OpAdd {
			return c, &tir.Cast{Type: x.Type, Value: in}
		}
	case *tir.Binary:
		if op != tir.OpAdd || x.Op != tir.OpMul {
			return nil, nil
		}
		if c, in := neutralUnless(op, x.A); c != nil {
			return c, tir.NewBinary(tir.OpMul, in, x.B)
		}
		if c, in := neutralUnless(op, x.B); c != nil {
			return c, tir.NewBinary(tir.OpMul, x.A, in)
		}
	}
	return nil, nil
}

func isNeutral(op tir.BinOp, e tir.Expr) bool {
	switch x := e.(type) {
	case *tir.IntImm:
		return op == tir.OpAdd && x.Value == 0
	case *tir.FloatImm:
		switch op {
		case tir.OpAdd:
			return x.Value == 0
		case tir.OpMax:
			return math.IsInf(x.Value, -1) || x.Value <= -math.MaxFloat32
		case tir.OpMin:
			return math.IsInf(x.Value, 1) || x.Value >= math.MaxFloat32
		}
	case *tir.Call:
		return x.Op == "min_value" && op == tir.OpMax || x.Op == "max_value" && op == tir.OpMin
	}
	return false
}

// HoistGuards moves the parts of a condition that do not mention a loop's
// variable out of that loop, and decides what the bounds settle.
func HoistGuards(s tir.Stmt) tir.Stmt { return hoist(s, bounds{}) }

func hoist(s tir.Stmt, b bounds) tir.Stmt {
	switch x := s.(type) {
	case *tir.Seq:
		out := make([]tir.Stmt, len(x.Stmts))
		for i, c := range x.Stmts {
			out[i] = hoist(c, b)
		}
		return tir.NewSeq(out...)
	case *tir.If:
		cond := b.decide(x.Cond)
		if v, ok := tir.AsInt(cond); ok {
			if v != 0 {
				return hoist(x.Then, b)
			}
			if x.Else == nil {
				return nil
			}
			return hoist(x.Else, b)
		}
		then := hoist(x.Then, b)
		if x.Else != nil {
			return &tir.If{Cond: cond, Then: then, Else: hoist(x.Else, b)}
		}
		return merge(cond, then)
	case *tir.For:
		return hoistLoop(x, b)
	}
	return s
}

// merge makes one condition of nested ones.
func merge(cond tir.Expr, then tir.Stmt) tir.Stmt {
	if in, ok := then.(*tir.If); ok && in.Else == nil {
		return &tir.If{Cond: tir.And(cond, in.Cond), Then: in.Then}
	}
	return guarded(cond, then)
}

func hoistLoop(x *tir.For, b bounds) tir.Stmt {
	body := hoist(x.Body, b.loop(x))
	if body == nil {
		return nil
	}
	c := *x
	c.Body = body
	g, ok := body.(*tir.If)
	if !ok || g.Else != nil {
		return &c
	}
	var out, in []tir.Expr
	for _, p := range conjuncts(g.Cond) {
		if tir.UsesVar(p, func(v *tir.Var) bool { return v == x.Var }) || tir.HasLoad(p) {
			in = append(in, p)
		} else {
			out = append(out, p)
		}
	}
	c.Body = guarded(conjunction(in), g.Then)
	return guarded(conjunction(out), &c)
}

// NarrowLoops replaces a condition on a serial reduction loop's variable by the
// loop's bounds: `for r: if oh + r >= 1` starts at max(0, 1 - oh). Only loops
// that no store below is indexed by are narrowed; the others become tiles.
func NarrowLoops(s tir.Stmt) tir.Stmt {
	w := tir.StmtRewriter{Stmt: func(s tir.Stmt) tir.Stmt {
		l, ok := s.(*tir.For)
		if !ok || l.Kind != tir.Serial || indexesStore(l.Body, l.Var) {
			return s
		}
		return narrow(l)
	}}
	return w.Rewrite(s)
}

func narrow(l *tir.For) tir.Stmt {
	g, ok := l.Body.(*tir.If)
	if !ok || g.Else != nil {
		return l
	}
	b := bounds{}
	inner := definedIn(l.Body)
	lo, hi := l.Min, tir.Add(l.Min, l.Extent)
	var rest []tir.Expr
	for _, p := range conjuncts(g.Cond) {
		forms, ok := b.atLeastZero(p)
		if !ok || !narrowBy(forms, l.Var, inner, &lo, &hi) {
			rest = append(rest, p)
		}
	}
	if len(rest) == len(conjuncts(g.Cond)) {
		return l
	}
	c := *l
	c.Min, c.Extent = lo, tir.Max(tir.Sub(hi, lo), tir.IntOf(0, l.Extent.DType()))
	c.Body = guarded(conjunction(rest), g.Then)
	return &c
}

// narrowBy tightens [lo, hi) by forms ±v + rest ≥ 0 with rest known outside.
func narrowBy(forms []lin, v *tir.Var, inner map[*tir.Var]bool, lo, hi *tir.Expr) bool {
	for _, f := range forms {
		k, ok := f.coefOf(v)
		if !ok || k != 1 && k != -1 {
			return false
		}
		if tir.UsesVar(f.expr(), func(x *tir.Var) bool { return inner[x] }) {
			return false
		}
	}
	for _, f := range forms {
		k, _ := f.coefOf(v)
		var rest lin
		rest.addScaled(f, 1)
		rest.add(v, -k)
		if k == 1 { // v ≥ -rest
			var neg lin
			neg.addScaled(rest, -1)
			*lo = tir.Max(*lo, neg.expr())
		} else { // v ≤ rest
			rest.c++
			*hi = tir.Min(*hi, rest.expr())
		}
	}
	return true
}

// indexesStore reports whether v occurs in the indices of a store in s.
func indexesStore(s tir.Stmt, v *tir.Var) bool {
	found := false
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		if st, ok := x.(*tir.Store); ok {
			for _, i := range st.Indices {
				found = found || tir.UsesVar(i, func(y *tir.Var) bool { return y == v })
			}
		}
		return !found
	})
	return found
}

// definedIn is the set of variables bound by loops and bindings in s.
func definedIn(s tir.Stmt) map[*tir.Var]bool {
	out := map[*tir.Var]bool{}
	tir.WalkStmt(s, func(x tir.Stmt) bool {
		switch x := x.(type) {
		case *tir.For:
			out[x.Var] = true
		case *tir.Bind:
			out[x.Var] = true
		}
		return true
	})
	return out
}
