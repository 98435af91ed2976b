package build

import (
	"testing"

	"hone/compiler/target"
)

// TestEveryTargetsFlags: what our own targets ask for must pass.
func TestEveryTargetsFlags(t *testing.T) {
	for _, tag := range target.Tags() {
		tgt, err := target.Parse(tag)
		if err != nil {
			t.Fatal(err)
		}
		if err := CheckFlags(tgt.CFlags()); err != nil {
			t.Errorf("%s: %v", tag, err)
		}
	}
}

func TestCheckFlags(t *testing.T) {
	good := []string{"-O2", "-ffp-contract=fast", "-fno-math-errno", "-fPIC", "-mtune=generic", "-mavx2", "-mfma", "-mprefer-vector-width=512", "-march=armv8.2-a+dotprod", "-std=gnu11",
		"-ffreestanding", "-fno-stack-protector", "-w", "-nostdinc", "-falign-loops=32", "-mavx512f", "-msse4.1", "-fno-tree-vectorize", "-fno-sanitize=all", "-fno-lto"}
	if err := CheckFlags(good); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"-I/etc", "-include", "/etc/passwd", "@file", "-fplugin=x", "-fplugin=./x.so", "-o", "-B/tmp", "-wrapper", "-specs=x", "-Wl,-rpath,/", "-Wa,-I/", "-Xclang", "-fprofile-use=x",
		"-save-temps", "-MF", "-D__x", "-fdump-tree-all", "-x", "-E", "-mllvm", "-flto", "", "-", "-O2 -o", "-fuse-ld=/x", "-fopt-info-all=f", "--sysroot=/", "-fcrash-diagnostics-dir=x"} {
		if err := CheckFlags([]string{bad}); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestCheckSource(t *testing.T) {
	for _, good := range []string{"int f(void) { return 1; }\n", "#if defined(__GNUC__) && !defined(__clang__)\n#define X 1\n#else\n#endif\n", "#pragma GCC unroll 4\n", "  # undef X\n", "int a = 3 %2; /* # include <x> */\n"} {
		if err := CheckSource(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"#include </etc/passwd>\n", "  #\tinclude_next <x>\n", "%:include \"/etc/passwd\"\n", "??=include <x>\n", "int x;\n#inc\\\nlude <x>\n", "#embed \"/etc/shadow\"\n", "#import <x>\n", "#pragma GCC poison x\n",
		"#line 1 \"x\"\n", "#/**/include <x>\n", "__asm__(\".incbin \\\"/etc/passwd\\\"\");\n", "_Pragma(\"x\")\n", "#pragma comment(lib, \"x\")\n"} {
		if err := CheckSource(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}
