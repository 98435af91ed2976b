package ops

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hone/compiler/dtype"
	"hone/compiler/graph"
)

// apply evaluates one operator on tensors.
func apply(op string, attrs graph.Attrs, in ...*dtype.Tensor) (*dtype.Tensor, error) {
	g := graph.New("g")
	ids := make([]graph.ValueID, len(in))
	for i, t := range in {
		ids[i] = g.Constant(t, fmt.Sprint(i))
	}
	if _, err := g.Add(graph.MustLookup(op), "n", attrs, ids...); err != nil {
		return nil, err
	}
	out, err := g.EvalNode(0, in)
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

func draw(r *rapid.T, label string, shape ...int64) *dtype.Tensor {
	t := dtype.NewTensor(dtype.Float32, shape...)
	v := rapid.SliceOfN(rapid.IntRange(-4, 4), t.Len(), t.Len()).Draw(r, label)
	for i, x := range v {
		t.SetInt(i, int64(x))
	}
	return t
}

// The convolution equals its definition, summed index by index.
func TestConvEqualsItsDefinition(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		num := func(label string, lo, hi int64) int64 { return rapid.Int64Range(lo, hi).Draw(r, label) }
		group := num("group", 1, 2)
		n, icg, ocg := num("n", 1, 2), num("icg", 1, 2), num("ocg", 1, 2)
		h, w, kh, kw := num("h", 1, 5), num("w", 1, 5), num("kh", 1, 3), num("kw", 1, 3)
		st, dil := []int64{num("sh", 1, 2), num("sw", 1, 2)}, []int64{num("dh", 1, 2), num("dw", 1, 2)}
		pads := []int64{num("p0", 0, 2), num("p1", 0, 2), num("p2", 0, 2), num("p3", 0, 2)}
		if h+pads[0]+pads[2] < dil[0]*(kh-1)+1 || w+pads[1]+pads[3] < dil[1]*(kw-1)+1 {
			return
		}
		x, wt := draw(r, "x", n, group*icg, h, w), draw(r, "w", group*ocg, icg, kh, kw)
		got, err := apply("conv", graph.A("dilations", dil, "group", group, "pads", pads, "strides", st), x, wt)
		if err != nil {
			r.Fatal(err)
		}
		oh, ow := got.Shape[2], got.Shape[3]
		for i := range int64(got.Len()) {
			b, o, y, z := i/(group*ocg*oh*ow), i/(oh*ow)%(group*ocg), i/ow%oh, i%ow
			sum := 0.0
			for c := range icg {
				for p := range kh {
					for q := range kw {
						iy, iz := y*st[0]+p*dil[0]-pads[0], z*st[1]+q*dil[1]-pads[1]
						if iy < 0 || iy >= h || iz < 0 || iz >= w {
							continue
						}
						ic := o/ocg*icg + c
						sum += x.Float(int(((b*group*icg+ic)*h+iy)*w+iz)) * wt.Float(int(((o*icg+c)*kh+p)*kw+q))
					}
				}
			}
			if got.Float(int(i)) != sum {
				r.Fatalf("element %d is %g, want %g", i, got.Float(int(i)), sum)
			}
		}
	})
}

// A transposed convolution is the adjoint of the convolution with the same
// weights: ⟨conv(x), y⟩ = ⟨x, conv_transpose(y)⟩.
func TestConvTransposeIsTheAdjoint(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		num := func(label string, lo, hi int64) int64 { return rapid.Int64Range(lo, hi).Draw(r, label) }
		ic, oc, h, k, s, d := num("ic", 1, 2), num("oc", 1, 2), num("h", 3, 6), num("k", 1, 3), num("s", 1, 3), num("d", 1, 2)
		p := num("p", 0, 1)
		span := h + 2*p - d*(k-1) - 1
		if span < 0 {
			return
		}
		a := graph.A("dilations", []int64{d}, "group", 1, "pads", []int64{p, p}, "strides", []int64{s})
		x, w := draw(r, "x", 1, ic, h), draw(r, "w", oc, ic, k)
		cx, err := apply("conv", a, x, w)
		if err != nil {
			r.Fatal(err)
		}
		y := draw(r, "y", cx.Shape...)
		// What the stride leaves over at the end comes back as negative padding.
		back := a.With("pads", []int64{p, p - span%s})
		cy, err := apply("conv_transpose", back, y, w)
		if err != nil || !slices.Equal(cy.Shape, x.Shape) {
			r.Fatalf("%v %v", cy, err)
		}
		if a, b := dot(cx, y), dot(x, cy); a != b {
			r.Fatalf("%g and %g", a, b)
		}
	})
}

func dot(a, b *dtype.Tensor) float64 {
	sum := 0.0
	for i := range a.Len() {
		sum += a.Float(i) * b.Float(i)
	}
	return sum
}

