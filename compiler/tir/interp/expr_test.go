package interp

import (
	"math"
	"math/big"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// eval computes one expression of one argument of type t.
func eval(t *testing.T, x *tir.Var, value float64, e tir.Expr) (float64, int64) {
	t.Helper()
	in, out := tir.NewBuffer("in", x.Type), tir.NewBuffer("out", e.DType())
	f := &tir.PrimFunc{Name: "f", Ret: dtype.VoidType, Params: []tir.Param{in, out},
		Body: tir.NewSeq(&tir.Bind{Var: x, Value: load(in)}, &tir.Store{Buffer: out, Value: e, Indices: nil})}
	a, b := dtype.NewTensor(x.Type), dtype.NewTensor(e.DType())
	a.SetFloat(0, value)
	if !x.Type.IsFloat() {
		a.SetInt(0, int64(value))
	}
	mustRun(t, f, a, b)
	if e.DType().IsFloat() {
		return b.Float(0), 0
	}
	return 0, b.Int(0)
}

func TestIntegersWrapAndRoundDown(t *testing.T) {
	x8, x32, u8 := tir.NewVar("x", dtype.Int8), tir.NewVar("x", dtype.Int32), tir.NewVar("x", dtype.UInt8)
	bin := func(op tir.BinOp, a, b tir.Expr) tir.Expr { return tir.NewBinary(op, a, b) }
	call := func(op string, t dtype.DType, a ...tir.Expr) tir.Expr { return &tir.Call{Op: op, Args: a, Type: t} }
	cases := []struct {
		x    *tir.Var
		v    float64
		e    tir.Expr
		want int64
	}{
		{x8, 127, bin(tir.OpAdd, x8, tir.IntOf(1, dtype.Int8)), -128},
		{x8, -128, bin(tir.OpMul, x8, tir.IntOf(-1, dtype.Int8)), -128},
		{u8, 0, bin(tir.OpSub, u8, tir.IntOf(1, dtype.UInt8)), 255},
		{x32, -7, bin(tir.OpFloorDiv, x32, tir.Int(2)), -4},
		{x32, -7, bin(tir.OpFloorMod, x32, tir.Int(2)), 1},
		{x32, -7, bin(tir.OpDiv, x32, tir.Int(2)), -3},
		{x32, -7, bin(tir.OpMod, x32, tir.Int(2)), -1},
		{x32, 7, bin(tir.OpFloorMod, x32, tir.Int(-2)), -1},
		{x32, 7, bin(tir.OpMin, x32, tir.Int(3)), 3},
		{x32, 7, bin(tir.OpMax, x32, tir.Int(3)), 7},
		{x32, math.MaxInt32, bin(tir.OpMul, x32, x32), 1},
		{x32, 300, &tir.Cast{Type: dtype.Int8, Value: x32}, 44},
		{x32, 5, call("shift_left", dtype.Int32, x32, tir.Int(3)), 40},
		{x32, -5, call("shift_right", dtype.Int32, x32, tir.Int(1)), -3},
		{x32, -5, call("bitwise_not", dtype.Int32, x32), 4},
		{x32, 6, call("bitwise_and", dtype.Int32, x32, tir.Int(3)), 2},
		{x32, 6, call("bitwise_or", dtype.Int32, x32, tir.Int(3)), 7},
		{x32, 6, call("bitwise_xor", dtype.Int32, x32, tir.Int(3)), 5},
		{x32, -1, call("popcount", dtype.Int32, x32), 32},
		{x32, 1, call("clz", dtype.Int32, x32), 31},
		{x32, -5, call("abs", dtype.Int32, x32), 5},
		{x32, 5, &tir.Select{Cond: bin(tir.OpLT, x32, tir.Int(3)), Then: tir.Int(1), Else: tir.Int(2)}, 2},
		{x32, 0, tir.IfThenElse(bin(tir.OpNE, x32, tir.Int(0)), bin(tir.OpDiv, tir.Int(1), x32), tir.Int(9)), 9},
		{x32, 0, bin(tir.OpAnd, bin(tir.OpNE, x32, tir.Int(0)), bin(tir.OpEQ, bin(tir.OpDiv, tir.Int(1), x32), tir.Int(1))), 0},
	}
	for _, c := range cases {
		if _, got := eval(t, c.x, c.v, c.e); got != c.want {
			t.Errorf("x = %v: %s = %d, want %d", c.v, tir.ExprString(c.e), got, c.want)
		}
	}
}

func TestFloatsRoundToTheirType(t *testing.T) {
	third := 1.0 / 3
	for _, c := range []struct {
		t    dtype.DType
		want float64
	}{
		{dtype.Float64, third}, {dtype.Float32, float64(float32(third))},
		{dtype.Float16, 0.333251953125}, {dtype.BFloat16, 0.333984375},
	} {
		x := tir.NewVar("x", c.t)
		if got, _ := eval(t, x, 3, tir.NewBinary(tir.OpDiv, tir.Const(1, c.t), x)); got != c.want {
			t.Errorf("%s: 1/3 = %v, want %v", c.t, got, c.want)
		}
	}
	// An int32 that float32 cannot hold rounds once.
	n := tir.NewVar("n", dtype.Int32)
	if got, _ := eval(t, n, 16777217, &tir.Cast{Type: dtype.Float32, Value: n}); got != 16777216 {
		t.Errorf("16777217 casts to %v", got)
	}
	x := tir.NewVar("x", dtype.Float32)
	for _, c := range []struct {
		v    float64
		want int64
	}{{-2.7, -2}, {2.7, 2}, {math.NaN(), 0}} {
		_, got := eval(t, x, c.v, &tir.Cast{Type: dtype.Int32, Value: x})
		if got != c.want {
			t.Errorf("int32(%v) = %d, want %d", c.v, got, c.want)
		}
	}
}

func TestMinMaxPreferNumbers(t *testing.T) {
	x := tir.NewVar("x", dtype.Float32)
	for _, op := range []tir.BinOp{tir.OpMin, tir.OpMax} {
		for _, e := range []tir.Expr{tir.NewBinary(op, x, tir.F32(1)), tir.NewBinary(op, tir.F32(1), x)} {
			if got, _ := eval(t, x, math.NaN(), e); got != 1 {
				t.Errorf("%s with x = nan is %v", tir.ExprString(e), got)
			}
		}
	}
}

func TestIntrinsics(t *testing.T) {
	x := tir.NewVar("x", dtype.Float32)
	call := func(op string, a ...tir.Expr) tir.Expr { return &tir.Call{Op: op, Args: a, Type: dtype.Float32} }
	cases := map[string]float64{
		"exp": 2.0137527, "exp2": 1.6245048, "exp10": 5.0118723, "log": -0.35667494, "log2": -0.51457317, "log10": -0.15490196,
		"log1p": 0.53062826, "sqrt": 0.83666003, "rsqrt": 1.1952286, "sin": 0.64421769, "cos": 0.76484219, "tan": 0.84228838,
		"asin": 0.77539750, "acos": 0.79539883, "atan": 0.61072596, "sinh": 0.75858370, "cosh": 1.2551690, "tanh": 0.60436778,
		"erf": 0.67780119, "sigmoid": 0.66818777, "floor": 0, "ceil": 1, "trunc": 0, "round": 1, "nearbyint": 1, "fabs": 0.7, "expm1": 1.0137527,
	}
	for name, want := range cases {
		got, _ := eval(t, x, 0.7, call(name, x))
		if math.Abs(got-want) > 2e-7*math.Max(1, math.Abs(want)) {
			t.Errorf("%s(0.7) = %.9g, want %.9g", name, got, want)
		}
	}
	if got, _ := eval(t, x, 2.5, call("nearbyint", x)); got != 2 {
		t.Errorf("nearbyint(2.5) = %v", got)
	}
	if got, _ := eval(t, x, -2.5, call("round", x)); got != -3 {
		t.Errorf("round(-2.5) = %v", got)
	}
	if got, _ := eval(t, x, 0.7, call("pow", x, tir.F32(2))); got != float64(float32(0.48999998)) {
		t.Errorf("pow(0.7, 2) = %.9g", got)
	}
	bits := &tir.Call{Op: "reinterpret", Args: []tir.Expr{x}, Type: dtype.Int32}
	if _, got := eval(t, x, 1, bits); got != 0x3f800000 {
		t.Errorf("bits of 1 are %#x", got)
	}
	back := &tir.Call{Op: "reinterpret", Args: []tir.Expr{bits}, Type: dtype.Float32}
	if got, _ := eval(t, x, 0.7, back); got != float64(float32(0.7)) {
		t.Errorf("reinterpret is no round trip: %v", got)
	}
	ext := &tir.Call{Op: "call_pure_extern", Args: []tir.Expr{&tir.StringImm{Value: "expf"}, x}, Type: dtype.Float32}
	if got, _ := eval(t, x, 0, ext); got != 1 {
		t.Errorf("expf(0) = %v", got)
	}
}

// TestFMARoundsOnce compares with exact rational arithmetic near ties.
func TestFMARoundsOnce(t *testing.T) {
	x := tir.NewVar("x", dtype.Float32)
	for i := range 2000 {
		a := float32(1 + float64(i*7919%8192)/8192 + math.Ldexp(float64(i%3), -23))
		b := float32(1 + math.Ldexp(float64(i*31%64), -23))
		c := float32(math.Ldexp(float64(1-i%3), -24-i%40))
		e := &tir.Call{Op: "fma", Args: []tir.Expr{x, tir.F32(float64(b)), tir.F32(float64(c))}, Type: dtype.Float32}
		got, _ := eval(t, x, float64(a), e)
		exact := new(big.Rat).Mul(new(big.Rat).SetFloat64(float64(a)), new(big.Rat).SetFloat64(float64(b)))
		exact.Add(exact, new(big.Rat).SetFloat64(float64(c)))
		want, _ := exact.Float32()
		if float32(got) != want {
			t.Fatalf("fma(%v, %v, %v) = %v, want %v", a, b, c, got, want)
		}
	}
}
