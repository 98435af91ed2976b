package onnxfile_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hone/compiler/onnx"
	"hone/compiler/onnx/onnxfile"
)

// What is written is what the importer reads.
func TestImporterReadsWhatIsWritten(t *testing.T) {
	var f onnxfile.File
	f.Input("x", 1, 4, 8, 8)
	f.Weight("w", 6, 4, 3, 3)
	f.Node("Conv", "y", []string{"x", "w"}, onnxfile.Attribute{Name: "group", Values: []int64{1}}, onnxfile.Attribute{Name: "strides", Values: []int64{2, 2}})
	f.Output("y", 1, 6, 3, 3)
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, f.Encode(), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := onnx.Open(path, onnx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	g, _, err := m.Import(onnx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Inputs) != 1 || len(g.Outputs) != 1 || len(g.Nodes) != 1 {
		t.Fatalf("got %d inputs, %d outputs, %d nodes", len(g.Inputs), len(g.Outputs), len(g.Nodes))
	}
	if y := g.Outputs[0]; y.Name != "y" || !slices.Equal(g.Type(y.Value).Shape, []int64{1, 6, 3, 3}) {
		t.Errorf("the output is %s %v", y.Name, g.Type(y.Value))
	}
}
