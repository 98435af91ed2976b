package cgen

import (
	"fmt"
	"strconv"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// val is a C expression: a scalar, or n lanes of a vector. A vector of bool is
// a mask: lanes of 0 or -1, maskBits wide.
type val struct {
	text     string
	t        dtype.DType // element type
	n        int
	maskBits int
	half     string // of a half type: the bits of the value, where they exist
}

// elem is the C type of the lanes.
func (v val) elem() elem {
	if v.maskBits > 0 {
		return intElem(v.maskBits, true)
	}
	return computeElem(v.t)
}

// value emits n lanes of an expression from lane off on. A scalar expression is
// emitted as a scalar: callers that need lanes broadcast it.
func (f *fn) value(e tir.Expr, off, n int) val {
	t := e.DType().Element()
	if e.DType().Lanes == 1 {
		off, n = 0, 1
	}
	switch e := e.(type) {
	case *tir.IntImm:
		return val{text: computeElem(t).literal(e.Value), t: t, n: 1}
	case *tir.FloatImm:
		return val{text: floatLiteral(e.Rounded(), computeElem(t)), t: t, n: 1}
	case *tir.Var:
		return f.variableValue(e, off, n)
	case *tir.Binary:
		return f.binary(e, off, n)
	case *tir.Not:
		return f.not(f.value(e.A, off, n))
	case *tir.Cast:
		return f.convert(f.value(e.Value, off, n), t)
	case *tir.Select:
		return f.selectValue(e, off, n)
	case *tir.Let:
		f.bind(e.Var, e.Value)
		return f.value(e.Body, off, n)
	case *tir.Ramp:
		return f.ramp(e, off, n)
	case *tir.Broadcast:
		if v, ok := f.heldBroadcast(e, n); ok {
			return v
		}
		return f.broadcast(f.value(e.Value, 0, 1), n)
	case *tir.Load:
		return f.load(e, off, n)
	case *tir.Call:
		return f.call(e, off, n)
	}
	fail("%T expressions have no C form here", e)
	return val{}
}

// variable looks up a variable in scope.
func (f *fn) variable(v *tir.Var) *variable {
	x := f.k.vars[v]
	if x == nil {
		fail("variable %s is used outside its scope", v.Name)
	}
	return x
}

func (f *fn) variableValue(v *tir.Var, off, n int) val {
	x := f.variable(v)
	t := v.Type.Element()
	switch {
	case x.fixed != nil:
		return val{text: f.typed(f.sum(*x.fixed), t), t: t, n: 1}
	case x.loop:
		return val{text: f.typed(x.name, t), t: t, n: 1}
	case x.parts == nil:
		return val{text: x.name, t: t, n: 1}
	}
	for i, p := range x.parts {
		mask := 0
		if t.IsBool() && p.n > 1 {
			mask = vectorBoolBits
		}
		if p.off == off && p.n == n {
			return val{text: x.names[i], t: t, n: n, maskBits: mask}
		}
		if n == 1 && off >= p.off && off < p.off+p.n {
			return f.lane(val{text: x.names[i], t: t, n: p.n, maskBits: mask}, off-p.off)
		}
	}
	fail("variable %s has no lanes %d to %d in one piece", v.Name, off, off+n)
	return val{}
}

// vectorBoolBits is the mask width of vector variables and registers of bool.
const vectorBoolBits = 32

// lane takes one lane of a vector.
func (f *fn) lane(v val, i int) val {
	out := val{text: v.text + "[" + strconv.Itoa(i) + "]", t: v.t, n: 1}
	if v.maskBits > 0 {
		out.text = "(u8)(" + out.text + " & 1)"
	}
	return out
}

// typed converts an i64 text to the C type of t.
func (f *fn) typed(text string, t dtype.DType) string {
	if t == dtype.Int64 {
		return text
	}
	return "(" + computeElem(t).name + ")" + text
}

// broadcast makes a vector of a scalar.
func (f *fn) broadcast(v val, n int) val {
	if n == 1 || v.n > 1 {
		return v
	}
	if v.t.IsBool() {
		e := intElem(vectorBoolBits, true)
		return val{text: fmt.Sprintf("%s(-(%s)(%s))", f.k.u.splat(e, n), e.name, v.text), t: v.t, n: n, maskBits: e.bits}
	}
	return val{text: f.k.u.splat(v.elem(), n) + "(" + v.text + ")", t: v.t, n: n}
}

// heldBroadcast makes the vector of a bound scalar once, behind a barrier, where
// x86 has 16 vector registers: a full tile leaves one register for it, and
// without the barrier clang loads the next scalar early and spills (measured: a
// 4×3 tile of AVX2 runs at 38 instead of 100 GFLOP/s).
func (f *fn) heldBroadcast(e *tir.Broadcast, n int) (val, bool) {
	v, ok := e.Value.(*tir.Var)
	tgt := f.k.u.tgt
	if !ok || n == 1 || tgt.ISA != "x86_64" || tgt.VectorRegisters > 16 {
		return val{}, false
	}
	x := f.variable(v)
	t := v.Type
	el := computeElem(t)
	if x.fixed != nil || x.loop || !el.float || el.bits*n < 128 || el.bits*n > tgt.VectorBits {
		return val{}, false
	}
	splat := f.k.u.splat(el, n)
	s := f.stack[x.depth]
	key := splat + " " + x.name
	name, ok := s.memo[key]
	if !ok {
		name = f.k.names.fresh(x.name + "_v")
		s.memo[key] = name
		s.decls = append(s.decls, fmt.Sprintf("%s %s = %s(%s);", el.vec(n), name, splat, x.name), f.k.u.barrier(name))
	}
	return val{text: name, t: t, n: n}, true
}

// ramp is the value base, base+stride, …
func (f *fn) ramp(e *tir.Ramp, off, n int) val {
	t := e.Base.DType()
	if n == 1 {
		return f.value(tir.Add(e.Base, tir.Mul(e.Stride, tir.IntOf(int64(off), t))), 0, 1)
	}
	elem := computeElem(t)
	base, stride := f.value(e.Base, 0, 1), f.value(e.Stride, 0, 1)
	steps := "(" + f.k.u.vec(elem, n) + "){" + lanes(n, func(i int) string { return strconv.Itoa(off + i) }) + "}"
	return val{text: fmt.Sprintf("(%s + %s * %s)", f.broadcast(base, n).text, f.broadcast(stride, n).text, steps), t: t, n: n}
}

// byLanes builds a vector from its lanes one at a time.
func (f *fn) byLanes(t dtype.DType, off, n int, lane func(off int) val) val {
	if n == 1 {
		return lane(off)
	}
	e, text := computeElem(t), func(v val) string { return v.text }
	mask := 0
	if t.IsBool() {
		e, mask = intElem(vectorBoolBits, true), vectorBoolBits
		text = func(v val) string { return "-(i32)(" + v.text + ")" }
	}
	return val{text: "(" + f.k.u.vec(e, n) + "){" + lanes(n, func(i int) string { return text(lane(off + i)) }) + "}", t: t, n: n, maskBits: mask}
}

// mask gives a vector of bool lanes of the given width.
func (f *fn) mask(v val, bits int) val {
	if v.n == 1 || v.maskBits == bits {
		return v
	}
	v.text = fmt.Sprintf("__builtin_convertvector(%s, %s)", v.text, f.k.u.vec(intElem(bits, true), v.n))
	v.maskBits = bits
	return v
}

func (f *fn) not(v val) val {
	if v.n == 1 {
		v.text = "(!" + v.text + ")"
		return v
	}
	v.text = "(~" + v.text + ")"
	return v
}

func (f *fn) selectValue(e *tir.Select, off, n int) val {
	cond := f.value(e.Cond, off, n)
	a, b := f.value(e.Then, off, n), f.value(e.Else, off, n)
	return f.pick(cond, a, b, n)
}

// pick is cond ? a : b with both sides evaluated.
func (f *fn) pick(cond, a, b val, n int) val {
	a, b = f.broadcast(a, n), f.broadcast(b, n)
	if n > 1 && a.t.IsBool() {
		b = f.mask(b, a.maskBits)
	}
	out := val{t: a.t, n: n, maskBits: a.maskBits}
	if cond.n == 1 {
		out.text = fmt.Sprintf("(%s ? %s : %s)", cond.text, a.text, b.text)
		return out
	}
	e := a.elem()
	out.text = fmt.Sprintf("%s(%s, %s, %s)", f.k.u.choose(e, n), f.mask(cond, e.bits).text, a.text, b.text)
	return out
}
