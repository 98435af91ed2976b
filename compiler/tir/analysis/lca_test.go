package analysis_test

import (
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

// TestBufferLCA holds the places against those of TVM 0.27 (below "# ----").
func TestBufferLCA(t *testing.T) {
	files, err := filepath.Glob("testdata/lca/*.py")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".py"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			src, want, _ := strings.Cut(string(text), "# ----\n")
			var lines []string
			for b, s := range analysis.BufferLCA(parse(t, src)) {
				line := "# " + b.Name + ": function"
				switch s := s.(type) {
				case *tir.For:
					line = "# " + b.Name + ": for " + s.Var.Name
				case *tir.BlockRealize:
					line = "# " + b.Name + ": SBlock " + s.Block.Name
				}
				lines = append(lines, line)
			}
			sort.Strings(lines)
			if got := strings.Join(lines, "\n") + "\n"; got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}
