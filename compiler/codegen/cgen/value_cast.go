package cgen

import (
	"fmt"

	"hone/compiler/dtype"
)

// convert changes the element type of a value.
func (f *fn) convert(v val, to dtype.DType) val {
	if v.t == to {
		return v
	}
	out := val{t: to, n: v.n}
	switch {
	case to.IsBool():
		out.text = fmt.Sprintf("(%s != 0)", v.text)
		if v.n > 1 {
			out.maskBits = v.elem().bits
			f.k.u.vec(intElem(out.maskBits, true), v.n)
		}
		return out
	case v.maskBits > 0:
		v = f.asNumber(v)
	}
	from, e := v.elem(), computeElem(to)
	switch {
	case from == e:
		out.text = v.text
	case v.n == 1:
		out.text = fmt.Sprintf("(%s)(%s)", e.name, v.text)
	default:
		out.text = fmt.Sprintf("__builtin_convertvector(%s, %s)", v.text, f.k.u.vec(e, v.n))
	}
	return f.round(out)
}

// round brings a value that was computed in f32 to the precision of its half
// type; it does nothing to others.
func (f *fn) round(v val) val {
	if !isHalf(v.t) {
		return v
	}
	narrow, widen := f.k.u.narrow(v.t, v.n), f.k.u.widen(v.t, v.n)
	v.half = narrow + "(" + v.text + ")"
	v.text = widen + "(" + v.half + ")"
	return v
}

// halfName is the spelling of a half type in helper names.
func halfName(t dtype.DType) string {
	if t.Code == dtype.BFloat {
		return "bf16"
	}
	return "f16"
}

// widen is the helper from the bits of a half type (u16 lanes) to f32.
func (u *unit) widen(t dtype.DType, n int) string {
	name := "hone_widen_" + halfName(t) + "_" + f32.vec(n)
	return u.add(name, func() string {
		wide := widenConversion(u, n)
		head := fmt.Sprintf("%s%s %s(%s h) { %s w = %s; ", inline, u.vec(f32, n), name, u.vec(u16, n), u.vec(intElem(32, false), n), wide)
		if t.Code == dtype.BFloat {
			return head + fmt.Sprintf("return %s(w << 16); }\n", u.asFloat(n))
		}
		// Exponent and fraction move into place; multiplying by 2^112 corrects
		// the bias and normalises subnormals, and infinities and NaNs get the
		// largest exponent.
		return head + fmt.Sprintf("%s m = %s((w & 0x7fffu) << 13) * 0x1p112f; %s s = (w & 0x8000u) << 16; return %s(%s(m) | s | %s(w & 0x7c00u, 0x7c00u, 0x7f800000u)); }\n",
			u.vec(f32, n), u.asFloat(n), u.vec(intElem(32, false), n), u.asFloat(n), u.asBits(n), u.whenEqual(n))
	})
}

func widenConversion(u *unit, n int) string {
	if n == 1 {
		return "h"
	}
	return fmt.Sprintf("__builtin_convertvector(h, %s)", u.vec(intElem(32, false), n))
}

// narrow is the helper from f32 to the bits of a half type, to nearest even.
func (u *unit) narrow(t dtype.DType, n int) string {
	name := "hone_narrow_" + halfName(t) + "_" + f32.vec(n)
	return u.add(name, func() string {
		w := u.vec(intElem(32, false), n)
		h := u.vec(u16, n)
		head := fmt.Sprintf("%s%s %s(%s x) { %s b = %s(x), a = b & 0x7fffffffu, ", inline, h, name, u.vec(f32, n), w, u.asBits(n))
		shrink := "(u16)r"
		if n > 1 {
			shrink = fmt.Sprintf("__builtin_convertvector(r, %s)", h)
		}
		above := u.whenAbove(n)
		if t.Code == dtype.BFloat {
			return head + fmt.Sprintf("n = (b >> 16) | 0x40u, q = (b + 0x7fffu + ((b >> 16) & 1u)) >> 16, k = %s(a, 0x7f800000u), r = (n & k) | (q & ~k); return %s; }\n", above, shrink)
		}
		// Normal results round by adding just under half a unit plus the last
		// bit kept; subnormal ones by an addition that aligns their last bit
		// with that of a float. What is above 65519.99 becomes infinity.
		return head + fmt.Sprintf("s = (b >> 16) & 0x8000u, "+
			"p = (a + 0xc8000fffu + ((a >> 13) & 1u)) >> 13, "+
			"z = %s(%s(a) + 0.5f) - 0x3f000000u, "+
			"big = %s(a, 0x477fefffu), nan = %s(a, 0x7f800000u), norm = %s(a, 0x387fffffu), "+
			"v = (p & norm) | (z & ~norm), u = (v & ~big) | (0x7c00u & big), r = s | (u & ~nan) | (0x7e00u & nan); return %s; }\n",
			u.asBits(n), u.asFloat(n), above, above, above, shrink)
	})
}

// asFloat and asBits reinterpret 32-bit lanes.
func (u *unit) asFloat(n int) string { return u.pun("hone_as_float_", intElem(32, false), f32, n) }

func (u *unit) asBits(n int) string { return u.pun("hone_as_bits_", f32, intElem(32, false), n) }

// pun is a helper that reads the bits of one element type as another of the
// same width.
func (u *unit) pun(prefix string, from, to elem, n int) string {
	name := prefix + to.vec(n)
	return u.add(name, func() string {
		head := fmt.Sprintf("%s%s %s(%s x) { ", inline, u.vec(to, n), name, u.vec(from, n))
		if n > 1 {
			return head + fmt.Sprintf("return (%s)x; }\n", u.vec(to, n))
		}
		return head + fmt.Sprintf("union { %s a; %s b; } p = {x}; return p.b; }\n", from.name, to.name)
	})
}

// whenAbove is the helper a > limit ? all ones : 0 on u32 lanes.
func (u *unit) whenAbove(n int) string {
	w := u.vec(intElem(32, false), n)
	name := "hone_above_" + w
	return u.add(name, func() string {
		if n == 1 {
			return inline + "u32 " + name + "(u32 a, u32 limit) { return a > limit ? ~0u : 0u; }\n"
		}
		return fmt.Sprintf("%s%s %s(%s a, u32 limit) { return (%s)(a > %s(limit)); }\n", inline, w, name, w, w, u.splat(intElem(32, false), n))
	})
}

// whenEqual is the helper a == b ? v : 0 on u32 lanes.
func (u *unit) whenEqual(n int) string {
	w := u.vec(intElem(32, false), n)
	name := "hone_equal_" + w
	return u.add(name, func() string {
		if n == 1 {
			return inline + "u32 " + name + "(u32 a, u32 b, u32 v) { return a == b ? v : 0u; }\n"
		}
		return fmt.Sprintf("%s%s %s(%s a, u32 b, u32 v) { return (%s)(a == %s(b)) & v; }\n", inline, w, name, w, w, u.splat(intElem(32, false), n))
	})
}
