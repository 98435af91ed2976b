package tirpass

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// VectorizeLoops turns loops marked T.vectorized into vector statements of at
// most lanes(element type) lanes. A longer loop becomes an unrolled loop of such
// vectors, a length that is no power of two is cut into powers of two, and a
// body that has no vector form (a gather, a condition on the lane that is not a
// prefix) stays a serial loop.
func VectorizeLoops(s tir.Stmt, lanes func(dtype.DType) int) tir.Stmt {
	return (&vectorizer{lanes: lanes}).stmt(s, bounds{})
}

type vectorizer struct{ lanes func(dtype.DType) int }

func (z *vectorizer) stmt(s tir.Stmt, b bounds) tir.Stmt {
	switch x := s.(type) {
	case *tir.Seq:
		out := make([]tir.Stmt, len(x.Stmts))
		for i, y := range x.Stmts {
			out[i] = z.stmt(y, b)
		}
		return tir.NewSeq(out...)
	case *tir.If:
		c := &tir.If{Cond: x.Cond, Then: z.stmt(x.Then, b)}
		if x.Else != nil {
			c.Else = z.stmt(x.Else, b)
		}
		return guardedIf(c)
	case *tir.For:
		if x.Kind == tir.Vectorized {
			return z.loop(x, b)
		}
		c := *x
		if c.Body = z.stmt(x.Body, b.loop(x)); c.Body == nil {
			return nil
		}
		return &c
	}
	return s
}

// loop vectorises one loop, or makes it serial. A sequence is distributed: each
// member gets its own vectors, which is what running lanes in step means.
func (z *vectorizer) loop(x *tir.For, b bounds) tir.Stmt {
	lo, ok1 := tir.AsInt(x.Min)
	n, ok2 := tir.AsInt(x.Extent)
	if ok1 && ok2 && lo == 0 {
		if v, ok := z.body(x.Body, x.Var, n, b.loop(x)); ok {
			return v
		}
	}
	c := *x
	c.Kind = tir.Serial
	c.Body = z.stmt(x.Body, b.loop(x))
	return &c
}

// body vectorises s over lanes [0, n) of v.
func (z *vectorizer) body(s tir.Stmt, v *tir.Var, n int64, b bounds) (tir.Stmt, bool) {
	switch x := s.(type) {
	case *tir.Seq:
		out := make([]tir.Stmt, len(x.Stmts))
		for i, y := range x.Stmts {
			var ok bool
			if out[i], ok = z.body(y, v, n, b); !ok {
				return nil, false
			}
		}
		return tir.NewSeq(out...), true
	case *tir.For:
		if tir.UsesVar(tir.Add(x.Min, x.Extent), func(w *tir.Var) bool { return w == v }) || x.Kind == tir.Parallel {
			return nil, false
		}
		c := *x
		if x.Kind == tir.Vectorized {
			c.Kind = tir.Serial
		}
		var ok bool
		c.Body, ok = z.body(x.Body, v, n, b.loop(x))
		return &c, ok
	case *tir.If:
		return z.guard(x, v, n, b)
	case *tir.Store:
		return z.store(x, v, n, b)
	}
	return nil, false
}

// guard handles conditions: one that does not mention the lane stays around the
// vectors; lane + c < d cuts the number of lanes.
func (z *vectorizer) guard(x *tir.If, v *tir.Var, n int64, b bounds) (tir.Stmt, bool) {
	uses := func(w *tir.Var) bool { return w == v }
	var outer []tir.Expr
	for _, p := range conjuncts(x.Cond) {
		if !tir.UsesVar(p, uses) && !tir.HasLoad(p) {
			outer = append(outer, p)
			continue
		}
		forms, ok := b.atLeastZero(p)
		if !ok || x.Else != nil {
			return nil, false
		}
		for _, f := range forms {
			if len(f.terms) != 1 || f.terms[0].atom != tir.Expr(v) || f.terms[0].coef != -1 {
				return nil, false
			}
			n = min(n, f.c+1) // c - v ≥ 0
		}
	}
	if n <= 0 {
		return nil, true
	}
	then, ok := z.body(x.Then, v, n, b)
	if !ok {
		return nil, false
	}
	if x.Else == nil {
		return guarded(conjunction(outer), then), true
	}
	other, ok := z.body(x.Else, v, n, b)
	return guardedIf(&tir.If{Cond: conjunction(outer), Then: then, Else: other}), ok
}

// store emits the vectors of one store: whole vectors in an unrolled loop, the
// rest in powers of two.
func (z *vectorizer) store(x *tir.Store, v *tir.Var, n int64, b bounds) (tir.Stmt, bool) {
	k, ok := b.linear(x.Indices[0]).coefOf(v)
	if !ok || k != 1 {
		return nil, false
	}
	width := int64(z.lanes(widest(x)))
	var out []tir.Stmt
	whole := n / width
	if whole > 1 && width > 1 {
		c := tir.NewVar(v.Name+"_v", v.Type)
		st, ok := z.vector(x, v, tir.Mul(c, tir.IntOf(width, v.Type)), int(width), b)
		if !ok {
			return nil, false
		}
		out = append(out, &tir.For{Var: c, Min: tir.IntOf(0, v.Type), Extent: tir.IntOf(whole, v.Type), Kind: tir.Unrolled, Body: st})
	} else if whole == 1 || width == 1 {
		if width == 1 {
			return nil, false
		}
		st, ok := z.vector(x, v, tir.IntOf(0, v.Type), int(width), b)
		if !ok {
			return nil, false
		}
		out = append(out, st)
	}
	for at := whole * width; at < n; {
		w := int64(1)
		for w*2 <= n-at {
			w *= 2
		}
		st, ok := z.vector(x, v, tir.IntOf(at, v.Type), int(w), b)
		if !ok {
			return nil, false
		}
		out = append(out, st)
		at += w
	}
	return tir.NewSeq(out...), true
}

