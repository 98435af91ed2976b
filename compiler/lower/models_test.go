package lower_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"hone/compiler/dtype"
	"hone/compiler/graph/graphopt"
	"hone/compiler/lower"
	"hone/compiler/onnx"
	"hone/compiler/tir"
	"hone/compiler/tir/interp"
)

func TestProg(t *testing.T) {
	name := os.Getenv("M")
	if name == "" {
		t.Skip()
	}
	dir := name
	m, err := onnx.Open(filepath.Join(dir, "model.onnx"), onnx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := m.Import(onnx.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t0 := time.Now()
	if err := graphopt.Run(g, graphopt.Options{Block: 8}); err != nil {
		t.Fatal(err)
	}
	t.Log("opt", time.Since(t0))
	t0 = time.Now()
	p, err := lower.Lower(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("lower", time.Since(t0))
	seen := map[string]int{}
	for _, k := range p.Kernels {
		if err := tir.Verify(k.Func); err != nil {
			t.Fatal(err)
		}
		s := tir.Script(k.Func)
		seen[s]++
		if seen[s] == 1 && os.Getenv("P") != "" {
			t.Log("\n" + s)
		}
	}
	t.Log("\n"+p.String(), p.Plan.String(), len(p.Kernels), len(seen))
	if os.Getenv("X") == "" {
		return
	}
	sets, _ := onnx.TestSets(dir)
	in := map[string]*dtype.Tensor{}
	for i, n := range m.InputNames() {
		in[n] = sets[0].Inputs[i]
	}
	t0 = time.Now()
	out, err := p.Interpret(in, interp.Options{})
	t.Log(time.Since(t0))
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range p.Outputs {
		compare(t, o.Name, out[o.Name], sets[0].Outputs[i], 1e-3)
	}
}
