package interp

import (
	"math"

	"hone/compiler/tir"
)

// The instructions of tensor intrinsics on integers, lane by lane: dot products of
// bytes and what they are made of. Saturation is that of the instruction.

// dots are LLVM's intrinsics by name, with their numbers of arguments.
var dots = map[string]struct {
	arity int
	make  func(a []intFn, wrap func(int64) int64, lanes int) intFn
}{
	// Words of four bytes: unsigned by signed, added to a word.
	"llvm.x86.avx512.vpdpbusd.512": {3, dotOfWords},
	"llvm.x86.avx512.vpdpbusd.256": {3, dotOfWords},
	"llvm.x86.avx512.pmaddubs.w.512": {2, func(a []intFn, _ func(int64) int64, _ int) intFn {
		pairs := sumOfProducts(nil, a[0], a[1], 2)
		return func(e *env, k int) int64 { return min(max(pairs(e, k), math.MinInt16), math.MaxInt16) }
	}},
	"llvm.x86.avx512.pmaddw.d.512": {2, func(a []intFn, wrap func(int64) int64, _ int) intFn {
		return wrapped(sumOfProducts(nil, a[0], a[1], 2), wrap)
	}},
	"llvm.aarch64.neon.sdot": {3, dotOfFour},
	"llvm.aarch64.neon.udot": {3, dotOfFour},
	"llvm.aarch64.neon.smull": {2, func(a []intFn, wrap func(int64) int64, _ int) intFn {
		return wrapped(sumOfProducts(nil, a[0], a[1], 1), wrap)
	}},
	"llvm.aarch64.neon.saddlp": {1, func(a []intFn, wrap func(int64) int64, _ int) intFn {
		return func(e *env, k int) int64 { return wrap(a[0](e, 2*k) + a[0](e, 2*k+1)) }
	}},
	"llvm.aarch64.neon.addp": {2, func(a []intFn, wrap func(int64) int64, lanes int) intFn {
		return func(e *env, k int) int64 {
			x, at := a[0], 2*k
			if at >= lanes {
				x, at = a[1], at-lanes
			}
			return wrap(x(e, at) + x(e, at+1))
		}
	}},
}

func dotOfWords(a []intFn, wrap func(int64) int64, _ int) intFn {
	return func(e *env, k int) int64 {
		sum, x, y := a[0](e, k), a[1](e, k), a[2](e, k)
		for i := range 4 {
			sum += int64(uint8(x>>(8*i))) * int64(int8(y>>(8*i)))
		}
		return wrap(sum)
	}
}

func dotOfFour(a []intFn, wrap func(int64) int64, _ int) intFn {
	return wrapped(sumOfProducts(a[0], a[1], a[2], 4), wrap)
}

func wrapped(f intFn, wrap func(int64) int64) intFn {
	return func(e *env, k int) int64 { return wrap(f(e, k)) }
}

// sumOfProducts adds n products per lane to base, which may be nil.
func sumOfProducts(base, x, y intFn, n int) intFn {
	return func(e *env, k int) int64 {
		sum := int64(0)
		if base != nil {
			sum = base(e, k)
		}
		for i := range n {
			sum += x(e, n*k+i) * y(e, n*k+i)
		}
		return sum
	}
}

// instruction compiles a call of one of dots, or of CUDA's __dp4a; false for any
// other.
func (c *compiler) instruction(x *tir.Call) (intFn, bool) {
	name := ""
	if len(x.Args) > 0 {
		if s, ok := x.Args[0].(*tir.StringImm); ok {
			name = s.Value
		}
	}
	switch x.Op {
	case "call_llvm_pure_intrin":
		d, ok := dots[name]
		if !ok || len(x.Args) != d.arity+1 {
			return nil, false
		}
		return d.make(c.ints(x.Args[1:]), wrapper(x.Type), int(x.Type.Lanes)), true
	case "call_pure_extern":
		if name != "__dp4a" || len(x.Args) != 4 {
			return nil, false
		}
		a := c.ints(x.Args[1:])
		return wrapped(sumOfProducts(a[2], a[0], a[1], 4), wrapper(x.Type)), true
	}
	return nil, false
}

// half is the lower or the upper half of a vector.
func (c *compiler) half(x *tir.Call, from int) intFn {
	a := c.intExpr(x.Args[0])
	return func(e *env, k int) int64 { return a(e, k+from) }
}
