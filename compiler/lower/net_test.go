package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/graph/graphopt"
	"hone/compiler/lower"
	"hone/compiler/tir"
	"hone/compiler/tir/interp"
	"hone/internal/rng"
)

// net builds graphs with random weights.
type net struct {
	*graph.Graph
	r *rng.Rand
}

func newNet() *net { return &net{graph.New("net"), rng.New(3, "weights")} }

func (n *net) weight(shape ...int64) graph.ValueID {
	t := dtype.NewTensor(dtype.Float32, shape...)
	for i := range t.Len() {
		t.SetFloat(i, n.r.Float64()-0.5)
	}
	return n.Constant(t, "")
}

func (n *net) conv(x graph.ValueID, out, k, stride, group int64) graph.ValueID {
	w := n.weight(out, n.Type(x).Shape[1]/group, k, k)
	p := k / 2
	a := graph.A("dilations", []int64{1, 1}, "group", group, "pads", []int64{p, p, p, p}, "strides", []int64{stride, stride})
	return n.Add1("conv", "", a, x, w, n.weight(out))
}

func (n *net) op(name string, in ...graph.ValueID) graph.ValueID { return n.Add1(name, "", nil, in...) }

func (n *net) mean(x graph.ValueID) graph.ValueID {
	return n.Add1("reduce_mean", "", graph.A("axes", []int64{2, 3}, "keepdims", true), x)
}

func (n *net) reshape(x graph.ValueID, shape ...int64) graph.ValueID {
	return n.Add1("reshape", "", graph.A("shape", shape), x)
}

// visionNet has the shapes that make trouble for blocked layouts: channels that
// do not fill blocks, a gate per channel, parts joined in place and not, a
// transposed convolution, resizing, and a head.
func visionNet() *net {
	n := newNet()
	x := n.Input("x", graph.Of(dtype.Float32, 1, 3, 8, 8))
	x = n.op("relu", n.conv(x, 8, 3, 1, 1))
	skip := n.op("relu", n.conv(x, 12, 1, 1, 1))
	x = n.op("silu", n.conv(skip, 12, 3, 1, 12))
	gate := n.op("sigmoid", n.conv(n.op("relu", n.conv(n.mean(x), 4, 1, 1, 1)), 12, 1, 1, 1))
	x = n.op("add", n.op("mul", x, gate), skip)
	down := n.Add1("max_pool", "", graph.A("ceil_mode", false, "dilations", []int64{1, 1}, "kernel", []int64{2, 2}, "pads", []int64{0, 0, 0, 0}, "strides", []int64{2, 2}), x)
	down = n.op("relu", n.conv(down, 16, 3, 1, 2))
	w := n.weight(16, 8, 2, 2)
	up := n.Add1("conv_transpose", "", graph.A("dilations", []int64{1, 1}, "group", 1, "pads", []int64{0, 0, 0, 0}, "strides", []int64{2, 2}), down, w, n.weight(8))
	big := n.Add1("resize", "", graph.A("coordinates", "half_pixel", "mode", "linear", "rounding", "floor", "scales", []float64{1, 1, 2, 2}, "sizes", []int64{1, 16, 8, 8}), down)
	x = n.Add1("concat", "", graph.A("axis", 1), up, big)
	y := n.Add1("concat", "", graph.A("axis", 1), x, skip)
	y = n.op("relu", n.conv(y, 16, 3, 2, 1))
	logits := n.op("add", n.op("matmul", n.reshape(n.mean(y), 1, 16), n.weight(16, 5)), n.weight(5))
	n.Output("probabilities", n.Add1("softmax", "", graph.A("axis", 1), logits))
	n.Output("mask", n.conv(x, 2, 1, 1, 1))
	return n
}

// attentionNet is one transformer block over tokens, with its output also given
// as a view and an input passed through.
func attentionNet() *net {
	n := newNet()
	ids := n.Input("ids", graph.Of(dtype.Int64, 1, 6))
	x := n.Add1("gather", "", graph.A("axis", 0), n.weight(3, 8), ids)
	x = n.op("add", x, n.weight(1, 6, 8))
	norm := n.Add1("layer_norm", "", graph.A("axis", 2, "epsilon", 1e-5), x, n.weight(8), n.weight(8))
	var heads [3]graph.ValueID
	for i := range heads {
		h := n.op("add", n.op("matmul", norm, n.weight(8, 8)), n.weight(8))
		heads[i] = n.Add1("transpose", "", graph.A("perm", []int64{0, 2, 1, 3}), n.reshape(h, 1, 6, 2, 4))
	}
	k := n.Add1("transpose", "", graph.A("perm", []int64{0, 1, 3, 2}), heads[1])
	half := dtype.FromFloat32([]float32{2})
	scores := n.op("div", n.op("matmul", heads[0], k), n.Constant(half, ""))
	p := n.Add1("softmax", "", graph.A("axis", 3), scores)
	y := n.Add1("transpose", "", graph.A("perm", []int64{0, 2, 1, 3}), n.op("matmul", p, heads[2]))
	y = n.op("add", n.op("matmul", n.reshape(y, 1, 6, 8), n.weight(8, 8)), x)
	y = n.op("gelu", n.op("add", n.op("matmul", y, n.weight(8, 16)), n.weight(16)))
	n.Output("tokens", y)
	n.Output("flat", n.reshape(y, 96))
	n.Output("ids_out", n.reshape(ids, 6))
	return n
}

