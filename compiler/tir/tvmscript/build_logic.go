package tvmscript

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// bitwise builds a call, or folds two constants.
func (b *builder) bitwise(name string, x, y any, at pos) tir.Expr {
	p, q := b.operand(b.literalLike(x, y, at), at), b.operand(b.literalLike(y, x, at), at)
	b.sameLanes(p, q, at)
	p, q = tir.MatchTypes(p, q)
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

// literalLike gives an integer literal the type of the expression beside it.
func (b *builder) literalLike(x, y any, at pos) any {
	i, ok := x.(int64)
	e, ok2 := y.(tir.Expr)
	if !ok || !ok2 || !e.DType().IsInt() && !e.DType().IsBool() {
		return x
	}
	t := e.DType().Element()
	if t.Bits <= 32 {
		i = int64(int32(i)) // a literal is an int32 first
	}
	return b.intLiteral(i, t, at)
}

func (b *builder) intLiteral(i int64, t dtype.DType, at pos) *tir.IntImm {
	c := tir.IntOf(i, t)
	if c.Value != i && t != dtype.UInt64 {
		b.fail(at, "%d is out of the range of %s", i, t)
	}
	return c
}

var compareOps = [kinds]tir.BinOp{opEqual: tir.OpEQ, opNotEqual: tir.OpNE, opLess: tir.OpLT, opLessEq: tir.OpLE, opGreater: tir.OpGT, opGreaterEq: tir.OpGE}

func (b *builder) evalCompare(n *cmpNode) any {
	vals := b.evalList(n.items)
	var out any
	for i, op := range n.ops {
		v := b.compare(op, vals[i], vals[i+1], n.p)
		if out == nil {
			out = v
		} else {
			out = b.conjunction(kwAnd, out, v, n.p)
		}
	}
	return out
}

func (b *builder) compare(op kind, x, y any, at pos) any {
	if p, ok := number(x); ok {
		if q, ok := number(y); ok {
			return compareNumbers(op, p, q)
		}
	}
	if s, ok := x.(string); ok {
		if t, ok := y.(string); ok && (op == opEqual || op == opNotEqual) {
			return (s == t) == (op == opEqual)
		}
	}
	if _, ok := x.(tir.Expr); ok && op != opEqual && op != opNotEqual {
		p, q := b.pair(x, y, at)
		return tir.Compare(compareOps[op], p, q)
	}
	p, q := b.operand(b.comparable(x, y, at), at), b.operand(b.comparable(y, x, at), at)
	if l, m := p.DType().Lanes, q.DType().Lanes; l != m && l != 1 && m != 1 {
		b.fail(at, "operands have %d and %d lanes", l, m)
	}
	if s, t := p.DType(), q.DType(); s.Element() != t.Element() {
		b.fail(at, "a comparison of %s and %s", s, t)
	}
	return tir.Compare(compareOps[op], p, q)
}

// comparable gives a literal the type of the expression that it is compared
// with; nothing else is converted.
func (b *builder) comparable(x, y any, at pos) any {
	e, ok := y.(tir.Expr)
	if !ok {
		return x
	}
	t := e.DType().Element()
	switch v := x.(type) {
	case bool:
		if v {
			return b.comparable(int64(1), y, at)
		}
		return b.comparable(int64(0), y, at)
	case int64:
		if t.IsFloat() {
			return tir.FloatOf(float64(v), t)
		}
		if t.IsInt() || t.IsBool() {
			return b.intLiteral(v, t, at)
		}
	case float64:
		if t.IsFloat() {
			return tir.FloatOf(v, t)
		}
	}
	return x
}

func compareNumbers(op kind, p, q float64) bool {
	switch op {
	case opEqual:
		return p == q
	case opNotEqual:
		return p != q
	case opLess:
		return p < q
	case opLessEq:
		return p <= q
	case opGreater:
		return p > q
	}
	return p >= q
}

// evalLogic folds `and` and `or` from the left; Python bools on the left
// short-circuit, nothing else folds.
func (b *builder) evalLogic(n *logicNode) any {
	out := b.eval(n.items[0])
	for _, x := range n.items[1:] {
		if c, ok := out.(bool); ok && c == (n.op == kwOr) {
			return out
		}
		out = b.conjunction(n.op, out, b.eval(x), n.p)
	}
	return out
}

func (b *builder) conjunction(op kind, x, y any, at pos) any {
	if c, ok := x.(bool); ok {
		if d, ok := y.(bool); ok {
			return c && d || op == kwOr && (c || d)
		}
	}
	p, q := b.boolExpr(x, at), b.boolExpr(y, at)
	if p.DType() != q.DType() {
		b.fail(at, "operands are %s and %s", p.DType(), q.DType())
	}
	if op == kwOr {
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
