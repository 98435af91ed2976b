package analysis_test

import (
	"sort"
	"strings"
	"testing"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

// TestBufferLCA holds the places against those of TVM 0.27 (below "# ----").
func TestBufferLCA(t *testing.T) {
	eachCase(t, "lca", func(t *testing.T, src string) string {
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
		return strings.Join(lines, "\n") + "\n"
	})
}
