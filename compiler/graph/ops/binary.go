package ops

import (
	"fmt"
	"math"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

// binaryFunc describes a broadcasting operator of two operands of one type. ints
// is nil where integers are not allowed; compares give bool.
type binaryFunc struct {
	name     string
	compares bool
	logic    bool // on bool only
	floats   func(x, y float64) float64
	ints     func(x, y int64) int64
	expr     func(x, y tir.Expr) tir.Expr
}

func init() {
	for _, b := range binaries {
		registerBinary(b)
	}
}

// binaries is the table of broadcasting functions of two operands. Integer
// division truncates, as ONNX wants; mod follows the divisor's sign.
var binaries = []binaryFunc{
	{name: "add", floats: func(x, y float64) float64 { return x + y }, ints: func(x, y int64) int64 { return x + y }, expr: tir.Add},
	{name: "sub", floats: func(x, y float64) float64 { return x - y }, ints: func(x, y int64) int64 { return x - y }, expr: tir.Sub},
	{name: "mul", floats: func(x, y float64) float64 { return x * y }, ints: func(x, y int64) int64 { return x * y }, expr: tir.Mul},
	{name: "div", floats: func(x, y float64) float64 { return x / y }, ints: quotient, expr: divide},
	{name: "mod", ints: func(x, y int64) int64 { return x - tir.FloorDivInt(x, y)*y }, expr: modulo},
	{name: "fmod", floats: math.Mod, expr: func(x, y tir.Expr) tir.Expr { return intrinsic("fmod", x, y) }},
	{name: "max", floats: math.Max, ints: func(x, y int64) int64 { return max(x, y) }, expr: tir.Max},
	{name: "min", floats: math.Min, ints: func(x, y int64) int64 { return min(x, y) }, expr: tir.Min},
	{name: "pow", floats: math.Pow, expr: power},
	{name: "equal", compares: true, floats: func(x, y float64) float64 { return truth(x == y) }, ints: func(x, y int64) int64 { return itruth(x == y) }, expr: comparison(tir.OpEQ)},
	{name: "less", compares: true, floats: func(x, y float64) float64 { return truth(x < y) }, ints: func(x, y int64) int64 { return itruth(x < y) }, expr: comparison(tir.OpLT)},
	{name: "less_equal", compares: true, floats: func(x, y float64) float64 { return truth(x <= y) }, ints: func(x, y int64) int64 { return itruth(x <= y) }, expr: comparison(tir.OpLE)},
	{name: "greater", compares: true, floats: func(x, y float64) float64 { return truth(x > y) }, ints: func(x, y int64) int64 { return itruth(x > y) }, expr: comparison(tir.OpGT)},
	{name: "greater_equal", compares: true, floats: func(x, y float64) float64 { return truth(x >= y) }, ints: func(x, y int64) int64 { return itruth(x >= y) }, expr: comparison(tir.OpGE)},
	{name: "logical_and", logic: true, ints: func(x, y int64) int64 { return x & y }, expr: tir.And},
	{name: "logical_or", logic: true, ints: func(x, y int64) int64 { return x | y }, expr: tir.Or},
	{name: "logical_xor", logic: true, ints: func(x, y int64) int64 { return x ^ y }, expr: comparison(tir.OpNE)},
}

func registerBinary(b binaryFunc) {
	graph.Register(&graph.Op{
		Name: b.name, Min: 2, Max: 2,
		Class: graph.Broadcast, Layout: graph.Transparent, KeepsZero: b.name != "div" && b.name != "mod" && b.name != "fmod",
		Infer:  func(c *graph.Call) ([]graph.Type, error) { return inferBinary(b, c) },
		Eval:   func(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) { return evalBinary(b, c, in) },
		Scalar: func(_ *graph.Call, args []tir.Expr) tir.Expr { return b.expr(args[0], args[1]) },
		Lower:  graph.LowerScalar,
	})
}

func inferBinary(b binaryFunc, c *graph.Call) ([]graph.Type, error) {
	x, y := c.In[0], c.In[1]
	if x.Elem != y.Elem {
		return nil, fmt.Errorf("operands differ in type: %s and %s", x.Elem, y.Elem)
	}
	ok := b.ints != nil && x.Elem.IsInt() || b.floats != nil && x.Elem.IsFloat()
	if b.logic || b.name == "equal" && x.Elem.IsBool() {
		ok = x.Elem.IsBool()
	}
	if !ok {
		return nil, fmt.Errorf("is not defined on %s", x.Elem)
	}
	shape, err := graph.BroadcastShapes(x.Shape, y.Shape)
	if err != nil {
		return nil, err
	}
	if b.compares {
		return oneType(dtype.BoolType, shape), nil
	}
	return oneType(x.Elem, shape), nil
}

func evalBinary(b binaryFunc, c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
	t := c.Out[0]
	out := dtype.NewTensor(t.Elem, t.Shape...)
	sx, sy := broadcastStrides(in[0].Shape, t.Shape), broadcastStrides(in[1].Shape, t.Shape)
	if in[0].Type.IsFloat() {
		x, y := doubles(in[0]), doubles(in[1])
		walk(t.Shape, func(i int, off []int64) { out.SetFloat(i, b.floats(x[off[0]], y[off[1]])) }, sx, sy)
		return one(out)
	}
	x, y := in[0].Int64s(), in[1].Int64s()
	if b.name == "div" || b.name == "mod" {
		for _, d := range y {
			if d == 0 {
				return nil, fmt.Errorf("integer division by zero")
			}
		}
	}
	walk(t.Shape, func(i int, off []int64) { out.SetInt(i, b.ints(x[off[0]], y[off[1]])) }, sx, sy)
	return one(out)
}

func quotient(x, y int64) int64 {
	if y == -1 {
		return -x // the most negative number would trap
	}
	return x / y
}

// power spells small constant powers as products, which is what models mean by
// Pow(x, 2) in a variance.
func power(x, y tir.Expr) tir.Expr {
	if c, ok := y.(*tir.FloatImm); ok {
		switch c.Value {
		case 1:
			return x
		case 2:
			return tir.Mul(x, x)
		case 3:
			return tir.Mul(tir.Mul(x, x), x)
		case 0.5:
			return intrinsic("sqrt", x)
		}
	}
	return intrinsic("pow", x, y)
}

// divide and modulo give 0 for an integer divided by 0 and wrap where the quotient
// does not fit: the processor's own answer is a signal that ends the process, and ONNX
// asks for none.
func divide(x, y tir.Expr) tir.Expr {
	if divides(y) {
		return tir.Div(x, y)
	}
	zero, minus := tir.Compare(tir.OpEQ, y, like(y, 0)), tir.Compare(tir.OpEQ, y, like(y, -1))
	q := tir.NewSelect(zero, like(x, 0), tir.Div(x, divisor(y)))
	if y.DType().Code == dtype.UInt {
		return q
	}
	return tir.NewSelect(minus, tir.Sub(like(x, 0), x), q)
}

func modulo(x, y tir.Expr) tir.Expr {
	if divides(y) {
		return tir.FloorMod(x, y)
	}
	return tir.FloorMod(x, divisor(y))
}

// divides says whether y is a divisor that no value of x makes fail.
func divides(y tir.Expr) bool {
	c, constant := y.(*tir.IntImm)
	return y.DType().IsFloat() || constant && c.Value != 0 && c.Value != -1
}

// divisor is y, or 1 where y is 0 or -1.
func divisor(y tir.Expr) tir.Expr {
	bad := tir.Compare(tir.OpEQ, y, like(y, 0))
	if y.DType().Code != dtype.UInt {
		bad = tir.Or(bad, tir.Compare(tir.OpEQ, y, like(y, -1)))
	}
	return tir.NewSelect(bad, like(y, 1), y)
}

func comparison(op tir.BinOp) func(x, y tir.Expr) tir.Expr {
	return func(x, y tir.Expr) tir.Expr { return tir.Compare(op, x, y) }
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func itruth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
