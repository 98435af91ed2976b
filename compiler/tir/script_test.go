package tir

import (
	"testing"

	"hone/compiler/dtype"
)

// matmul is C = A·B followed by a ReLU.
func matmul(n int64) *PrimFunc {
	b := NewBuilder("main")
	x, w := b.Param("A", dtype.Float32, n, n), b.Param("B", dtype.Float32, n, n)
	y := b.Param("D", dtype.Float32, n, n)
	c := b.Alloc("C", dtype.Float32, n, n)
	b.ReduceSum("matmul", c, []int64{n}, func(s, r []Expr) Expr {
		return Mul(&Load{x, []Expr{s[0], r[0]}}, &Load{w, []Expr{r[0], s[1]}})
	})
	b.Compute("relu", y, func(i []Expr) Expr { return Max(&Load{c, i}, F32(0)) })
	return b.Func()
}

func TestScriptOfMatmul(t *testing.T) {
	want := `# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis

@T.prim_func(s_tir=True)
def main(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32"), D: T.Buffer((4, 4), "float32")):
    T.func_attr({"tirx.noalias": True})
    # with T.sblock("root"):
    C = T.sblock_alloc_buffer((4, 4))
    for i0, i1, k0 in T.grid(4, 4, 4):
        with T.sblock("matmul"):
            v_i0, v_i1, v_k0 = T.axis.remap("SSR", [i0, i1, k0])
            T.reads()
            T.writes()
            with T.init():
                C[v_i0, v_i1] = T.float32(0.0)
            C[v_i0, v_i1] = C[v_i0, v_i1] + A[v_i0, v_k0] * B[v_k0, v_i1]
    for i0, i1 in T.grid(4, 4):
        with T.sblock("relu"):
            v_i0, v_i1 = T.axis.remap("SS", [i0, i1])
            T.reads()
            T.writes()
            D[v_i0, v_i1] = T.max(C[v_i0, v_i1], T.float32(0.0))`
	if got := Script(matmul(4)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestExprString(t *testing.T) {
	i, j, b := NewVar("i", dtype.Int32), NewVar("j", dtype.Int32), NewVar("b", dtype.BoolType)
	bin := func(op BinOp, x, y Expr) Expr { return NewBinary(op, x, y) }
	lt := bin(OpLT, i, j)
	buf := NewStaticBuffer("A.b", dtype.Float32, 4)
	f64 := func(v float64) Expr { return &FloatImm{v, dtype.Float64} }
	cases := []struct {
		e    Expr
		want string
	}{
		{bin(OpSub, i, bin(OpSub, j, i)), "i - (j - i)"},
		{bin(OpSub, bin(OpSub, i, j), i), "i - j - i"},
		{bin(OpFloorMod, i, bin(OpFloorMod, i, j)), "i % (i % j)"},
		{bin(OpMul, bin(OpAdd, i, j), Int(-1)), "(i + j) * -1"},
		{bin(OpAdd, i, Int(0)), "T.Add(i, 0)"},
		{bin(OpSub, Int(-3), Int(-1)), "T.Sub(-3, -1)"},
		{bin(OpDiv, i, j), "T.Div(i, j)"},
		{bin(OpMod, i, j), "T.truncmod(i, j)"},
		{bin(OpMin, i, j), "T.min(i, j)"},
		{bin(OpLT, Int(1), Int(2)), "T.LT(1, 2)"},
		{bin(OpAnd, True, lt), "T.And(T.bool(True), i < j)"},
		{bin(OpOr, bin(OpAnd, lt, b), bin(OpOr, b, b)), "i < j and b or (b or b)"},
		{bin(OpAnd, bin(OpOr, b, b), b), "(b or b) and b"},
		{bin(OpEQ, lt, b), "(i < j) == b"},
		{&Not{lt}, "not i < j"},
		{bin(OpEQ, &Not{b}, b), "(not b) == b"},
		{&Not{bin(OpAnd, b, b)}, "not (b and b)"},
		{&Select{lt, i, j}, "T.Select(i < j, i, j)"},
		{&Let{NewVar("i", dtype.Int32), i, i}, "T.Let(i, where={i_1: i})"},
		{&Cast{dtype.Int64, i}, `T.Cast("int64", i)`},
		{&Call{"exp", []Expr{F32(1)}, dtype.Float32}, "T.exp(T.float32(1.0))"},
		{&Call{"call_extern", []Expr{&StringImm{"f"}, i}, dtype.Int32}, `T.call_extern("int32", "f", i)`},
		{&Call{"bitwise_or", []Expr{&Call{"bitwise_and", []Expr{i, j}, dtype.Int32}, i}, dtype.Int32}, "i & j | i"},
		{&Call{"shift_left", []Expr{bin(OpAdd, i, j), Int(1)}, dtype.Int32}, "i + j << 1"},
		{&Call{"bitwise_not", []Expr{bin(OpAdd, i, j)}, dtype.Int32}, "~(i + j)"},
		{&Load{buf, []Expr{&Ramp{i, Int(1), 4}}}, "A_b[T.Ramp(i, 1, 4)]"},
		{IntOf(3, dtype.Int64), "T.int64(3)"},
		{IntOf(255, dtype.UInt8), "T.uint8(255)"},
		{False, "T.bool(False)"},
		{f64(1.5), "T.float64(1.5)"},
		{f64(1e22), "T.float64(10000000000000000000000.0)"},
		{f64(5e-324), "T.float64(4.9406564584124654e-324)"},
		{f64(0.1), "T.float64(0.10000000000000001)"},
		{f64(0.00001), "T.float64(1.0000000000000001e-05)"},
		{f64(0.0001), "T.float64(0.0001)"},
		{f64(123456789.125), "T.float64(123456789.125)"},
		{&StringImm{"a\"\\\n"}, `"a\"\\\n"`},
	}
	for _, c := range cases {
		if got := ExprString(c.e); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
