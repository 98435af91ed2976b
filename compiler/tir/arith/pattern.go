package arith

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// pattern is a node of a rule: a variable, which stands for any expression or,
// when its name starts with c, for an integer constant; a literal; or an
// operation on patterns.
type pattern struct {
	kind patternKind
	op   tir.BinOp // of patBinary
	slot uint8     // of patVar and patConst
	val  int64     // of patLit and patBool
	args [3]*pattern
}

type patternKind uint8

const (
	patVar patternKind = iota
	patConst
	patLit
	patBool
	patBinary
	patNot
	patSelect
)

// The slots of variables: expressions first, then constants.
var slotNames = [...]string{"x", "y", "z", "u", "v", "w", "c1", "c2", "c3"}

const constSlots = 6

// binding holds what the variables of a rule stand for.
type binding struct {
	slots [len(slotNames)]tir.Expr
}

// match reports whether e has the form of p, and binds the variables of p that
// stand for nothing yet. After a failure some may be bound.
func (b *binding) match(p *pattern, e tir.Expr) bool {
	switch p.kind {
	case patVar:
		if old := b.slots[p.slot]; old != nil {
			return Same(old, e)
		}
		b.slots[p.slot] = e
		return true
	case patConst:
		k, ok := e.(*tir.IntImm)
		if !ok {
			return false
		}
		if old := b.slots[p.slot]; old != nil {
			return Same(old, e)
		}
		b.slots[p.slot] = k
		return true
	case patLit:
		return tir.IsConst(e, p.val)
	case patBinary:
		x, ok := e.(*tir.Binary)
		return ok && x.Op == p.op && b.match(p.args[0], x.A) && b.match(p.args[1], x.B)
	case patNot:
		x, ok := e.(*tir.Not)
		return ok && b.match(p.args[0], x.A)
	case patSelect:
		x, ok := e.(*tir.Select)
		return ok && b.match(p.args[0], x.Cond) && b.match(p.args[1], x.Then) && b.match(p.args[2], x.Else)
	}
	return false
}

// build writes p with its variables replaced, constants folded on the way. A
// literal takes the type of the other operand, t at the root.
func (b *binding) build(p *pattern, t dtype.DType) tir.Expr {
	switch p.kind {
	case patVar, patConst:
		return b.slots[p.slot]
	case patLit:
		if t.IsFloat() {
			return tir.Const(float64(p.val), t)
		}
		return tir.IntOf(p.val, t)
	case patBool:
		return tir.BoolImm(p.val != 0)
	case patBinary:
		x, y := b.buildPair(p.args[0], p.args[1], t)
		return tir.Rebuild(p.op, x, y)
	case patNot:
		return &tir.Not{A: b.build(p.args[0], t)}
	}
	x, y := b.buildPair(p.args[1], p.args[2], t)
	return &tir.Select{Cond: b.build(p.args[0], t), Then: x, Else: y}
}

func (b *binding) buildPair(p, q *pattern, t dtype.DType) (x, y tir.Expr) {
	if p.kind == patLit {
		y = b.build(q, t)
		return b.build(p, y.DType()), y
	}
	x = b.build(p, t)
	return x, b.build(q, x.DType())
}

// value computes a pattern of constants; ok is false where it is undefined.
func (b *binding) value(p *pattern) (v int64, ok bool) {
	switch p.kind {
	case patLit:
		return p.val, true
	case patConst:
		return tir.AsInt(b.slots[p.slot])
	case patBinary:
		x, ok1 := b.value(p.args[0])
		y, ok2 := b.value(p.args[1])
		if !ok1 || !ok2 {
			return 0, false
		}
		k, ok := tir.Arith(p.op, tir.IntOf(x, dtype.Int64), tir.IntOf(y, dtype.Int64)).(*tir.IntImm)
		if !ok {
			return 0, false
		}
		return k.Value, true
	}
	return 0, false
}

// open reports whether p mentions expressions, not constants alone.
func (p *pattern) open() bool {
	if p.kind == patVar {
		return true
	}
	for _, q := range p.args {
		if q != nil && q.open() {
			return true
		}
	}
	return false
}
