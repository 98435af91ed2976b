package interp

import (
	"math"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

func zeroFloat(*env, int) float64 { return 0 }

// floatExpr compiles a floating-point expression; every node rounds to its type.
func (c *compiler) floatExpr(x tir.Expr) floatFn {
	if t := x.DType(); !t.IsFloat() {
		c.reject("%s is %s where a float is wanted", tir.ExprString(x), t)
		return zeroFloat
	}
	if t := x.DType(); !t.IsComputed() {
		c.reject("%s is %s, which is not interpreted", tir.ExprString(x), t)
		return zeroFloat
	}
	switch x := x.(type) {
	case *tir.FloatImm:
		v := rounder(x.Type)(x.Value)
		return func(*env, int) float64 { return v }
	case *tir.Var:
		slot, ok := c.vars[x]
		if !ok {
			c.reject("variable %s is not defined here", x.Name)
			return zeroFloat
		}
		return func(e *env, lane int) float64 { return e.floats[slot+lane] }
	case *tir.Load:
		return c.loadFloat(x)
	case *tir.Binary:
		return c.floatBinary(x)
	case *tir.Cast:
		return c.castToFloat(x)
	case *tir.Select:
		p, a, b := c.condition(x), c.floatExpr(x.Then), c.floatExpr(x.Else)
		return func(e *env, lane int) float64 {
			t, u := a(e, lane), b(e, lane)
			if p(e, lane) != 0 {
				return t
			}
			return u
		}
	case *tir.Let:
		set := c.assign(x.Var, x.Value)
		body := c.floatExpr(x.Body)
		return func(e *env, lane int) float64 { set(e); return body(e, lane) }
	case *tir.Ramp:
		base, stride, round := c.floatExpr(x.Base), c.floatExpr(x.Stride), rounder(x.DType())
		return func(e *env, lane int) float64 {
			return round(base(e, 0) + round(float64(lane)*stride(e, 0)))
		}
	case *tir.Broadcast:
		a := c.floatExpr(x.Value)
		return func(e *env, _ int) float64 { return a(e, 0) }
	case *tir.Call:
		return c.floatCall(x)
	}
	c.reject("%s cannot be interpreted", tir.ExprString(x))
	return zeroFloat
}

// rounder rounds a float64 to the element type of t. For sums, differences,
// products, quotients and square roots of operands of that type, rounding the
// float64 result is the correctly rounded result.
func rounder(t dtype.DType) func(float64) float64 {
	switch t.Element() {
	case dtype.Float64:
		return func(v float64) float64 { return v }
	case dtype.Float32:
		return func(v float64) float64 { return float64(float32(v)) }
	}
	cell := dtype.NewTensor(t.Element(), 1)
	return func(v float64) float64 {
		cell.SetFloat(0, v)
		return cell.Float(0)
	}
}

func (c *compiler) castToFloat(x *tir.Cast) floatFn {
	from, round := x.Value.DType(), rounder(x.Type)
	if from.Lanes != x.Type.Lanes {
		c.reject("%s changes the number of lanes", tir.ExprString(x))
		return zeroFloat
	}
	if from.IsFloat() {
		a := c.floatExpr(x.Value)
		return func(e *env, lane int) float64 { return round(a(e, lane)) }
	}
	a := c.intExpr(x.Value)
	switch {
	case x.Type.Element() == dtype.Float32 && from.Element() == dtype.UInt64:
		return func(e *env, lane int) float64 { return float64(float32(uint64(a(e, lane)))) }
	case x.Type.Element() == dtype.Float32: // not through float64, which would round twice
		return func(e *env, lane int) float64 { return float64(float32(a(e, lane))) }
	case from.Element() == dtype.UInt64:
		return func(e *env, lane int) float64 { return round(float64(uint64(a(e, lane)))) }
	}
	return func(e *env, lane int) float64 { return round(float64(a(e, lane))) }
}

func (c *compiler) floatBinary(x *tir.Binary) floatFn {
	if !c.sameTypes(x) {
		return zeroFloat
	}
	a, b := c.floatExpr(x.A), c.floatExpr(x.B)
	if x.T == dtype.Float32 {
		switch x.Op {
		case tir.OpAdd:
			return func(e *env, k int) float64 { return float64(float32(a(e, k) + b(e, k))) }
		case tir.OpMul:
			return func(e *env, k int) float64 { return float64(float32(float64(a(e, k) * b(e, k)))) }
		}
	}
	op, ok := floatOps[x.Op]
	if !ok {
		c.reject("%s is not defined on floats", x.Op)
		return zeroFloat
	}
	round := rounder(x.T)
	return func(e *env, k int) float64 { return round(op(a(e, k), b(e, k))) }
}

// floatOps are the binary operations on floats. Min and Max give the other
// operand when one is not a number, as the C functions fmin and fmax do.
var floatOps = map[tir.BinOp]func(a, b float64) float64{
	tir.OpAdd: func(a, b float64) float64 { return a + b },
	tir.OpSub: func(a, b float64) float64 { return a - b },
	tir.OpMul: func(a, b float64) float64 { return a * b },
	tir.OpDiv: func(a, b float64) float64 { return a / b },
	tir.OpMin: fmin,
	tir.OpMax: fmax,
	tir.OpMod: math.Mod,
	tir.OpFloorMod: func(a, b float64) float64 {
		return a - float64(math.Floor(a/b)*b)
	},
	tir.OpFloorDiv: func(a, b float64) float64 { return math.Floor(a / b) },
}

func fmin(a, b float64) float64 {
	if b < a || a != a {
		return b
	}
	return a
}

func fmax(a, b float64) float64 {
	if b > a || a != a {
		return b
	}
	return a
}
