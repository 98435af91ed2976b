package tir

import (
	"math"
	"math/bits"

	"hone/compiler/dtype"
)

// NewCast converts e to t: a constant folds, an equal type is nothing.
func NewCast(t dtype.DType, e Expr) Expr {
	from := e.DType()
	if from == t {
		return e
	}
	if t.Lanes > 1 && from.Lanes == 1 {
		return &Broadcast{NewCast(t.Element(), e), int(t.Lanes)}
	}
	switch c := e.(type) {
	case *IntImm:
		if t.IsFloat() {
			return FloatOf(float64(c.Value), t)
		}
		return IntOf(c.Value, t)
	case *FloatImm:
		if t.IsFloat() {
			return FloatOf(c.Value, t)
		}
		if !math.IsNaN(c.Value) && !math.IsInf(c.Value, 0) {
			return IntOf(int64(c.Value), t)
		}
	}
	return &Cast{t, e}
}

// NewSelect folds a constant condition.
func NewSelect(c, a, b Expr) Expr {
	if v, ok := AsInt(c); ok {
		if v != 0 {
			return a
		}
		return b
	}
	a, b = MatchTypes(a, b)
	return &Select{c, a, b}
}

// IfThenElse evaluates only the branch it takes; a constant condition folds.
func IfThenElse(c, a, b Expr) Expr {
	if v, ok := AsInt(c); ok {
		if v != 0 {
			return a
		}
		return b
	}
	a, b = MatchTypes(a, b)
	return &Call{"if_then_else", []Expr{c, a, b}, a.DType()}
}

// MatchTypes brings two operands to a common type: float beats int, the wider
// wins, bool yields to int, int against uint takes the wider and at equal width
// uint; a scalar is broadcast to a vector partner. Vectors of different lengths have
// none and stay as they are.
func MatchTypes(a, b Expr) (Expr, Expr) {
	ta, tb := a.DType(), b.DType()
	if ta == tb {
		return a, b
	}
	if ta.Lanes != tb.Lanes {
		switch {
		case ta.Lanes == 1:
			a = &Broadcast{a, int(tb.Lanes)}
		case tb.Lanes == 1:
			b = &Broadcast{b, int(ta.Lanes)}
		default:
			return a, b
		}
		return MatchTypes(a, b)
	}
	t := commonType(ta, tb)
	return NewCast(t, a), NewCast(t, b)
}

func commonType(a, b dtype.DType) dtype.DType {
	rank := func(t dtype.DType) int {
		switch {
		case t.IsFloat():
			return 2
		case t.IsInt():
			return 1
		}
		return 0
	}
	ra, rb := rank(a), rank(b)
	switch {
	case ra > rb:
		return a
	case rb > ra:
		return b
	case a.Bits > b.Bits:
		return a
	case b.Bits > a.Bits:
		return b
	case b.Code == dtype.UInt:
		return b
	}
	return a
}

// wrapInt reduces v to the range of t, as integer arithmetic wraps.
func wrapInt(v int64, t dtype.DType) int64 {
	if t.IsBool() {
		if v != 0 {
			return 1
		}
		return 0
	}
	if t.Bits == 0 || t.Bits >= bits.UintSize {
		return v
	}
	shift := 64 - uint(t.Bits)
	if t.Code == dtype.UInt {
		return int64(uint64(v) << shift >> shift)
	}
	return v << shift >> shift
}

func roundFloat(v float64, t dtype.DType) float64 {
	switch {
	case !t.IsComputed():
		return v
	case t.Code == dtype.BFloat:
		x := dtype.NewTensor(dtype.BFloat16, 1)
		x.SetFloat(0, v)
		return x.Float(0)
	case t.Bits == 16:
		return float64(dtype.HalfToFloat(dtype.FloatToHalf(float32(v))))
	case t.Bits == 32:
		return float64(float32(v))
	}
	return v
}
