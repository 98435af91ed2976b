package cgen_test

import (
	"strings"
	"testing"

	"hone/compiler/codegen"
	"hone/compiler/codegen/cgen"
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

func TestWhatHasNoCFormIsRefused(t *testing.T) {
	a := tir.NewStaticBuffer("a", dtype.Float32, 16)
	i := v32("i")
	one := &tir.PrimFunc{Name: "f", Params: []tir.Param{a}}
	with := func(s tir.Stmt) *tir.PrimFunc { return one.WithBody(s) }
	par := func(body tir.Stmt) *tir.For {
		l := loop(v32("p"), 4, body)
		l.Kind = tir.Parallel
		return l
	}
	scope := func(name string) tir.Stmt {
		b := tir.NewStaticBuffer("s", dtype.Float32, 4)
		b.Scope = name
		return tir.NewSeq(&tir.AllocBuffer{Buffer: b}, set(b, i, tir.F32(1)))
	}
	stackShared := func() tir.Stmt {
		b := tir.NewStaticBuffer("mine", dtype.Float32, 4)
		b.Scope = "local"
		return tir.NewSeq(&tir.AllocBuffer{Buffer: b}, par(set(a, tir.Int(0), at(b, tir.Int(0)))))
	}
	thread := loop(i, 4, set(a, i, tir.F32(0)))
	thread.Kind = tir.ThreadBinding
	vec := tir.NewVar("v", dtype.Float32.WithLanes(8))
	n := v32("n")
	for want, f := range map[string]*tir.PrimFunc{
		"loop p is parallel inside a parallel loop":              with(par(par(set(a, tir.Int(0), tir.F32(0))))),
		"loop i is bound to a thread":                            with(thread),
		`operator "frobnicate" has no C form`:                    with(set(a, tir.Int(0), &tir.Call{Op: "frobnicate", Type: dtype.Float32})),
		`operator "exp" takes 1 arguments, got 0`:                with(set(a, tir.Int(0), &tir.Call{Op: "exp", Type: dtype.Float32})),
		`operator "expq" has no C form`:                          with(set(a, tir.Int(0), &tir.Call{Op: "expq", Type: dtype.Float32})),
		`external function "system" has no C form`:               with(set(a, tir.Int(0), &tir.Call{Op: "call_extern", Args: []tir.Expr{&tir.StringImm{Value: "system"}}, Type: dtype.Float32})),
		`buffer s has scope "shared", which a CPU does not have`: with(scope("shared")),
		"variable i is used outside its scope":                   with(set(a, i, tir.F32(0))),
		"buffer b is used outside its scope":                     with(set(tir.NewStaticBuffer("b", dtype.Float32, 4), tir.Int(0), tir.F32(0))),
		"block B is left":                                        with(&tir.BlockRealize{Predicate: tir.True, Block: &tir.Block{Name: "B", Body: set(a, tir.Int(0), tir.F32(0))}}),
		"buffer a is accessed with 2 indices":                    with(&tir.Store{Buffer: a, Indices: []tir.Expr{tir.Int(0), tir.Int(0)}, Value: tir.F32(0)}),
		"parallel loop p uses mine, which lives on the stack":    with(stackShared()),
		"uses the vector variable v of an outer scope":           with(tir.NewSeq(&tir.Bind{Var: vec, Value: at(a, &tir.Ramp{Base: tir.Int(0), Stride: tir.Int(1), Lanes: 8})}, par(set(a, &tir.Ramp{Base: tir.Int(0), Stride: tir.Int(1), Lanes: 8}, vec)))),
		"parameter n is a scalar":                                {Name: "f", Params: []tir.Param{a, n}, Body: set(a, tir.Int(0), tir.F32(0))},
		"buffer m is not flat with a constant size":              {Name: "f", Params: []tir.Param{tir.NewStaticBuffer("m", dtype.Float32, 4, 4)}, Body: set(a, tir.Int(0), tir.F32(0))},
		"buffer s is not flat with a constant size":              {Name: "f", Params: []tir.Param{tir.NewBuffer("s", dtype.Float32, n)}, Body: set(a, tir.Int(0), tir.F32(0))},
		`assertion "odd" stands in a parallel loop`:              with(par(&tir.Assert{Cond: tir.True, Parts: []string{"odd"}})),
		"a value of 8 lanes is stored to 4 elements":             with(set(a, &tir.Ramp{Base: tir.Int(0), Stride: tir.Int(1), Lanes: 4}, tir.Const(1, dtype.Float32.WithLanes(8)))),
		`operator "store" has no C form as a statement`:          with(&tir.Evaluate{Value: &tir.Call{Op: "store", Type: dtype.VoidType}}),
		"register buffer r is indexed by something other than a constant": with(func() tir.Stmt {
			r := tir.NewStaticBuffer("r", dtype.Float32, 4)
			r.Scope = "register"
			return tir.NewSeq(&tir.AllocBuffer{Buffer: r}, loop(i, 4, set(r, i, tir.F32(0))))
		}()),
	} {
		_, err := cgen.Backend{}.Emit([]codegen.Lowered{{Symbol: "k", Func: f}}, parsed(t, "x86_64/avx2"))
		if err == nil || !strings.HasPrefix(err.Error(), "cgen: function f: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestBadSymbolsAreRefused(t *testing.T) {
	f := paddedRow()
	for _, ls := range [][]codegen.Lowered{
		{{Symbol: "k; system(\"x\")", Func: f}}, {{Symbol: "", Func: f}}, {{Symbol: "k", Func: f}, {Symbol: "k", Func: f}},
		{{Symbol: "k", Func: f, Packs: []codegen.Pack{{Symbol: "k", Func: packB(4, 16)}}}},
	} {
		if _, err := (cgen.Backend{}).Emit(ls, parsed(t, "x86_64/avx2")); err == nil || !strings.Contains(err.Error(), "is not a C identifier or is used twice") {
			t.Errorf("error %v", err)
		}
	}
}

// TestNamesCannotEscape gives every name of a function characters that mean
// something in C.
func TestNamesCannotEscape(t *testing.T) {
	evil := `*/ #include "x" __asm__("hlt") /* for int memcpy f32x8`
	a := tir.NewStaticBuffer(evil, dtype.Float32, 16)
	s := tir.NewStaticBuffer(evil, dtype.Float32, 16)
	s.Scope = "local"
	i, x := v32(evil), tir.NewVar("for", dtype.Float32)
	body := tir.NewSeq(&tir.AllocBuffer{Buffer: s}, loop(i, 16, tir.NewSeq(&tir.Bind{Var: x, Value: at(a, i)}, set(s, i, x))), loop(v32("i64"), 1, set(a, tir.Int(0), at(s, tir.Int(3)))))
	src, err := cgen.Backend{}.Emit([]codegen.Lowered{{Symbol: "k", Func: &tir.PrimFunc{Name: evil, Params: []tir.Param{a}, Body: body}}}, parsed(t, "x86_64/avx2"))
	if err != nil {
		t.Fatal(err)
	}
	text := src.Entries[0].Text
	for _, bad := range []string{"#", "\"x\"", "asm", "hlt(", "*/ "} {
		clean := strings.Replace(strings.ReplaceAll(text, `__attribute__((visibility("default")))`, ""), "/* k: ", "", 1)
		if strings.Contains(clean, bad) && bad != "asm" || bad == "asm" && strings.Contains(clean, "__asm__(") {
			t.Errorf("the text contains %q:\n%s", bad, text)
		}
	}
	tc := toolchain(t)
	if _, err := tc.Compile(t.Context(), unit(src, parsed(t, "x86_64/avx2"))); err != nil {
		t.Error(err)
	}
}
