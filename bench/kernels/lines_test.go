package main

import (
	"os"
	"path/filepath"
	"testing"

	"hone/compiler/target"
	"hone/compiler/tir/analysis"
)

// Every line's model gives the function that the line names: its arithmetic is the
// nominal one, but for bias, activation and what rows add.
func TestLinesGiveTheirFunctions(t *testing.T) {
	tgt, err := target.Parse(`{"kind":"cpu","mcpu":"znver3","num-cores":2}`)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, l := range lines {
		if seen[l.name] {
			t.Errorf("two lines are named %s", l.name)
		}
		seen[l.name] = true
		file := filepath.Join(t.TempDir(), "model.onnx")
		if err := os.WriteFile(file, l.layers.model().Encode(), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := function(file, l.layers.results(), &tgt)
		if err != nil {
			t.Errorf("%s: %v", l.name, err)
			continue
		}
		got, want := analysis.EstimateFlops(f), l.layers.flops()
		if got < want || l.class != "rows" && got > 1.35*want {
			t.Errorf("%s: the heaviest task has %.0f operations, the line says %.0f", l.name, got, want)
		}
	}
}

func TestChosen(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  int
	}{{nil, len(lines)}, {[]string{"gemv"}, 1}, {[]string{"depthwise", "gelu"}, 5}} {
		if got, err := chosen(c.names); err != nil || len(got) != c.want {
			t.Errorf("%v chose %d lines, %v", c.names, len(got), err)
		}
	}
	if _, err := chosen([]string{"gemm"}); err == nil || err.Error() != `no line or class is named "gemm"` {
		t.Errorf("an unknown name gave %v", err)
	}
}
