package tvmscript

import (
	"math"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// maxEval bounds the recursion of eval: long chains of operators are deep.
const maxEval = 2000

// eval computes the value of a Python expression.
func (b *builder) eval(n node) any {
	b.depth++
	defer func() { b.depth-- }()
	if b.depth > maxEval {
		b.fail(n.at(), "the expression is nested too deeply")
	}
	switch n := n.(type) {
	case *nameNode:
		return b.evalName(n)
	case *intNode:
		return n.val
	case *floatNode:
		return n.val
	case *textNode:
		return n.val
	case *attrNode:
		return b.evalAttr(n)
	case *callNode:
		return b.evalCall(n)
	case *indexNode:
		return b.evalIndex(n)
	case *listNode:
		return b.evalList(n.items)
	case *dictNode:
		return b.evalDict(n)
	case *unaryNode:
		return b.evalUnary(n)
	case *binNode:
		return b.evalBinary(n.op, b.eval(n.a), b.eval(n.b), n.p)
	case *cmpNode:
		return b.evalCompare(n)
	case *logicNode:
		return b.evalLogic(n)
	case *ifNode:
		return b.evalIf(n)
	case *lamNode:
		return &lambda{n, append([]map[string]any(nil), b.scopes...)}
	}
	b.fail(n.at(), "this is not allowed here")
	return nil
}

func (b *builder) evalName(n *nameNode) any {
	if v, ok := b.lookup(n.id); ok {
		return v
	}
	switch n.id {
	case "True", "False":
		return n.id == "True"
	case "None":
		return nil
	case "range":
		return ref("range")
	}
	if modules[n.id] {
		return ref(n.id)
	}
	b.fail(n.p, "undefined name %s", n.id)
	return nil
}

func (b *builder) evalList(items []node) []any {
	out := make([]any, 0, len(items))
	for _, x := range items {
		if st, ok := x.(*starNode); ok {
			out = append(out, b.spread(st)...)
			continue
		}
		out = append(out, b.eval(x))
	}
	return out
}

// spread evaluates `*x`.
func (b *builder) spread(st *starNode) []any {
	v, ok := b.eval(st.x).([]any)
	if !ok {
		b.fail(st.p, "only a tuple or list can be spread")
	}
	return v
}

func (b *builder) evalDict(n *dictNode) any {
	out := make(map[string]any, len(n.keys))
	for i, k := range n.keys {
		key, ok := b.eval(k).(string)
		if !ok {
			b.fail(k.at(), "keys of a dict must be text")
		}
		if _, dup := out[key]; dup {
			b.fail(k.at(), "a second key %q", key)
		}
		out[key] = b.eval(n.vals[i])
	}
	return out
}

// evalAttr reads a dotted name of T, or a property of a buffer.
func (b *builder) evalAttr(n *attrNode) any {
	x := b.eval(n.x)
	switch v := x.(type) {
	case ref:
		return ref(string(v) + "." + n.name)
	case *tir.Buffer:
		switch n.name {
		case "data":
			return &tir.BufferRef{Buffer: v}
		case "dtype":
			return v.Type.String()
		case "shape":
			return exprList(v.Shape)
		case "strides":
			return exprList(v.Strides)
		case "elem_offset":
			if v.ElemOffset == nil {
				return tir.IntOf(0, indexType(v.Shape))
			}
			return v.ElemOffset
		}
		b.fail(n.p, "buffer %s has no property %s here", v.Name, n.name)
	case tir.Expr:
		if n.name == "dtype" {
			return v.DType().String()
		}
	}
	b.fail(n.p, "a %s has no property %s", describe(x), n.name)
	return nil
}

func exprList(es []tir.Expr) []any {
	out := make([]any, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

func (b *builder) evalUnary(n *unaryNode) any {
	v := b.eval(n.x)
	if n.op == "not" {
		if c, ok := v.(bool); ok {
			return !c
		}
		return &tir.Not{A: b.boolExpr(v, n.p)}
	}
	switch c := v.(type) {
	case int64:
		switch n.op {
		case "-":
			return -c
		case "~":
			return ^c
		}
		return c
	case float64:
		if n.op == "-" {
			return -c
		}
	}
	e := b.operand(v, n.p)
	switch n.op {
	case "-":
		return tir.Mul(e, tir.Const(-1, e.DType()))
	case "~":
		if !e.DType().IsInt() && !e.DType().IsBool() {
			b.fail(n.p, "~ of %s", e.DType())
		}
		return &tir.Call{Op: "bitwise_not", Args: []tir.Expr{e}, Type: e.DType()}
	}
	return e
}

// operand converts a value for an arithmetic operator, which takes no regions.
func (b *builder) operand(v any, at pos) tir.Expr {
	switch v := v.(type) {
	case tir.Region:
		b.fail(at, "the region %s is no operand; index the buffer", tir.RegionString(v))
	case string:
		b.fail(at, "a text is no operand")
	}
	e := b.expr(v, at)
	if c := e.DType().Code; c == dtype.Handle || c == dtype.Void || c == dtype.String {
		b.fail(at, "%s is %s, which has no arithmetic", tir.ExprString(e), e.DType())
	}
	return e
}

func (b *builder) boolExpr(v any, at pos) tir.Expr {
	e := b.expr(v, at)
	if !e.DType().IsBool() {
		b.fail(at, "%s is %s where a bool is wanted", tir.ExprString(e), e.DType())
	}
	return e
}

// pair converts two operands: a float literal takes the width of a wide partner.
func (b *builder) pair(x, y any, at pos) (tir.Expr, tir.Expr) {
	adapt := func(lit float64, other any) any {
		if e, ok := other.(tir.Expr); ok && e.DType() == dtype.Float64 {
			return tir.Const(lit, dtype.Float64)
		}
		return lit
	}
	if f, ok := x.(float64); ok {
		x = adapt(f, y)
	} else if f, ok := y.(float64); ok {
		y = adapt(f, x)
	}
	p, q := b.operand(x, at), b.operand(y, at)
	if l, m := p.DType().Lanes, q.DType().Lanes; l != m && l != 1 && m != 1 {
		b.fail(at, "operands have %d and %d lanes", l, m)
	}
	return p, q
}

var arithOps = map[string]tir.BinOp{"+": tir.OpAdd, "-": tir.OpSub, "*": tir.OpMul, "/": tir.OpDiv, "//": tir.OpFloorDiv, "%": tir.OpFloorMod}

var bitOps = map[string]string{"&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor", "<<": "shift_left", ">>": "shift_right"}

func (b *builder) evalBinary(op string, x, y any, at pos) any {
	if v, ok := b.pythonArith(op, x, y, at); ok {
		return v
	}
	if name, ok := bitOps[op]; ok {
		return b.bitwise(name, x, y, at)
	}
	o, ok := arithOps[op]
	if !ok {
		b.fail(at, "the operator %s is not supported on expressions", op)
	}
	p, q := b.pair(x, y, at)
	return b.arithmetic(o, p, q, at)
}

func (b *builder) arithmetic(op tir.BinOp, p, q tir.Expr, at pos) tir.Expr {
	ints := !p.DType().IsFloat() && !q.DType().IsFloat()
	switch {
	case op == tir.OpDiv && ints:
		b.fail(at, "/ of two integers is ambiguous; write // or T.truncdiv")
	case (op == tir.OpFloorDiv || op == tir.OpFloorMod) && !ints:
		b.fail(at, "%s needs integers, not %s and %s", op, p.DType(), q.DType())
	case op >= tir.OpDiv && op <= tir.OpFloorMod && tir.IsConst(q, 0):
		b.fail(at, "division by zero")
	}
	return tir.Arith(op, p, q)
}

// pythonArith computes with Python's own numbers.
func (b *builder) pythonArith(op string, x, y any, at pos) (any, bool) {
	i, ok1 := x.(int64)
	j, ok2 := y.(int64)
	if ok1 && ok2 {
		return b.pythonInts(op, i, j, at), true
	}
	p, ok1 := number(x)
	q, ok2 := number(y)
	if !ok1 || !ok2 {
		return nil, false
	}
	switch op {
	case "+":
		return p + q, true
	case "-":
		return p - q, true
	case "*":
		return p * q, true
	case "/":
		if q != 0 {
			return p / q, true
		}
	case "**":
		return math.Pow(p, q), true
	}
	b.fail(at, "%v %s %v has no value", x, op, y)
	return nil, false
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

func (b *builder) pythonInts(op string, i, j int64, at pos) any {
	switch op {
	case "+":
		if r := i + j; (r > i) == (j > 0) {
			return r
		}
	case "-":
		if r := i - j; (r < i) == (j > 0) {
			return r
		}
	case "*":
		if r := i * j; i == 0 || r/i == j && !(i == -1 && j == math.MinInt64) {
			return r
		}
	case "//", "%", "/":
		if j == 0 {
			b.fail(at, "division by zero")
		}
		switch op {
		case "//":
			return tir.FloorDivInt(i, j)
		case "%":
			return i - tir.FloorDivInt(i, j)*j
		}
		return float64(i) / float64(j)
	case "&":
		return i & j
	case "|":
		return i | j
	case "^":
		return i ^ j
	case "<<", ">>":
		if j >= 0 && j < 63 {
			if op == ">>" {
				return i >> j
			}
			if i<<j>>j == i {
				return i << j
			}
		}
	case "**":
		if j >= 0 && j < 64 {
			r := int64(1)
			for range j {
				r = b.pythonInts("*", r, i, at).(int64)
			}
			return r
		}
	}
	b.fail(at, "%d %s %d is not an integer of 64 bits", i, op, j)
	return nil
}

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
