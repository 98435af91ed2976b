package onnx

import (
	"math"
	"slices"

	"hone/compiler/graph"
)

func init() {
	for onnx, op := range map[string]string{
		"Neg": "neg", "Abs": "abs", "Sign": "sign", "Relu": "relu", "Exp": "exp", "Log": "log", "Sqrt": "sqrt",
		"Reciprocal": "reciprocal", "Erf": "erf", "Tanh": "tanh", "Sigmoid": "sigmoid", "Sin": "sin", "Cos": "cos",
		"Floor": "floor", "Ceil": "ceil", "Round": "round", "HardSwish": "hard_swish", "Softplus": "softplus", "Softsign": "softsign", "Not": "logical_not",
	} {
		register(onnx, 1, func(c *opCtx) { c.result(c.emit(op, nil, c.input(0))) })
	}
	for onnx, op := range map[string]string{
		"Add": "add", "Sub": "sub", "Mul": "mul", "Div": "div", "Equal": "equal", "Less": "less", "Greater": "greater",
		"And": "logical_and", "Or": "logical_or", "Xor": "logical_xor",
	} {
		register(onnx, 1, func(c *opCtx) { c.result(c.emit(op, nil, c.input(0), c.oldBroadcast())) })
		register(onnx, 7, func(c *opCtx) { c.result(c.emit(op, nil, c.input(0), c.input(1))) })
	}
	for onnx, op := range map[string]string{"LessOrEqual": "less_equal", "GreaterOrEqual": "greater_equal"} {
		register(onnx, 12, func(c *opCtx) { c.result(c.emit(op, nil, c.input(0), c.input(1))) })
	}
	for onnx, op := range map[string]string{"Max": "max", "Min": "min", "Sum": "add"} {
		register(onnx, 1, func(c *opCtx) { c.result(c.chain(op)) })
	}
	register("Mean", 1, func(c *opCtx) {
		sum := c.chain("add")
		c.result(c.emit("mul", nil, sum, c.splat(1/float64(max(len(c.in), 1)), c.typ(sum).Elem)))
	})
	register("Pow", 1, importPow)
	register("Mod", 10, importMod)
	register("Where", 9, func(c *opCtx) { c.result(c.emit("where", nil, c.input(0), c.input(1), c.input(2))) })
	register("LeakyRelu", 1, alphaOp("leaky_relu", 0.01))
	register("Elu", 1, alphaOp("elu", 1))
	register("HardSigmoid", 1, func(c *opCtx) {
		c.result(c.emit("hard_sigmoid", graph.A("alpha", c.attrFloat("alpha", 0.2), "beta", c.attrFloat("beta", 0.5)), c.input(0)))
	})
	register("PRelu", 1, importPRelu)
	register("Selu", 1, func(c *opCtx) {
		alpha, gamma := c.attrFloat("alpha", 1.6732632423543772), c.attrFloat("gamma", 1.0507009873554805)
		y := c.emit("elu", graph.A("alpha", alpha), c.input(0))
		c.result(c.emit("mul", nil, y, c.splat(gamma, c.typ(y).Elem)))
	})
	register("Gelu", 20, func(c *opCtx) {
		op := "gelu"
		if c.attrStr("approximate", "none") == "tanh" {
			op = "gelu_tanh"
		}
		c.result(c.emit(op, nil, c.input(0)))
	})
	register("Clip", 1, func(c *opCtx) {
		c.clip(c.attrFloat("min", -math.MaxFloat32), c.attrFloat("max", math.MaxFloat32))
	})
	register("Clip", 11, importClip)
}

// oldBroadcast is operand 1 under the rules before opset 7, where it aligned at
// an axis.
func (c *opCtx) oldBroadcast() graph.ValueID {
	b := c.input(1)
	axis := c.attr("axis", AttrInt)
	if c.attrInt("broadcast", 0) == 0 || axis == nil {
		return b
	}
	rank, own := len(c.shape(c.in[0])), c.shape(b)
	at := c.axis(axis.I, rank)
	if at+len(own) > rank {
		c.fail("operand 1 does not fit at axis %d", axis.I)
		return b
	}
	return c.reshape(b, slices.Concat(own, repeat(1, rank-at-len(own))))
}

// chain folds an operator over all operands.
func (c *opCtx) chain(op string) graph.ValueID {
	v := c.input(0)
	for i := 1; i < len(c.in); i++ {
		v = c.emit(op, nil, v, c.input(i))
	}
	return v
}

func alphaOp(op string, def float64) importFunc {
	return func(c *opCtx) { c.result(c.emit(op, graph.A("alpha", c.attrFloat("alpha", def)), c.input(0))) }
}

// importPow computes integer bases and mixed types in float64.
func importPow(c *opCtx) {
	x, y := c.input(0), c.input(1)
	if c.opset < 7 {
		y = c.oldBroadcast()
	}
	elem := c.typ(x).Elem
	if elem.IsFloat() {
		c.result(c.emit("pow", nil, x, c.cast(y, elem.String())))
		return
	}
	v := c.emit("pow", nil, c.cast(x, "float64"), c.cast(y, "float64"))
	c.result(c.cast(v, elem.String()))
}

func importMod(c *opCtx) {
	x, y := c.input(0), c.input(1)
	fmod := c.attrInt("fmod", 0) != 0
	switch {
	case c.typ(x).Elem.IsFloat() && fmod:
		c.result(c.emit("fmod", nil, x, y))
	case fmod: // the sign of the dividend: x − (x / y)·y with a truncating division
		q := c.emit("mul", nil, c.emit("div", nil, x, y), y)
		c.result(c.emit("sub", nil, x, q))
	default:
		c.result(c.emit("mod", nil, x, y))
	}
}

// importPRelu is x where x ≥ 0, slope·x elsewhere.
func importPRelu(c *opCtx) {
	x, slope := c.input(0), c.input(1)
	if c.opset < 7 && len(c.shape(slope)) == 1 && len(c.shape(x)) > 2 && c.shape(slope)[0] > 1 {
		slope = c.reshape(slope, append([]int64{c.shape(slope)[0]}, repeat(1, len(c.shape(x))-2)...))
	}
	zero := c.splat(0, c.typ(x).Elem)
	c.result(c.emit("where", nil, c.emit("less", nil, x, zero), c.emit("mul", nil, x, slope), x))
}

// importClip takes its bounds as operands; constant ones become attributes.
func importClip(c *opCtx) {
	x := c.input(0)
	bounds := [2]float64{math.Inf(-1), math.Inf(1)}
	dynamic := false
	for i := range bounds {
		if !c.has(i + 1) {
			continue
		}
		if t := c.im.g.Const(c.in[i+1]); t == nil {
			dynamic = true
		} else if t.Len() == 1 {
			bounds[i] = t.Float(0)
		} else {
			c.fail("bound %d has %d elements, want one", i, t.Len())
		}
	}
	if !dynamic {
		c.clip(bounds[0], bounds[1])
		return
	}
	for i, op := range []string{"max", "min"} {
		if c.has(i + 1) {
			x = c.emit(op, nil, x, c.in[i+1])
		}
	}
	c.result(x)
}

// clip emits the cheapest operator that bounds operand 0.
func (c *opCtx) clip(lo, hi float64) {
	x := c.input(0)
	switch {
	case lo <= -math.MaxFloat32 && hi >= math.MaxFloat32:
		c.result(x)
	case lo == 0 && hi >= math.MaxFloat32:
		c.result(c.emit("relu", nil, x))
	default:
		c.result(c.emit("clip", graph.A("max", hi, "min", lo), x))
	}
}
