package tir

import (
	"math"

	"hone/compiler/dtype"
)

// Int is an int32 constant.
func Int(v int64) *IntImm {
	if uint64(v) < smallInts {
		return &smallInt32[v]
	}
	return &IntImm{v, dtype.Int32}
}

// IntOf is an integer or bool constant of type t.
func IntOf(v int64, t dtype.DType) *IntImm {
	if uint64(v) < smallInts {
		switch t {
		case dtype.Int32:
			return &smallInt32[v]
		case dtype.Int64:
			return &smallInt64[v]
		}
	}
	return &IntImm{wrapInt(v, t), t}
}

// Small constants, which indices are full of, are shared: nodes are immutable.
const smallInts = 1024

var smallInt32, smallInt64 = smallConstants(dtype.Int32), smallConstants(dtype.Int64)

func smallConstants(t dtype.DType) *[smallInts]IntImm {
	var out [smallInts]IntImm
	for i := range out {
		out[i] = IntImm{int64(i), t}
	}
	return &out
}

// True and False are the bool constants; predicates default to True.
var (
	True  = &IntImm{1, dtype.BoolType}
	False = &IntImm{0, dtype.BoolType}
)

// BoolImm is a bool constant.
func BoolImm(b bool) *IntImm {
	if b {
		return True
	}
	return False
}

// F32 is a float32 constant.
func F32(v float64) *FloatImm { return &FloatImm{float64(float32(v)), dtype.Float32} }

// Const is a constant of type t, integer or float; vectors are broadcast.
func Const(v float64, t dtype.DType) Expr {
	if t.Lanes > 1 {
		return &Broadcast{Const(v, t.Element()), int(t.Lanes)}
	}
	if t.IsFloat() {
		return &FloatImm{roundFloat(v, t), t}
	}
	return IntOf(int64(v), t)
}

// FloatOf is v as a constant of t as TVMScript keeps it: rounded only where it
// is used, unless it is out of the range of t.
func FloatOf(v float64, t dtype.DType) *FloatImm {
	most := math.MaxFloat64
	switch {
	case t.Code == dtype.Float && t.Bits == 16:
		most = 65504
	case t.IsComputed() && t.Bits <= 32:
		most = math.MaxFloat32
	}
	if math.Abs(v) > most {
		v = math.Copysign(math.Inf(1), v)
	}
	return &FloatImm{v, t}
}

// Rounded is the value that a constant has in its type.
func (e *FloatImm) Rounded() float64 { return roundFloat(e.Value, e.Type) }

// AsInt returns the value of an integer or bool constant.
func AsInt(e Expr) (int64, bool) {
	if c, ok := e.(*IntImm); ok {
		return c.Value, true
	}
	return 0, false
}

// IsConst reports whether e is an integer constant equal to v.
func IsConst(e Expr, v int64) bool {
	c, ok := e.(*IntImm)
	return ok && c.Value == v
}

// NewVar makes a variable.
func NewVar(name string, t dtype.DType) *Var { return &Var{Name: name, Type: t} }

// NewBinary makes the node as written: no type matching and no folding.
func NewBinary(op BinOp, a, b Expr) *Binary {
	return &Binary{op, a, b, op.of(a.DType())}
}

// of is the type of the operation on operands of type t.
func (op BinOp) of(t dtype.DType) dtype.DType {
	if op.IsCompare() || op.IsLogic() {
		return dtype.BoolType.WithLanes(int(t.Lanes))
	}
	return t
}

// Add is a + b with type matching and folding, as are the
// other arithmetic functions below.
func Add(a, b Expr) Expr { return Arith(OpAdd, a, b) }

// Sub is a - b.
func Sub(a, b Expr) Expr { return Arith(OpSub, a, b) }

// Mul is a * b.
func Mul(a, b Expr) Expr { return Arith(OpMul, a, b) }

// Div is a / b, truncating on integers.
func Div(a, b Expr) Expr { return Arith(OpDiv, a, b) }

// FloorDiv is a // b.
func FloorDiv(a, b Expr) Expr { return Arith(OpFloorDiv, a, b) }

// FloorMod is a % b with the sign of b.
func FloorMod(a, b Expr) Expr { return Arith(OpFloorMod, a, b) }

// Min is the smaller operand.
func Min(a, b Expr) Expr { return Arith(OpMin, a, b) }

// Max is the larger operand.
func Max(a, b Expr) Expr { return Arith(OpMax, a, b) }

// CeilDiv is (a + b - 1) // b.
func CeilDiv(a, b Expr) Expr {
	return FloorDiv(Sub(Add(a, b), IntOf(1, a.DType().Element())), b)
}

// Arith builds an arithmetic node: operands are brought to a common type,
// constants folded and the usual identities applied.
func Arith(op BinOp, a, b Expr) Expr {
	a, b = MatchTypes(a, b)
	if e := foldArith(op, a, b); e != nil {
		return e
	}
	return NewBinary(op, a, b)
}

// Compare builds a comparison as TVMScript writes it: a literal takes the other
// side's type, nothing is folded.
func Compare(op BinOp, a, b Expr) Expr {
	a, b = MatchTypes(a, b)
	return NewBinary(op, a, b)
}

