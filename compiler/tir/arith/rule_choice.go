package arith

import "hone/compiler/tir"

// let inlines bindings of constants and variables and keeps the others.
func (s simplifier) let(x *tir.Let) tir.Expr {
	v := s.visit(x.Value)
	switch v.(type) {
	case *tir.IntImm, *tir.FloatImm, *tir.Var:
		return s.visit(tir.Substitute(x.Body, map[*tir.Var]tir.Expr{x.Var: v}))
	}
	var undo func()
	if x.Var.Type.IsInt() {
		f := s.facts(x.Var)
		old := *f
		*f = varFacts{v: x.Var, bound: s.Bound(v), mod: s.Modular(v)}
		undo = func() { *s.facts(x.Var) = old }
	}
	body := s.visit(x.Body)
	if undo != nil {
		undo()
	}
	switch {
	case !tir.UsesVar(body, func(u *tir.Var) bool { return u == x.Var }) && isPure(v):
		return body
	case v == x.Value && body == x.Body:
		return x
	}
	return &tir.Let{Var: x.Var, Value: v, Body: body}
}

// isPure reports whether e may be dropped or duplicated: it calls nothing.
func isPure(e tir.Expr) bool {
	pure := true
	tir.Walk(e, func(x tir.Expr) bool {
		if _, ok := x.(*tir.Call); ok {
			pure = false
		}
		return pure
	})
	return pure
}

// choice simplifies a select or if_then_else; each branch knows the condition.
func (s simplifier) choice(e, cond, x, y tir.Expr, make func(c, x, y tir.Expr) tir.Expr) tir.Expr {
	c := s.visit(cond)
	if k, ok := tir.AsInt(c); ok {
		if k != 0 {
			return s.visit(x)
		}
		return s.visit(y)
	}
	if c.DType().Lanes > 1 {
		p, q := s.visit(x), s.visit(y)
		if c == cond && p == x && q == y {
			return e
		}
		return make(c, p, q)
	}
	p := s.under(c, x)
	q := s.under(s.again(tir.NewNot(c)), y)
	switch {
	case Same(p, q) && isPure(c):
		return p
	case c == cond && p == x && q == y:
		return e
	}
	return make(c, p, q)
}

func (s simplifier) under(c, x tir.Expr) tir.Expr {
	switch x.(type) {
	case *tir.IntImm, *tir.FloatImm:
		return x
	case *tir.Var:
		return s.visit(x)
	}
	mark := s.enter(c)
	r := s.visit(x)
	s.leave(mark)
	return r
}
