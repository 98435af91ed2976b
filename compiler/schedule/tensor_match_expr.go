package schedule

import "hone/compiler/tir"

// expr compares two expressions: the same operations on operands that agree.
// Widths do not count, only whether types are integers, floats and so on.
func (m *matcher) expr(x, y tir.Expr) bool {
	if x == y {
		return true
	}
	if x.DType().Code == y.DType().Code && m.operation(x, y) {
		return true
	}
	return m.differ("expression " + tir.ExprString(x) + " is not " + tir.ExprString(y))
}

func (m *matcher) operation(x, y tir.Expr) bool {
	switch x := x.(type) {
	case *tir.Var:
		y, ok := y.(*tir.Var)
		return ok && m.vars[x] == y
	case *tir.IntImm:
		y, ok := y.(*tir.IntImm)
		return ok && x.Value == y.Value
	case *tir.FloatImm:
		y, ok := y.(*tir.FloatImm)
		return ok && x.Value == y.Value
	case *tir.StringImm:
		y, ok := y.(*tir.StringImm)
		return ok && x.Value == y.Value
	case *tir.Binary:
		y, ok := y.(*tir.Binary)
		return ok && x.Op == y.Op && m.expr(x.A, y.A) && m.expr(x.B, y.B)
	case *tir.Cast:
		y, ok := y.(*tir.Cast)
		return ok && m.expr(x.Value, y.Value)
	case *tir.Select:
		y, ok := y.(*tir.Select)
		return ok && m.expr(x.Cond, y.Cond) && m.expr(x.Then, y.Then) && m.expr(x.Else, y.Else)
	case *tir.Load:
		y, ok := y.(*tir.Load)
		return ok && m.access(x.Buffer, x.Indices, y.Buffer, y.Indices)
	case *tir.Call:
		y, ok := y.(*tir.Call)
		return ok && x.Op == y.Op && m.exprs(x.Args, y.Args)
	}
	return false // lets, vectors, negations: descriptions cannot have them
}

func (m *matcher) exprs(xs, ys []tir.Expr) bool {
	if len(xs) != len(ys) {
		return false
	}
	for i := range xs {
		if !m.expr(xs[i], ys[i]) {
			return false
		}
	}
	return true
}
