package interp

import (
	"math"
	"math/bits"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// unary, binary and tests are the intrinsics on floats, by the names that calls
// use.
var unary = map[string]func(float64) float64{
	"exp": math.Exp, "exp2": math.Exp2, "exp10": func(x float64) float64 { return math.Pow(10, x) },
	"expm1": math.Expm1, "log": math.Log, "log2": math.Log2, "log10": math.Log10, "log1p": math.Log1p,
	"sqrt": math.Sqrt, "rsqrt": func(x float64) float64 { return 1 / math.Sqrt(x) },
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	"sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh,
	"asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
	"erf": math.Erf, "erfc": math.Erfc, "sigmoid": func(x float64) float64 { return 1 / (1 + math.Exp(-x)) },
	"floor": math.Floor, "ceil": math.Ceil, "trunc": math.Trunc, "round": math.Round, "nearbyint": math.RoundToEven,
	"rint": math.RoundToEven, "fabs": math.Abs, "abs": math.Abs,
}

var binary = map[string]func(a, b float64) float64{
	"pow": math.Pow, "power": math.Pow, "fmod": math.Mod, "atan2": math.Atan2, "copysign": math.Copysign,
	"hypot": math.Hypot, "fmin": fmin, "fmax": fmax,
	"ldexp": func(a, b float64) float64 { return math.Ldexp(a, int(b)) },
}

var tests = map[string]func(float64) bool{
	"isnan": math.IsNaN, "isinf": func(x float64) bool { return math.IsInf(x, 0) },
	"isfinite": func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) },
}

// arity rejects a call with another number of arguments.
func (c *compiler) arity(x *tir.Call, n int) bool {
	if len(x.Args) != n {
		c.reject("%s takes %d arguments, not %d", x.Op, n, len(x.Args))
		return false
	}
	return true
}

// externs maps a call of a C function from the mathematics library to the
// intrinsic: expf and exp are exp.
func externs(x *tir.Call) *tir.Call {
	if x.Op != "call_pure_extern" && x.Op != "call_extern" || len(x.Args) == 0 {
		return x
	}
	name, ok := x.Args[0].(*tir.StringImm)
	if !ok {
		return x
	}
	for _, n := range []string{name.Value, strings.TrimSuffix(name.Value, "f")} {
		if unary[n] != nil || binary[n] != nil {
			return &tir.Call{Op: n, Args: x.Args[1:], Type: x.Type}
		}
	}
	return x
}

func (c *compiler) floatCall(x *tir.Call) floatFn {
	x = externs(x)
	round := rounder(x.Type)
	if f := unary[x.Op]; f != nil && c.arity(x, 1) {
		a := c.floatExpr(x.Args[0])
		return func(e *env, k int) float64 { return round(f(a(e, k))) }
	}
	if f := binary[x.Op]; f != nil && c.arity(x, 2) {
		a, b := c.floatExpr(x.Args[0]), c.toFloat(x.Args[1])
		return func(e *env, k int) float64 { return round(f(a(e, k), b(e, k))) }
	}
	switch x.Op {
	case "if_then_else":
		if c.arity(x, 3) {
			p, a, b := c.lazyCondition(x), c.floatExpr(x.Args[1]), c.floatExpr(x.Args[2])
			return func(e *env, k int) float64 {
				if p(e, k) != 0 {
					return a(e, k)
				}
				return b(e, k)
			}
		}
	case "fma":
		if c.arity(x, 3) {
			return c.fma(x)
		}
	case "nextafter":
		if c.arity(x, 2) {
			return c.nextAfter(x)
		}
	case "likely", "hone.barrier":
		return c.floatExpr(x.Args[0])
	case "reinterpret":
		return c.reinterpretFloat(x)
	}
	c.reject("call of %s cannot be interpreted", x.Op)
	return zeroFloat
}

func (c *compiler) toFloat(x tir.Expr) floatFn {
	if x.DType().IsFloat() {
		return c.floatExpr(x)
	}
	a := c.intExpr(x)
	return func(e *env, k int) float64 { return float64(a(e, k)) }
}

