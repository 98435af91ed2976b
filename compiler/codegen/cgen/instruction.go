package cgen

import (
	"fmt"
	"strings"

	"hone/compiler/tir"
)

// dotForm is an instruction that adds to each word of a vector the products of the
// four bytes of that word in two others.
type dotForm struct {
	name        string
	left, right elem              // of the bytes of the operands
	have        map[int]string    // by lanes: what the preprocessor must find
	body        map[int][2]string // by lanes: what gcc and clang have for it, on c, a and b as words
}

var i8 = intElem(8, true)

// dotForms are the instructions of tensor intrinsics by LLVM's names. Where the
// compiler may not use one, its helper computes the same lane by lane.
var dotForms = map[string]dotForm{
	"llvm.x86.avx512.vpdpbusd.512": vpdpbusd,
	"llvm.x86.avx512.vpdpbusd.256": vpdpbusd,
	"llvm.aarch64.neon.sdot":       armDot("sdot", i8),
	"llvm.aarch64.neon.udot":       armDot("udot", u8),
}

var vpdpbusd = dotForm{
	name: "vpdpbusd", left: u8, right: i8,
	have: map[int]string{
		16: "defined(__AVX512VNNI__)",
		8:  "defined(__AVXVNNI__) || defined(__AVX512VNNI__) && defined(__AVX512VL__)",
	},
	body: map[int][2]string{
		16: {"return (i32x16)__builtin_ia32_vpdpbusd_v16si(c, a, b);", "return (i32x16)__builtin_ia32_vpdpbusd512(c, a, b);"},
		8:  {"return (i32x8)__builtin_ia32_vpdpbusd_v8si(c, a, b);", "return (i32x8)__builtin_ia32_vpdpbusd256(c, a, b);"},
	},
}

// armDot is spelled as the instruction: clang's function for it takes a code of types.
func armDot(op string, bytes elem) dotForm {
	asm := fmt.Sprintf(`__asm__("%s %%0.4s, %%1.16b, %%2.16b" : "+w"(c) : "w"(a), "w"(b)); return c;`, op)
	return dotForm{
		name: op, left: bytes, right: bytes,
		have: map[int]string{4: "defined(__ARM_FEATURE_DOTPROD)"}, body: map[int][2]string{4: {asm, asm}},
	}
}

// instructionCall emits a call of one of dotForms.
func (f *fn) instructionCall(e *tir.Call, off, n int) val {
	name := ""
	if len(e.Args) > 0 {
		if s, ok := e.Args[0].(*tir.StringImm); ok {
			name = s.Value
		}
	}
	form, ok := dotForms[name]
	if !ok || len(e.Args) != 4 || e.Type.Bits != 32 || !e.Type.IsInt() {
		fail("instruction %q has no form in C", name)
	}
	acc := f.broadcast(f.value(e.Args[1], off, n), n)
	text := f.k.u.dot(&form, acc.elem(), n) + "(" + acc.text
	for _, a := range e.Args[2:] {
		t := a.DType()
		if int(t.Bits)*int(t.Lanes) != 32*int(e.Type.Lanes) {
			fail("instruction %q takes operands as wide as its result, got %s", name, t)
		}
		v := f.words(a, off, n, acc.elem())
		text += ", " + v
	}
	return val{text: text + ")", t: e.Type.Element(), n: n}
}

// words emits n words of an operand, from word off on.
func (f *fn) words(a tir.Expr, off, n int, word elem) string {
	t := a.DType()
	if t.Bits == 32 {
		v := f.broadcast(f.value(a, off, n), n)
		if v.elem() == word {
			return v.text
		}
		return f.k.u.regroup(v.elem(), n, word, n) + "(" + v.text + ")"
	}
	if c, ok := a.(*tir.Call); ok && c.Op == "reinterpret" && c.Args[0].DType().Bits == 32 {
		return f.words(c.Args[0], off, n, word)
	}
	k := 32 / int(t.Bits)
	if text, ok := f.loadAs(a, off*k, n*k, word, n); ok {
		return text
	}
	v := f.broadcast(f.value(a, off*k, n*k), n*k)
	return f.k.u.regroup(v.elem(), n*k, word, n) + "(" + v.text + ")"
}

// dot is the helper for n words of an instruction.
func (u *unit) dot(form *dotForm, word elem, n int) string {
	v := u.vec(word, n)
	name := "hone_" + form.name + "_" + v
	return u.add(name, func() string {
		head := fmt.Sprintf("%s%s %s(%s c, %s a, %s b) { ", inline, v, name, v, v, v)
		plain := head + u.dotPlain(form, word, n) + "}\n"
		if form.have[n] == "" {
			return plain
		}
		body := form.body[n]
		text := "#if " + form.have[n] + "\n"
		if body[0] == body[1] {
			text += head + body[0] + " }\n"
		} else {
			text += "#ifdef __clang__\n" + head + body[1] + " }\n#else\n" + head + body[0] + " }\n#endif\n"
		}
		return text + "#else\n" + plain + "#endif\n"
	})
}

// dotPlain computes a dot product byte by byte.
func (u *unit) dotPlain(form *dotForm, word elem, n int) string {
	x, y := u.vec(form.left, 4*n), u.vec(form.right, 4*n)
	var b strings.Builder
	fmt.Fprintf(&b, "union { %s w; %s v; } p = {a}; union { %s w; %s v; } q = {b}; ", u.vec(word, n), x, u.vec(word, n), y)
	at := "c[i]"
	if n == 1 {
		at = "c"
	}
	fmt.Fprintf(&b, "for (i32 i = 0; i < %d; i++) for (i32 k = 0; k < 4; k++) %s += (%s)p.v[4 * i + k] * (%s)q.v[4 * i + k]; return c; ", n, at, word.name, word.name)
	return b.String()
}
