package cgen

import (
	"embed"
	"fmt"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// mathFunc is a member of the table of functions that C code evaluates inline.
// Its templates are files of the directory math: NAME_f32.c, NAME_f64.c, or
// NAME.c for both. A function without a single-precision template is computed
// in double precision and rounded.
type mathFunc struct {
	args int // 0: a part of other functions, not an operator
	// The largest errors, in units in the last place of the correctly rounded
	// result, that the tests hold the function to.
	ulp32, ulp64 float64
}

// mathTable lists the functions by operator name. Errors in single precision
// are over every float32; those in double precision over samples.
var mathTable = map[string]mathFunc{
	"exp": {1, 1.1, 1.5}, "log": {1, 1, 1.5}, "tanh": {1, 5.5, 3}, "sigmoid": {1, 3, 3}, "erf": {1, 6, 2},
	"rsqrt": {1, 1.5, 1.5}, "pow": {2, 0.51, 8}, "power": {2, 0.51, 8},
	"exp2": {1, 0.51, 1.5}, "exp10": {1, 0.51, 2}, "expm1": {1, 0.51, 2}, "log2": {1, 0.51, 3}, "log10": {1, 0.51, 3}, "log1p": {1, 0.51, 2},
	"sin": {1, 0.51, 1}, "cos": {1, 0.51, 1}, "tan": {1, 0.51, 2}, "asin": {1, 0.51, 4}, "acos": {1, 0.51, 4}, "atan": {1, 0.51, 1.5}, "atan2": {2, 0.51, 3},
	"sinh": {1, 0.51, 3}, "cosh": {1, 0.51, 2}, "asinh": {1, 0.51, 4}, "acosh": {1, 0.51, 4}, "atanh": {1, 0.51, 4},
	"erfc": {1, 0.51, 16}, "hypot": {2, 0.51, 1.5}, "fmod": {2, 0, 0}, "round": {1, 0, 0}, "copysign": {2, 0, 0}, "fmin": {2, 0, 0}, "fmax": {2, 0, 0}, "fma": {3, 1, 1},
	"expq": {}, "logr": {}, "trig": {}, "sinpoly": {}, "cospoly": {}, "mulexact": {}, "erfc_tail": {},
}

//go:embed math/*.c
var mathFiles embed.FS

// mathTemplate returns the template of a function for an element type.
func mathTemplate(op string, e elem) (string, bool) {
	if op == "power" {
		op = "pow"
	}
	for _, name := range []string{op + "_" + e.name, op} {
		if b, err := mathFiles.ReadFile("math/" + name + ".c"); err == nil {
			return string(b), true
		}
	}
	return "", false
}

// Functions lists the operators of the table, sorted, with the largest error in
// ULP that each is tested to have in float32 and float64.
func Functions() []Function {
	var out []Function
	for name, m := range mathTable {
		if m.args > 0 {
			out = append(out, Function{name, m.args, m.ulp32, m.ulp64})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Function describes a member of the math table.
type Function struct {
	Name         string
	Args         int
	ULP32, ULP64 float64
}

// math returns the helper that computes a function of the table on n lanes.
func (u *unit) math(op string, e elem, n int) string {
	v := u.vec(e, n)
	name := "hone_" + op + "_" + v
	return u.add(name, func() string {
		text, direct := mathTemplate(op, e)
		switch {
		case e.bits*n < 128:
			return u.mathNarrow(op, name, e, n)
		case direct:
			return u.instantiate(text, name, e, n)
		case e == f32:
			return u.mathInDouble(op, name, n)
		}
		fail("function %q has no form for %s", op, v)
		return ""
	})
}

// mathParams spells a parameter list and arguments of a helper, each argument
// transformed.
func mathParams(op, vt string, arg func(name string) string) (params, args string) {
	var p, a []string
	for i := range mathTable[op].args {
		name := string(rune('x' + i))
		p = append(p, vt+" "+name)
		a = append(a, arg(name))
	}
	return strings.Join(p, ", "), strings.Join(a, ", ")
}

// mathNarrow computes fewer lanes than a register has in the lower lanes of a
// whole register, so that every lane of every width gives the same bits.
func (u *unit) mathNarrow(op, name string, e elem, n int) string {
	w := 128 / e.bits
	full, wt, vt := u.math(op, e, w), u.vec(e, w), u.vec(e, n)
	params, args := mathParams(op, vt, func(x string) string {
		return "(" + wt + "){" + lanes(w, func(i int) string {
			if n == 1 {
				return x
			}
			return x + "[" + strconv.Itoa(i%n) + "]"
		}) + "}"
	})
	head := fmt.Sprintf("%s%s %s(%s) { ", inline, vt, name, params)
	if n == 1 {
		return head + fmt.Sprintf("return %s(%s)[0]; }\n", full, args)
	}
	return head + fmt.Sprintf("%s r = %s(%s); return (%s){%s}; }\n", wt, full, args, vt, lanes(n, func(i int) string { return "r[" + strconv.Itoa(i) + "]" }))
}

// mathInDouble computes single precision in double precision, in as many parts
// as the doubles need registers.
func (u *unit) mathInDouble(op, name string, n int) string {
	part := min(n, max(2, u.tgt.VectorBits/64))
	core, vt, ht, dt := u.math(op, f64, part), u.vec(f32, n), u.vec(f32, part), u.vec(f64, part)
	if part == n {
		params, args := mathParams(op, vt, func(x string) string { return fmt.Sprintf("__builtin_convertvector(%s, %s)", x, dt) })
		return fmt.Sprintf("%s%s %s(%s) { return __builtin_convertvector(%s(%s), %s); }\n", inline, vt, name, params, core, args, vt)
	}
	params, args := mathParams(op, vt, func(x string) string { return fmt.Sprintf("__builtin_convertvector(%s_.h[i], %s)", x, dt) })
	unions, _ := mathParams(op, "", func(x string) string { return x })
	var decl []string
	for _, x := range strings.Split(unions, ", ") {
		x = strings.TrimSpace(x)
		decl = append(decl, x+"_ = {"+x+"}")
	}
	return fmt.Sprintf("%s%s %s(%s) {\n  union { %s v; %s h[%d]; } %s, r;\n  for (int i = 0; i < %d; i++) r.h[i] = __builtin_convertvector(%s(%s), %s);\n  return r.v;\n}\n",
		inline, vt, name, params, vt, ht, n/part, strings.Join(decl, ", "), n/part, core, args, ht)
}

// opaqueToken pins a variable into a register, so that its value is rounded.
var opaqueToken = regexp.MustCompile(`@opaque\((\w+)\);`)

func (u *unit) opaque(text string) string {
	return opaqueToken.ReplaceAllStringFunc(text, func(s string) string {
		return u.barrier(opaqueToken.FindStringSubmatch(s)[1])
	})
}

var templateToken = regexp.MustCompile(`@([a-zA-Z0-9_]+)`)

// instantiate fills a template in: types by letter, helpers and functions by
// name.
func (u *unit) instantiate(text, name string, e elem, n int) string {
	v, iv := u.vec(e, n), u.vec(intElem(e.bits, true), n)
	uv := u.vec(intElem(e.bits, false), n)
	fraction := map[int]int{32: 23, 64: 52}[e.bits]
	fixed := map[string]string{
		"static": strings.TrimSpace(inline), "name": name, "V": v, "I": iv, "U": uv, "F": e.name, "S": intElem(e.bits, false).name, "lanes": strconv.Itoa(n),
		"maxint": intElem(e.bits, true).literal(int64(uint64(math.MaxUint64) >> (65 - e.bits))), "fraction": strconv.Itoa(fraction),
		"infbits": map[int]string{32: "0x7f800000u", 64: "0x7ff0000000000000ull"}[e.bits],
	}
	return templateToken.ReplaceAllStringFunc(u.opaque(text), func(tok string) string {
		tok = tok[1:]
		if s, ok := fixed[tok]; ok {
			return s
		}
		switch tok {
		case "bc":
			return u.splat(e, n)
		case "sel":
			return u.choose(e, n)
		case "min", "max":
			return u.extremum(tok, e, n)
		case "sqrt", "floor", "trunc":
			return u.instruction(tok, e, n)
		case "abs":
			return u.abs(e, n)
		case "far_angle":
			return u.add("hone_far_angle", func() string {
				b, err := mathFiles.ReadFile("math/far_angle.c")
				if err != nil {
					panic("BUG: embedded template: " + err.Error())
				}
				return u.opaque(string(b))
			})
		}
		if _, ok := mathTable[tok]; !ok {
			panic("BUG: template of " + name + " uses @" + tok)
		}
		return u.math(tok, e, n)
	})
}

// abs is the helper for the absolute value; integers wrap.
func (u *unit) abs(e elem, n int) string {
	vt := u.vec(e, n)
	name := "hone_abs_" + vt
	return u.add(name, func() string {
		head := fmt.Sprintf("%s%s %s(%s x) { ", inline, vt, name, vt)
		it := intElem(e.bits, true)
		switch {
		case e.float && n == 1:
			return head + map[int]string{32: "return __builtin_fabsf(x); }\n", 64: "return __builtin_fabs(x); }\n"}[e.bits]
		case e.float:
			return head + fmt.Sprintf("return (%s)((%s)x & %s); }\n", vt, u.vec(it, n), it.literal(int64(uint64(math.MaxUint64)>>(65-e.bits))))
		case n == 1:
			return head + fmt.Sprintf("return (%s)(x < 0 ? -x : x); }\n", vt)
		}
		return head + fmt.Sprintf("%s s = (%s)(x < 0); return (x ^ s) - s; }\n", vt, vt)
	})
}