// lazyCondition is the condition of if_then_else: one bool, or one per lane.
func (c *compiler) lazyCondition(x *tir.Call) intFn {
	if x.Args[1].DType() != x.Args[2].DType() {
		c.reject("the branches of %s are %s and %s", tir.ExprString(x), x.Args[1].DType(), x.Args[2].DType())
	}
	p := c.intExpr(x.Args[0])
	if x.Args[0].DType().Lanes == 1 {
		return func(e *env, _ int) int64 { return p(e, 0) }
	}
	return p
}

func (c *compiler) fma(x *tir.Call) floatFn {
	a, b, d := c.floatExpr(x.Args[0]), c.floatExpr(x.Args[1]), c.floatExpr(x.Args[2])
	if x.Type.Element() == dtype.Float64 {
		return func(e *env, k int) float64 { return math.FMA(a(e, k), b(e, k), d(e, k)) }
	}
	// The product of two floats of at most 24 bits is exact in float64; the sum
	// is rounded to odd there, so that the second rounding is right.
	round := rounder(x.Type)
	return func(e *env, k int) float64 {
		p, q := a(e, k)*b(e, k), d(e, k)
		s := p + q
		if t := s - p; !math.IsInf(s, 0) && s == s {
			if rest := (p - (s - t)) + (q - t); rest != 0 && math.Float64bits(s)&1 == 0 {
				s = math.Nextafter(s, math.Copysign(math.Inf(1), rest))
			}
		}
		return round(s)
	}
}

func (c *compiler) nextAfter(x *tir.Call) floatFn {
	a, b := c.floatExpr(x.Args[0]), c.floatExpr(x.Args[1])
	if x.Type.Element() == dtype.Float64 {
		return func(e *env, k int) float64 { return math.Nextafter(a(e, k), b(e, k)) }
	}
	return func(e *env, k int) float64 {
		return float64(math.Nextafter32(float32(a(e, k)), float32(b(e, k))))
	}
}

func (c *compiler) intCall(x *tir.Call) intFn {
	if f := tests[x.Op]; f != nil && c.arity(x, 1) {
		a := c.floatExpr(x.Args[0])
		return func(e *env, k int) int64 { return truth(f(a(e, k))) }
	}
	if f, ok := c.instruction(x); ok {
		return f
	}
	switch x.Op {
	case "vectorlow", "vectorhigh":
		if c.arity(x, 1) {
			from := 0
			if x.Op == "vectorhigh" {
				from = int(x.Type.Lanes)
			}
			return c.half(x, from)
		}
	case "if_then_else":
		if c.arity(x, 3) {
			p, a, b := c.lazyCondition(x), c.intExpr(x.Args[1]), c.intExpr(x.Args[2])
			return func(e *env, k int) int64 {
				if p(e, k) != 0 {
					return a(e, k)
				}
				return b(e, k)
			}
		}
	case "likely", "hone.barrier":
		if c.arity(x, 1) {
			return c.intExpr(x.Args[0])
		}
	case "reinterpret":
		return c.reinterpretInt(x)
	case "abs", "bitwise_not", "popcount", "clz":
		if c.arity(x, 1) {
			return c.intUnary(x)
		}
	case "bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right", "pow":
		if c.arity(x, 2) {
			return c.intBits(x)
		}
	}
	c.reject("call of %s cannot be interpreted", x.Op)
	return zeroInt
}

func (c *compiler) intUnary(x *tir.Call) intFn {
	a, wrap, t := c.intExpr(x.Args[0]), wrapper(x.Type), x.Args[0].DType()
	mask := uint64(1)<<(t.Bits%64) - 1
	if t.Bits == 64 {
		mask = math.MaxUint64
	}
	switch x.Op {
	case "abs":
		return func(e *env, k int) int64 {
			if v := a(e, k); v < 0 && t.IsSigned() {
				return wrap(-v)
			} else {
				return v
			}
		}
	case "bitwise_not":
		return func(e *env, k int) int64 { return wrap(^a(e, k)) }
	case "popcount":
		return func(e *env, k int) int64 { return int64(bits.OnesCount64(uint64(a(e, k)) & mask)) }
	}
	return func(e *env, k int) int64 {
		return int64(bits.LeadingZeros64(uint64(a(e, k))&mask)) - 64 + int64(t.Bits)
	}
}

