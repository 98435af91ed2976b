package dlight_test

import (
	"strings"
	"testing"

	"hone/compiler/dlight"
	"hone/compiler/graph"
	"hone/compiler/graph/graphopt"
	"hone/compiler/lower"
	"hone/compiler/pipeline"
	"hone/compiler/tir"
)

// Attention is one parallel loop over heads and blocks of rows in which both products
// are register tiles and no condition is left inside of a tile, tails included.
func TestChainsAreTilesInBlocksOfRows(t *testing.T) {
	for _, name := range targets {
		tgt := parse(t, name).WithThreads(1)
		for _, rows := range []string{"128", "197"} {
			f := attention(t, rows, tgt.Lanes(32))
			s, moves, err := dlight.Default(f, &tgt)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Join(moves, " ") != "inline chain" {
				t.Errorf("%s rows on %s: moves %v", rows, name, moves)
			}
			u, err := pipeline.LowerCPU(s.Func(), &tgt)
			if err != nil {
				t.Fatal(err)
			}
			text := tir.Script(u.Func)
			for _, want := range []string{"scores_r", "values_r", "peak_r", "sum_r"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s rows on %s: no registers %s\n%s", rows, name, want, text)
				}
			}
			if strings.Count(text, "T.parallel") != 1 || strings.Contains(text, "if_then_else") || strings.Contains(text, "values = T.alloc") {
				t.Errorf("%s rows on %s: not one loop over blocks, or a condition or buffer is left\n%s", rows, name, text)
			}
		}
	}
}

// attention is the function of an attention of two heads with a mask, as models are
// lowered to it.
func attention(t *testing.T, rows string, lanes int) *tir.PrimFunc {
	t.Helper()
	g, err := graph.Parse(strings.ReplaceAll(`graph "g" {
  input %0 "q": float32[1,2,S,64]
  input %1 "k": float32[1,2,64,S]
  input %2 "v": float32[1,2,S,64]
  input %3 "mask": float32[1,1,1,S]
  %4: float32[1,2,S,S] = matmul(%0, %1)
  %5: float32[1,2,S,S] = add(%4, %3)
  %6: float32[1,2,S,S] = softmax(%5) {axis=3}
  %7: float32[1,2,S,64] = matmul(%6, %2)
  output %7 "y"
}
`, "S", rows), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := graphopt.Run(g, graphopt.Options{Block: lanes}); err != nil {
		t.Fatal(err)
	}
	p, err := lower.Lower(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range p.Kernels {
		if strings.HasPrefix(k.Func.Name, "attention") {
			return k.Func
		}
	}
	t.Fatalf("no attention in\n%s", g)
	return nil
}
