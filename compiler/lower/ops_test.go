package lower_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	_ "hone/compiler/graph/ops"
	"hone/compiler/lower"
	"hone/compiler/tir"
	"hone/compiler/tir/interp"
	"hone/compiler/tir/tvmscript"
	"hone/internal/rng"
)

// opCases apply every operator to small operands. A case is graph text without
// the frame: inputs %0, %1, … are declared by the types in in.
var opCases = []struct {
	op   string
	in   []string
	attr string
	out  string
}{
	{"add", []string{"float32[2,3,4]", "float32[3,1]"}, "", "float32[2,3,4]"},
	{"sub", []string{"int64[2,3]", "int64[3]"}, "", "int64[2,3]"},
	{"mul", []string{"float32[]", "float32[2]"}, "", "float32[2]"},
	{"div", []string{"float32[4]", "float32[4]"}, "", "float32[4]"},
	{"max", []string{"float32[4]", "float32[4]"}, "", "float32[4]"},
	{"min", []string{"int32[4]", "int32[4]"}, "", "int32[4]"},
	{"fmod", []string{"float32[6]", "float32[6]"}, "", "float32[6]"},
	{"equal", []string{"int64[2,3]", "int64[3]"}, "", "bool[2,3]"},
	{"less", []string{"float32[6]", "float32[6]"}, "", "bool[6]"},
	{"less_equal", []string{"float32[6]", "float32[6]"}, "", "bool[6]"},
	{"greater", []string{"float32[6]", "float32[6]"}, "", "bool[6]"},
	{"greater_equal", []string{"float32[6]", "float32[6]"}, "", "bool[6]"},
	{"logical_and", []string{"bool[6]", "bool[6]"}, "", "bool[6]"},
	{"logical_or", []string{"bool[6]", "bool[6]"}, "", "bool[6]"},
	{"logical_xor", []string{"bool[6]", "bool[6]"}, "", "bool[6]"},
	{"logical_not", []string{"bool[6]"}, "", "bool[6]"},
	{"where", []string{"bool[2,3]", "float32[3]", "float32[2,1]"}, "", "float32[2,3]"},
	{"cast", []string{"int64[5]"}, `to="float32"`, "float32[5]"},
	{"cast", []string{"float32[5]"}, `to="int32"`, "int32[5]"},
	{"cast", []string{"float32[5]"}, `to="bool"`, "bool[5]"},
	{"neg", []string{"float32[5]"}, "", "float32[5]"},
	{"abs", []string{"float32[5]"}, "", "float32[5]"},
	{"sign", []string{"float32[5]"}, "", "float32[5]"},
	{"relu", []string{"float32[5]"}, "", "float32[5]"},
	{"clip", []string{"float32[5]"}, "max=1.5, min=-0.5", "float32[5]"},
	{"clip", []string{"int32[5]"}, "max=1e+30, min=-1.0", "int32[5]"},
	{"exp", []string{"float32[5]"}, "", "float32[5]"},
	{"sqrt", []string{"float32[5]"}, "", "float32[5]"},
	{"log", []string{"float32[5]"}, "", "float32[5]"},
	{"reciprocal", []string{"float32[5]"}, "", "float32[5]"},
	{"erf", []string{"float32[5]"}, "", "float32[5]"},
	{"tanh", []string{"float32[5]"}, "", "float32[5]"},
	{"sigmoid", []string{"float32[5]"}, "", "float32[5]"},
	{"sin", []string{"float32[5]"}, "", "float32[5]"},
	{"cos", []string{"float32[5]"}, "", "float32[5]"},
	{"floor", []string{"float32[5]"}, "", "float32[5]"},
	{"ceil", []string{"float32[5]"}, "", "float32[5]"},
	{"round", []string{"float32[5]"}, "", "float32[5]"},
	{"leaky_relu", []string{"float32[5]"}, "alpha=0.1", "float32[5]"},
	{"elu", []string{"float32[5]"}, "alpha=0.5", "float32[5]"},
	{"softplus", []string{"float32[5]"}, "", "float32[5]"},
	{"softsign", []string{"float32[5]"}, "", "float32[5]"},
	{"hard_sigmoid", []string{"float32[5]"}, "alpha=0.2, beta=0.5", "float32[5]"},
	{"hard_swish", []string{"float32[5]"}, "", "float32[5]"},
	{"silu", []string{"float32[5]"}, "", "float32[5]"},
	{"gelu", []string{"float32[5]"}, "", "float32[5]"},
	{"gelu_tanh", []string{"float32[5]"}, "", "float32[5]"},
	{"mod", []string{"int64[6]", "int64[]"}, "", "int64[6]"},
	{"pow", []string{"float32[6]", "float32[]"}, "", "float32[6]"},
	{"reshape", []string{"float32[2,3,4]"}, "shape=[6, 2, 2]", "float32[6,2,2]"},
	{"transpose", []string{"float32[2,3,4]"}, "perm=[2, 0, 1]", "float32[4,2,3]"},
	{"expand", []string{"float32[3,1]"}, "shape=[2, 3, 4]", "float32[2,3,4]"},
	{"fill", []string{"float32[]"}, "shape=[2, 3]", "float32[2,3]"},
	{"concat", []string{"float32[2,3]", "float32[2,1]", "float32[2,2]"}, "axis=1", "float32[2,6]"},
	{"slice", []string{"float32[5,6]"}, "sizes=[2, 3], starts=[1, 5], steps=[2, -2]", "float32[2,3]"},
	{"tile", []string{"float32[2,3]"}, "repeats=[2, 2]", "float32[4,6]"},
	{"pad", []string{"float32[2,3]"}, `mode="constant", pads=[1, 0, 0, 2], value=0.5`, "float32[3,5]"},
	{"pad", []string{"float32[4,5]"}, `mode="constant", pads=[-1, 1, 0, -2], value=0.0`, "float32[3,4]"},
	{"pad", []string{"float32[3,4]"}, `mode="edge", pads=[1, 2, 1, 0], value=0.0`, "float32[5,6]"},
	{"pad", []string{"float32[3,4]"}, `mode="reflect", pads=[2, 1, 1, 3], value=0.0`, "float32[6,8]"},
	{"pad", []string{"float32[3,4]"}, `mode="wrap", pads=[2, 1, 1, 3], value=0.0`, "float32[6,8]"},
	{"gather", []string{"float32[4,3]", "int64[2,2]"}, "axis=0", "float32[2,2,3]"},
	{"gather", []string{"float32[3,4]", "int32[]"}, "axis=1", "float32[3]"},
	{"gather_elements", []string{"float32[4,3]", "int64[2,3]"}, "axis=0", "float32[2,3]"},
	{"matmul", []string{"float32[2,3,4]", "float32[4,5]"}, "", "float32[2,3,5]"},
	{"matmul", []string{"float32[2,1,3,4]", "float32[3,4,5]"}, "", "float32[2,3,3,5]"},
	{"matmul", []string{"int32[3,4]", "int32[4,2]"}, "", "int32[3,2]"},
	{"conv", []string{"float32[1,3,6,5]", "float32[4,3,3,3]", "float32[4]"}, "dilations=[1, 1], group=1, pads=[1, 1, 1, 1], strides=[2, 1]", "float32[1,4,3,5]"},
	{"conv", []string{"float32[1,4,6,6]", "float32[4,1,3,3]"}, "dilations=[1, 1], group=4, pads=[0, 1, 2, 1], strides=[1, 1]", "float32[1,4,6,6]"},
	{"conv", []string{"float32[1,4,6,6]", "float32[8,1,3,3]"}, "dilations=[2, 1], group=4, pads=[1, 1, 1, 1], strides=[1, 1]", "float32[1,8,4,6]"},
	{"conv", []string{"float32[2,4,5]", "float32[6,2,2]"}, "dilations=[1], group=2, pads=[0, 0], strides=[1]", "float32[2,6,4]"},
	{"conv", []string{"float32[1,2,3,4,4]", "float32[3,2,2,2,2]"}, "dilations=[1, 1, 1], group=1, pads=[0, 0, 0, 0, 0, 0], strides=[1, 1, 1]", "float32[1,3,2,3,3]"},
	{"winograd_input", []string{"float32[2,3,6,5]"}, "pads=[1, 1, 1, 1], tile=2", "float32[4,4,18,3]"},
	{"winograd_input", []string{"float32[1,2,7,9]"}, "pads=[0, 1, 2, 0], tile=4", "float32[6,6,4,2]"},
	{"winograd_conv", []string{"float32[2,3,6,5]", "float32[4,4,3,5]"}, "pads=[1, 1, 1, 1], tile=2", "float32[2,5,6,5]"},
	{"winograd_conv", []string{"float32[1,2,7,9]", "float32[6,6,2,3]"}, "pads=[0, 1, 2, 0], tile=4", "float32[1,3,7,8]"},
	{"winograd_output", []string{"float32[4,4,18,3]"}, "size=[2, 6, 5], tile=2", "float32[2,3,6,5]"},
	{"winograd_output", []string{"float32[6,6,4,2]"}, "size=[1, 7, 8], tile=4", "float32[1,2,7,8]"},
	{"conv_transpose", []string{"float32[1,3,3,4]", "float32[3,2,2,2]", "float32[2]"}, "dilations=[1, 1], group=1, pads=[0, 0, 0, 0], strides=[2, 2]", "float32[1,2,6,8]"},
	{"conv_transpose", []string{"float32[1,4,3,4]", "float32[4,2,3,3]"}, "dilations=[1, 2], group=2, pads=[1, 0, 0, 1], strides=[2, 1]", "float32[1,4,6,7]"},
	{"max_pool", []string{"float32[1,2,7,6]"}, "ceil_mode=true, dilations=[1, 1], kernel=[3, 2], pads=[1, 0, 1, 0], strides=[2, 2]", "float32[1,2,4,3]"},
	{"max_pool", []string{"float32[1,2,7,7]"}, "ceil_mode=false, dilations=[2, 1], kernel=[2, 2], pads=[0, 0, 0, 0], strides=[1, 2]", "float32[1,2,5,3]"},
	{"avg_pool", []string{"float32[1,2,6,6]"}, "ceil_mode=false, count_include_pad=false, dilations=[1, 1], kernel=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]", "float32[1,2,3,3]"},
	{"avg_pool", []string{"float32[1,2,6,6]"}, "ceil_mode=true, count_include_pad=true, dilations=[1, 1], kernel=[3, 3], pads=[1, 0, 1, 0], strides=[2, 2]", "float32[1,2,4,3]"},
	{"reduce_sum", []string{"float32[2,3,4]"}, "axes=[1], keepdims=false", "float32[2,4]"},
	{"reduce_mean", []string{"float32[2,3,4]"}, "axes=[0, 2], keepdims=true", "float32[1,3,1]"},
	{"reduce_max", []string{"float32[2,3]"}, "axes=[1], keepdims=true", "float32[2,1]"},
	{"reduce_min", []string{"int64[2,3]"}, "axes=[0], keepdims=false", "int64[3]"},
	{"reduce_prod", []string{"float32[2,3]"}, "axes=[1], keepdims=false", "float32[2]"},
	{"reduce_l1", []string{"float32[2,3]"}, "axes=[1], keepdims=false", "float32[2]"},
	{"reduce_l2", []string{"float32[2,3]"}, "axes=[1], keepdims=false", "float32[2]"},
	{"reduce_sum_square", []string{"float32[2,3]"}, "axes=[1], keepdims=false", "float32[2]"},
	{"softmax", []string{"float32[2,3,4]"}, "axis=1", "float32[2,3,4]"},
	{"log_softmax", []string{"float32[2,5]"}, "axis=1", "float32[2,5]"},
	{"batch_norm", []string{"float32[2,3,4]", "float32[3]", "float32[3]", "float32[3]", "float32[3]"}, "epsilon=1.5", "float32[2,3,4]"},
	{"layer_norm", []string{"float32[2,3,4]", "float32[4]", "float32[4]"}, "axis=2, epsilon=1e-05", "float32[2,3,4]"},
	{"layer_norm", []string{"float32[2,3,4]", "float32[3,4]"}, "axis=1, epsilon=1e-05", "float32[2,3,4]"},
	{"rms_norm", []string{"float32[2,5]", "float32[5]"}, "axis=1, epsilon=1e-05", "float32[2,5]"},
	{"resize", []string{"float32[1,2,4,5]"}, `coordinates="half_pixel", mode="linear", rounding="floor", scales=[1.0, 1.0, 2.0, 2.0], sizes=[1, 2, 8, 10]`, "float32[1,2,8,10]"},
	{"resize", []string{"float32[1,2,4,6]"}, `coordinates="align_corners", mode="linear", rounding="floor", scales=[1.0, 1.0, 1.75, 0.5], sizes=[1, 2, 7, 3]`, "float32[1,2,7,3]"},
	{"resize", []string{"float32[1,2,4,6]"}, `coordinates="asymmetric", mode="nearest", rounding="floor", scales=[1.0, 1.0, 2.0, 1.5], sizes=[1, 2, 8, 9]`, "float32[1,2,8,9]"},
	{"resize", []string{"float32[1,1,9,7]"}, `coordinates="half_pixel", mode="nearest", rounding="round_prefer_floor", scales=[1.0, 1.0, 0.6, 1.3], sizes=[1, 1, 5, 9]`, "float32[1,1,5,9]"},
	{"cumsum", []string{"float32[2,4]"}, "axis=1, exclusive=true, reverse=true", "float32[2,4]"},
	{"cumsum", []string{"int64[2,4]"}, "axis=0, exclusive=false, reverse=false", "int64[2,4]"},
	{"trilu", []string{"float32[3,4]"}, "k=1, upper=true", "float32[3,4]"},
	{"trilu", []string{"float32[2,3,4]"}, "k=-1, upper=false", "float32[2,3,4]"},
	{"argmax", []string{"float32[3,5]"}, "axis=1, keepdims=true, last=false", "int64[3,1]"},
	{"argmin", []string{"int32[3,5]"}, "axis=0, keepdims=false, last=true", "int64[5]"},
	{"reorder", []string{"float32[1,12,2,2]"}, "block=0", "float32[1,12,2,2]"},
	{"conv", []string{"int32[1,2,5,5]", "int32[4,2,3,3]", "int32[4]"}, "dilations=[1, 1], group=1, pads=[1, 1, 1, 1], strides=[2, 1]", "int32[1,4,3,5]"},
	{"conv_bytes", []string{"uint8[1,8,5,4]:c8", "int8[2,1,3,3,2,4,4]", "int32[5]:r0x4"}, "channels=5, dilations=[1, 1], pads=[1, 0, 1, 2], strides=[1, 2], zero=3", "int32[1,5,5,2]:c4"},
	{"conv_bytes", []string{"int8[2,8,3,3]:c4", "int8[1,2,1,1,1,4,4]"}, "channels=4, dilations=[1, 1], pads=[0, 0, 0, 0], strides=[1, 1], zero=-3", "int32[2,4,3,3]:c4"},
	{"depthwise_bytes", []string{"uint8[1,4,6,6]", "int8[4,1,3,3]", "int32[4]"}, "dilations=[1, 1], pads=[0, 1, 2, 1], strides=[1, 1], zero=2", "int32[1,4,6,6]"},
	{"depthwise_bytes", []string{"int8[1,3,5]:c4", "int8[3,1,2]:r0x4"}, "dilations=[2], pads=[1, 0], strides=[1], zero=-100", "int32[1,3,4]:c4"},
	{"matmul_bytes", []string{"uint8[2,3,6]", "int8[2,2,4,4]", "int32[5]"}, "columns=5", "int32[2,3,5]"},
	{"matmul_bytes", []string{"int8[3,8]", "int8[2,2,4,4]"}, "columns=8", "int32[3,8]"},
	{"attention", []string{"float32[2,5,3,4]", "float32[2,6,3,4]", "float32[2,6,3,2]"}, "scale=0.5", "float32[2,5,3,2]"},
	{"attention", []string{"float32[1,5,3,4]", "float32[1,6,3,4]", "float32[1,6,3,2]", "float32[3,1,6]"}, "scale=1.0", "float32[1,5,3,2]"},
}

