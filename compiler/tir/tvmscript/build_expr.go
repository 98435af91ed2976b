package tvmscript

import (
	"math"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// maxEval bounds the recursion of eval: long chains of operators are deep.
const maxEval = 2000

// eval computes the value of a Python expression.
func (b *builder) eval(n node) any {
	b.depth++
	if b.depth > maxEval {
		b.fail(n.at(), "the expression is nested too deeply")
	}
	v := b.evalNode(n)
	b.depth--
	return v
}

func (b *builder) evalNode(n node) any {
	switch n := n.(type) {
	case *nameNode:
		return b.evalName(n)
	case *intNode:
		return n.val
	case *bigNode:
		return n.val
	case *floatNode:
		return n.val
	case *textNode:
		return n.val
	case *pathNode:
		return b.evalPath(n)
	case *attrNode:
		return b.property(b.eval(n.x), n.name, n.p, false)
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
	case *compNode:
		return b.comprehension(n)
	case *lamNode:
		return &Lambda{b, n, b.keepScopes()}
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
	out := b.values.room(len(items))
	for _, x := range items {
		if st, ok := x.(*starNode); ok {
			more := b.spread(st)
			b.elements(len(more), st.p)
			out = append(out, more...)
			continue
		}
		out = append(out, b.eval(x))
	}
	return out
}

// maxElements bounds what lists of lists are made of, all of a text together, so
// that no few lines double one until memory is full.
const maxElements = 1 << 21

// elements counts n elements of a list that the text does not write out.
func (b *builder) elements(n int, at pos) {
	if b.listed += n; b.listed > maxElements {
		b.fail(at, "lists of more than %d elements together", maxElements)
	}
}

// comprehension evaluates a list comprehension.
func (b *builder) comprehension(n *compNode) []any {
	list, ok := b.eval(n.iter).([]any)
	if !ok {
		b.fail(n.iter.at(), "only a tuple or list can be gone through")
	}
	b.open()
	defer b.close()
	out := []any{}
next:
	for _, v := range list {
		b.elements(1, n.p)
		switch t := n.target.(type) {
		case *nameNode:
			b.bind(t.id, v)
		case *listNode:
			names, star := b.targetNames(t)
			vals, ok := v.([]any)
			if !ok {
				b.fail(t.p, "only a tuple can be assigned to several names")
			}
			b.bindTargets(names, star, vals, t.p)
		default:
			b.fail(t.at(), "only names can be targets here")
		}
		for _, c := range n.conds {
			keep, ok := b.eval(c).(bool)
			if !ok {
				b.fail(c.at(), "the condition is no constant")
			}
			if !keep {
				continue next
			}
		}
		out = append(out, b.eval(n.item))
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
	out := make(map[string]any, len(n.entries))
	for _, e := range n.entries {
		key, ok := b.eval(e.key).(string)
		if !ok {
			b.fail(e.key.at(), "keys of a dict must be text")
		}
		out[key] = b.eval(e.val)
	}
	return out
}

// evalPath reads a dotted name of T, or a property of what a name stands for.
func (b *builder) evalPath(n *pathNode) any {
	head, rest, _ := strings.Cut(n.path, ".")
	v, ok := b.lookup(head)
	if !ok {
		if !modules[head] {
			b.fail(n.p, "undefined name %s", head)
		}
		return ref(n.path)
	}
	return b.properties(v, rest, n.p)
}

// properties follows a dotted name from the value of its first part.
func (b *builder) properties(v any, rest string, at pos) any {
	named := true
	for rest != "" {
		if r, ok := v.(ref); ok {
			return r + "." + ref(rest)
		}
		var name string
		name, rest, _ = strings.Cut(rest, ".")
		v = b.property(v, name, at, named)
		named = false
	}
	return v
}

// property is x.name; named says that x is what a name stands for.
func (b *builder) property(x any, name string, at pos, named bool) any {
	switch v := x.(type) {
	case ref:
		return ref(string(v) + "." + name)
	case *tir.Buffer:
		return b.bufferProperty(v, name, at)
	case *tir.Load:
		if named && name == "source" && oneElement(v.Buffer) {
			return v.Buffer // behind a mutable scalar
		}
	}
	if e, ok := x.(tir.Expr); ok && (name == "dtype" || name == "ty") {
		return e.DType().String()
	}
	b.fail(at, "a %s has no property %s", describe(x), name)
	return nil
}

func (b *builder) bufferProperty(v *tir.Buffer, name string, at pos) any {
	switch name {
	case "data":
		return &tir.BufferRef{Buffer: v}
	case "dtype":
		return v.Type.String()
	case "name":
		return v.Name
	case "shape":
		return exprList(v.Shape)
	case "strides":
		return exprList(v.Strides)
	case "elem_offset":
		if v.ElemOffset == nil {
			return tir.IntOf(0, v.OffsetType())
		}
		return v.ElemOffset
	}
	b.fail(at, "buffer %s has no property %s here", v.Name, name)
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
	if n.op == kwNot {
		if c, ok := v.(bool); ok {
			return !c
		}
		return &tir.Not{A: b.boolExpr(v, n.p)}
	}
	switch c := v.(type) {
	case bigInt:
		if n.op == opMinus && c == 1<<63 {
			return int64(math.MinInt64)
		}
	case int64:
		switch n.op {
		case opMinus:
			return -c
		case opTilde:
			return ^c
		}
		return c
	case float64:
		if n.op == opMinus {
			return -c
		}
	}
	e := b.operand(v, n.p)
	switch n.op {
	case opPlus:
		b.fail(n.p, "there is no + before an expression")
	case opMinus:
		if c := e.DType().Code; c == dtype.UInt || c == dtype.Bool {
			b.fail(n.p, "- of %s", e.DType())
		}
		return tir.Mul(e, tir.Const(-1, e.DType()))
	case opTilde:
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

// truth converts a condition of a statement, which may be an integer too.
func (b *builder) truth(v any, at pos) tir.Expr {
	if e, ok := v.(tir.Expr); ok && e.DType().IsInt() && e.DType().Lanes == 1 {
		return e
	}
	return b.boolExpr(v, at)
}

// pair converts two operands: a float literal takes the width of a wide partner.
func (b *builder) pair(x, y any, at pos) (tir.Expr, tir.Expr) {
	adapt := func(lit float64, other any) any {
		if e, ok := other.(tir.Expr); ok && e.DType() == dtype.Float64 {
			return tir.FloatOf(lit, dtype.Float64)
		}
		return lit
	}
	if f, ok := x.(float64); ok {
		x = adapt(f, y)
	} else if f, ok := y.(float64); ok {
		y = adapt(f, x)
	}
	p, q := b.operand(x, at), b.operand(y, at)
	b.sameLanes(p, q, at)
	return p, q
}

// sameLanes refuses vectors of different lengths.
func (b *builder) sameLanes(p, q tir.Expr, at pos) {
	if l, m := p.DType().Lanes, q.DType().Lanes; l != m && l != 1 && m != 1 {
		b.fail(at, "operands have %d and %d lanes", l, m)
	}
}

// arithOp is the operator on expressions.
func arithOp(op kind) (tir.BinOp, bool) {
	switch op {
	case opPlus:
		return tir.OpAdd, true
	case opMinus:
		return tir.OpSub, true
	case opStar:
		return tir.OpMul, true
	case opSlash:
		return tir.OpDiv, true
	case opFloordiv:
		return tir.OpFloorDiv, true
	case opPercent:
		return tir.OpFloorMod, true
	}
	return 0, false
}

// bitOps are the intrinsics of the operators on bits.
var bitOps = [kinds]string{opAmp: "bitwise_and", opBar: "bitwise_or", opCaret: "bitwise_xor", opShl: "shift_left", opShr: "shift_right"}

func (b *builder) evalBinary(op kind, x, y any, at pos) any {
	if v, ok := b.pythonArith(op, x, y, at); ok {
		return v
	}
	if name := bitOps[op]; name != "" {
		return b.bitwise(name, x, y, at)
	}
	o, ok := arithOp(op)
	if !ok {
		b.fail(at, "the operator %s is not supported on expressions", op)
	}
	p, q := b.pair(x, y, at)
	return b.arithmetic(o, p, q, at)
}

func isZero(e tir.Expr) bool {
	f, ok := e.(*tir.FloatImm)
	return tir.IsConst(e, 0) || ok && f.Value == 0
}

func (b *builder) arithmetic(op tir.BinOp, p, q tir.Expr, at pos) tir.Expr {
	ints := p.DType().IsInt() && q.DType().IsInt()
	switch {
	case op == tir.OpDiv && ints:
		b.fail(at, "/ of two integers is ambiguous; write // or T.truncdiv")
	case (op == tir.OpFloorDiv || op == tir.OpFloorMod) && !(p.DType().IsInt() && q.DType().IsInt()):
		b.fail(at, "%s needs integers, not %s and %s", op, p.DType(), q.DType())
	case op >= tir.OpDiv && op <= tir.OpFloorMod && isZero(q):
		b.fail(at, "division by zero")
	}
	return tir.Arith(op, p, q)
}
