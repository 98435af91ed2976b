package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hone/compiler/dlight"
	"hone/compiler/pipeline"
	"hone/compiler/target"
	"hone/compiler/tir"
)

// The last tile of a row of the strided stem is a tail and at the border at once; its
// accumulators are registers all the same.
func TestStemKeepsItsAccumulators(t *testing.T) {
	tgt, err := target.Parse(`{"kind":"cpu","mcpu":"znver3","num-cores":2}`)
	if err != nil {
		t.Fatal(err)
	}
	tgt = tgt.WithThreads(1)
	list, err := chosen([]string{"conv7x7_stem"})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(file, list[0].layers.model().Encode(), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := function(file, list[0].layers.results(), &tgt)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := dlight.Default(f, &tgt)
	if err != nil {
		t.Fatal(err)
	}
	u, err := pipeline.LowerCPU(s.Func(), &tgt)
	if err != nil {
		t.Fatal(err)
	}
	text := tir.Script(u.Func)
	if n := strings.Count(text, `scope="register"`); n < 3 {
		t.Errorf("%d register tiles, want one for the border, the middle and the end\n%s", n, text)
	}
	if strings.Contains(text, "conv[") {
		t.Errorf("accumulators are in memory\n%s", text)
	}
}
