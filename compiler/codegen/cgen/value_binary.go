package cgen

import (
	"fmt"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

var operators = map[tir.BinOp]string{
	tir.OpAdd: "+", tir.OpSub: "-", tir.OpMul: "*", tir.OpDiv: "/", tir.OpMod: "%",
	tir.OpEQ: "==", tir.OpNE: "!=", tir.OpLT: "<", tir.OpLE: "<=", tir.OpGT: ">", tir.OpGE: ">=",
}

// binary emits an operation on n lanes. What is made of loop variables only is
// index arithmetic and shares its temporaries.
func (f *fn) binary(e *tir.Binary, off, n int) val {
	if e.T.Lanes == 1 {
		if v, ok := f.indexValue(e); ok {
			return v
		}
	}
	a, b := f.value(e.A, off, n), f.value(e.B, off, n)
	a, b = f.broadcast(a, n), f.broadcast(b, n)
	switch {
	case e.Op.IsLogic():
		return f.logic(e.Op, a, b)
	case e.Op.IsCompare():
		return f.compare(e.Op, a, b)
	}
	return f.arith(e.Op, a, b)
}

// indexValue emits arithmetic and comparisons of loop variables in 64 bits.
func (f *fn) indexValue(e *tir.Binary) (val, bool) {
	switch {
	case e.Op.IsCompare():
		if !indexPure(e.A) || !indexPure(e.B) {
			return val{}, false
		}
		a, b := f.linear(e.A), f.linear(e.B)
		return val{text: fmt.Sprintf("(%s %s %s)", f.sum(a), operators[e.Op], f.sum(b)), t: dtype.BoolType, n: 1}, true
	case e.Op.IsLogic() || !indexPure(e):
		return val{}, false
	}
	return val{text: f.typed(f.sum(f.linear(e)), e.T), t: e.T, n: 1}, true
}

func (f *fn) logic(op tir.BinOp, a, b val) val {
	if a.n == 1 {
		sign := map[tir.BinOp]string{tir.OpAnd: "&&", tir.OpOr: "||"}[op]
		return val{text: fmt.Sprintf("(%s %s %s)", a.text, sign, b.text), t: dtype.BoolType, n: 1}
	}
	bits := max(a.maskBits, b.maskBits)
	sign := map[tir.BinOp]string{tir.OpAnd: "&", tir.OpOr: "|"}[op]
	return val{text: fmt.Sprintf("(%s %s %s)", f.mask(a, bits).text, sign, f.mask(b, bits).text), t: dtype.BoolType, n: a.n, maskBits: bits}
}

func (f *fn) compare(op tir.BinOp, a, b val) val {
	out := val{t: dtype.BoolType, n: a.n}
	if a.n > 1 {
		out.maskBits = a.elem().bits
		if a.maskBits > 0 {
			b = f.mask(b, a.maskBits)
			// Masks order the other way round: true is -1.
			a, b = f.asNumber(a), f.asNumber(b)
		}
		f.k.u.vec(intElem(out.maskBits, true), a.n)
	}
	out.text = fmt.Sprintf("(%s %s %s)", a.text, operators[op], b.text)
	return out
}

// asNumber turns a mask into lanes of 0 and 1.
func (f *fn) asNumber(v val) val {
	v.text = "(" + v.text + " & 1)"
	return v
}

// arith emits arithmetic in the operands' type.
func (f *fn) arith(op tir.BinOp, a, b val) val {
	e, n := a.elem(), a.n
	if a.t.IsBool() {
		return f.boolArith(op, a, b)
	}
	out := val{t: a.t, n: n}
	switch op {
	case tir.OpMin, tir.OpMax:
		out.text = fmt.Sprintf("%s(%s, %s)", f.k.u.extremum(map[tir.BinOp]string{tir.OpMin: "min", tir.OpMax: "max"}[op], e, n), a.text, b.text)
		return out
	case tir.OpFloorDiv, tir.OpFloorMod:
		out.text = fmt.Sprintf("%s(%s, %s)", f.k.u.floorDivide(op == tir.OpFloorDiv, e, n), a.text, b.text)
		return f.round(out)
	case tir.OpMod:
		if e.float {
			out.text = fmt.Sprintf("%s(%s, %s)", f.k.u.math("fmod", e, n), a.text, b.text)
			return f.round(out)
		}
	}
	out.text = fmt.Sprintf("(%s %s %s)", a.text, operators[op], b.text)
	if n == 1 && !e.float && e.bits < 32 {
		out.text = "(" + e.name + ")" + out.text // C computes in int
	}
	return f.round(out)
}

// boolArith covers what has a meaning on bool: minimum, maximum and product.
func (f *fn) boolArith(op tir.BinOp, a, b val) val {
	switch op {
	case tir.OpMin, tir.OpMul:
		return f.logic(tir.OpAnd, a, b)
	case tir.OpMax, tir.OpAdd:
		return f.logic(tir.OpOr, a, b)
	}
	fail("operation %s has no meaning on bool", op)
	return val{}
}

// floorDivide is the helper for quotients (or remainders) rounded towards minus
// infinity: C truncates.
func (u *unit) floorDivide(quotient bool, e elem, n int) string {
	v := u.vec(e, n)
	name := map[bool]string{true: "hone_floordiv_", false: "hone_floormod_"}[quotient] + v
	return u.add(name, func() string {
		head := fmt.Sprintf("%s%s %s(%s a, %s b) { ", inline, v, name, v, v)
		switch {
		case e.float && quotient:
			return head + fmt.Sprintf("return %s(a / b); }\n", u.instruction("floor", e, n))
		case e.float:
			return head + fmt.Sprintf("return a - %s(a / b) * b; }\n", u.instruction("floor", e, n))
		case !e.sign && quotient:
			return head + fmt.Sprintf("return (%s)(a / b); }\n", v)
		case !e.sign:
			return head + fmt.Sprintf("return (%s)(a %% b); }\n", v)
		}
		// A comparison is 1 on scalars and -1 on vectors.
		down, up := "q - c", "c ? r + b : r"
		if n > 1 {
			down, up = "q + c", "r + (b & c)"
		}
		body := fmt.Sprintf("%s q = (%s)(a / b), r = (%s)(a - q * b), c = (%s)((r != 0) & ((r ^ b) < 0)); ", v, v, v, v)
		if quotient {
			return head + body + fmt.Sprintf("return (%s)(%s); }\n", v, down)
		}
		return head + body + fmt.Sprintf("return (%s)(%s); }\n", v, up)
	})
}
