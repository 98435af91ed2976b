package interp

import (
	"math"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

func zeroInt(*env, int) int64 { return 0 }

// intExpr compiles an integer or bool expression.
func (c *compiler) intExpr(x tir.Expr) intFn {
	if t := x.DType(); !t.IsInt() && !t.IsBool() {
		c.reject("%s is %s where an integer or bool is wanted", tir.ExprString(x), t)
		return zeroInt
	} else if t.Lanes > dtype.MaxLanes {
		c.reject("%s is %s: vectors of unknown length are not interpreted", tir.ExprString(x), t)
		return zeroInt
	}
	switch x := x.(type) {
	case *tir.IntImm:
		v := x.Value
		return func(*env, int) int64 { return v }
	case *tir.Var:
		slot, ok := c.vars[x]
		if !ok {
			c.reject("variable %s is not defined here", x.Name)
			return zeroInt
		}
		if x.Type.Lanes == 1 {
			return func(e *env, _ int) int64 { return e.ints[slot] }
		}
		return func(e *env, lane int) int64 { return e.ints[slot+lane] }
	case *tir.Load:
		return c.loadInt(x)
	case *tir.Binary:
		return c.intBinary(x)
	case *tir.Not:
		a := c.intExpr(x.A)
		return func(e *env, lane int) int64 { return 1 - a(e, lane) }
	case *tir.Cast:
		return c.castToInt(x)
	case *tir.Select:
		// All three are evaluated.
		p, a, b := c.condition(x), c.intExpr(x.Then), c.intExpr(x.Else)
		return func(e *env, lane int) int64 {
			t, u := a(e, lane), b(e, lane)
			if p(e, lane) != 0 {
				return t
			}
			return u
		}
	case *tir.Let:
		set := c.assign(x.Var, x.Value)
		body := c.intExpr(x.Body)
		return func(e *env, lane int) int64 { set(e); return body(e, lane) }
	case *tir.Ramp:
		base, stride, wrap := c.intExpr(x.Base), c.intExpr(x.Stride), wrapper(x.DType())
		return func(e *env, lane int) int64 { return wrap(base(e, 0) + int64(lane)*stride(e, 0)) }
	case *tir.Broadcast:
		a := c.intExpr(x.Value)
		return func(e *env, _ int) int64 { return a(e, 0) }
	case *tir.Call:
		return c.intCall(x)
	}
	c.reject("%s cannot be interpreted", tir.ExprString(x))
	return zeroInt
}

// condition compiles the condition of a Select, which may be one bool for all
// lanes.
func (c *compiler) condition(x *tir.Select) intFn {
	if x.Then.DType() != x.Else.DType() {
		c.reject("the branches of %s are %s and %s", tir.ExprString(x), x.Then.DType(), x.Else.DType())
	}
	p := c.intExpr(x.Cond)
	if x.Cond.DType().Lanes == 1 {
		return func(e *env, _ int) int64 { return p(e, 0) }
	}
	return p
}

// wrapper reduces a result to the width of t.
func wrapper(t dtype.DType) func(int64) int64 {
	switch {
	case t.IsBool():
		return func(v int64) int64 {
			if v != 0 {
				return 1
			}
			return 0
		}
	case t.Bits >= 64:
		return func(v int64) int64 { return v }
	case t == dtype.Int32:
		return func(v int64) int64 { return int64(int32(v)) }
	}
	shift := 64 - uint(t.Bits)
	if t.Code == dtype.UInt {
		return func(v int64) int64 { return int64(uint64(v) << shift >> shift) }
	}
	return func(v int64) int64 { return v << shift >> shift }
}

func (c *compiler) castToInt(x *tir.Cast) intFn {
	from, wrap := x.Value.DType(), wrapper(x.Type)
	if from.Lanes != x.Type.Lanes {
		c.reject("%s changes the number of lanes", tir.ExprString(x))
		return zeroInt
	}
	if !from.IsFloat() {
		a := c.intExpr(x.Value)
		return func(e *env, lane int) int64 { return wrap(a(e, lane)) }
	}
	a := c.floatExpr(x.Value)
	if x.Type.IsBool() {
		return func(e *env, lane int) int64 { return truth(a(e, lane) != 0) }
	}
	unsigned := x.Type.Code == dtype.UInt && x.Type.Bits == 64
	return func(e *env, lane int) int64 {
		v := math.Trunc(a(e, lane))
		switch {
		case math.IsNaN(v):
			return 0
		case unsigned && v >= 1<<63:
			return int64(uint64(math.Min(v, 1<<64-2048)))
		}
		return wrap(int64(math.Max(math.Min(v, 1<<63-1024), -1<<63)))
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (c *compiler) sameTypes(x *tir.Binary) bool {
	if x.A.DType() != x.B.DType() {
		c.reject("operands of %s are %s and %s", tir.ExprString(x), x.A.DType(), x.B.DType())
		return false
	}
	return true
}

func (c *compiler) intBinary(x *tir.Binary) intFn {
	if !c.sameTypes(x) {
		return zeroInt
	}
	if x.A.DType().IsFloat() {
		return c.compareFloats(x)
	}
	a, b := c.intExpr(x.A), c.intExpr(x.B)
	unsigned := x.A.DType().Element() == dtype.UInt64
	switch x.Op {
	case tir.OpAnd: // the right side only when the left one holds
		return func(e *env, k int) int64 { return truth(a(e, k) != 0 && b(e, k) != 0) }
	case tir.OpOr:
		return func(e *env, k int) int64 { return truth(a(e, k) != 0 || b(e, k) != 0) }
	case tir.OpEQ:
		return func(e *env, k int) int64 { return truth(a(e, k) == b(e, k)) }
	case tir.OpNE:
		return func(e *env, k int) int64 { return truth(a(e, k) != b(e, k)) }
	case tir.OpLT, tir.OpLE, tir.OpGT, tir.OpGE, tir.OpMin, tir.OpMax:
		return ordered(x.Op, a, b, unsigned)
	case tir.OpAdd, tir.OpSub, tir.OpMul:
		return ring(x.Op, a, b, x.T)
	}
	return c.division(x, a, b, unsigned)
}

// ordered compares; unsigned 64-bit numbers are compared as such.
func ordered(op tir.BinOp, a, b intFn, unsigned bool) intFn {
	less := func(p, q int64) bool { return p < q }
	if unsigned {
		less = func(p, q int64) bool { return uint64(p) < uint64(q) }
	}
	switch op {
	case tir.OpLT:
		if !unsigned {
			return func(e *env, k int) int64 { return truth(a(e, k) < b(e, k)) }
		}
		return func(e *env, k int) int64 { return truth(less(a(e, k), b(e, k))) }
	case tir.OpLE:
		return func(e *env, k int) int64 { p, q := a(e, k), b(e, k); return truth(!less(q, p)) }
	case tir.OpGT:
		return func(e *env, k int) int64 { p, q := a(e, k), b(e, k); return truth(less(q, p)) }
	case tir.OpGE:
		return func(e *env, k int) int64 { return truth(!less(a(e, k), b(e, k))) }
	case tir.OpMin:
		return func(e *env, k int) int64 {
			p, q := a(e, k), b(e, k)
			if less(q, p) {
				return q
			}
			return p
		}
	}
	return func(e *env, k int) int64 {
		p, q := a(e, k), b(e, k)
		if less(p, q) {
			return q
		}
		return p
	}
}

func ring(op tir.BinOp, a, b intFn, t dtype.DType) intFn {
	wrap := wrapper(t.Element())
	switch op {
	case tir.OpAdd:
		if t == dtype.Int32 {
			return func(e *env, k int) int64 { return int64(int32(a(e, k) + b(e, k))) }
		}
		return func(e *env, k int) int64 { return wrap(a(e, k) + b(e, k)) }
	case tir.OpSub:
		return func(e *env, k int) int64 { return wrap(a(e, k) - b(e, k)) }
	}
	if t == dtype.Int32 {
		return func(e *env, k int) int64 { return int64(int32(a(e, k) * b(e, k))) }
	}
	return func(e *env, k int) int64 { return wrap(a(e, k) * b(e, k)) }
}

func (c *compiler) division(x *tir.Binary, a, b intFn, unsigned bool) intFn {
	at, wrap, text := c.at, wrapper(x.T.Element()), tir.ExprString(x)
	var f func(p, q int64) int64
	switch {
	case unsigned && (x.Op == tir.OpDiv || x.Op == tir.OpFloorDiv):
		f = func(p, q int64) int64 { return int64(uint64(p) / uint64(q)) }
	case unsigned:
		f = func(p, q int64) int64 { return int64(uint64(p) % uint64(q)) }
	case x.Op == tir.OpDiv:
		f = func(p, q int64) int64 { return p / q }
	case x.Op == tir.OpMod:
		f = func(p, q int64) int64 { return p % q }
	case x.Op == tir.OpFloorDiv:
		f = tir.FloorDivInt
	default:
		f = func(p, q int64) int64 { return p - tir.FloorDivInt(p, q)*q }
	}
	return func(e *env, k int) int64 {
		p, q := a(e, k), b(e, k)
		if q == 0 {
			e.fail(at, "division by zero in %s", text)
			return 0
		}
		return wrap(f(p, q))
	}
}

func (c *compiler) compareFloats(x *tir.Binary) intFn {
	a, b := c.floatExpr(x.A), c.floatExpr(x.B)
	switch x.Op {
	case tir.OpEQ:
		return func(e *env, k int) int64 { return truth(a(e, k) == b(e, k)) }
	case tir.OpNE:
		return func(e *env, k int) int64 { return truth(a(e, k) != b(e, k)) }
	case tir.OpLT:
		return func(e *env, k int) int64 { return truth(a(e, k) < b(e, k)) }
	case tir.OpLE:
		return func(e *env, k int) int64 { return truth(a(e, k) <= b(e, k)) }
	case tir.OpGT:
		return func(e *env, k int) int64 { return truth(a(e, k) > b(e, k)) }
	case tir.OpGE:
		return func(e *env, k int) int64 { return truth(a(e, k) >= b(e, k)) }
	}
	c.reject("%s of floats is not a comparison", x.Op)
	return zeroInt
}