// CompareFold is Compare, decided at once when both sides are constants; the
// form that schedule primitives use.
func CompareFold(op BinOp, a, b Expr) Expr {
	a, b = MatchTypes(a, b)
	x, ok1 := AsInt(a)
	y, ok2 := AsInt(b)
	if ok1 && ok2 {
		return BoolImm(compare(op, x, y))
	}
	if f, ok := a.(*FloatImm); ok {
		if g, ok := b.(*FloatImm); ok {
			return BoolImm(compare(op, f.Value, g.Value))
		}
	}
	return NewBinary(op, a, b)
}

func compare[T int64 | float64](op BinOp, x, y T) bool {
	switch op {
	case OpEQ:
		return x == y
	case OpNE:
		return x != y
	case OpLT:
		return x < y
	case OpLE:
		return x <= y
	case OpGT:
		return x > y
	}
	return x >= y
}

// And is the folding conjunction: true and p is p.
func And(a, b Expr) Expr {
	if c, ok := AsInt(a); ok {
		if c != 0 {
			return b
		}
		return a
	}
	if c, ok := AsInt(b); ok {
		if c != 0 {
			return a
		}
		return b
	}
	return NewBinary(OpAnd, a, b)
}

// Or is the folding disjunction.
func Or(a, b Expr) Expr {
	if c, ok := AsInt(a); ok {
		if c != 0 {
			return a
		}
		return b
	}
	if c, ok := AsInt(b); ok {
		if c != 0 {
			return b
		}
		return a
	}
	return NewBinary(OpOr, a, b)
}

// NewNot is the folding negation.
func NewNot(a Expr) Expr {
	if c, ok := AsInt(a); ok {
		return BoolImm(c == 0)
	}
	return &Not{a}
}

func foldArith(op BinOp, a, b Expr) Expr {
	if ca, ok := a.(*IntImm); ok {
		if cb, ok := b.(*IntImm); ok {
			return foldInts(op, ca, cb)
		}
	}
	if ca, ok := a.(*FloatImm); ok {
		if cb, ok := b.(*FloatImm); ok && a.DType().Bits >= 32 {
			return foldFloats(op, ca, cb)
		}
	}
	return foldIdentity(op, a, b)
}

func foldInts(op BinOp, a, b *IntImm) Expr {
	if op > OpMax || b.Value == 0 && op.divides() {
		return nil
	}
	return IntOf(arithInts(op, a.Value, b.Value), a.Type)
}

// arithInts computes; a division is not by 0.
func arithInts(op BinOp, x, y int64) int64 {
	switch op {
	case OpAdd:
		return x + y
	case OpSub:
		return x - y
	case OpMul:
		return x * y
	case OpMin:
		return min(x, y)
	case OpMax:
		return max(x, y)
	case OpDiv:
		return x / y
	case OpMod:
		return x % y
	case OpFloorDiv:
		return FloorDivInt(x, y)
	}
	return x - FloorDivInt(x, y)*y
}

// FloorDivInt is the quotient rounded towards minus infinity; y is not 0.
func FloorDivInt(x, y int64) int64 {
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return q
}

func foldFloats(op BinOp, a, b *FloatImm) Expr {
	v, x, y := 0.0, a.Rounded(), b.Rounded()
	switch op {
	case OpAdd:
		v = x + y
	case OpSub:
		v = x - y
	case OpMul:
		v = float64(x * y)
	case OpDiv:
		if y == 0 {
			return nil
		}
		v = x / y
	case OpMin:
		return &FloatImm{math.Min(a.Value, b.Value), a.Type}
	case OpMax:
		return &FloatImm{math.Max(a.Value, b.Value), a.Type}
	default:
		return nil
	}
	return &FloatImm{roundFloat(v, a.Type), a.Type}
}

// isNum reports whether e is an integer or float constant equal to v.
func isNum(e Expr, v float64) bool {
	switch c := e.(type) {
	case *IntImm:
		return float64(c.Value) == v
	case *FloatImm:
		return c.Value == v
	case *Broadcast:
		return isNum(c.Value, v)
	}
	return false
}

func foldIdentity(op BinOp, a, b Expr) Expr {
	switch op {
	case OpAdd:
		if isNum(a, 0) {
			return b
		}
		if isNum(b, 0) {
			return a
		}
	case OpSub:
		if isNum(b, 0) {
			return a
		}
	case OpMul:
		switch {
		case isNum(a, 1) || isNum(b, 0):
			return b
		case isNum(b, 1) || isNum(a, 0):
			return a
		}
	case OpDiv, OpFloorDiv:
		if isNum(b, 1) || isNum(a, 0) && !isNum(b, 0) {
			return a
		}
	case OpFloorMod:
		if t := a.DType(); t != dtype.Int32 && t != dtype.Int64 {
			return nil
		}
		if isNum(b, 1) {
			return IntOf(0, a.DType())
		}
		if isNum(a, 0) && !isNum(b, 0) {
			return a
		}
	case OpMin, OpMax:
		// TVM keeps infinities: only identical operands fold.
		if a == b {
			return a
		}
	}
	return nil
}
