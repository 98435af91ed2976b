package tvmscript

import (
	"math"
	"strings"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// typedArgs separates the result type of a call: the keyword dtype, or the
// first argument.
func (b *builder) typedArgs(c *call) (dtype.DType, []arg) {
	if a, ok := c.kw["dtype"]; ok {
		return b.dtypeArg(a), c.args
	}
	if len(c.args) == 0 {
		b.fail(c.at, "%s needs the type of its result", c.name)
	}
	return b.dtypeArg(c.args[0]), c.args[1:]
}

func (b *builder) exprs(args []arg) []tir.Expr {
	out := make([]tir.Expr, len(args))
	for i, a := range args {
		out[i] = b.vector(a)
	}
	return out
}

func callTyped(b *builder, c *call) any {
	t, args := b.typedArgs(c)
	if len(args) == 0 {
		b.fail(c.at, "%s needs the name of a function", c.name)
	}
	short, _ := cutT(c.name)
	return &tir.Call{Op: short, Args: b.exprs(args), Type: t}
}

// callVector is a call on vectors that names its result type.
func callVector(b *builder, c *call) any {
	t, args := b.typedArgs(c)
	short, _ := cutT(c.name)
	return &tir.Call{Op: short, Args: b.exprs(args), Type: t}
}

// callIntrin is T.call_intrin(dtype, "tirx.exp", x): the call of that operator.
func callIntrin(b *builder, c *call) any {
	t, args := b.typedArgs(c)
	if len(args) == 0 {
		b.fail(c.at, "T.call_intrin needs the name of an operator")
	}
	op := b.stringArg(args[0])
	op = op[strings.LastIndexByte(op, '.')+1:]
	if op == "" || !isLetter(op[0]) {
		b.fail(args[0].at, "%q is no operator", op)
	}
	return &tir.Call{Op: op, Args: b.exprs(args[1:]), Type: t}
}

func reinterpret(b *builder, c *call) any {
	t, args := b.typedArgs(c)
	if len(args) != 1 {
		b.fail(c.at, "T.reinterpret takes a type and a value")
	}
	e := b.vector(args[0])
	if e.DType() == t {
		return e
	}
	if from := e.DType(); int(from.Bits)*int(from.Lanes) != int(t.Bits)*int(t.Lanes) {
		b.fail(c.at, "reinterpret of %s as %s", from, t)
	}
	return &tir.Call{Op: "reinterpret", Args: []tir.Expr{e}, Type: t}
}

// targetFn is T.target("llvm"), T.target({"kind": "cuda", …}).
func targetFn(b *builder, c *call) any {
	a := b.named(c, []string{"target_config", "host"}, 1)
	config := b.plain(a[0].val, a[0].at)
	switch v := config.(type) {
	case string:
		if v == "" || strings.ContainsAny(v, " -") {
			b.fail(a[0].at, "the target %q has options; write it as a dict", v)
		}
	case map[string]any:
		if _, ok := v["kind"]; !ok && v["tag"] == nil {
			b.fail(a[0].at, "a target needs a kind")
		}
	default:
		b.fail(a[0].at, "a target is a text or a dict")
	}
	if len(a) > 1 {
		host := b.plain(a[1].val, a[1].at)
		if h, ok := host.(tir.Target); ok {
			host = h.Config
		}
		m, ok := config.(map[string]any)
		if !ok {
			m = map[string]any{"kind": config}
		}
		if _, twice := m["host"]; twice {
			b.fail(a[1].at, "the host is given twice")
		}
		m["host"] = host
		config = m
	}
	return tir.Target{Config: config}
}

// structGet is T.tvm_struct_get(array, index, field, dtype).
func structGet(b *builder, c *call) any {
	a := b.named(c, []string{"arr", "index", "field", "dtype"}, 4)
	return &tir.Call{Op: "tvm_struct_get", Args: b.exprs(a[:3]), Type: b.dtypeArg(a[3])}
}

// storageSync is T.tvm_storage_sync(scope, is_load=False, num_blocks=-1).
func storageSync(b *builder, c *call) any {
	a := b.named(c, []string{"storage_scope", "is_load", "num_blocks"}, 1)
	if len(a) < 2 {
		a = append(a, arg{c.at, false})
	}
	if len(a) < 3 {
		a = append(a, arg{c.at, int64(-1)})
	}
	return &tir.Call{Op: "tvm_storage_sync", Args: b.exprs(a), Type: dtype.Int32}
}

func typeAnnotation(b *builder, c *call) any {
	return &tir.Call{Op: "type_annotation", Type: b.dtypeArg(b.named(c, []string{"dtype"}, 1)[0])}
}

func addressOf(b *builder, c *call) any {
	a := b.positional(c, 1, 1)[0]
	if buf, ok := a.val.(*tir.Buffer); ok { // its first element
		l := &tir.Load{Buffer: buf}
		for range buf.Shape {
			l.Indices = append(l.Indices, tir.Int(0))
		}
		a.val = l
	}
	e := b.vector(a)
	if _, ok := e.(*tir.Load); !ok {
		b.fail(c.at, "T.address_of takes an element of a buffer")
	}
	return &tir.Call{Op: "address_of", Args: []tir.Expr{e}, Type: dtype.HandleType}
}

func absFn(b *builder, c *call) any {
	e := b.vector(b.positional(c, 1, 1)[0])
	switch t := e.DType(); {
	case t.IsFloat():
		return &tir.Call{Op: "fabs", Args: []tir.Expr{e}, Type: t}
	case t.IsSigned():
		zero := tir.Const(0, t)
		return &tir.Select{Cond: tir.Compare(tir.OpGE, e, zero), Then: e, Else: tir.Sub(zero, e)}
	}
	return e
}

// isNaN is true of no integer; narrow floats are widened for it.
func isNaN(b *builder, c *call) any { return b.nanTest(b.vector(b.positional(c, 1, 1)[0]), c) }

func (b *builder) nanTest(e tir.Expr, c *call) tir.Expr {
	t := e.DType()
	switch {
	case t.IsInt():
		return &tir.IntImm{Value: 0, Type: dtype.Int32.WithLanes(int(t.Lanes))}
	case !t.IsFloat():
		b.fail(c.at, "%s of %s", c.name, t)
	case t.Bits == 16 && t.Code == dtype.Float:
		e = tir.NewCast(dtype.Float32.WithLanes(int(t.Lanes)), e)
	}
	return &tir.Call{Op: "isnan", Args: []tir.Expr{e}, Type: dtype.BoolType.WithLanes(int(t.Lanes))}
}

func isInf(b *builder, c *call) any {
	e := b.vector(b.positional(c, 1, 1)[0])
	if t := e.DType(); !t.IsFloat() {
		return b.nanTest(e, c)
	}
	return b.infTest(e, c)
}

func (b *builder) infTest(e tir.Expr, c *call) tir.Expr {
	t := e.DType()
	size := &tir.Call{Op: "fabs", Args: []tir.Expr{e}, Type: t}
	return tir.And(tir.Compare(tir.OpEQ, size, tir.Const(math.Inf(1), t)), tir.NewNot(b.nanTest(e, c)))
}

func isFinite(b *builder, c *call) any {
	e := b.vector(b.positional(c, 1, 1)[0])
	switch t := e.DType(); {
	case t.IsInt():
		return tir.True
	case !t.IsFloat():
		b.fail(c.at, "%s of %s", c.name, t)
	}
	return tir.And(tir.NewNot(b.infTest(e, c)), tir.NewNot(b.nanTest(e, c)))
}

func power(b *builder, c *call) any {
	a := b.positional(c, 2, 2)
	x, y := b.pairVectors(a[0], a[1], c.at)
	if !x.DType().IsFloat() {
		b.fail(c.at, "T.pow needs floats, not %s", x.DType())
	}
	return &tir.Call{Op: "pow", Args: []tir.Expr{x, y}, Type: x.DType()}
}

func bitCall(b *builder, c *call) any {
	a := b.positional(c, 2, 2)
	short, _ := cutT(c.name)
	return b.bitwise(short, a[0].val, a[1].val, c.at)
}

func bitNot(b *builder, c *call) any {
	e := b.vector(b.positional(c, 1, 1)[0])
	if !e.DType().IsInt() && !e.DType().IsBool() {
		b.fail(c.at, "~ of %s", e.DType())
	}
	return &tir.Call{Op: "bitwise_not", Args: []tir.Expr{e}, Type: e.DType()}
}

// intrinsics are calls with the type of their first argument, by name, with
// their number of arguments.
var intrinsics = map[string]int{"exp": 1, "exp2": 1, "exp10": 1, "expm1": 1, "log": 1, "log2": 1, "log10": 1, "log1p": 1, "sqrt": 1, "rsqrt": 1,
	"sin": 1, "cos": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "sinh": 1, "cosh": 1, "tanh": 1, "asinh": 1, "acosh": 1, "atanh": 1,
	"erf": 1, "erfc": 1, "sigmoid": 1, "floor": 1, "ceil": 1, "trunc": 1, "round": 1, "nearbyint": 1, "rint": 1,
	"fmod": 2, "atan2": 2, "copysign": 2, "hypot": 2, "nextafter": 2, "ldexp": 2, "fmin": 2, "fmax": 2, "fma": 3,
	"popcount": 1, "clz": 1}

// rounding functions of an integer are the integer itself.
var rounding = map[string]bool{"floor": true, "ceil": true, "trunc": true, "round": true, "nearbyint": true, "rint": true}

// deviceFamilies are prefixes of operators that one kind of device knows; they
// are kept as they are written and give a handle.
var deviceFamilies = []string{"ptx.", "ptx_legacy.", "cuda.", "metal.", "rocm.", "hexagon.", "webgpu."}

func deviceCall(name string) bool {
	for _, p := range deviceFamilies {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// mathCall builds a call of an intrinsic.
func (b *builder) mathCall(name string, c *call) (tir.Expr, bool) {
	if strings.HasPrefix(name, "hone.") { // Hone's own: a value passed through
		args := b.exprs(b.positional(c, 1, 8))
		return &tir.Call{Op: name, Args: args, Type: args[0].DType()}, true
	}
	if deviceCall(name) {
		return &tir.Call{Op: name, Args: b.exprs(b.positional(c, 0, 64)), Type: dtype.HandleType}, true
	}
	if t, ok := opaqueCalls[name]; ok {
		return &tir.Call{Op: name, Args: b.exprs(b.positional(c, 0, 64)), Type: t}, true
	}
	if i, ok := sameTypeAs[name]; ok {
		args := b.exprs(b.positional(c, i+1, 64))
		return &tir.Call{Op: name, Args: args, Type: args[i].DType()}, true
	}
	n, ok := intrinsics[name]
	if !ok {
		return nil, false
	}
	args := b.exprs(b.positional(c, n, n))
	if rounding[name] && args[0].DType().IsInt() {
		return args[0], true
	}
	return &tir.Call{Op: name, Args: args, Type: args[0].DType()}, true
}
