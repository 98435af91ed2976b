package cgen

import (
	"fmt"
	"strconv"
	"strings"

	"hone/compiler/target"
)

// unit is a translation unit under construction: the helpers its kernels have
// asked for, in order of first use, each after those it needs itself.
type unit struct {
	tgt     *target.Target
	have    map[string]bool
	types   []string
	helpers []string
}

func newUnit(tgt *target.Target) *unit {
	return &unit{tgt: tgt, have: map[string]bool{}}
}

// add emits a helper once; build returns its text and may add others first.
func (u *unit) add(name string, build func() string) string {
	if !u.have[name] {
		u.have[name] = true
		text := build()
		u.helpers = append(u.helpers, text)
	}
	return name
}

// inline is what every helper begins with.
const inline = "static inline __attribute__((always_inline, unused)) "

// vec declares the C vector type of n elements, with its unaligned form for
// memory accesses, and returns its name.
func (u *unit) vec(e elem, n int) string {
	name := e.vec(n)
	if n > 1 && !u.have[name] {
		u.have[name] = true
		bytes := e.bits / 8 * n
		u.types = append(u.types, fmt.Sprintf("typedef %s %s __attribute__((vector_size(%d)));\ntypedef %s %su __attribute__((vector_size(%d), aligned(%d), may_alias));\n",
			e.name, name, bytes, e.name, name, bytes, e.bits/8))
	}
	return name
}

// preludeTypes are the scalar types and the kernel interface, which is that of
// hone_kernel.h spelled without a header.
const preludeTypes = `typedef __INT8_TYPE__ i8;
typedef __INT16_TYPE__ i16;
typedef __INT32_TYPE__ i32;
typedef __INT64_TYPE__ i64;
typedef __UINT8_TYPE__ u8;
typedef __UINT16_TYPE__ u16;
typedef __UINT32_TYPE__ u32;
typedef __UINT64_TYPE__ u64;
typedef float f32;
typedef double f64;
typedef struct hone_rt {
  i32 version;
  i32 threads;
  void *ctx;
  void (*parallel)(void *ctx, void (*body)(void *env, i64 lo, i64 hi, i32 worker), void *env, i64 n);
} hone_rt;
`

// preludeMemory are the functions that compilers call on their own. The empty
// asm keeps them from turning the loops into calls to themselves.
const preludeMemory = `__attribute__((weak, visibility("hidden"))) void *memcpy(void *d, const void *s, __SIZE_TYPE__ n) {
  u8 *p = d;
  const u8 *q = s;
  for (; n >= 8; n -= 8, p += 8, q += 8) { struct w { u64 v; } __attribute__((packed, may_alias)); ((struct w *)p)->v = ((const struct w *)q)->v; __asm__ volatile("" ::: "memory"); }
  for (; n; n--) { *p++ = *q++; __asm__ volatile("" ::: "memory"); }
  return d;
}
__attribute__((weak, visibility("hidden"))) void *memmove(void *d, const void *s, __SIZE_TYPE__ n) {
  u8 *p = d;
  const u8 *q = s;
  if (p <= q || p >= q + n) return memcpy(d, s, n);
  while (n) { n--; p[n] = q[n]; __asm__ volatile("" ::: "memory"); }
  return d;
}
__attribute__((weak, visibility("hidden"))) void *memset(void *d, int c, __SIZE_TYPE__ n) {
  u8 *p = d;
  u64 v = 0x0101010101010101ull * (u8)c;
  for (; n >= 8; n -= 8, p += 8) { struct w { u64 v; } __attribute__((packed, may_alias)); ((struct w *)p)->v = v; __asm__ volatile("" ::: "memory"); }
  for (; n; n--) { *p++ = (u8)c; __asm__ volatile("" ::: "memory"); }
  return d;
}
`

// preludeGCC turns off what gcc does to strided loads: to load each number once it
// carries them from one iteration to the next, on the stack where registers are used
// up, and then every iteration waits for the last (a 7×7 convolution of stride 2: 40
// against 89 GFLOP/s). clang knows neither the pragma nor a flag for it. The other passes
// look for what register tiles and straight code over vectors do not have, for up to two
// fifths of the time that gcc takes.
const preludeGCC = `#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-predictive-commoning")
#pragma GCC optimize("no-tree-pre", "no-code-hoisting", "no-gcse", "no-tree-tail-merge", "no-crossjumping", "no-tree-slp-vectorize")
#endif
`