func TestNetsComputeTheSameInEveryLayout(t *testing.T) {
	for name, build := range map[string]func() *net{"vision": visionNet, "attention": attentionNet} {
		for _, block := range []int{0, 4, 8, 16} {
			t.Run(fmt.Sprintf("%s_%d", name, block), func(t *testing.T) {
				ref := build().Graph
				in := inputsFor(t, ref, false, 1)
				want, err := ref.Eval(in)
				if err != nil {
					t.Fatal(err)
				}
				g := build().Graph
				if err := graphopt.Run(g, graphopt.Options{Block: block}); err != nil {
					t.Fatal(err)
				}
				p, err := lower.Lower(g)
				if err != nil {
					t.Fatal(err)
				}
				got, err := p.Interpret(in, interp.Options{Uninitialised: true, Regions: true})
				if err != nil {
					t.Fatalf("%v\n%s%s", err, p, p.Plan)
				}
				for name, w := range want {
					compare(t, name, got[name], w, 1e-5)
				}
				checkPlan(t, p)
			})
		}
	}
}

// checkPlan looks for temporaries that share bytes while both are alive, and
// for misaligned arguments.
func checkPlan(t *testing.T, p *lower.Program) {
	t.Helper()
	for i, a := range p.Plan.Lives {
		for _, b := range p.Plan.Lives[:i] {
			if a.First <= b.Last && b.First <= a.Last && a.Offset < b.Offset+b.Bytes && b.Offset < a.Offset+a.Bytes {
				t.Errorf("b%d and b%d overlap:\n%s", a.Buffer, b.Buffer, p.Plan)
			}
		}
		if a.Offset%lower.Align != 0 || a.Offset+a.Bytes > p.Plan.Arena {
			t.Errorf("b%d lies badly:\n%s", a.Buffer, p.Plan)
		}
	}
	if p.Plan.Peak > p.Plan.Arena {
		t.Errorf("peak %d above the arena's %d", p.Plan.Peak, p.Plan.Arena)
	}
	for _, k := range p.Kernels {
		if len(k.Args) != len(k.Func.Params) {
			t.Errorf("%s has %d arguments for %d parameters", k.Name, len(k.Args), len(k.Func.Params))
		}
		for _, a := range k.Args {
			if a.Offset%lower.Align != 0 {
				t.Errorf("%s has an argument at offset %d", k.Name, a.Offset)
			}
		}
	}
}

func TestPartsAreWrittenInPlace(t *testing.T) {
	n := newNet()
	x := n.Input("x", graph.Of(dtype.Float32, 1, 16))
	y := n.Add1("concat", "", graph.A("axis", 1), n.op("exp", x), n.op("tanh", x))
	n.Output("y", n.op("matmul", y, n.weight(32, 4)))
	if err := graphopt.Run(n.Graph, graphopt.Options{}); err != nil {
		t.Fatal(err)
	}
	p := checkProgram(t, n.Graph, inputsFor(t, n.Graph, false, 2), 1e-5)
	want := `program "net" {
  input "x": float32[1,16] = b0
  constant b2 "": float32[32,4], 512 bytes
  call exp_k0(b0, b1)
  call tanh_k0(b0, b1+64)
  call matmul_k0(b1, b2, b3)
  output "y": float32[1,4] = b3
}
`
	if p.String() != want {
		t.Errorf("got\n%swant\n%s", p, want)
	}
}

// Equal regions give structurally equal functions wherever they stand and
// whatever their weights are.
func TestEqualRegionsGiveEqualFunctions(t *testing.T) {
	n := newNet()
	x := n.op("relu", n.conv(n.Input("x", graph.Of(dtype.Float32, 1, 8, 6, 6)), 8, 1, 1, 1))
	first := n.op("relu", n.op("add", n.conv(x, 8, 3, 1, 1), x))
	second := n.op("relu", n.op("add", first, n.conv(first, 8, 3, 1, 1)))
	third := n.op("relu", n.op("add", n.conv(second, 8, 3, 1, 1), second))
	n.Output("y", third)
	if err := graphopt.Run(n.Graph, graphopt.Options{Block: 8}); err != nil {
		t.Fatal(err)
	}
	p, err := lower.Lower(n.Graph)
	if err != nil {
		t.Fatal(err)
	}
	var hashes []string
	for _, k := range p.Kernels {
		if strings.HasPrefix(k.Name, "conv_add") {
			hashes = append(hashes, fmt.Sprint(tir.Hash(k.Func)))
		}
	}
	if len(hashes) != 3 || hashes[0] != hashes[1] || hashes[0] != hashes[2] {
		t.Errorf("hashes %v\n%s", hashes, p)
	}
	for _, k := range p.Kernels {
		_, free := k.Func.Attrs.Get(tir.AttrLayoutFree)
		if free != strings.HasPrefix(k.Name, "conv") {
			t.Errorf("%s: layout-free weights: %v", k.Name, free)
		}
	}
}
