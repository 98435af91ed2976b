package tvmscript

import "hone/compiler/tir"

// bitwise builds a call, or folds two constants.
func (b *builder) bitwise(name string, x, y any, at pos) tir.Expr {
	p, q := tir.MatchTypes(b.operand(x, at), b.operand(y, at))
	t := p.DType()
	if !t.IsInt() && !t.IsBool() {
		b.fail(at, "%s needs integers, not %s", name, t)
	}
	i, ok1 := tir.AsInt(p)
	j, ok2 := tir.AsInt(q)
	shift := name == "shift_left" || name == "shift_right"
	if shift && ok2 && (j < 0 || j >= int64(t.Bits)) {
		b.fail(at, "shift of %s by %d", t, j)
	}
	if shift && ok2 && j == 0 {
		return p
	}
	if ok1 && ok2 {
		switch name {
		case "bitwise_and":
			return tir.IntOf(i&j, t)
		case "bitwise_or":
			return tir.IntOf(i|j, t)
		case "bitwise_xor":
			return tir.IntOf(i^j, t)
		case "shift_left":
			return tir.IntOf(i<<uint(j), t)
		case "shift_right":
			return tir.IntOf(i>>uint(j), t)
		}
	}
	return &tir.Call{Op: name, Args: []tir.Expr{p, q}, Type: t}
}

var compareOps = map[string]tir.BinOp{"==": tir.OpEQ, "!=": tir.OpNE, "<": tir.OpLT, "<=": tir.OpLE, ">": tir.OpGT, ">=": tir.OpGE}

func (b *builder) evalCompare(n *cmpNode) any {
	vals := b.evalList(n.items)
	var out any
	for i, op := range n.ops {
		v := b.compare(op, vals[i], vals[i+1], n.p)
		if out == nil {
			out = v
		} else {
			out = b.conjunction("and", out, v, n.p)
		}
	}
	return out
}

func (b *builder) compare(op string, x, y any, at pos) any {
	if p, ok := number(x); ok {
		if q, ok := number(y); ok {
			return compareNumbers(op, p, q)
		}
	}
	if s, ok := x.(string); ok {
		if t, ok := y.(string); ok && (op == "==" || op == "!=") {
			return (s == t) == (op == "==")
		}
	}
	p, q := b.pair(x, y, at)
	return tir.Compare(compareOps[op], p, q)
}

func compareNumbers(op string, p, q float64) bool {
	switch op {
	case "==":
		return p == q
	case "!=":
		return p != q
	case "<":
		return p < q
	case "<=":
		return p <= q
	case ">":
		return p > q
	}
	return p >= q
}

// evalLogic folds `and` and `or` from the left; Python bools on the left
// short-circuit, nothing else folds.
func (b *builder) evalLogic(n *logicNode) any {
	out := b.eval(n.items[0])
	for _, x := range n.items[1:] {
		if c, ok := out.(bool); ok && c == (n.op == "or") {
			return out
		}
		out = b.conjunction(n.op, out, b.eval(x), n.p)
	}
	return out
}

func (b *builder) conjunction(op string, x, y any, at pos) any {
	if c, ok := x.(bool); ok {
		if c == (op == "or") {
			return x
		}
		return y
	}
	p, q := b.boolExpr(x, at), b.boolExpr(y, at)
	if p.DType() != q.DType() {
		b.fail(at, "operands are %s and %s", p.DType(), q.DType())
	}
	if op == "or" {
		return tir.NewBinary(tir.OpOr, p, q)
	}
	return tir.NewBinary(tir.OpAnd, p, q)
}

// evalIf is Python's conditional expression: decided now for a Python bool,
// T.if_then_else otherwise.
func (b *builder) evalIf(n *ifNode) any {
	cond := b.eval(n.cond)
	if c, ok := cond.(bool); ok {
		if c {
			return b.eval(n.then)
		}
		return b.eval(n.els)
	}
	c := b.boolExpr(cond, n.p)
	x, y := b.pair(b.eval(n.then), b.eval(n.els), n.p)
	return tir.IfThenElse(c, x, y)
}