func TestMatmulBroadcastsItsBatch(t *testing.T) {
	a := dtype.FromFloat32([]float32{1, 2, 3, 4}, 2, 1, 2)
	b := dtype.FromFloat32([]float32{1, 0, 0, 1, 2, 1, 1, 2}, 2, 2, 2)
	got, err := apply("matmul", nil, a, b)
	if err != nil || !slices.Equal(got.Float32s(), []float32{1, 2, 10, 11}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestNormsAndSoftmaxInClosedForm(t *testing.T) {
	x := dtype.FromFloat32([]float32{1, 3, 1000, 1002}, 2, 2)
	got, err := apply("softmax", graph.A("axis", 1), x)
	want := 1 / (1 + math.Exp(-2))
	if err != nil || math.Abs(got.Float(1)-want) > 1e-7 || math.Abs(got.Float(3)-want) > 1e-7 {
		t.Errorf("softmax %v, %v", got.Float32s(), err)
	}
	one := dtype.FromFloat32([]float32{1}, 1)
	got, err = apply("layer_norm", graph.A("axis", 1, "epsilon", 0.0), x, one)
	if err != nil || !slices.Equal(got.Float32s(), []float32{-1, 1, -1, 1}) {
		t.Errorf("layer_norm %v, %v", got.Float32s(), err)
	}
	got, err = apply("rms_norm", graph.A("axis", 1, "epsilon", 0.0), x, one)
	if err != nil || math.Abs(got.Float(0)-1/math.Sqrt(5)) > 1e-7 {
		t.Errorf("rms_norm %v, %v", got.Float32s(), err)
	}
}

func TestWrongOperandsAreErrors(t *testing.T) {
	x := dtype.NewTensor(dtype.Float32, 2, 3)
	idx := dtype.FromInt64([]int64{5}, 1)
	zero := dtype.FromInt64([]int64{0}, 1)
	conv := graph.A("dilations", []int64{1, 1}, "group", 1, "pads", []int64{0, 0, 0, 0}, "strides", []int64{1, 1})
	img, ker := dtype.NewTensor(dtype.Float32, 1, 2, 4, 4), dtype.NewTensor(dtype.Float32, 3, 2, 5, 5)
	for _, c := range []struct {
		op    string
		attrs graph.Attrs
		in    []*dtype.Tensor
		want  string
	}{
		{"add", nil, []*dtype.Tensor{x, idx}, "operands differ in type: float32 and int64"},
		{"exp", nil, []*dtype.Tensor{idx}, "is not defined on int64"},
		{"gather", graph.A("axis", 0), []*dtype.Tensor{x, idx}, "index 5 is outside a dimension of 2"},
		{"div", nil, []*dtype.Tensor{idx, zero}, "integer division by zero"},
		{"matmul", nil, []*dtype.Tensor{x, x}, "3 columns against 2 rows"},
		{"conv", conv, []*dtype.Tensor{img, ker}, "the window of 5 (dilation 1) exceeds the padded extent 4"},
		{"conv", conv.With("group", 3), []*dtype.Tensor{img, ker}, "3 groups do not divide"},
		{"conv", conv.With("strides", []int64{0, 1}), []*dtype.Tensor{img, ker}, "must be positive"},
		{"reshape", graph.A("shape", []int64{5}), []*dtype.Tensor{x}, "6 elements against 5"},
		{"transpose", graph.A("perm", []int64{0, 0}), []*dtype.Tensor{x}, "not a permutation"},
		{"slice", graph.A("sizes", []int64{2, 4}, "starts", []int64{0, 0}, "steps", []int64{1, 1}), []*dtype.Tensor{x}, "outside dimension 1"},
		{"concat", graph.A("axis", 0), []*dtype.Tensor{x, img}, "cannot join"},
		{"reduce_sum", graph.A("axes", []int64{1, 0}, "keepdims", true), []*dtype.Tensor{x}, "not distinct sorted axes"},
		{"pad", graph.A("mode", "reflect", "pads", []int64{0, 3, 0, 0}, "value", 0.0), []*dtype.Tensor{x}, "cannot pad dimension 1"},
		{"where", nil, []*dtype.Tensor{x, x, x}, "the condition is float32"},
		{"expand", graph.A("shape", []int64{2, 4}), []*dtype.Tensor{x}, "do not broadcast"},
	} {
		if _, err := apply(c.op, c.attrs, c.in...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.op, err, c.want)
		}
	}
}

// Every operator answers every question.
func TestOperatorsAreComplete(t *testing.T) {
	for _, op := range graph.Operators() {
		if op.Infer == nil || op.Eval == nil || op.Lower == nil {
			t.Errorf("%s lacks inference, evaluation or lowering", op.Name)
		}
		if op.Class <= graph.Broadcast && op.Scalar == nil && op.Layout != graph.PlainOnly && op.Layout != graph.Spatial {
			t.Errorf("%s is %s without a scalar expression", op.Name, op.Class)
		}
	}
}
