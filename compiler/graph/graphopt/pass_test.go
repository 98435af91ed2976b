package graphopt_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/graph/graphopt"
	"hone/internal/rng"
)

// TestPasses runs the scripts of testdata: "pass NAME [block=N] [dot=TYPE]" with a graph
// gives the graph afterwards. A pass that is named must fire, unless the script
// says "quiet"; and whatever it did, the graph computes what it did before.
func TestPasses(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			before, err := graph.Parse(d.Input, map[string]*dtype.Tensor{"taps64": taps(64), "taps256": taps(256)})
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			after := before.Clone()
			o := graphopt.Options{}
			if d.HasArg("block") {
				d.ScanArgs(t, "block", &o.Block)
			}
			for _, a := range d.CmdArgs {
				if a.Key != "dot" {
					continue
				}
				if o.Bytes, err = dtype.Parse(a.Vals[0]); err != nil {
					d.Fatalf(t, "%v", err)
				}
			}
			n, err := graphopt.RunPass(after, d.CmdArgs[0].Key, o)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			if (n == 0) != d.HasArg("quiet") {
				d.Fatalf(t, "%d rewrites", n)
			}
			sameFunction(t, before, after)
			reparses(t, after)
			return after.String()
		})
	})
}

// taps are the weights of a convolution of 3×3 over n channels, for scripts to name.
func taps(n int64) *dtype.Tensor {
	r, w := rng.New(3, "taps"), dtype.NewTensor(dtype.Float32, n, n, 3, 3)
	for i := range w.Len() {
		w.SetFloat(i, r.Float64()/16)
	}
	return w
}

func reparses(t *testing.T, g *graph.Graph) {
	t.Helper()
	again, err := graph.Parse(g.String(), g.Constants())
	if err != nil {
		t.Fatalf("%v\n%s", err, g)
	}
	if err := again.Compact(); err != nil || again.String() != g.String() {
		t.Fatalf("prints and parses to another graph (%v):\n%s\n%s", err, g, again)
	}
}

// sameFunction compares two graphs on random inputs.
func sameFunction(t *testing.T, a, b *graph.Graph) {
	t.Helper()
	in := randomInputs(a, 7)
	want, err := a.Eval(in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Eval(in)
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range want {
		if diff := difference(got[name], w); diff != "" {
			t.Fatalf("output %q: %s\n%s", name, diff, b)
		}
	}
}

func randomInputs(g *graph.Graph, seed uint64) map[string]*dtype.Tensor {
	r := rng.New(seed, "inputs")
	in := map[string]*dtype.Tensor{}
	for _, p := range g.Inputs {
		typ := g.Type(p.Value)
		x := dtype.NewTensor(typ.Elem, typ.Shape...)
		for i := range x.Len() {
			if typ.Elem.IsFloat() {
				x.SetFloat(i, 2*r.Float64()-0.5)
			} else {
				x.SetInt(i, int64(r.Intn(2)))
			}
		}
		in[p.Name] = x
	}
	return in
}

func difference(got, want *dtype.Tensor) string {
	if !graph.Of(got.Type, got.Shape...).SameLogical(graph.Of(want.Type, want.Shape...)) {
		return fmt.Sprintf("%s%v, want %s%v", got.Type, got.Shape, want.Type, want.Shape)
	}
	for i := range got.Len() {
		if a, b := got.Float(i), want.Float(i); a != b && !(math.Abs(a-b) <= 1e-5*(1+math.Abs(b))) {
			return fmt.Sprintf("element %d is %g, want %g", i, a, b)
		}
	}
	return ""
}

func TestEveryPassHasAScript(t *testing.T) {
	scripts := map[string]bool{}
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		parts := strings.Split(path, "/")
		scripts[parts[len(parts)-1]] = true
	})
	for _, p := range graphopt.Passes {
		if !scripts[p.Name] {
			t.Errorf("pass %s has no script testdata/%s", p.Name, p.Name)
		}
		if p.Why == "" {
			t.Errorf("pass %s does not say why it stands where it does", p.Name)
		}
	}
}

func TestUnknownPassIsAnError(t *testing.T) {
	err := graphopt.Run(graph.New("g"), graphopt.Options{Disable: []string{"fuze"}})
	if err == nil || !strings.Contains(err.Error(), `no graph pass "fuze"`) || !strings.Contains(err.Error(), "layout") {
		t.Errorf("got %v", err)
	}
}

// A value that is read twice stands twice in a region's expression: regions end
// before that takes more than the machine.
func TestRegionsStaySmall(t *testing.T) {
	for name, operands := range map[string]func(i int) (int, int){
		"doublings":  func(i int) (int, int) { return i, i },
		"fibonacci":  func(i int) (int, int) { return i, max(0, i-1) },
		"long chain": func(i int) (int, int) { return i, 0 },
	} {
		var b strings.Builder
		b.WriteString("graph \"g\" {\n  input %0 \"x\": float32[4]\n")
		const n = 300
		for i := range n {
			x, y := operands(i)
			fmt.Fprintf(&b, "  %%%d: float32[4] = sub(%%%d, %%%d)\n", i+1, x, y)
		}
		fmt.Fprintf(&b, "  output %%%d \"y\"\n}\n", n)
		g, err := graph.Parse(b.String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		before := g.Clone()
		if _, err := graphopt.RunPass(g, "fuse", graphopt.Options{}); err != nil {
			t.Fatal(err)
		}
		sameFunction(t, before, g)
		if regions := len(strings.Split(g.String(), " @")) - 1; regions != n {
			t.Errorf("%s: %d of %d nodes are in regions", name, regions, n)
		}
		if last := fmt.Sprintf(" @%d\n", n/80); !strings.Contains(g.String(), last) {
			t.Errorf("%s: no region %s:\n%s", name, last, g)
		}
	}
}
