package ops

import (
	"fmt"
	"math"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/tir"
)

// unary describes an operator on each element by itself: its value in float64
// and its expression. Integer operands are allowed where ints says so.
type unary struct {
	name      string
	attrs     []graph.AttrSpec
	ints      bool
	keepsZero bool
	eval      func(a graph.Attrs, x float64) float64
	expr      func(a graph.Attrs, x tir.Expr) tir.Expr
}

func init() {
	for _, u := range unaries {
		registerUnary(u)
	}
}

var alphaBeta = []graph.AttrSpec{{Key: "alpha", Zero: 0.0}, {Key: "beta", Zero: 0.0}}

// unaries is the table of elementwise functions of one operand.
var unaries = []unary{
	{name: "neg", ints: true, keepsZero: true,
		eval: func(_ graph.Attrs, x float64) float64 { return -x },
		expr: func(_ graph.Attrs, x tir.Expr) tir.Expr { return tir.Mul(x, like(x, -1)) }},
	{name: "abs", ints: true, keepsZero: true,
		eval: func(_ graph.Attrs, x float64) float64 { return math.Abs(x) },
		expr: func(_ graph.Attrs, x tir.Expr) tir.Expr { return absolute(x) }},
	{name: "sign", ints: true, keepsZero: true,
		eval: func(_ graph.Attrs, x float64) float64 { return signum(x) },
		expr: func(_ graph.Attrs, x tir.Expr) tir.Expr {
			return tir.NewSelect(more(x, like(x, 0)), like(x, 1), tir.NewSelect(less(x, like(x, 0)), like(x, -1), like(x, 0)))
		}},
	{name: "relu", ints: true, keepsZero: true,
		eval: func(_ graph.Attrs, x float64) float64 { return math.Max(x, 0) },
		expr: func(_ graph.Attrs, x tir.Expr) tir.Expr { return tir.Max(x, like(x, 0)) }},
	{name: "clip", ints: true, keepsZero: true, attrs: []graph.AttrSpec{{Key: "max", Zero: 0.0}, {Key: "min", Zero: 0.0}},
		eval: func(a graph.Attrs, x float64) float64 { return math.Min(math.Max(x, a.Float("min")), a.Float("max")) },
		expr: func(a graph.Attrs, x tir.Expr) tir.Expr {
			return tir.Min(tir.Max(x, bound(x, a.Float("min"))), bound(x, a.Float("max")))
		}},
	{name: "exp", keepsZero: true, eval: plain(math.Exp), expr: call("exp")},
	{name: "log", eval: plain(math.Log), expr: call("log")},
	{name: "sqrt", keepsZero: true, eval: plain(math.Sqrt), expr: call("sqrt")},
	{name: "reciprocal",
		eval: func(_ graph.Attrs, x float64) float64 { return 1 / x },
		expr: func(_ graph.Attrs, x tir.Expr) tir.Expr { return tir.Div(like(x, 1), x) }},
	{name: "erf", keepsZero: true, eval: plain(math.Erf), expr: call("erf")},
	{name: "tanh", keepsZero: true, eval: plain(math.Tanh), expr: call("tanh")},
	{name: "sigmoid", keepsZero: true, eval: plain(logistic), expr: call("sigmoid")},
	{name: "sin", keepsZero: true, eval: plain(math.Sin), expr: call("sin")},
	{name: "cos", keepsZero: true, eval: plain(math.Cos), expr: call("cos")},
	{name: "floor", keepsZero: true, eval: plain(math.Floor), expr: call("floor")},
	{name: "ceil", keepsZero: true, eval: plain(math.Ceil), expr: call("ceil")},
	{name: "round", keepsZero: true, eval: plain(math.RoundToEven), expr: call("nearbyint")},
	{name: "leaky_relu", keepsZero: true, attrs: alphaBeta[:1],
		eval: func(a graph.Attrs, x float64) float64 {
			if x >= 0 {
				return x
			}
			return a.Float("alpha") * x
		},
		expr: func(a graph.Attrs, x tir.Expr) tir.Expr {
			return tir.NewSelect(less(x, like(x, 0)), tir.Mul(x, like(x, a.Float("alpha"))), x)
		}},
	{name: "elu", keepsZero: true, attrs: alphaBeta[:1],
		eval: func(a graph.Attrs, x float64) float64 {
			if x >= 0 {
				return x
			}
			return a.Float("alpha") * math.Expm1(x)
		},
		expr: func(a graph.Attrs, x tir.Expr) tir.Expr {
			return tir.NewSelect(less(x, like(x, 0)), tir.Mul(tir.Sub(intrinsic("exp", x), like(x, 1)), like(x, a.Float("alpha"))), x)
		}},
	{name: "softplus", keepsZero: true, eval: plain(func(x float64) float64 { return math.Max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }),
		expr: func(_ graph.Attrs, x tir.Expr) tir.Expr {
			e := intrinsic("exp", tir.Mul(absolute(x), like(x, -1)))
			return tir.Add(tir.Max(x, like(x, 0)), intrinsic("log", tir.Add(e, like(x, 1))))
		}},
	{name: "softsign", keepsZero: true, eval: plain(func(x float64) float64 { return x / (1 + math.Abs(x)) }),
		expr: func(_ graph.Attrs, x tir.Expr) tir.Expr { return tir.Div(x, tir.Add(absolute(x), like(x, 1))) }},
	{name: "hard_sigmoid", keepsZero: true, attrs: alphaBeta,
		eval: func(a graph.Attrs, x float64) float64 {
			return math.Max(0, math.Min(1, a.Float("alpha")*x+a.Float("beta")))
		},
		expr: func(a graph.Attrs, x tir.Expr) tir.Expr { return hardSigmoid(x, a.Float("alpha"), a.Float("beta")) }},
	{name: "hard_swish", keepsZero: true,
		eval: plain(func(x float64) float64 { return x * math.Max(0, math.Min(1, x/6+0.5)) }),
		expr: func(_ graph.Attrs, x tir.Expr) tir.Expr { return tir.Mul(x, hardSigmoid(x, 1.0/6, 0.5)) }},
	{name: "silu", keepsZero: true,
		eval: plain(func(x float64) float64 { return x * logistic(x) }),
		expr: func(_ graph.Attrs, x tir.Expr) tir.Expr { return tir.Mul(x, intrinsic("sigmoid", x)) }},
	{name: "gelu", keepsZero: true,
		eval: plain(func(x float64) float64 { return 0.5 * x * (1 + math.Erf(x/math.Sqrt2)) }),
		expr: func(_ graph.Attrs, x tir.Expr) tir.Expr {
			e := intrinsic("erf", tir.Mul(x, like(x, 1/math.Sqrt2)))
			return tir.Mul(tir.Mul(x, like(x, 0.5)), tir.Add(e, like(x, 1)))
		}},
	{name: "gelu_tanh", keepsZero: true,
		eval: plain(func(x float64) float64 { return 0.5 * x * (1 + math.Tanh(geluInner*(x+geluCube*x*x*x))) }),
		expr: func(_ graph.Attrs, x tir.Expr) tir.Expr {
			cube := tir.Mul(tir.Mul(tir.Mul(x, x), x), like(x, geluCube))
			t := intrinsic("tanh", tir.Mul(tir.Add(x, cube), like(x, geluInner)))
			return tir.Mul(tir.Mul(x, like(x, 0.5)), tir.Add(t, like(x, 1)))
		}},
}