// prelude is the unit's text before its kernels.
func (u *unit) prelude() string {
	var b strings.Builder
	fmt.Fprintf(&b, "/* Hone kernels, %s, vectors of %d bits */\n", u.tgt.ISA, u.tgt.VectorBits)
	b.WriteString(preludeGCC)
	b.WriteString(preludeTypes)
	for _, t := range u.types {
		b.WriteString(t)
	}
	b.WriteString(preludeMemory)
	for _, h := range u.helpers {
		b.WriteString(h)
	}
	return b.String()
}

// load is the helper that reads n elements from any element address.
func (u *unit) load(e elem, n int) string {
	v := u.vec(e, n)
	return u.add("ld_"+v, func() string {
		return inline + v + " ld_" + v + "(const void *p) { return *(const " + v + "u *)p; }\n"
	})
}

// store is the helper that writes n elements to any element address.
func (u *unit) store(e elem, n int) string {
	v := u.vec(e, n)
	return u.add("st_"+v, func() string {
		return inline + "void st_" + v + "(void *p, " + v + " x) { *(" + v + "u *)p = x; }\n"
	})
}

// splat is the helper that makes a vector of one scalar. A sum with a zero
// vector would be shorter to write and would lose the sign of zero.
func (u *unit) splat(e elem, n int) string {
	v := u.vec(e, n)
	return u.add("bc_"+v, func() string {
		return inline + v + " bc_" + v + "(" + e.name + " x) { return (" + v + "){" + strings.Repeat("x, ", n-1) + "x}; }\n"
	})
}

// choose is the helper sel(mask, a, b): C has no conditional operator on
// vectors. The mask has lanes as wide as the values.
func (u *unit) choose(e elem, n int) string {
	v, m := u.vec(e, n), u.vec(intElem(e.bits, true), n)
	return u.add("sel_"+v, func() string {
		return fmt.Sprintf("%s%s sel_%s(%s m, %s a, %s b) { return (%s)(((%s)a & m) | ((%s)b & ~m)); }\n", inline, v, v, m, v, v, v, m, m)
	})
}

// extremum is the helper min or max: a < b ? a : b, so that an unordered pair
// gives b. GCC does not recognise the masked form, so it gets the instruction.
func (u *unit) extremum(op string, e elem, n int) string {
	cmp := map[string]string{"min": "<", "max": ">"}[op]
	v := u.vec(e, n)
	name := "hone_" + op + "_" + v
	return u.add(name, func() string {
		head := fmt.Sprintf("%s%s %s(%s a, %s b) { ", inline, v, name, v, v)
		if n == 1 {
			return head + "return a " + cmp + " b ? a : b; }\n"
		}
		plain := head + fmt.Sprintf("return %s(a %s b, a, b); }\n", u.choose(e, n), cmp)
		builtin := u.extremumBuiltin(op, e, n)
		if builtin == "" {
			return plain
		}
		return "#if defined(__GNUC__) && !defined(__clang__)\n" + head + "return " + builtin + "; }\n#else\n" + plain + "#endif\n"
	})
}

func (u *unit) extremumBuiltin(op string, e elem, n int) string {
	if u.tgt.ISA != "x86_64" || !e.float {
		return ""
	}
	suffix := map[int]string{32: "ps", 64: "pd"}[e.bits]
	switch e.bits * n {
	case 128:
		return fmt.Sprintf("(%s)__builtin_ia32_%s%s(a, b)", e.vec(n), op, suffix)
	case 256:
		if u.tgt.Has("avx") {
			return fmt.Sprintf("(%s)__builtin_ia32_%s%s256(a, b)", e.vec(n), op, suffix)
		}
	case 512:
		if u.tgt.Has("avx512f") {
			return fmt.Sprintf("(%s)__builtin_ia32_%s%s512_mask(a, b, a, -1, 4)", e.vec(n), op, suffix)
		}
	}
	return ""
}

// barrier is the constraint that pins a value into a vector register: without
// it compilers fold one load into each of its uses.
func (u *unit) barrier(name string) string {
	c := "+w"
	if u.tgt.ISA == "x86_64" {
		c = "+v"
	}
	return `__asm__("" : "` + c + `"(` + name + `));`
}

