package compiler_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"hone/compiler"
	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/graph/graphopt"
	"hone/compiler/lower"
	"hone/compiler/onnx"
	"hone/compiler/tir"
)

// modelDir finds a model: the demo in the repository, the others where the
// sample models of the project lie (HONE_MODELS, or beside the repository).
func modelDir(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join("..", "testdata", "models", name)
	if name != "demo" {
		dir = filepath.Join("..", "..", "shared", "models", name)
		if env := os.Getenv("HONE_MODELS"); env != "" {
			dir = filepath.Join(env, name)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "model.onnx")); err != nil {
		t.Skipf("no model %s at hand", name)
	}
	return dir
}

// Every model optimises to as few calls as the passes promise, and the
// optimised graph still gives the outputs that came with the model.
func TestModelsThroughTheFrontHalf(t *testing.T) {
	for _, c := range []struct {
		name           string
		kernels, tasks int
		eval           bool // light enough to evaluate on every run
	}{
		{"demo", 13, 13, true},
		{"bert_tiny", 18, 9, true},
		{"bert_base_l1", 11, 9, false},
		{"mobilenetv2", 54, 32, true},
		{"resnet18", 35, 22, false},
		{"unet", 16, 14, false},
		{"vit_tiny", 33, 10, false},
		{"conv_gru", 209, 10, true},
		{"mobilenetv2_qdq", 66, 48, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := modelDir(t, c.name)
			m, err := onnx.Open(filepath.Join(dir, "model.onnx"), onnx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			g, _, err := m.Import(onnx.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := graphopt.Run(g, graphopt.Options{Block: 8}); err != nil {
				t.Fatal(err)
			}
			p, err := lower.Lower(g)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range p.Kernels {
				if err := tir.Verify(k.Func); err != nil {
					t.Errorf("%s: %v", k.Name, err)
				}
			}
			if tasks := compiler.ExtractTasks(p); len(p.Kernels) != c.kernels || len(tasks) != c.tasks {
				t.Errorf("%d kernels and %d tasks, want %d and %d\n%s", len(p.Kernels), len(tasks), c.kernels, c.tasks, p)
			}
			if c.eval || os.Getenv("HONE_TEST_ALL") != "" {
				checkOutputs(t, dir, m, g, onnx.Tolerance(dir))
			}
		})
	}
}

func checkOutputs(t *testing.T, dir string, m *onnx.Model, g *graph.Graph, atol float64) {
	t.Helper()
	sets, err := onnx.TestSets(dir)
	if err != nil || len(sets) == 0 {
		t.Fatalf("test data: %v, %v", sets, err)
	}
	in := map[string]*dtype.Tensor{}
	for i, name := range m.InputNames() {
		in[name] = sets[0].Inputs[i]
	}
	out, err := g.Eval(in)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range g.Outputs {
		got, want := out[p.Name], sets[0].Outputs[i]
		for k := range want.Len() {
			if a, b := got.Float(k), want.Float(k); !(math.Abs(a-b) <= atol+1e-3*math.Abs(b)) {
				t.Fatalf("%s[%d] = %g, want %g", p.Name, k, a, b)
			}
		}
	}
}