// The constants of GELU's tanh approximation: √(2/π) and 0.044715.
const (
	geluInner = 0.7978845608028654
	geluCube  = 0.044715
)

func registerUnary(u unary) {
	graph.Register(&graph.Op{
		Name: u.name, Min: 1, Max: 1, Attrs: u.attrs,
		Class: graph.Elementwise, Layout: graph.Transparent, KeepsZero: u.keepsZero,
		Infer: func(c *graph.Call) ([]graph.Type, error) {
			if e := c.In[0].Elem; !e.IsFloat() && !(u.ints && e.IsInt()) {
				return nil, fmt.Errorf("is not defined on %s", e)
			}
			return same(c)
		},
		Eval: func(c *graph.Call, in []*dtype.Tensor) ([]*dtype.Tensor, error) {
			return one(mapElements(c.Out[0], in[0], func(x float64) float64 { return u.eval(c.Attrs, x) }))
		},
		Scalar: func(c *graph.Call, args []tir.Expr) tir.Expr { return u.expr(c.Attrs, args[0]) },
		Lower:  graph.LowerScalar,
	})
}

// mapElements applies f to every element.
func mapElements(t graph.Type, x *dtype.Tensor, f func(float64) float64) *dtype.Tensor {
	v := doubles(x)
	for i := range v {
		v[i] = f(v[i])
	}
	return fromDoubles(t, v)
}

func plain(f func(float64) float64) func(graph.Attrs, float64) float64 {
	return func(_ graph.Attrs, x float64) float64 { return f(x) }
}

func call(name string) func(graph.Attrs, tir.Expr) tir.Expr {
	return func(_ graph.Attrs, x tir.Expr) tir.Expr { return intrinsic(name, x) }
}

func intrinsic(name string, args ...tir.Expr) tir.Expr {
	return &tir.Call{Op: name, Args: args, Type: args[0].DType()}
}

// like is the constant v of x's type.
func like(x tir.Expr, v float64) tir.Expr { return tir.Const(v, x.DType()) }

// bound is like, with bounds beyond an integer type's range brought inside.
func bound(x tir.Expr, v float64) tir.Expr {
	t := x.DType()
	if !t.IsInt() {
		return like(x, v)
	}
	lo, hi := -math.Exp2(float64(t.Bits-1)), math.Exp2(float64(t.Bits-1))-1
	if !t.IsSigned() {
		lo, hi = 0, math.Exp2(float64(t.Bits))-1
	}
	if t.Bits == 64 {
		hi = math.Nextafter(hi, 0) // the largest float64 that converts
	}
	return like(x, math.Min(math.Max(v, lo), hi))
}

func less(a, b tir.Expr) tir.Expr { return tir.Compare(tir.OpLT, a, b) }
func more(a, b tir.Expr) tir.Expr { return tir.Compare(tir.OpGT, a, b) }

func absolute(x tir.Expr) tir.Expr {
	if x.DType().IsFloat() {
		return intrinsic("fabs", x)
	}
	return tir.Max(x, tir.Mul(x, like(x, -1)))
}

func hardSigmoid(x tir.Expr, alpha, beta float64) tir.Expr {
	y := tir.Add(tir.Mul(x, like(x, alpha)), like(x, beta))
	return tir.Max(tir.Min(y, like(x, 1)), like(x, 0))
}

func signum(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return x
}

func logistic(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}
