package tvmscript

import (
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
	if from := e.DType(); int(from.Bits)*int(from.Lanes) != int(t.Bits)*int(t.Lanes) {
		b.fail(c.at, "reinterpret of %s as %s", from, t)
	}
	return &tir.Call{Op: "reinterpret", Args: []tir.Expr{e}, Type: t}
}

func typeAnnotation(b *builder, c *call) any {
	return &tir.Call{Op: "type_annotation", Type: b.dtypeArg(b.positional(c, 1, 1)[0])}
}

func addressOf(b *builder, c *call) any {
	e := b.vector(b.positional(c, 1, 1)[0])
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
	"erf": 1, "erfc": 1, "sigmoid": 1, "floor": 1, "ceil": 1, "trunc": 1, "round": 1, "nearbyint": 1, "rint": 1, "fabs": 1,
	"fmod": 2, "atan2": 2, "copysign": 2, "hypot": 2, "nextafter": 2, "ldexp": 2, "fmin": 2, "fmax": 2, "fma": 3,
	"popcount": 1, "clz": 1}

// rounding functions of an integer are the integer itself.
var rounding = map[string]bool{"floor": true, "ceil": true, "trunc": true, "round": true, "nearbyint": true, "rint": true}

// opaqueCalls are other known operators, with the type of their result.
var opaqueCalls = map[string]dtype.DType{"isnan": dtype.BoolType, "isinf": dtype.BoolType, "isfinite": dtype.BoolType, "isnullptr": dtype.BoolType,
	"assume": dtype.BoolType, "tvm_access_ptr": dtype.HandleType, "tvm_storage_sync": dtype.Int32, "call_packed": dtype.Int32,
	"tvm_fill_fragment": dtype.HandleType, "tvm_load_matrix_sync": dtype.HandleType, "tvm_store_matrix_sync": dtype.HandleType,
	"tvm_mma_sync": dtype.HandleType, "tvm_bmma_sync": dtype.HandleType, "tvm_thread_allreduce": dtype.HandleType,
	"undef": dtype.HandleType, "ignore_loop_partition": dtype.BoolType}

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
	n, ok := intrinsics[name]
	if !ok {
		return nil, false
	}
	args := b.exprs(b.positional(c, n, n))
	if rounding[name] && args[0].DType().IsInt() {
		return args[0], true
	}
	for i := 1; i < n; i++ {
		if args[i].DType() != args[0].DType() && name != "ldexp" {
			args[i] = tir.NewCast(args[0].DType(), args[i])
		}
	}
	return &tir.Call{Op: name, Args: args, Type: args[0].DType()}, true
}