func (c *compiler) intBits(x *tir.Call) intFn {
	a, b, wrap, t := c.intExpr(x.Args[0]), c.intExpr(x.Args[1]), wrapper(x.Type), x.Type
	switch x.Op {
	case "bitwise_and":
		return func(e *env, k int) int64 { return wrap(a(e, k) & b(e, k)) }
	case "bitwise_or":
		return func(e *env, k int) int64 { return wrap(a(e, k) | b(e, k)) }
	case "bitwise_xor":
		return func(e *env, k int) int64 { return wrap(a(e, k) ^ b(e, k)) }
	case "pow":
		return func(e *env, k int) int64 {
			v, p := int64(1), a(e, k)
			for range b(e, k) {
				v *= p
			}
			return wrap(v)
		}
	}
	at, left, unsigned := c.at, x.Op == "shift_left", t.Code == dtype.UInt
	return func(e *env, k int) int64 {
		v, n := a(e, k), b(e, k)
		switch {
		case n < 0 || n >= int64(t.Bits):
			e.fail(at, "shift of %s by %d", t, n)
			return 0
		case left:
			return wrap(v << uint(n))
		case unsigned:
			return wrap(int64(uint64(v) >> uint(n)))
		}
		return wrap(v >> uint(n))
	}
}

// reinterpretFloat reads the bits of an integer, or of a float, as x.Type.
func (c *compiler) reinterpretFloat(x *tir.Call) floatFn {
	bitsOf := c.rawBits(x)
	if bitsOf == nil {
		return zeroFloat
	}
	t := x.Type.Element()
	return func(e *env, k int) float64 {
		cell := dtype.NewTensor(t, 1)
		for i := range cell.Data {
			cell.Data[i] = byte(bitsOf(e, k) >> (8 * i))
		}
		return cell.Float(0)
	}
}

func (c *compiler) reinterpretInt(x *tir.Call) intFn {
	bitsOf, wrap := c.rawBits(x), wrapper(x.Type)
	if bitsOf == nil {
		return zeroInt
	}
	return func(e *env, k int) int64 { return wrap(int64(bitsOf(e, k))) }
}

// rawBits gives the bits of the argument of a reinterpret. Lanes may become wider
// or narrower, the first one holds the lowest bits.
func (c *compiler) rawBits(x *tir.Call) func(e *env, k int) uint64 {
	if !c.arity(x, 1) {
		return nil
	}
	from, w, n := x.Args[0].DType(), int(x.Type.Bits), int(x.Args[0].DType().Bits)
	if int(from.Lanes)*n != int(x.Type.Lanes)*w || n%8 != 0 || w%8 != 0 {
		c.reject("reinterpret of %s as %s", from, x.Type)
		return nil
	}
	a := c.laneBits(x)
	switch {
	case n < w:
		mask := uint64(1)<<n - 1
		return func(e *env, k int) (v uint64) {
			for i := range w / n {
				v |= (a(e, k*(w/n)+i) & mask) << (n * i)
			}
			return v
		}
	case n > w:
		return func(e *env, k int) uint64 { return a(e, k*w/n) >> (k * w % n) }
	}
	return a
}

// laneBits gives the bits of the lanes of the argument.
func (c *compiler) laneBits(x *tir.Call) func(e *env, k int) uint64 {
	from := x.Args[0].DType()
	if !from.IsFloat() {
		a := c.intExpr(x.Args[0])
		return func(e *env, k int) uint64 { return uint64(a(e, k)) }
	}
	a := c.floatExpr(x.Args[0])
	return func(e *env, k int) uint64 {
		cell, v := dtype.NewTensor(from.Element(), 1), uint64(0)
		cell.SetFloat(0, a(e, k))
		for i, b := range cell.Data {
			v |= uint64(b) << (8 * i)
		}
		return v
	}
}
