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

// The transforms of Winograd's convolution become straight code over vectors: no
// choice of formulas is left, and no stage fills a whole buffer.
func TestStagesBecomeStraightCode(t *testing.T) {
	for _, name := range targets {
		tgt := parse(t, name).WithThreads(1)
		g, err := graph.Parse(`graph "g" {
  input %0 "x": float32[1,64,28,30]
  const %1: float32[64,64,3,3] = #w
  %2: float32[1,64,28,30] = conv(%0, %1) {dilations=[1, 1], group=1, pads=[1, 1, 1, 1], strides=[1, 1]}
  %3: float32[1,64,28,30] = relu(%2)
  output %3 "y"
}
`, map[string]*dtype.Tensor{"w": dtype.NewTensor(dtype.Float32, 64, 64, 3, 3)})
		if err != nil {
			t.Fatal(err)
		}
		forms := map[string]int64{}
		opt := graphopt.Options{Block: tgt.Lanes(32), Forms: forms, Site: func(s graphopt.Site) { forms[s.Name] = -4 }}
		if err := graphopt.Run(g, opt); err != nil {
			t.Fatal(err)
		}
		p, err := lower.Lower(g)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, k := range p.Kernels {
			if !strings.Contains(k.Func.Name, "winograd") {
				continue
			}
			found++
			s, moves, err := dlight.Default(k.Func, &tgt)
			if err != nil {
				t.Fatal(err)
			}
			u, err := pipeline.LowerCPU(s.Func(), &tgt)
			if err != nil {
				t.Fatal(err)
			}
			text := tir.Script(u.Func)
			if strings.Join(moves, " ") != "stages" && strings.Join(moves, " ") != "inline stages" || strings.Contains(text, "T.Select") || len(text) > 40_000 {
				t.Errorf("%s on %s: moves %v, %d bytes, %d choices left\n%s", k.Func.Name, name, moves, len(text), strings.Count(text, "T.Select"), tir.Script(s.Func()))
			}
		}
		if found != 2 {
			t.Errorf("on %s %d transforms, want 2\n%s", name, found, g)
		}
	}
}
