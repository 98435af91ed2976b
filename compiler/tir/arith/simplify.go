package arith

import "hone/compiler/tir"

// maxDepth bounds how deeply rules may simplify what they built. The rules
// shrink their input, so it is never reached; it keeps a bad rule from looping.
const maxDepth = 48

// Simplify returns e in normal form: equal to e for all values within the
// bounds and constraints, and e itself when nothing changes. Linear arithmetic
// becomes a sum of terms by falling scale; comparisons bring constants to one
// side; loops of extent one are replaced by their value.
func (a *Analyzer) Simplify(e tir.Expr) tir.Expr {
	switch x := e.(type) {
	case nil:
		return nil
	case *tir.IntImm, *tir.FloatImm, *tir.StringImm:
		return e
	case *tir.Var:
		return simplifier{a, true}.variable(x)
	}
	r := simplifier{a, true}.visit(e)
	if isFlat(r) {
		return r
	}
	return simplifier{a, true}.visit(simplifier{a, false}.visit(r))
}

// SimplifyRange simplifies both parts of a range.
func (a *Analyzer) SimplifyRange(r tir.Range) tir.Range {
	return tir.Range{Min: a.Simplify(r.Min), Extent: a.Simplify(r.Extent)}
}

// isFlat reports whether a canonical expression is a plain linear sum of
// variables, on which the rewrite rules have no say.
func isFlat(e tir.Expr) bool {
	switch x := e.(type) {
	case *tir.Var, *tir.IntImm:
		return true
	case *tir.Binary:
		switch x.Op {
		case tir.OpAdd, tir.OpSub:
			return isIndex(x.T) && isFlat(x.A) && isFlat(x.B)
		case tir.OpMul:
			_, ok := x.B.(*tir.IntImm)
			return ok && isIndex(x.T) && isFlat(x.A)
		}
	}
	return false
}

// simplifier is one pass over an expression: the canonical pass treats linear
// arithmetic as sums of terms, the other pass applies the rules to it; both
// apply the rules to everything else.
type simplifier struct {
	*Analyzer
	canon bool
}

// visit simplifies e and what is below it.
func (s simplifier) visit(e tir.Expr) tir.Expr {
	switch x := e.(type) {
	case *tir.IntImm, *tir.FloatImm, *tir.StringImm, *tir.BufferRef:
		return e
	case *tir.Var:
		return s.variable(x)
	case *tir.Binary:
		if s.canon && isLinear(x.Op) && isIndex(x.T) {
			return s.canonical(x)
		}
	}
	return s.other(e)
}

func (s simplifier) variable(v *tir.Var) tir.Expr {
	if f := s.find(v); f != nil && f.value != nil {
		return f.value
	}
	if v.Type.IsBool() {
		if r := s.decided(v); r != nil {
			return r
		}
	}
	return v
}

// again simplifies an expression that a rule built.
func (s simplifier) again(e tir.Expr) tir.Expr {
	if s.depth >= maxDepth {
		return e
	}
	s.depth++
	e = s.visit(e)
	s.depth--
	return e
}

// other simplifies the operands of e and applies the rules to e.
func (s simplifier) other(e tir.Expr) tir.Expr {
	switch x := e.(type) {
	case *tir.Var:
		return s.variable(x)
	case *tir.Binary:
		return s.binary(x)
	case *tir.Not:
		return s.not(x)
	case *tir.Cast:
		if v := s.visit(x.Value); v != x.Value {
			return tir.NewCast(x.Type, v)
		}
	case *tir.Select:
		return s.choice(e, x.Cond, x.Then, x.Else, func(c, a, b tir.Expr) tir.Expr { return &tir.Select{Cond: c, Then: a, Else: b} })
	case *tir.Let:
		return s.let(x)
	case *tir.Ramp:
		if b, st := s.visit(x.Base), s.visit(x.Stride); b != x.Base || st != x.Stride {
			return &tir.Ramp{Base: b, Stride: st, Lanes: x.Lanes}
		}
	case *tir.Broadcast:
		if v := s.visit(x.Value); v != x.Value {
			return &tir.Broadcast{Value: v, Lanes: x.Lanes}
		}
	case *tir.Load:
		if idx, changed := s.list(x.Indices); changed {
			return &tir.Load{Buffer: x.Buffer, Indices: idx}
		}
	case *tir.Call:
		return s.call(x)
	}
	return e
}

func (s simplifier) list(es []tir.Expr) ([]tir.Expr, bool) {
	var out []tir.Expr
	for i, e := range es {
		r := s.visit(e)
		if r != e && out == nil {
			out = append([]tir.Expr(nil), es...)
		}
		if out != nil {
			out[i] = r
		}
	}
	if out == nil {
		return es, false
	}
	return out, true
}

