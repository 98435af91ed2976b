package cgen

import (
	"fmt"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// callForm emits one named operator.
type callForm func(f *fn, e *tir.Call, off, n int) val

// callForms are the operators that are not functions of the math table.
var callForms map[string]callForm

func init() {
	callForms = map[string]callForm{
		"if_then_else": (*fn).ifThenElse,
		"hone.barrier": (*fn).barrierValue,
		"likely":       func(f *fn, e *tir.Call, off, n int) val { return f.value(e.Args[0], off, n) },
		"reinterpret":  (*fn).reinterpret,
		"abs":          (*fn).abs, "fabs": (*fn).abs,
		"isnan": (*fn).isNaN, "isinf": (*fn).isInf, "isfinite": (*fn).isFinite,
		"bitwise_and": bitOperator("&"), "bitwise_or": bitOperator("|"), "bitwise_xor": bitOperator("^"),
		"shift_left": bitOperator("<<"), "shift_right": bitOperator(">>"), "bitwise_not": (*fn).bitNot,
		"popcount": (*fn).countBits, "clz": (*fn).countBits,
		"call_llvm_pure_intrin": (*fn).instructionCall,
		"call_pure_extern":      (*fn).extern, "call_extern": (*fn).extern,
		"fmod": func(f *fn, e *tir.Call, off, n int) val {
			return f.arith(tir.OpMod, f.operand(e, 0, off, n), f.operand(e, 1, off, n))
		},
		"floor": rounding("floor"), "ceil": rounding("ceil"), "trunc": rounding("trunc"), "nearbyint": rounding("rint"), "rint": rounding("rint"),
		"sqrt": rounding("sqrt"),
	}
}

func (f *fn) call(e *tir.Call, off, n int) val {
	if form, ok := callForms[e.Op]; ok {
		return form(f, e, off, n)
	}
	m, ok := mathTable[e.Op]
	if !ok || m.args == 0 {
		fail("operator %q has no C form", e.Op)
	}
	if len(e.Args) != m.args {
		fail("operator %q takes %d arguments, got %d", e.Op, m.args, len(e.Args))
	}
	t := e.Type.Element()
	if !t.IsFloat() {
		fail("operator %q of %s: it works on floats", e.Op, t)
	}
	text := f.k.u.math(e.Op, computeElem(t), n) + "("
	for i := range e.Args {
		if i > 0 {
			text += ", "
		}
		text += f.operand(e, i, off, n).text
	}
	return f.round(val{text: text + ")", t: t, n: n})
}

// operand emits an argument with as many lanes as the call has.
func (f *fn) operand(e *tir.Call, i, off, n int) val {
	if i >= len(e.Args) {
		fail("operator %q lacks an argument", e.Op)
	}
	return f.broadcast(f.value(e.Args[i], off, n), n)
}

func bitOperator(op string) callForm {
	return func(f *fn, e *tir.Call, off, n int) val {
		a, b := f.operand(e, 0, off, n), f.operand(e, 1, off, n)
		if a.n > 1 && a.maskBits > 0 {
			b = f.mask(b, a.maskBits)
		}
		text := fmt.Sprintf("(%s %s %s)", a.text, op, b.text)
		if c := a.elem(); n == 1 && c.bits < 32 {
			text = "(" + c.name + ")" + text
		}
		return val{text: text, t: a.t, n: n, maskBits: a.maskBits}
	}
}

func (f *fn) bitNot(e *tir.Call, off, n int) val {
	v := f.operand(e, 0, off, n)
	if v.t.IsBool() {
		return f.not(v)
	}
	v.text = "(" + v.elem().vec(n) + ")(~" + v.text + ")"
	return v
}

// rounding are the operators that are one instruction of the processor.
func rounding(op string) callForm {
	return func(f *fn, e *tir.Call, off, n int) val {
		v := f.operand(e, 0, off, n)
		if !v.t.IsFloat() {
			fail("operator %q of %s: it works on floats", e.Op, v.t)
		}
		v.text = f.k.u.instruction(op, v.elem(), n) + "(" + v.text + ")"
		return f.round(v)
	}
}

func (f *fn) abs(e *tir.Call, off, n int) val {
	v := f.operand(e, 0, off, n)
	if v.t.IsBool() || !v.elem().sign {
		return v
	}
	v.text, v.half = f.k.u.abs(v.elem(), n)+"("+v.text+")", ""
	return v
}

// isNaN, isInf and isFinite look at bits, so that no compiler flag can make
// them constant.
func (f *fn) isNaN(e *tir.Call, off, n int) val    { return f.classify(e, off, n, ">") }
func (f *fn) isInf(e *tir.Call, off, n int) val    { return f.classify(e, off, n, "==") }
func (f *fn) isFinite(e *tir.Call, off, n int) val { return f.classify(e, off, n, "<") }

func (f *fn) classify(e *tir.Call, off, n int, cmp string) val {
	v := f.operand(e, 0, off, n)
	out := val{t: dtype.BoolType, n: n}
	el := v.elem()
	if !el.float {
		fail("operator %q of %s: it works on floats", e.Op, v.t)
	}
	it := intElem(el.bits, true)
	inf := map[int]string{32: "0x7f800000", 64: "0x7ff0000000000000ll"}[el.bits]
	mag := map[int]string{32: "0x7fffffff", 64: "0x7fffffffffffffffll"}[el.bits]
	bits := f.k.u.pun("hone_as_bits_", el, it, n) + "(" + v.text + ")"
	if n > 1 {
		out.maskBits = el.bits
		splat := f.k.u.splat(it, n)
		inf, mag = splat+"("+inf+")", splat+"("+mag+")"
	}
	out.text = fmt.Sprintf("((%s & %s) %s %s)", bits, mag, cmp, inf)
	return out
}

// ifThenElse evaluates one branch only. A vector condition decides lane by
// lane; a branch that needs statements of its own becomes an if statement.
func (f *fn) ifThenElse(e *tir.Call, off, n int) val {
	if len(e.Args) != 3 {
		fail("if_then_else takes 3 arguments, got %d", len(e.Args))
	}
	t := e.Type.Element()
	if e.Args[0].DType().Lanes > 1 && n > 1 {
		return f.byLanes(t, off, n, func(l int) val { return f.ifThenElse(e, l, 1) })
	}
	cond := f.value(e.Args[0], off, 1)
	var branch [2]*block
	var v [2]val
	for i := range branch {
		branch[i] = &block{}
		f.enter(branch[i])
		v[i] = f.broadcast(f.value(e.Args[i+1], off, n), n)
		f.leave()
	}
	if v[0].maskBits > 0 {
		v[1] = f.mask(v[1], v[0].maskBits)
	}
	out := val{t: t, n: n, maskBits: v[0].maskBits}
	if branch[0].empty() && branch[1].empty() {
		out.text = fmt.Sprintf("(%s ? %s : %s)", cond.text, v[0].text, v[1].text)
		return out
	}
	out.text = f.k.names.fresh("c")
	f.line(f.k.u.vec(v[0].elem(), n) + " " + out.text + ";")
	branch[0].open = "if (" + cond.text + ")"
	branch[1].open = "else"
	for i, b := range branch {
		last := b.segments[len(b.segments)-1]
		last.body = append(last.body, out.text+" = "+v[i].text+";")
		f.put(b)
	}
	return out
}

// barrierValue emits an operand that must be loaded once into a register.
func (f *fn) barrierValue(e *tir.Call, off, n int) val {
	v := f.operand(e, 0, off, n)
	name := f.k.names.fresh("b")
	f.line(f.k.u.vec(v.elem(), n) + " " + name + " = " + v.text + ";")
	if bits := v.elem().bits * n; bits >= 128 && bits <= f.k.u.tgt.VectorBits {
		f.line(f.k.u.barrier(name))
	}
	v.text, v.half = name, ""
	return v
}

// countBits emits popcount and clz, lane by lane.
func (f *fn) countBits(e *tir.Call, off, n int) val {
	v := f.operand(e, 0, off, n)
	el := v.elem()
	if el.float || v.t.IsBool() {
		fail("operator %q of %s: it works on integers", e.Op, v.t)
	}
	name := "hone_" + e.Op + "_" + f.k.u.vec(el, n)
	f.k.u.add(name, func() string {
		vt := el.vec(n)
		head := fmt.Sprintf("%s%s %s(%s x) { ", inline, vt, name, vt)
		if n > 1 {
			one := f.k.u.add("hone_"+e.Op+"_"+el.name, func() string { return countBitsHelper(e.Op, el) })
			return head + "return (" + vt + "){" + lanes(n, func(i int) string { return fmt.Sprintf("%s(x[%d])", one, i) }) + "}; }\n"
		}
		return countBitsHelper(e.Op, el)
	})
	v.text = name + "(" + v.text + ")"
	return f.convert(v, e.Type.Element())
}

// countBitsHelper is the scalar form. Bits are counted by halving sums, since
// without an instruction compilers would call a library.
func countBitsHelper(op string, el elem) string {
	unsigned := intElem(el.bits, false).name
	head := fmt.Sprintf("%s%s hone_%s_%s(%s v) { u64 x = (%s)v; ", inline, el.name, op, el.name, el.name, unsigned)
	if op == "clz" {
		return head + fmt.Sprintf("return (%s)(x ? __builtin_clzll(x) - %d : %d); }\n", el.name, 64-el.bits, el.bits)
	}
	return head + "x -= x >> 1 & 0x5555555555555555ull; x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull); " +
		fmt.Sprintf("x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full; return (%s)(x * 0x0101010101010101ull >> 56); }\n", el.name)
}

// extern emits a call of a C mathematics function, expf or exp, as the operator.
func (f *fn) extern(e *tir.Call, off, n int) val {
	if len(e.Args) > 0 {
		if s, ok := e.Args[0].(*tir.StringImm); ok {
			for _, name := range []string{s.Value, strings.TrimSuffix(s.Value, "f")} {
				if m, known := mathTable[name]; known && m.args == len(e.Args)-1 || callForms[name] != nil && name != e.Op {
					return f.call(&tir.Call{Op: name, Args: e.Args[1:], Type: e.Type}, off, n)
				}
			}
			fail("external function %q has no C form", s.Value)
		}
	}
	fail("%s does not name a function", e.Op)
	return val{}
}
