package analysis_test

import (
	"strings"
	"testing"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/compiler/tir/tvmscript"
)

// TestInferRegions reads functions that omit their regions. Below the line
// "# ----" each file lists its blocks' regions as TVM 0.27 infers and prints them.
func TestInferRegions(t *testing.T) {
	eachCase(t, "regions", func(t *testing.T, src string) string {
		f, err := tvmscript.ParseFunc(src)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, line := range strings.Split(tir.Script(f), "\n") {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "T.reads(") || strings.HasPrefix(line, "T.writes(") || strings.HasPrefix(line, "with T.sblock(") {
				got += "# " + line + "\n"
			}
		}
		return got
	})
}

// TestInferRegionsKeepsDeclared: declared lists, empty ones included, and
// functions without omissions stay untouched.
func TestInferRegionsKeepsDeclared(t *testing.T) {
	b := tir.NewBuilder("f")
	x, y := b.Param("x", dtype.Float32, 8), b.Param("y", dtype.Float32, 8)
	b.Compute("copy", y, func(i []tir.Expr) tir.Expr { return &tir.Load{Buffer: x, Indices: i} })
	f, err := analysis.InferRegions(b.Func())
	if err != nil {
		t.Fatal(err)
	}
	again, err := analysis.InferRegions(f)
	if err != nil || again != f {
		t.Errorf("a complete function was rebuilt (%v)", err)
	}
	root, _ := f.Root()
	loop := root.Block.Body.(*tir.For)
	r := loop.Body.(*tir.BlockRealize)
	blk := *r.Block
	blk.Reads, blk.Writes = []tir.Region{}, nil
	c, l := *r, *loop
	c.Block = &blk
	l.Body = &c
	outer := *root.Block
	outer.Body = &l
	g := f.WithBody(&tir.BlockRealize{Predicate: tir.True, Block: &outer})
	h, err := analysis.InferRegions(g)
	if err != nil {
		t.Fatal(err)
	}
	hr, _ := h.Root()
	got := hr.Block.Body.(*tir.For).Body.(*tir.BlockRealize).Block
	if got.Reads == nil || len(got.Reads) != 0 || len(got.Writes) != 1 {
		t.Errorf("reads %v, writes %v", got.Reads, got.Writes)
	}
}

// TestPointerNeedsDeclaration: a block that hands out a pointer cannot be
// inferred, and BlockRegions lists the buffer in full.
func TestPointerNeedsDeclaration(t *testing.T) {
	b := tir.NewBuilder("f")
	x, y := b.Param("x", dtype.Float32, 8), b.Param("y", dtype.Float32, 8)
	b.Emit(tir.Stage{Name: "call", Spatial: []int64{4}}, nil, func(s, _ []tir.Expr) tir.Stmt {
		call := &tir.Call{Op: "call_extern", Args: []tir.Expr{&tir.StringImm{Value: "g"}, &tir.BufferRef{Buffer: x}}, Type: dtype.Int32}
		return tir.NewSeq(&tir.Evaluate{Value: call}, &tir.Store{Buffer: y, Value: tir.F32(1), Indices: s})
	})
	f := b.Func()
	_, err := analysis.InferRegions(f)
	if err == nil || !strings.Contains(err.Error(), `block "call" uses the pointer of buffer "x"`) {
		t.Errorf("error is %v", err)
	}
	root, _ := f.Root()
	reads, writes := analysis.BlockRegions(root.Block.Body.(*tir.For).Body.(*tir.BlockRealize).Block)
	if len(reads) != 1 || reads[0].Buffer != x || len(writes) != 2 || writes[0].Buffer != y || writes[1].Buffer != x {
		t.Errorf("reads %v, writes %v", reads, writes)
	}
}