// widest is the widest element type among the buffers that a store touches.
func widest(x *tir.Store) dtype.DType {
	t := x.Buffer.Type
	tir.Walk(x.Value, func(e tir.Expr) bool {
		if d := e.DType(); !d.IsBool() && d.Bits > t.Bits && d.Code != dtype.Handle && d.Code != dtype.String {
			if ld, ok := e.(*tir.Load); ok {
				t = ld.Buffer.Type
			}
		}
		return true
	})
	return t
}

// vector is the store with v running over start … start + w − 1 as one vector.
func (z *vectorizer) vector(x *tir.Store, v *tir.Var, start tir.Expr, w int, b bounds) (tir.Stmt, bool) {
	sub := map[*tir.Var]tir.Expr{v: start}
	idx := b.linear(tir.Substitute(x.Indices[0], sub)).expr()
	if w == 1 {
		return &tir.Store{Buffer: x.Buffer, Value: tir.Substitute(x.Value, sub), Indices: []tir.Expr{idx}}, true
	}
	val, ok := vectorExpr(x.Value, v, start, w, b)
	if !ok {
		return nil, false
	}
	return &tir.Store{Buffer: x.Buffer, Value: broadcast(val, w), Indices: []tir.Expr{ramp(idx, 1, w)}}, true
}

func ramp(base tir.Expr, stride int64, w int) tir.Expr {
	return &tir.Ramp{Base: base, Stride: tir.IntOf(stride, base.DType()), Lanes: w}
}

func broadcast(e tir.Expr, w int) tir.Expr {
	if e.DType().Lanes > 1 {
		return e
	}
	return &tir.Broadcast{Value: e, Lanes: w}
}

// vectorExpr is e with v as a vector; parts that do not use v stay scalar.
func vectorExpr(e tir.Expr, v *tir.Var, start tir.Expr, w int, b bounds) (tir.Expr, bool) {
	if !tir.UsesVar(e, func(x *tir.Var) bool { return x == v }) {
		return e, true
	}
	rec := func(x tir.Expr) (tir.Expr, bool) { return vectorExpr(x, v, start, w, b) }
	switch x := e.(type) {
	case *tir.Var:
		return ramp(start, 1, w), true
	case *tir.Load:
		k, ok := b.linear(x.Indices[0]).coefOf(v)
		if !ok || k == 0 {
			return nil, false
		}
		base := b.linear(tir.Substitute(x.Indices[0], map[*tir.Var]tir.Expr{v: start})).expr()
		return &tir.Load{Buffer: x.Buffer, Indices: []tir.Expr{ramp(base, k, w)}}, true
	case *tir.Binary:
		p, ok1 := rec(x.A)
		q, ok2 := rec(x.B)
		if !ok1 || !ok2 {
			return nil, false
		}
		return tir.NewBinary(x.Op, broadcast(p, w), broadcast(q, w)), true
	case *tir.Not:
		p, ok := rec(x.A)
		return &tir.Not{A: p}, ok
	case *tir.Cast:
		p, ok := rec(x.Value)
		return &tir.Cast{Type: x.Type.WithLanes(w), Value: p}, ok
	case *tir.Select:
		return vectorSelect(x.Cond, x.Then, x.Else, w, rec)
	case *tir.Call:
		return vectorCall(x, v, w, rec)
	}
	return nil, false
}

func vectorSelect(c, p, q tir.Expr, w int, rec func(tir.Expr) (tir.Expr, bool)) (tir.Expr, bool) {
	c, ok0 := rec(c)
	p, ok1 := rec(p)
	q, ok2 := rec(q)
	if !ok0 || !ok1 || !ok2 {
		return nil, false
	}
	return &tir.Select{Cond: c, Then: broadcast(p, w), Else: broadcast(q, w)}, true
}

// vectorCall vectorises elementwise intrinsics. A branch whose condition differs
// between lanes is no vector: one side may be out of bounds.
func vectorCall(x *tir.Call, v *tir.Var, w int, rec func(tir.Expr) (tir.Expr, bool)) (tir.Expr, bool) {
	args := make([]tir.Expr, len(x.Args))
	for i, a := range x.Args {
		var ok bool
		if args[i], ok = rec(a); !ok {
			return nil, false
		}
	}
	if x.Op == "if_then_else" {
		if args[0].DType().Lanes > 1 {
			return nil, false
		}
		args[1], args[2] = broadcast(args[1], w), broadcast(args[2], w)
	} else {
		for i := range args {
			args[i] = broadcast(args[i], w)
		}
	}
	return &tir.Call{Op: x.Op, Args: args, Type: x.Type.WithLanes(w)}, true
}
