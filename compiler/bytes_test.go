package compiler_test

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hone/compiler"
	"hone/compiler/dlight"
	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/graph/graphopt"
	"hone/compiler/lower"
	"hone/compiler/onnx"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/interp"
	"hone/internal/peer"
	"hone/internal/rng"
)

// byteTargets multiply bytes in 16, 8 and 4 lanes.
var byteTargets = []string{"aws/c7a.large", `{"kind":"cpu","mcpu":"alderlake"}`, "raspberry-pi/5"}

// quantised builds graphs of quantised values with scales that are powers of two, so
// that floats compute them exactly.
type quantised struct {
	*graph.Graph
	r *rng.Rand
}

// requantise is QuantizeLinear and DequantizeLinear, spelled out as the importer does.
func (q quantised) requantise(x graph.ValueID, scale, zero float64, to dtype.DType) graph.ValueID {
	lo, hi := 0.0, 255.0
	if to.IsSigned() {
		lo, hi = -128, 127
	}
	x = q.op("round", q.op("div", x, q.number(scale)))
	x = q.Add1("clip", "", graph.A("max", hi, "min", lo), q.op("add", x, q.number(zero)))
	x = q.Add1("cast", "", graph.A("to", to.String()), x)
	return q.op("mul", q.op("sub", q.float(x), q.number(zero)), q.number(scale))
}

func (q quantised) op(name string, in ...graph.ValueID) graph.ValueID {
	return q.Add1(name, "", nil, in...)
}

func (q quantised) float(x graph.ValueID) graph.ValueID {
	return q.Add1("cast", "", graph.A("to", "float32"), x)
}

func (q quantised) number(v float64) graph.ValueID {
	t := dtype.NewTensor(dtype.Float32)
	t.SetFloat(0, v)
	return q.Constant(t, "")
}

// floats are multiples of step, which has an element for each of its values.
func (q quantised) floats(step float64, shape ...int64) graph.ValueID {
	t := dtype.NewTensor(dtype.Float32, shape...)
	for i := range t.Len() {
		t.SetFloat(i, step*float64(q.r.Intn(64)-20))
	}
	return q.Constant(t, "")
}

// weights are bytes with a scale for each index of an axis, and a zero point.
func (q quantised) weights(elem dtype.DType, zero float64, axis int, shape ...int64) graph.ValueID {
	t := dtype.NewTensor(elem, shape...)
	for i := range t.Len() {
		t.SetInt(i, int64(zero)+int64(q.r.Intn(200)-100))
	}
	along := make([]int64, len(shape))
	for i := range along {
		along[i] = 1
	}
	along[axis] = shape[axis]
	scales := dtype.NewTensor(dtype.Float32, along...)
	for i := range scales.Len() {
		scales.SetFloat(i, math.Exp2(float64(-q.r.Intn(4))))
	}
	x := q.float(q.Constant(t, ""))
	if zero != 0 {
		x = q.op("sub", x, q.number(zero))
	}
	return q.op("mul", x, q.Constant(scales, ""))
}

func (q quantised) conv(x, w graph.ValueID, group int64, pads, strides []int64, bias ...graph.ValueID) graph.ValueID {
	return q.Add1("conv", "", graph.A("dilations", []int64{1, 1}, "group", group, "pads", pads, "strides", strides), append([]graph.ValueID{x, w}, bias...)...)
}

// quantisedNet has zero points, padding, channels that fill no block, both types of
// bytes, whole and broken biases, a value that is read as bytes and as floats, and a
// product with columns to spare.
func quantisedNet() *graph.Graph {
	q := quantised{graph.New("quantised"), rng.New(5, "net")}
	x := q.Input("x", graph.Of(dtype.Float32, 1, 3, 9, 7))
	x = q.requantise(x, 1.0/8, 37, dtype.UInt8)
	x = q.op("relu", q.conv(x, q.weights(dtype.Int8, 0, 0, 12, 3, 3, 3), 1, []int64{1, 1, 1, 1}, []int64{1, 1}, q.floats(1.0/64, 12)))
	x = q.requantise(x, 4, 11, dtype.UInt8)
	x = q.conv(x, q.weights(dtype.Int8, 0, 0, 12, 1, 3, 3), 12, []int64{1, 0, 1, 2}, []int64{2, 1}, q.floats(1.0/1024, 12))
	x = q.requantise(x, 8, -7, dtype.Int8)
	y := q.conv(x, q.weights(dtype.UInt8, 110, 0, 12, 12, 1, 1), 1, []int64{0, 0, 0, 0}, []int64{1, 1})
	x = q.requantise(q.op("add", y, x), 16, 0, dtype.UInt8)
	x = q.conv(x, q.weights(dtype.Int8, 0, 0, 30, 12, 2, 2), 1, []int64{0, 1, 1, 0}, []int64{2, 2}, q.floats(2, 30))
	q.Output("plane", x)
	shape := q.Type(x).Shape
	rows := q.Add1("reshape", "", graph.A("shape", []int64{10, shape[1] * shape[2] * shape[3] / 10}), x)
	rows = q.requantise(rows, 64, 128, dtype.UInt8)
	k := q.Type(rows).Shape[1]
	q.Output("rows", q.op("add", q.op("matmul", rows, q.weights(dtype.Int8, 0, 1, k, 19)), q.floats(1, 19)))
	return q.Graph
}

