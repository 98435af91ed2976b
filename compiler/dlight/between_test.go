package dlight_test

import (
	"strings"
	"testing"

	"hone/compiler/dlight"
	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/graph/graphopt"
	"hone/compiler/lower"
	"hone/compiler/pipeline"
	"hone/compiler/tir"
)

// Winograd's convolution in one function is one parallel loop over blocks of tiles, in
// which the transforms are straight code, the product is in registers, and no buffer
// holds more than a block.
func TestBetweenStagesAProductIsInBlocks(t *testing.T) {
	for _, name := range targets {
		for _, size := range []string{"28,28", "32,32", "14,14"} {
			tgt := parse(t, name).WithThreads(1)
			f := winograd(t, size, tgt.Lanes(32))
			s, moves, err := dlight.Default(f, &tgt)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(moves, " "); got != "inline between" {
				t.Errorf("%s on %s: moves %q", size, name, got)
			}
			u, err := pipeline.LowerCPU(s.Func(), &tgt)
			if err != nil {
				t.Fatal(err)
			}
			text := tir.Script(u.Func)
			if n := strings.Count(text, "T.parallel"); n > 1 || n == 0 && size == "32,32" {
				t.Errorf("%s on %s: %d parallel loops, want one over blocks", size, name, n)
			}
			if strings.Contains(text, "T.Select") || !strings.Contains(text, "product_r") || strings.Contains(text, "columns = T.alloc_buffer") || len(text) > 90_000 {
				t.Errorf("%s on %s: a choice of formulas or a whole buffer is left, or the product is not in registers: %d bytes\n%s", size, name, len(text), text)
			}
		}
	}
}

// winograd is the function of a convolution with a bias and a residual.
func winograd(t *testing.T, size string, lanes int) *tir.PrimFunc {
	t.Helper()
	g, err := graph.Parse(strings.ReplaceAll(`graph "g" {
  input %0 "x": float32[1,64,S]
  input %4 "z": float32[1,32,S]
  const %1: float32[32,64,3,3] = #w
  %2: float32[1,32,S] = conv(%0, %1) {dilations=[1, 1], group=1, pads=[1, 1, 1, 1], strides=[1, 1]}
  %3: float32[1,32,S] = relu(%2)
  %5: float32[1,32,S] = add(%3, %4)
  output %5 "y"
}
`, "S", size), map[string]*dtype.Tensor{"w": dtype.NewTensor(dtype.Float32, 32, 64, 3, 3)})
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]int64{}
	opt := graphopt.Options{Block: lanes, Forms: forms, Site: func(s graphopt.Site) { forms[s.Name] = 4 }}
	if err := graphopt.Run(g, opt); err != nil {
		t.Fatal(err)
	}
	p, err := lower.Lower(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range p.Kernels {
		if strings.HasPrefix(k.Func.Name, "winograd_conv") {
			return k.Func
		}
	}
	t.Fatalf("no such kernel\n%s", g)
	return nil
}
