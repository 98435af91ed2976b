package interp

import "hone/compiler/tir"

func (c *compiler) stmt(s tir.Stmt) stmtFn {
	switch s := s.(type) {
	case nil:
		return func(*env) {}
	case *tir.Store:
		return c.store(s)
	case *tir.Seq:
		return c.seq(s)
	case *tir.For:
		return c.loop(s)
	case *tir.BlockRealize:
		return c.block(s)
	case *tir.If:
		cond, then, els := c.intExpr(s.Cond), c.stmt(s.Then), c.stmt(s.Else)
		return func(e *env) {
			if cond(e, 0) != 0 {
				then(e)
			} else {
				els(e)
			}
		}
	case *tir.Bind:
		set := c.assign(s.Var, s.Value)
		return func(e *env) { set(e) }
	case *tir.AllocBuffer:
		if n := len(c.scopes); n > 0 {
			c.scopes[n-1].owned[s.Buffer] = true
		}
		return c.allocate(s.Buffer, true)
	case *tir.DeclBuffer:
		c.reject("buffer %s lies over a pointer, which is not interpreted", s.Buffer.Name)
		return func(*env) {}
	case *tir.AttrStmt:
		if it, ok := s.Node.(*tir.IterVar); ok {
			c.reject("the launch of %s is not interpreted; bind a loop to it", it.Tag)
		}
		return c.stmt(s.Body)
	case *tir.While:
		cond, body := c.intExpr(s.Cond), c.stmt(s.Body)
		return func(e *env) {
			for e.err == nil && cond(e, 0) != 0 {
				body(e)
			}
		}
	case *tir.Assert:
		cond, at, msg := c.intExpr(s.Cond), c.at, s.Message()
		return func(e *env) {
			if cond(e, 0) == 0 {
				e.fail(at, "assertion failed: %s", msg)
			}
		}
	case *tir.Evaluate:
		return c.evaluate(s.Value)
	}
	panic("BUG: unknown statement node")
}

func (c *compiler) seq(s *tir.Seq) stmtFn {
	parts := make([]stmtFn, len(s.Stmts))
	for i, x := range s.Stmts {
		parts[i] = c.stmt(x)
	}
	return func(e *env) {
		for _, f := range parts {
			if e.err != nil {
				return
			}
			f(e)
		}
	}
}

// assign compiles the binding of v to value, all lanes.
func (c *compiler) assign(v *tir.Var, value tir.Expr) stmtFn {
	if v.Type != value.DType() {
		c.reject("%s is %s, its value %s is %s", v.Name, v.Type, tir.ExprString(value), value.DType())
		return func(*env) {}
	}
	lanes := int(v.Type.Lanes)
	if v.Type.IsFloat() {
		f, slot := c.floatExpr(value), c.define(v)
		return func(e *env) {
			for k := range lanes {
				e.floats[slot+k] = f(e, k)
			}
		}
	}
	f, slot := c.intExpr(value), c.define(v)
	return func(e *env) {
		for k := range lanes {
			e.ints[slot+k] = f(e, k)
		}
	}
}

func (c *compiler) loop(s *tir.For) stmtFn {
	lo, n, at := c.intExpr(s.Min), c.intExpr(s.Extent), c.at
	step := func(*env, int) int64 { return 1 }
	if s.Step != nil {
		step = c.intExpr(s.Step)
	}
	slot, name := c.define(s.Var), s.Var.Name
	body := c.stmt(s.Body)
	together := c.opt.Races && (s.Kind == tir.Parallel || s.Kind == tir.Vectorized)
	if together {
		body = concurrent(body, name)
	}
	return func(e *env) {
		start, by := lo(e, 0), step(e, 0)
		end := start + n(e, 0)
		if by <= 0 {
			e.fail(at, "loop %s has step %d", name, by)
		}
		if together {
			e.nEntry++
			e.entry = e.nEntry
		}
		for i := start; i < end && e.err == nil; i += by {
			e.ints[slot] = i
			body(e)
		}
	}
}

// effectFree are calls that only steer compilers or hardware.
var effectFree = map[string]bool{"assume": true, "tvm_storage_sync": true, "undef": true, "ignore_loop_partition": true, "prefetch": true}

func (c *compiler) evaluate(v tir.Expr) stmtFn {
	if call, ok := v.(*tir.Call); ok && effectFree[call.Op] {
		return func(*env) {}
	}
	switch t := v.DType(); {
	case t.IsFloat():
		f := c.floatExpr(v)
		return func(e *env) { f(e, 0) }
	case t.IsInt() || t.IsBool():
		f := c.intExpr(v)
		return func(e *env) { f(e, 0) }
	}
	c.reject("%s cannot be interpreted", tir.ExprString(v))
	return func(*env) {}
}
