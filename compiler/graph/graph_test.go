package graph_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	_ "hone/compiler/graph/ops"
)

// TestScripts runs "parse": the text comes back as it is printed, or the error.
func TestScripts(t *testing.T) {
	datadriven.RunTest(t, "testdata/parse", func(t *testing.T, d *datadriven.TestData) string {
		g, err := graph.Parse(d.Input, nil)
		if err != nil {
			return "error: " + err.Error() + "\n"
		}
		text := g.String()
		again, err := graph.Parse(text, nil)
		if err != nil || again.String() != text {
			t.Errorf("the print does not read back: %v\n%s", err, text)
		}
		return text
	})
}

func TestUnknownOperatorsListTheKnown(t *testing.T) {
	_, err := graph.Parse("graph \"g\" {\n  input %0 \"x\": float32[2]\n  %1: float32[2] = frobnicate(%0)\n}\n", nil)
	if err == nil || !strings.Contains(err.Error(), `line 3: unknown graph operator "frobnicate" (known: abs, add, argmax, `) {
		t.Errorf("got %v", err)
	}
}

func chain(t *testing.T) (*graph.Graph, []graph.ValueID) {
	t.Helper()
	g := graph.New("g")
	x := g.Input("x", graph.Of(dtype.Float32, 2))
	a := g.Add1("relu", "a", nil, x)
	b := g.Add1("exp", "b", nil, a)
	c := g.Add1("add", "c", nil, a, b)
	g.Output("y", c)
	return g, []graph.ValueID{x, a, b, c}
}

func TestCompactDropsWhatIsNotNeededAndOrders(t *testing.T) {
	g, v := chain(t)
	g.Add1("tanh", "unused", nil, v[0])
	late := g.Add1("sigmoid", "late", nil, v[0]) // after its reader in the arena
	g.Replace(v[1], late)
	if err := g.Compact(); err != nil {
		t.Fatal(err)
	}
	if err := g.Verify(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, n := range g.Nodes {
		names = append(names, n.Name)
	}
	if !slices.Equal(names, []string{"late", "b", "c"}) {
		t.Errorf("nodes %v", names)
	}
}

func TestReplaceSparesTheNewValuesProducer(t *testing.T) {
	g, v := chain(t)
	y := g.Add1("neg", "n", nil, v[1])
	g.Replace(v[1], y)
	if err := g.Verify(); err != nil {
		t.Fatal(err)
	}
	if g.Producer(y).Inputs[0] != v[1] || g.Producer(v[3]).Inputs[0] != y {
		t.Errorf("got\n%s", g)
	}
}

func TestCyclesAndStrangersAreErrors(t *testing.T) {
	g, v := chain(t)
	g.Producer(v[1]).Inputs[0] = v[3]
	if _, err := g.Order(); err == nil || !strings.Contains(err.Error(), `depends on its own result`) {
		t.Errorf("got %v", err)
	}
	g, v = chain(t)
	g.Delete(g.Value(v[1]).Def)
	if err := g.Verify(); err == nil || !strings.Contains(err.Error(), "made by a deleted node") {
		t.Errorf("got %v", err)
	}
	g, v = chain(t)
	g.Value(v[2]).Type.Shape = []int64{3}
	if err := g.Verify(); err == nil || !strings.Contains(err.Error(), `exp "b": result 0 is float32[3], want float32[2]`) {
		t.Errorf("got %v", err)
	}
}

func TestEvalChecksItsInputs(t *testing.T) {
	g, _ := chain(t)
	if _, err := g.Eval(nil); err == nil || !strings.Contains(err.Error(), `input "x" is missing`) {
		t.Errorf("got %v", err)
	}
	in := map[string]*dtype.Tensor{"x": dtype.NewTensor(dtype.Float32, 3)}
	if _, err := g.Eval(in); err == nil || !strings.Contains(err.Error(), `input "x" is float32[3], want float32[2]`) {
		t.Errorf("got %v", err)
	}
	in["x"] = dtype.FromFloat32([]float32{-1, 0}, 2)
	out, err := g.Eval(in)
	if err != nil || !slices.Equal(out["y"].Float32s(), []float32{1, 1}) {
		t.Errorf("got %v, %v", out, err)
	}
}

// Storing in a layout and back is the identity, and the filling is zero.
func TestLayoutsRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		shape := rapid.SliceOfN(rapid.Int64Range(1, 5), 2, 4).Draw(r, "shape")
		axis := rapid.IntRange(0, len(shape)-1).Draw(r, "axis")
		block := rapid.IntRange(1, 4).Draw(r, "block")
		kind := rapid.SampledFrom([]graph.LayoutKind{graph.Split, graph.Round}).Draw(r, "kind")
		typ := graph.Of(dtype.Int32, shape...).WithLayout(graph.Layout{Kind: kind, Axis: int8(axis), Block: int16(block)})
		x := dtype.NewTensor(dtype.Int32, shape...)
		sum := int64(0)
		for i := range x.Len() {
			x.SetInt(i, int64(i+1))
			sum += int64(i + 1)
		}
		p := graph.PhysicalTensor(x, typ)
		if !slices.Equal(p.Shape, typ.PhysicalShape()) || int64(len(p.Data)) != typ.Bytes() {
			r.Fatalf("%s is stored as %v", typ, p.Shape)
		}
		for _, v := range p.Int64s() {
			sum -= v
		}
		if back := graph.LogicalTensor(p, typ); sum != 0 || !bytes.Equal(back.Data, x.Data) {
			r.Fatalf("%s: %v stored as %v", typ, x.Int64s(), p.Int64s())
		}
	})
}

