package onnx

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/graph"
)

// conformanceData is Debian's package libonnx-testdata.
const conformanceData = "/usr/share/libonnx-testdata/data"

// TestConformance runs the official cases through the importer and the
// reference executor. testdata/conformance.txt lists the cases that pass; a
// listed case that fails and an unlisted one that passes are both errors
// (HONE_UPDATE=1 rewrites the list).
func TestConformance(t *testing.T) {
	if _, err := os.Stat(conformanceData); err != nil {
		t.Skip("libonnx-testdata is not installed")
	}
	list := filepath.Join("testdata", "conformance.txt")
	expected := readList(t, list)
	var passed []string
	total := 0
	for _, suite := range []string{"node", "simple", "pytorch-converted", "pytorch-operator"} {
		dirs, _ := filepath.Glob(filepath.Join(conformanceData, suite, "test_*"))
		for _, dir := range dirs {
			total++
			name := suite + "/" + filepath.Base(dir)
			err := runCase(dir)
			if err == nil {
				passed = append(passed, name)
			}
			switch want := expected[name]; {
			case os.Getenv("HONE_UPDATE") != "":
				if err != nil && os.Getenv("HONE_UPDATE") == "v" {
					fmt.Printf("%s: %v\n", name, strings.ReplaceAll(err.Error(), "\n", " "))
				}
			case want && err != nil:
				t.Errorf("%s: %v", name, err)
			case !want && err == nil:
				t.Errorf("%s passes but is not listed in %s", name, list)
			}
		}
	}
	t.Logf("%d of %d cases pass", len(passed), total)
	if os.Getenv("HONE_UPDATE") != "" {
		slices.Sort(passed)
		if err := os.WriteFile(list, []byte(strings.Join(passed, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readList(t *testing.T, path string) map[string]bool {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		return map[string]bool{}
	}
	defer f.Close()
	list := map[string]bool{}
	for s := bufio.NewScanner(f); s.Scan(); {
		list[s.Text()] = true
	}
	return list
}

// shapeOperands are inputs that decide shapes: a case that feeds one is run
// with it frozen, as --const would do.
var shapeOperands = map[string][]int{
	"Reshape": {1}, "Expand": {1}, "Tile": {1}, "Slice": {1, 2, 3, 4}, "Pad": {1, 2, 3}, "Squeeze": {1}, "Unsqueeze": {1},
	"Resize": {1, 2, 3}, "Upsample": {1}, "Split": {1}, "ConstantOfShape": {0}, "Range": {0, 1, 2}, "Trilu": {1}, "CumSum": {1},
	"ReduceSum": {1}, "ReduceMean": {1}, "ReduceMax": {1}, "ReduceMin": {1}, "ReduceProd": {1}, "TopK": {1}, "OneHot": {1}, "Dropout": {2}, "If": {0},
}

func runCase(dir string) error {
	m, err := Open(filepath.Join(dir, "model.onnx"), Options{})
	if err != nil {
		return err
	}
	defer m.Close()
	sets, err := TestSets(dir)
	if err != nil {
		return err
	}
	if len(sets) == 0 {
		return fmt.Errorf("no test data")
	}
	set := sets[0]
	names := m.InputNames()
	if len(set.Inputs) != len(names) {
		return fmt.Errorf("%d inputs given, %d wanted", len(set.Inputs), len(names))
	}
	inputs, bind := map[string]*dtype.Tensor{}, Binding{Tensors: map[string]*dtype.Tensor{}, Shapes: map[string][]int64{}}
	frozen := frozenInputs(m)
	for i, name := range names {
		inputs[name] = set.Inputs[i]
		bind.Shapes[name] = set.Inputs[i].Shape
		if frozen[name] {
			bind.Tensors[name] = set.Inputs[i]
		}
	}
	g, _, err := m.Import(Options{Binding: bind})
	if err != nil {
		return err
	}
	out, err := g.Eval(inputs)
	if err != nil {
		return err
	}
	return compareSet(g, out, set)
}

func frozenInputs(m *Model) map[string]bool {
	frozen := map[string]bool{}
	for _, n := range m.Proto.Graph.Nodes {
		for _, i := range shapeOperands[n.Op] {
			if i < len(n.Inputs) {
				frozen[n.Inputs[i]] = true
			}
		}
	}
	return frozen
}

// compareSet uses the official runner's tolerance.
func compareSet(g *graph.Graph, out map[string]*dtype.Tensor, set TestSet) error {
	for i, p := range g.Outputs {
		if i >= len(set.Outputs) {
			break
		}
		got, want := out[p.Name], set.Outputs[i]
		if got.Type != want.Type || !slices.Equal(got.Shape, want.Shape) {
			return fmt.Errorf("%s is %s%v, want %s%v", p.Name, got.Type, got.Shape, want.Type, want.Shape)
		}
		for k := range got.Len() {
			if a, b := got.Float(k), want.Float(k); !near(a, b, 1e-3, 1e-6) {
				return fmt.Errorf("%s[%d] = %g, want %g", p.Name, k, a, b)
			}
		}
	}
	return nil
}