// instruction is a helper around one machine instruction of a whole register;
// vectors that are shorter or longer go lane by lane. Where the target has no
// such instruction, rounding is arithmetic.
func (u *unit) instruction(op string, e elem, n int) string {
	v := u.vec(e, n)
	name := "hone_" + op + "_" + v
	return u.add(name, func() string {
		head := fmt.Sprintf("%s%s %s(%s x) { ", inline, v, name, v)
		if asm := u.instructionAsm(op, e, n); asm != "" {
			return head + fmt.Sprintf("%s r; %s return r; }\n", v, asm)
		}
		if n == 1 {
			// The lowest lane of a whole register.
			w := 128 / e.bits
			if u.instructionAsm(op, e, w) == "" {
				return u.roundByAdding(op, e, w) + head + fmt.Sprintf("return %s_soft(%s(x))[0]; }\n", op+e.vec(w), u.splat(e, w))
			}
			return head + fmt.Sprintf("return %s(%s(x))[0]; }\n", u.instruction(op, e, w), u.splat(e, w))
		}
		one := u.instruction(op, e, 1)
		return head + "return (" + v + "){" + lanes(n, func(i int) string { return one + "(x[" + strconv.Itoa(i) + "])" }) + "}; }\n"
	})
}

// roundByAdding rounds w lanes without an instruction for it: adding and taking
// away 2^23 (2^52) rounds to nearest even what is smaller; the other modes
// correct that. Signs survive.
func (u *unit) roundByAdding(op string, e elem, w int) string {
	v, i := u.vec(e, w), intElem(e.bits, true)
	iv := u.vec(i, w)
	big := map[int]string{32: "0x1p23f", 64: "0x1p52"}[e.bits]
	one := map[int]string{32: "1.0f", 64: "1.0"}[e.bits]
	sel := u.choose(e, w)
	adjust := map[string]string{
		"rint": "", "floor": fmt.Sprintf("r = r - %s(r > a, one, zero); ", sel), "ceil": fmt.Sprintf("r = r + %s(r < a, one, zero); ", sel),
		"trunc": fmt.Sprintf("r = r - %s(r > a, one, zero); ", sel),
	}[op]
	operand := "x"
	if op == "trunc" || op == "rint" {
		operand = fmt.Sprintf("(%s)((%s)x & ~sign)", v, iv)
	}
	return fmt.Sprintf(`%s%s %s_soft(%s x) {
  const %s zero = {0}, big = %s(%s), one = %s(%s);
  const %s sign = (%s)(-zero);
  %s a = %s, b = (%s)((%s)big | ((%s)a & sign));
  %s r = (a + b) - b;
  %s
  r = (%s)((%s)r | ((%s)x & sign));
  return %s((%s)((%s)x & ~sign) < big, r, x);
}
`, inline, v, op+v, v, v, u.splat(e, w), big, u.splat(e, w), one, iv, iv, v, operand, v, iv, iv, v, adjust, v, iv, iv, sel, v, iv)
}

func lanes(n int, f func(int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = f(i)
	}
	return strings.Join(parts, ", ")
}

// x86Round are the rounding modes of roundps: nearest even, down, up, zero, with
// the inexact exception off.
var x86Round = map[string]int{"rint": 8, "floor": 9, "ceil": 10, "trunc": 11}

var armUnary = map[string]string{"sqrt": "fsqrt", "rint": "frintn", "floor": "frintm", "ceil": "frintp", "trunc": "frintz"}

func (u *unit) instructionAsm(op string, e elem, n int) string {
	width := e.bits * n
	if u.tgt.ISA == "aarch64" {
		if width != 128 {
			return ""
		}
		shape := map[int]string{32: "4s", 64: "2d"}[e.bits]
		return fmt.Sprintf(`__asm__("%s %%0.%s, %%1.%s" : "=w"(r) : "w"(x));`, armUnary[op], shape, shape)
	}
	if width < 128 || width > u.tgt.VectorBits {
		return ""
	}
	suffix := map[int]string{32: "ps", 64: "pd"}[e.bits]
	prefix := ""
	if u.tgt.Has("avx") {
		prefix = "v"
	}
	if op == "sqrt" {
		return fmt.Sprintf(`__asm__("%ssqrt%s %%1, %%0" : "=v"(r) : "v"(x));`, prefix, suffix)
	}
	switch {
	case width == 512:
		return fmt.Sprintf(`__asm__("vrndscale%s $%d, %%1, %%0" : "=v"(r) : "v"(x));`, suffix, x86Round[op])
	case u.tgt.Has("sse4.1"):
		// Without a 512-bit form the operands stay in the lower 16 registers.
		return fmt.Sprintf(`__asm__("%sround%s $%d, %%1, %%0" : "=x"(r) : "x"(x));`, prefix, suffix, x86Round[op])
	}
	return ""
}
