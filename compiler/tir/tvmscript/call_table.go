package tvmscript

import (
	"math"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

var floatNames = map[string]float64{"inf": math.Inf(1), "infinity": math.Inf(1), "+inf": math.Inf(1), "-inf": math.Inf(-1),
	"-infinity": math.Inf(-1), "nan": math.NaN(), "-nan": math.NaN()}

// functions are the members of T that are no plain intrinsics, by name.
var functions map[string]func(b *builder, c *call) any

func init() {
	functions = map[string]func(b *builder, c *call) any{
		"max": folding(tir.OpMax), "min": folding(tir.OpMin),
		"floordiv": folding(tir.OpFloorDiv), "floormod": folding(tir.OpFloorMod), "indexdiv": folding(tir.OpFloorDiv), "indexmod": folding(tir.OpFloorMod),
		"truncdiv": folding(tir.OpDiv), "truncmod": folding(tir.OpMod),
		"comm_reducer": reducer, "iter_var": iterVar,
		"ceildiv": ceilDiv,
		"Add":     raw(tir.OpAdd), "Sub": raw(tir.OpSub), "Mul": raw(tir.OpMul), "Div": raw(tir.OpDiv), "Mod": raw(tir.OpMod),
		"FloorDiv": raw(tir.OpFloorDiv), "FloorMod": raw(tir.OpFloorMod), "Min": raw(tir.OpMin), "Max": raw(tir.OpMax),
		"EQ": raw(tir.OpEQ), "NE": raw(tir.OpNE), "LT": raw(tir.OpLT), "LE": raw(tir.OpLE), "GT": raw(tir.OpGT), "GE": raw(tir.OpGE),
		"And": raw(tir.OpAnd), "Or": raw(tir.OpOr), "Not": rawNot,
		"cast": castFn, "Cast": rawCast, "Select": selectFn, "if_then_else": ifThenElse, "likely": likely,
		"Ramp": ramp, "ramp": ramp, "Broadcast": broadcast, "broadcast": broadcast,
		"min_value": limit(-1), "max_value": limit(1), "infinity": infinity,
		"reinterpret": reinterpret, "abs": absFn, "fabs": absFn, "isnan": isNaN, "isinf": isInf, "isfinite": isFinite, "pow": power, "power": power,
		"bitwise_and": bitCall, "bitwise_or": bitCall, "bitwise_xor": bitCall, "shift_left": bitCall, "shift_right": bitCall, "bitwise_not": bitNot,
		"call_extern": callTyped, "call_pure_extern": callTyped, "call_llvm_intrin": callTyped, "call_llvm_pure_intrin": callTyped,
		"vectorlow": callVector, "vectorhigh": callVector, "vectorcombine": callVector,
		"get_active_lane_mask": callVector, "masked_load": callVector, "dp4a": callVector,
		"tvm_struct_get": structGet, "tvm_storage_sync": storageSync, "target": targetFn,
		"call_intrin": callIntrin, "type_annotation": typeAnnotation, "address_of": addressOf,
		"LShift": fixedBit("shift_left"), "RShift": fixedBit("shift_right"), "BitwiseAnd": fixedBit("bitwise_and"), "BitwiseOr": fixedBit("bitwise_or"),
		"BitwiseXor": fixedBit("bitwise_xor"), "BitwiseNot": bitNot, "IntImm": intImm, "FloatImm": floatImm, "BufferLoad": bufferLoad, "Range": rangeNode,
		"call_ffi_kernel": ffiKernel, "ptr_byte_offset": byteOffset, "call_packed": packed("call_packed"), "call_cpacked": packed("call_cpacked"),
		"tvm_call_packed": packed("call_packed"), "tvm_call_cpacked": packed("call_cpacked"),
		"index_map": func(b *builder, c *call) any { return b.indexMap(c) },
		"dtype":     func(b *builder, c *call) any { return b.dtypeArg(b.positional(c, 1, 1)[0]).String() },
	}
}

// folding makes an arithmetic function that matches types and folds.
func folding(op tir.BinOp) func(b *builder, c *call) any {
	return func(b *builder, c *call) any {
		a := b.positional(c, 2, 2)
		x, y := b.pair(a[0].val, a[1].val, c.at)
		if op == tir.OpDiv {
			if !x.DType().IsInt() || !y.DType().IsInt() {
				b.fail(c.at, "%s needs integers, not %s and %s", c.name, x.DType(), y.DType())
			}
			if tir.IsConst(y, 0) {
				b.fail(c.at, "division by zero")
			}
			return tir.Arith(op, x, y)
		}
		return b.arithmetic(op, x, y, c.at)
	}
}

func ceilDiv(b *builder, c *call) any {
	a := b.positional(c, 2, 2)
	x, y := b.pair(a[0].val, a[1].val, c.at)
	if !x.DType().IsInt() || !y.DType().IsInt() || tir.IsConst(y, 0) {
		b.fail(c.at, "T.ceildiv needs integers and a divisor other than 0")
	}
	return tir.CeilDiv(tir.MatchTypes(x, y))
}

// raw makes a function that builds its node as written.
func raw(op tir.BinOp) func(b *builder, c *call) any {
	return func(b *builder, c *call) any {
		a := b.positional(c, 2, 2)
		x, y := b.operand(a[0].val, a[0].at), b.operand(a[1].val, a[1].at)
		if x.DType() != y.DType() {
			b.fail(c.at, "operands of %s are %s and %s", c.name, x.DType(), y.DType())
		}
		if op.IsLogic() && !x.DType().IsBool() {
			b.fail(c.at, "operands of %s are %s, not bools", c.name, x.DType())
		}
		return tir.NewBinary(op, x, y)
	}
}

func rawNot(b *builder, c *call) any {
	a := b.positional(c, 1, 1)
	return &tir.Not{A: b.boolExpr(a[0].val, a[0].at)}
}

// vector converts an argument, slices included.
func (b *builder) vector(a arg) tir.Expr { return b.expr(a.val, a.at) }

func castFn(b *builder, c *call) any {
	a := c.args
	if k, ok := c.kw["dtype"]; ok && len(a) == 1 {
		a = append(a, k)
	}
	if len(a) != 2 {
		b.fail(c.at, "T.cast takes a value and a type")
	}
	t := b.dtypeArg(a[1])
	if f, ok := a[0].val.(float64); ok && t.IsFloat() && t.Lanes == 1 {
		return b.floatLiteral(f, t, a[0].at)
	}
	return b.cast(t, b.castable(a[0], t, c.at), a[0].at)
}

func (b *builder) castable(a arg, t dtype.DType, at pos) tir.Expr {
	e := b.vector(a)
	if l := e.DType().Lanes; l != t.Lanes && l != 1 {
		b.fail(at, "a cast of %s to %s changes the number of lanes", e.DType(), t)
	}
	return e
}

func rawCast(b *builder, c *call) any {
	a := b.positional(c, 2, 2)
	t := b.dtypeArg(a[0])
	e := b.vector(a[1])
	if e.DType().Lanes != t.Lanes {
		b.fail(c.at, "a cast of %s to %s changes the number of lanes", e.DType(), t)
	}
	return &tir.Cast{Type: t, Value: e}
}

func selectFn(b *builder, c *call) any {
	a := b.positional(c, 3, 3)
	x, y := b.vector(a[1]), b.vector(a[2])
	if x.DType() != y.DType() {
		b.fail(c.at, "the branches of T.Select are %s and %s", x.DType(), y.DType())
	}
	return &tir.Select{Cond: b.boolExpr(a[0].val, a[0].at), Then: x, Else: y}
}

func ifThenElse(b *builder, c *call) any {
	a := b.positional(c, 3, 3)
	x, y := b.pairVectors(a[1], a[2], c.at)
	return tir.IfThenElse(b.boolExpr(a[0].val, a[0].at), x, y)
}

// pairVectors is pair for arguments, which may be slices.
func (b *builder) pairVectors(x, y arg, at pos) (tir.Expr, tir.Expr) {
	for _, a := range []*arg{&x, &y} {
		if r, ok := a.val.(tir.Region); ok && b.fn.old {
			a.val = b.regionLoad(r, a.at)
		}
	}
	p, q := b.pair(x.val, y.val, at)
	return tir.MatchTypes(p, q)
}

func likely(b *builder, c *call) any {
	e := b.vector(b.positional(c, 1, 1)[0])
	if _, ok := e.(*tir.IntImm); ok {
		return e
	}
	return &tir.Call{Op: "likely", Args: []tir.Expr{e}, Type: e.DType()}
}

// limit makes T.min_value and T.max_value.
func limit(sign float64) func(b *builder, c *call) any {
	return func(b *builder, c *call) any {
		t := b.limitType(c)
		switch {
		case t.IsFloat():
			return tir.Const(sign*largest(t), t)
		case t.IsBool():
			return tir.BoolImm(sign > 0)
		case t.Code == dtype.UInt && sign < 0:
			return tir.IntOf(0, t)
		case t.Code == dtype.UInt:
			return tir.IntOf(-1, t)
		case sign < 0:
			return tir.IntOf(-1<<(t.Bits-1), t)
		}
		return tir.IntOf(1<<(t.Bits-1)-1, t)
	}
}

func largest(t dtype.DType) float64 {
	switch t.Element() {
	case dtype.Float16:
		return 65504
	case dtype.BFloat16:
		return math.Ldexp(255, 120)
	case dtype.Float32:
		return math.MaxFloat32
	}
	return math.MaxFloat64
}

func (b *builder) limitType(c *call) dtype.DType {
	a, ok := c.kw["dtype"]
	if !ok {
		if len(c.args) != 1 {
			b.fail(c.at, "%s takes a type", c.name)
		}
		a = c.args[0]
	}
	t := b.dtypeArg(a)
	if t.Lanes != 1 || !t.IsFloat() && !t.IsInt() && !t.IsBool() {
		b.fail(a.at, "%s of %s", c.name, t)
	}
	return t
}

func infinity(b *builder, c *call) any {
	t := b.limitType(c)
	if !t.IsFloat() {
		b.fail(c.at, "%s has no infinity", t)
	}
	return tir.Const(math.Inf(1), t)
}
