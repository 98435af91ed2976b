package graphopt_test

import (
	"math"
	"slices"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/graph/graphopt"
)

// Every form of a site computes the convolution within 1e-3 of the largest result, the
// bound that models' outputs are held to, and the form is the one asked for.
func TestFormsOfASite(t *testing.T) {
	parse := func() *graph.Graph {
		g, err := graph.Parse(`graph "g" {
  input %0 "x": float32[1,64,18,17]
  const %1: float32[64,64,3,3] = #w
  %2: float32[1,64,18,17] = conv(%0, %1) {dilations=[1, 1], group=1, pads=[1, 1, 1, 1], strides=[1, 1]}
  output %2 "y"
}
`, map[string]*dtype.Tensor{"w": taps(64)})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	var sites []graphopt.Site
	g := parse()
	if err := graphopt.Run(g, graphopt.Options{Block: 8, Site: func(s graphopt.Site) { sites = append(sites, s) }}); err != nil {
		t.Fatal(err)
	}
	if len(sites) != 1 || !slices.Contains(sites[0].Forms, sites[0].Form) || len(sites[0].Forms) < 2 {
		t.Fatalf("sites %+v, want one of several forms", sites)
	}
	in := randomInputs(g, 5)
	want, err := parse().Eval(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []int64{0, -2, 2, -4, 4} {
		g := parse()
		if err := graphopt.Run(g, graphopt.Options{Block: 8, Forms: map[string]int64{sites[0].Name: form}}); err != nil {
			t.Fatal(err)
		}
		op := map[bool]string{true: "winograd_conv", false: "winograd_input"}[form > 0]
		i := slices.IndexFunc(g.Nodes, func(n graph.Node) bool { return n.Op != nil && n.Op.Name == op })
		if (i >= 0) != (form != 0) || i >= 0 && g.Nodes[i].Attrs.Int("tile") != max(form, -form) {
			t.Errorf("form %d is\n%s", form, g)
		}
		got, err := g.Eval(in)
		if err != nil {
			t.Fatal(err)
		}
		if e := largestError(got["y"], want["y"]); e > 1e-3 {
			t.Errorf("form %d is wrong by %g of the largest result", form, e)
		}
	}
}

func largestError(got, want *dtype.Tensor) float64 {
	worst, largest := 0.0, 0.0
	for i := range want.Len() {
		worst = max(worst, math.Abs(got.Float(i)-want.Float(i)))
		largest = max(largest, math.Abs(want.Float(i)))
	}
	return worst / largest
}
