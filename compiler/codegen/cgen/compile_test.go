package cgen_test

import (
	"context"
	"strconv"
	"testing"

	"hone/compiler/codegen"
	"hone/compiler/codegen/cgen"
	"hone/compiler/codegen/codegentest"
	"hone/compiler/dtype"
	"hone/compiler/target"
	"hone/internal/cc"
)

func toolchain(t *testing.T) *cc.Toolchain {
	t.Helper()
	c, err := cc.Default(context.Background(), "")
	if err != nil {
		t.Skip(err)
	}
	return &cc.Toolchain{Compiler: c, TempDir: t.TempDir()}
}

// native is this machine's target with all compilers for it.
func native(t testing.TB) (target.Target, []*cc.Compiler) {
	t.Helper()
	tgt, err := target.Native()
	if err != nil {
		t.Skip(err)
	}
	comps, err := cc.Find(context.Background(), "")
	if err != nil {
		t.Skip(err)
	}
	return tgt, comps
}

func unit(src codegen.Source, tgt target.Target) cc.Unit {
	return cc.Unit{Text: src.C, Flags: append(tgt.CFlags(), "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-Wno-unused-variable")}
}

// TestForeignTargetsCompile compiles a share of the conformance cases for
// targets that this machine may not be able to run, with every compiler.
func TestForeignTargetsCompile(t *testing.T) {
	for _, c := range []struct{ tag, triple string }{{"x86_64/avx512", ""}, {"aws/c7i.large", ""}, {"raspberry-pi/5", "aarch64-linux-gnu"}, {"aws/c7g.large", "aarch64-linux-gnu"}} {
		if !testAll && (c.tag == "aws/c7i.large" || c.tag == "aws/c7g.large") {
			continue // much like the other two
		}
		tgt := parsed(t, c.tag)
		comps, err := cc.Find(context.Background(), c.triple)
		if err != nil {
			t.Logf("%s: %v", c.tag, err)
			continue
		}
		if tgt.Triple != cc.HostTriple() && c.triple == "" {
			continue
		}
		var ls []codegen.Lowered
		for i, k := range codegentest.Cases(tgt.Lanes(32)) {
			if i%97 == 0 || testAll {
				ls = append(ls, codegen.Lowered{Symbol: "k" + strconv.Itoa(i), Func: k.Func})
			}
		}
		for i, f := range cgen.Functions() {
			if i%11 == 0 || testAll {
				ls = append(ls, codegen.Lowered{Symbol: "m" + strconv.Itoa(i), Func: mapKernel(f.Name, f.Args, dtype.Float32, tgt.Lanes(32))})
			}
		}
		src, err := cgen.Backend{}.Emit(ls, tgt)
		if err != nil {
			t.Fatal(err)
		}
		for _, comp := range comps {
			t.Run(c.tag+"/"+comp.Name(), func(t *testing.T) {
				tc := &cc.Toolchain{Compiler: comp, TempDir: t.TempDir()}
				obj, err := tc.Compile(context.Background(), unit(src, tgt))
				if err != nil {
					t.Fatal(err)
				}
				if _, err := tc.LinkShared(context.Background(), [][]byte{obj}, cc.LinkOptions{}); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
