package graphopt_test

import (
	"os"
	"path/filepath"
	"testing"

	"hone/compiler/graph"
	"hone/compiler/graph/graphopt"
	"hone/compiler/onnx"
)

func TestDump(t *testing.T) {
	name := os.Getenv("M")
	if name == "" {
		t.Skip()
	}
	m, err := onnx.Open(filepath.Join("/work/shared/models", name, "model.onnx"), onnx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := m.Import(onnx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("import: %d nodes", len(g.Nodes))
	err = graphopt.Run(g, graphopt.Options{Block: 8, After: func(p string, n int, g *graph.Graph) { t.Logf("%-16s %4d rewrites, %d nodes", p, n, len(g.Nodes)) }})
	t.Log("\n" + g.String())
	if err != nil {
		t.Fatal(err)
	}
}