func (s simplifier) call(x *tir.Call) tir.Expr {
	switch {
	case x.Op == "if_then_else" && len(x.Args) == 3:
		return s.choice(x, x.Args[0], x.Args[1], x.Args[2], func(c, a, b tir.Expr) tir.Expr {
			return &tir.Call{Op: x.Op, Args: []tir.Expr{c, a, b}, Type: x.Type}
		})
	case x.Op == "likely" && len(x.Args) == 1:
		if c := s.visit(x.Args[0]); c != x.Args[0] {
			if _, ok := c.(*tir.IntImm); ok {
				return c
			}
			return &tir.Call{Op: x.Op, Args: []tir.Expr{c}, Type: x.Type}
		}
		return x
	}
	if args, changed := s.list(x.Args); changed {
		return &tir.Call{Op: x.Op, Args: args, Type: x.Type}
	}
	return x
}

// binary simplifies the operands of x and applies the rules of its operation.
func (s simplifier) binary(x *tir.Binary) tir.Expr {
	if x.T.IsBool() {
		if r := s.decided(x); r != nil {
			return r
		}
	}
	a, b := s.visit(x.A), s.visit(x.B)
	if a != x.A || b != x.B {
		e := tir.Rebuild(x.Op, a, b)
		y, ok := e.(*tir.Binary)
		if !ok || y.Op != x.Op || y.A != a || y.B != b {
			return e
		}
		x = y
	} else if isConst(a) && isConst(b) || isConst(b) && x.Op <= tir.OpMod || x.Op.IsLogic() {
		if e := tir.Rebuild(x.Op, a, b); !sameNode(e, x) {
			return e
		}
	}
	if s.canon && x.Op == tir.OpLT && isIndex(x.A.DType()) {
		if r := s.lessByDivisor(x); r != nil {
			return s.again(r)
		}
	}
	if r := s.rule(x); r != nil {
		return r
	}
	return x
}

func sameNode(e tir.Expr, x *tir.Binary) bool {
	y, ok := e.(*tir.Binary)
	return ok && y.Op == x.Op && y.A == x.A && y.B == x.B
}

func isConst(e tir.Expr) bool {
	switch e.(type) {
	case *tir.IntImm, *tir.FloatImm:
		return true
	}
	return false
}

// rule applies the rules of one node whose operands are simplified; nil when
// none applies.
func (s simplifier) rule(x *tir.Binary) tir.Expr {
	switch {
	case x.Op.IsLogic():
		return s.ruleLogic(x)
	case x.T.Lanes > 1:
		return s.ruleVector(x)
	case x.Op.IsCompare():
		if isIndex(x.A.DType()) {
			return s.ruleCompare(x)
		}
		return nil
	case !isIndex(x.T):
		if (x.Op == tir.OpMin || x.Op == tir.OpMax) && Same(x.A, x.B) && isPure(x.A) {
			return x.A
		}
		return nil
	}
	switch x.Op {
	case tir.OpAdd:
		return s.ruleAdd(x.A, x.B)
	case tir.OpSub:
		return s.ruleSub(x.A, x.B)
	case tir.OpFloorDiv:
		return s.ruleFloorDiv(x.A, x.B)
	case tir.OpFloorMod:
		return s.ruleFloorMod(x.A, x.B)
	case tir.OpMin, tir.OpMax:
		return s.ruleMinMax(x)
	}
	return nil
}

// as returns e as a binary node of the given operation, or nil.
func as(op tir.BinOp, e tir.Expr) *tir.Binary {
	if b, ok := e.(*tir.Binary); ok && b.Op == op {
		return b
	}
	return nil
}

// offset splits a simplified e into x + c; x is nil when e is a constant.
func offset(e tir.Expr) (x tir.Expr, c int64) {
	switch b := e.(type) {
	case *tir.IntImm:
		return nil, b.Value
	case *tir.Binary:
		if k, ok := tir.AsInt(b.B); ok {
			switch b.Op {
			case tir.OpAdd:
				return b.A, k
			case tir.OpSub:
				return b.A, -k
			}
			return e, 0
		}
		// The constant of a normal form stands before what is subtracted.
		if b.Op == tir.OpSub {
			if y, k := offset(b.A); y != nil && k != 0 {
				return tir.NewBinary(tir.OpSub, y, b.B), k
			}
		}
	}
	return e, 0
}

// plus is x + c, written as a subtraction for negative c; nil x is zero.
func plus(x tir.Expr, c int64, like tir.Expr) tir.Expr {
	t := like.DType()
	switch {
	case x == nil:
		return tir.IntOf(c, t)
	case c > 0:
		return tir.Add(x, tir.IntOf(c, t))
	case c < 0:
		return tir.Sub(x, tir.IntOf(-c, t))
	}
	return x
}
