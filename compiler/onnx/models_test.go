package onnx

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/graph"
)

// sampleModels is where the sample models of the project lie; tests that need
// one skip without it.
func sampleModels() string {
	if dir := os.Getenv("HONE_MODELS"); dir != "" {
		return dir
	}
	for dir := "."; ; dir = filepath.Join(dir, "..") {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "..", "shared", "models")
		}
		if abs, err := filepath.Abs(dir); err != nil || abs == "/" {
			return ""
		}
	}
}

func openModel(t *testing.T, path string, b Binding) (*Model, *graph.Graph) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no model at %s", path)
	}
	opt := Options{Binding: b}
	m, err := Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	g, _, err := m.Import(opt)
	if err != nil {
		t.Fatal(err)
	}
	return m, g
}

func TestSampleModelsReproduceTheirOutputs(t *testing.T) {
	dyn := Binding{}
	if err := dyn.AddDim("batch=1,sequence=64"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		bind  Binding
		heavy bool // only with HONE_TEST_ALL
	}{
		{name: "demo"}, {name: "bert_tiny"}, {name: "bert_tiny_dyn", bind: dyn}, {name: "mobilenetv2"},
		{name: "bert_base_l1"}, {name: "unet"}, {name: "vit_tiny"}, {name: "resnet18", heavy: true},
		{name: "conv_gru"}, {name: "mobilenetv2_qdq"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.heavy && os.Getenv("HONE_TEST_ALL") == "" || testing.Short() {
				t.Skip("takes seconds; set HONE_TEST_ALL")
			}
			dir := filepath.Join(sampleModels(), c.name)
			if c.name == "demo" {
				dir = filepath.Join("..", "..", "testdata", "models", c.name)
			}
			m, g := openModel(t, filepath.Join(dir, "model.onnx"), c.bind)
			sets, err := TestSets(dir)
			if err != nil || len(sets) == 0 {
				t.Fatalf("test data: %v, %v", sets, err)
			}
			checkSet(t, m, g, sets[0], Tolerance(dir))
		})
	}
}

func checkSet(t *testing.T, m *Model, g *graph.Graph, set TestSet, atol float64) {
	t.Helper()
	inputs := map[string]*dtype.Tensor{}
	for i, name := range m.InputNames() {
		inputs[name] = set.Inputs[i]
	}
	out, err := g.Eval(inputs)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range g.Outputs {
		compare(t, p.Name, out[p.Name], set.Outputs[i], 1e-3, atol)
	}
}

func compare(t *testing.T, name string, got, want *dtype.Tensor, rtol, atol float64) {
	t.Helper()
	if got.Type != want.Type || !graph.Of(got.Type, got.Shape...).SameLogical(graph.Of(want.Type, want.Shape...)) {
		t.Fatalf("%s is %s%v, want %s%v", name, got.Type, got.Shape, want.Type, want.Shape)
	}
	for i := range got.Len() {
		if a, b := got.Float(i), want.Float(i); !near(a, b, rtol, atol) {
			t.Fatalf("%s[%d] = %g, want %g", name, i, a, b)
		}
	}
}

func near(a, b, rtol, atol float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= atol+rtol*math.Abs(b)
}