func TestBroadcastShapes(t *testing.T) {
	for _, c := range []struct {
		a, b, want []int64
	}{
		{[]int64{2, 1}, []int64{3}, []int64{2, 3}}, {[]int64{}, []int64{4}, []int64{4}}, {[]int64{0}, []int64{1}, []int64{0}}, {[]int64{2}, []int64{3}, nil},
	} {
		if got, err := graph.BroadcastShapes(c.a, c.b); !slices.Equal(got, c.want) || (err != nil) != (c.want == nil) {
			t.Errorf("%v with %v: %v, %v", c.a, c.b, got, err)
		}
	}
}

func TestViews(t *testing.T) {
	call := func(op string, in, out graph.Type, attrs graph.Attrs) *graph.Call {
		return &graph.Call{Op: graph.MustLookup(op), Attrs: attrs, In: []graph.Type{in}, Out: []graph.Type{out}}
	}
	slice := func(in []int64, starts, sizes []int64) *graph.Call {
		a := graph.A("sizes", sizes, "starts", starts, "steps", slices.Repeat([]int64{1}, len(in)))
		return call("slice", graph.Of(dtype.Float32, in...), graph.Of(dtype.Float32, sizes...), a)
	}
	plain := func(s ...int64) graph.Type { return graph.Of(dtype.Float32, s...) }
	for _, c := range []struct {
		call   *graph.Call
		offset int64
		ok     bool
	}{
		{call("reshape", plain(2, 3), plain(6), nil), 0, true},
		{call("reorder", plain(1, 16, 1, 1).WithLayout(graph.Blocked(8)), plain(1, 16, 1, 1), nil), 0, true},
		{call("reorder", plain(1, 12, 1, 1).WithLayout(graph.Blocked(8)), plain(1, 12, 1, 1), nil), 0, false},
		{call("reorder", plain(1, 16, 2, 1).WithLayout(graph.Blocked(8)), plain(1, 16, 2, 1), nil), 0, false},
		{slice([]int64{1, 4, 16}, []int64{0, 1, 0}, []int64{1, 2, 16}), 64, true},
		{slice([]int64{2, 4, 16}, []int64{1, 2, 0}, []int64{1, 1, 16}), (64 + 32) * 4, true},
		{slice([]int64{2, 4, 16}, []int64{0, 1, 0}, []int64{2, 2, 16}), 0, false},
		{slice([]int64{1, 4, 15}, []int64{0, 1, 0}, []int64{1, 2, 15}), 60, false}, // misaligned
		{call("transpose", plain(2, 3), plain(3, 2), graph.A("perm", []int64{1, 0})), 0, false},
	} {
		if offset, ok := graph.View(c.call); ok != c.ok || ok && offset != c.offset {
			t.Errorf("%s of %s to %s: %d, %v", c.call.Op.Name, c.call.In[0], c.call.Out[0], offset, ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("graph \"g\" {\n  input %0 \"x\": float32[2]\n  const %1: float32[] = [1.5]\n  %2: float32[2] = add(%0, %1) @0 \"n\"\n  output %2 \"y\"\n}\n")
	f.Add("graph \"g\" {\n  input %0 \"x\": float32[1,3,2,2]:c8\n  %1: float32[1,3,2,2] = reorder(%0) {block=0}\n  output %1 \"y\"\n}\n")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := graph.Parse(text, nil)
		if err != nil {
			return
		}
		again, err := graph.Parse(g.String(), g.Constants())
		if err != nil || again.String() != g.String() {
			t.Fatalf("%v\n%s", err, g)
		}
	})
}
