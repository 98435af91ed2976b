package emit

import (
	"testing"

	"hone/bench/workload"
	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/internal/wire"
)

func TestSumsOfProductsAreCheckedBitwise(t *testing.T) {
	for name, f := range map[string]*tir.PrimFunc{
		"matmul": workload.Matmul(8, 8, 8), "conv": workload.Conv(8, 8, 8, 8, 3, 8), "depthwise": workload.Depthwise(8, 8, 8, 3, 8),
	} {
		args, rule, _, _, err := Operands(f)
		if err != nil {
			t.Fatal(err)
		}
		if rule != wire.RuleExact || len(args) != 3 || args[1].Role != wire.RoleWeight || args[2].Role != wire.RoleOut || args[0].Generator.Kind != wire.GenInts {
			t.Errorf("%s: rule %s, args %+v", name, rule, args)
		}
	}
	// Too many terms for exact sums in float32.
	if _, rule, _, _, _ := Operands(workload.Matmul(1, 8, exactTerms+1)); rule != wire.RuleClose {
		t.Error("a sum that may round was called exact")
	}
}

func TestFunctionsOfRealsAreCheckedClosely(t *testing.T) {
	b := tir.NewBuilder("main")
	x, y := b.Param("x", dtype.Float32, 4, 8), b.Param("y", dtype.Float32, 4, 8)
	b.Compute("exp", y, func(i []tir.Expr) tir.Expr {
		return &tir.Call{Op: "exp", Args: []tir.Expr{&tir.Load{Buffer: x, Indices: i}}, Type: dtype.Float32}
	})
	f, err := analysis.InferRegions(b.Func())
	if err != nil {
		t.Fatal(err)
	}
	args, rule, rtol, atol, err := Operands(f)
	if err != nil || rule != wire.RuleClose || rtol <= 0 || atol <= 0 || args[0].Generator.Kind != wire.GenNormal {
		t.Errorf("rule %s rtol %v atol %v args %+v err %v", rule, rtol, atol, args, err)
	}
}

// Integers that index a table stay inside its smallest indexed dimension.
func TestIndicesStayInRange(t *testing.T) {
	b := tir.NewBuilder("main")
	table, id := b.Param("table", dtype.Float32, 30, 8), b.Param("id", dtype.Int64, 5)
	y := b.Param("y", dtype.Float32, 5, 8)
	b.Compute("gather", y, func(i []tir.Expr) tir.Expr {
		return &tir.Load{Buffer: table, Indices: []tir.Expr{&tir.Load{Buffer: id, Indices: i[:1]}, i[1]}}
	})
	f, err := analysis.InferRegions(b.Func())
	if err != nil {
		t.Fatal(err)
	}
	args, _, _, _, err := Operands(f)
	if err != nil || args[1].Generator != wire.Index(30) {
		t.Errorf("generator of the index: %+v, %v", args[1].Generator, err)
	}
}