// positive operators get operands above 0, indexing ones small indices.
var positive = map[string]bool{"log": true, "sqrt": true, "pow": true, "batch_norm": true, "reciprocal": true}

// loose operators add up much larger numbers than what is left of them.
var loose = map[string]float64{"winograd_conv": 2e-5}

func TestEveryOperatorLowersToItsEvaluation(t *testing.T) {
	covered := map[string]bool{}
	for i, c := range opCases {
		covered[c.op] = true
		t.Run(fmt.Sprintf("%s_%d", c.op, i), func(t *testing.T) {
			g := parse(t, c.op, c.in, c.attr, c.out)
			checkProgram(t, g, inputsFor(t, g, positive[c.op], uint64(i)), max(2e-6, loose[c.op]))
		})
	}
	for _, op := range graph.Operators() {
		if !covered[op.Name] {
			t.Errorf("operator %s has no case", op.Name)
		}
	}
}

// A divisor that is only known when the model runs must not end the process: a
// quotient by 0 is 0, one that does not fit wraps.
func TestIntegersDivideByAnything(t *testing.T) {
	const least = math.MinInt64
	xs, ys := []int64{5, least, 7, -7, 0, -9}, []int64{0, -1, 2, 2, 0, -1}
	for op, want := range map[string][]int64{"div": {0, least, 3, -3, 0, 9}, "mod": {0, 0, 1, 1, 0, 0}} {
		g := parse(t, op, []string{"int64[6]", "int64[6]"}, "", "int64[6]")
		in := map[string]*dtype.Tensor{"x0": dtype.NewTensor(dtype.Int64, 6), "x1": dtype.NewTensor(dtype.Int64, 6)}
		for i := range xs {
			in["x0"].SetInt(i, xs[i])
			in["x1"].SetInt(i, ys[i])
		}
		p, err := lower.Lower(g)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.Interpret(in, interp.Options{Regions: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range want {
			if v := got["y"].Int(i); v != w {
				t.Errorf("%d %s %d is %d, want %d", xs[i], op, ys[i], v, w)
			}
		}
	}
}

func parse(t *testing.T, op string, in []string, attr, out string) *graph.Graph {
	t.Helper()
	var b strings.Builder
	b.WriteString("graph \"test\" {\n")
	var args []string
	for i, typ := range in {
		fmt.Fprintf(&b, "  input %%%d \"x%d\": %s\n", i, i, typ)
		args = append(args, fmt.Sprintf("%%%d", i))
	}
	fmt.Fprintf(&b, "  %%%d: %s = %s(%s) {%s} @0\n  output %%%d \"y\"\n}\n", len(in), out, op, strings.Join(args, ", "), attr, len(in))
	g, err := graph.Parse(b.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// inputsFor draws random inputs: floats around zero, integers in [0, 3).
func inputsFor(t *testing.T, g *graph.Graph, above bool, seed uint64) map[string]*dtype.Tensor {
	t.Helper()
	r := rng.New(seed, "inputs")
	in := map[string]*dtype.Tensor{}
	for _, p := range g.Inputs {
		typ := g.Type(p.Value)
		x := dtype.NewTensor(typ.Elem, typ.Shape...)
		for i := range x.Len() {
			switch {
			case !typ.Elem.IsFloat():
				x.SetInt(i, int64(r.Intn(3)))
			case above:
				x.SetFloat(i, 0.1+2*r.Float64())
			default:
				x.SetFloat(i, 4*r.Float64()-2)
			}
			if typ.Elem.IsInt() && len(typ.Shape) == 0 {
				x.SetInt(i, 2)
			}
		}
		in[p.Name] = x
	}
	return in
}

// checkProgram lowers a fused graph and compares its interpretation, on planned
// memory, with the graph's evaluation.
func checkProgram(t *testing.T, g *graph.Graph, in map[string]*dtype.Tensor, tol float64) *lower.Program {
	t.Helper()
	want, err := g.Eval(in)
	if err != nil {
		t.Fatal(err)
	}
	p, err := lower.Lower(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range p.Kernels {
		if err := tir.Verify(k.Func); err != nil {
			t.Fatalf("%s: %v\n%s", k.Name, err, tir.Script(k.Func))
		}
		again, err := tvmscript.ParseFunc(tir.Script(k.Func))
		if err != nil {
			t.Fatalf("%s: %v\n%s", k.Name, err, tir.Script(k.Func))
		}
		if diff := tir.Diff(k.Func, again); diff != "" {
			t.Errorf("%s reads back differently: %s\n%s", k.Name, diff, tir.Script(k.Func))
		}
	}
	got, err := p.Interpret(in, interp.Options{Uninitialised: true, Regions: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, p)
	}
	for name, w := range want {
		compare(t, name, got[name], w, tol)
	}
	return p
}

func compare(t *testing.T, name string, got, want *dtype.Tensor, tol float64) {
	t.Helper()
	if got.Type != want.Type || !slices.Equal(got.Shape, want.Shape) {
		t.Fatalf("%s is %s%v, want %s%v", name, got.Type, got.Shape, want.Type, want.Shape)
	}
	for i := range got.Len() {
		a, b := got.Float(i), want.Float(i)
		if !(a == b || math.Abs(a-b) <= tol*(1+math.Abs(b))) {
			t.Fatalf("%s[%d] = %g, want %g", name, i, a, b)
		}
	}
}
