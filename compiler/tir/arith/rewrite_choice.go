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

// choice simplifies a select; each branch knows the condition.
func (s simplifier) choice(x *tir.Select) tir.Expr {
	c := s.visit(x.Cond)
	p := s.under(s.enterBranch(c), x.Then)
	q := s.under(s.enter(s.ruled(&tir.Not{A: c})), x.Else)
	if k, ok := tir.AsInt(c); ok {
		return pick(k != 0, p, q)
	}
	if Same(p, q) {
		return p
	}
	if c == x.Cond && p == x.Then && q == x.Else {
		return x
	}
	return &tir.Select{Cond: c, Then: p, Else: q}
}

func pick(first bool, p, q tir.Expr) tir.Expr {
	if first {
		return p
	}
	return q
}

func (s simplifier) call(x *tir.Call) tir.Expr {
	switch {
	case x.Op == "if_then_else" && len(x.Args) == 3:
		return s.ifThenElse(x)
	case x.Op == "likely" && len(x.Args) == 1:
		c := s.visit(x.Args[0])
		if _, ok := c.(*tir.IntImm); ok {
			return c
		}
		if r := s.decided(c); r != nil {
			return r
		}
		if c != x.Args[0] {
			return &tir.Call{Op: x.Op, Args: []tir.Expr{c}, Type: x.Type}
		}
		return x
	}
	if args, changed := s.list(x.Args); changed {
		return &tir.Call{Op: x.Op, Args: args, Type: x.Type}
	}
	return x
}

// ifThenElse is choice of a call, which also joins one conditional in the first
// branch of another with the same constant otherwise.
func (s simplifier) ifThenElse(x *tir.Call) tir.Expr {
	c := s.visit(x.Args[0])
	p := s.under(s.enterBranch(c), x.Args[1])
	q := s.under(s.enter(&tir.Not{A: c}), x.Args[2])
	if k, ok := tir.AsInt(c); ok {
		return pick(k != 0, p, q)
	}
	if in, ok := p.(*tir.Call); ok && in.Op == x.Op && isConst(q) && isConst(in.Args[2]) && s.CanProve(tir.Rebuild(tir.OpEQ, in.Args[2], q)) {
		return &tir.Call{Op: x.Op, Args: []tir.Expr{tir.And(c, in.Args[0]), in.Args[1], q}, Type: x.Type}
	}
	if c == x.Args[0] && p == x.Args[1] && q == x.Args[2] {
		return x
	}
	return &tir.Call{Op: x.Op, Args: []tir.Expr{c, p, q}, Type: x.Type}
}

// under simplifies x where what was entered holds, and leaves it.
func (s simplifier) under(entered constraintMark, x tir.Expr) tir.Expr {
	r := s.visit(x)
	s.leave(entered)
	return r
}