func TestBytesComputeWhatTheGraphSays(t *testing.T) {
	in := map[string]*dtype.Tensor{"x": dtype.NewTensor(dtype.Float32, 1, 3, 9, 7)}
	r := rng.New(1, "input")
	for i := range in["x"].Len() {
		in["x"].SetFloat(i, 40*r.Float64()-16)
	}
	want, err := quantisedNet().Eval(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range byteTargets {
		t.Run(name, func(t *testing.T) {
			tgt := parsedTarget(t, name)
			g := quantisedNet()
			bytes := map[string]dtype.DType{"uint8": dtype.UInt8, "int8": dtype.Int8}[tgt.DotOperand()]
			if err := graphopt.Run(g, graphopt.Options{Block: tgt.Lanes(32), Bytes: bytes}); err != nil {
				t.Fatal(err)
			}
			for op, n := range map[string]int{"conv_bytes": 3, "depthwise_bytes": 1, "matmul_bytes": 1, "conv": 0, "matmul": 0} {
				if got := strings.Count(g.String(), "= "+op+"("); got != n {
					t.Errorf("%d times %s, want %d\n%s", got, op, n, g)
				}
			}
			p, err := lower.Lower(g)
			if err != nil {
				t.Fatal(err)
			}
			got := interpretScheduled(t, p, &tgt, in, 4)
			for name, w := range want {
				closeTo(t, name, got[name], w, 0)
			}
		})
	}
}

// interpretScheduled runs a program with default schedules by the interpreter, and
// looks for the number of kernels that use an instruction.
func interpretScheduled(t *testing.T, p *lower.Program, tgt *target.Target, in map[string]*dtype.Tensor, dots int) map[string]*dtype.Tensor {
	t.Helper()
	for i := range p.Kernels {
		s, _, err := dlight.Default(p.Kernels[i].Func, tgt)
		if err != nil {
			t.Fatal(err)
		}
		p.Kernels[i].Func = s.Func()
		if strings.Contains(tir.Script(s.Func()), "call_llvm_pure_intrin") {
			dots--
		}
	}
	if dots != 0 {
		t.Errorf("%d kernels too few use an instruction", dots)
	}
	got, err := p.Interpret(in, interp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func parsedTarget(t *testing.T, name string) target.Target {
	t.Helper()
	tgt, err := target.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return tgt
}

// The quantised operators give ONNX Runtime's answers where they multiply bytes, too.
func TestBytesAgainstONNXRuntime(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Python")
	}
	dir := t.TempDir()
	if log, err := exec.Command(peer.Python(t, "onnx", "onnxruntime"), "onnx/testdata/ort_cases.py", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	for _, target := range byteTargets {
		tgt := parsedTarget(t, target)
		for name, dots := range map[string]int{
			"qlinear_conv": 1, "qlinear_conv_plain": 0 /* weights of the run */, "qlinear_conv_wide": 1, "qlinear_conv_depthwise": 0, "conv_integer": 0,
			"qlinear_matmul": 0, "qlinear_matmul_vectors": 0, "matmul_integer": 0, "matmul_integer_wide": 1, // four products are no sum worth an instruction
		} {
			t.Run(fmt.Sprint(name, "/", target), func(t *testing.T) {
				at := filepath.Join(dir, name)
				l, err := compiler.Load(filepath.Join(at, "model.onnx"), &tgt, compiler.LoadOptions{})
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
				sets, err := onnx.TestSets(at)
				if err != nil || len(sets) != 1 {
					t.Fatalf("%d test sets: %v", len(sets), err)
				}
				in := map[string]*dtype.Tensor{}
				for i, p := range l.Program.Inputs {
					in[p.Name] = sets[0].Inputs[i]
				}
				got := interpretScheduled(t, l.Program, &tgt, in, dots)
				for i, p := range l.Program.Outputs {
					closeTo(t, p.Name, got[p.Name], sets[0].Outputs[i], 0)
				}
			})
		}
	}
}
