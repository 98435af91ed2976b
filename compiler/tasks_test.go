package compiler_test

import (
	"testing"

	"hone/compiler"
	"hone/compiler/dtype"
	"hone/compiler/graph"
	"hone/compiler/graph/graphopt"
	"hone/compiler/lower"
)

func TestEqualKernelsAreOneTask(t *testing.T) {
	g := graph.New("g")
	weight := func(seed float64) graph.ValueID {
		w := dtype.NewTensor(dtype.Float32, 4, 4)
		for i := range w.Len() {
			w.SetFloat(i, seed*float64(i))
		}
		return g.Constant(w, "")
	}
	v := g.Input("x", graph.Of(dtype.Float32, 2, 4))
	for i := range 3 {
		v = g.Add1("relu", "", nil, g.Add1("matmul", "", nil, v, weight(float64(i+1))))
	}
	g.Output("y", g.Add1("softmax", "", graph.A("axis", 1), v))
	if err := graphopt.Run(g, graphopt.Options{Block: 8}); err != nil {
		t.Fatal(err)
	}
	p, err := lower.Lower(g)
	if err != nil {
		t.Fatal(err)
	}
	tasks := compiler.ExtractTasks(p)
	if len(tasks) != 2 || tasks[0].Name != "matmul_relu" || tasks[0].Weight != 3 || tasks[1].Name != "softmax" || tasks[1].Weight != 1 {
		t.Errorf("got %+v", tasks)
	}
	if k := tasks[1].Kernels; len(k) != 1 || p.Kernels[k[0]].Func != tasks[1].Func {
		t.Errorf("the softmax is kernel %v", k)
	}
}
