package cc

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// eachCompiler runs a test with every compiler of this machine.
func eachCompiler(t *testing.T, f func(t *testing.T, tc *Toolchain)) {
	t.Helper()
	all, err := Find(context.Background(), "")
	if err != nil {
		t.Skip(err)
	}
	for _, c := range all {
		t.Run(c.Name(), func(t *testing.T) { f(t, &Toolchain{Compiler: c, TempDir: t.TempDir()}) })
	}
}

func TestCompileAndLinkShared(t *testing.T) {
	eachCompiler(t, func(t *testing.T, tc *Toolchain) {
		ctx := context.Background()
		a, err := tc.Compile(ctx, Unit{Text: "#include \"h.h\"\nint twice(int x) { return N * x; }\n", Headers: map[string]string{"h.h": "#define N 2\n"}, Flags: []string{"-O1", "-fPIC"}})
		if err != nil {
			t.Fatal(err)
		}
		b, err := tc.Compile(ctx, Unit{Text: "int twice(int); int four(int x) { return twice(twice(x)); }\n", Flags: []string{"-O1", "-fPIC"}})
		if err != nil {
			t.Fatal(err)
		}
		img, err := tc.LinkShared(ctx, [][]byte{a, b}, LinkOptions{Soname: "libtwice.so"})
		if err != nil {
			t.Fatal(err)
		}
		f, err := elf.NewFile(bytes.NewReader(img))
		if err != nil {
			t.Fatal(err)
		}
		syms, err := f.DynamicSymbols()
		if err != nil {
			t.Fatal(err)
		}
		defined := map[string]bool{}
		for _, s := range syms {
			if s.Section == elf.SHN_UNDEF {
				t.Errorf("undefined symbol %s", s.Name)
			}
			defined[s.Name] = true
		}
		if !defined["twice"] || !defined["four"] {
			t.Errorf("defined symbols are %v", defined)
		}
		if so, err := f.DynString(elf.DT_SONAME); err != nil || len(so) != 1 || so[0] != "libtwice.so" {
			t.Errorf("soname %v, %v", so, err)
		}
	})
}

func TestLinkRefusesUndefinedSymbols(t *testing.T) {
	eachCompiler(t, func(t *testing.T, tc *Toolchain) {
		ctx := context.Background()
		obj, err := tc.Compile(ctx, Unit{Text: "int missing(int); int f(int x) { return missing(x); }\n", Flags: []string{"-fPIC"}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = tc.LinkShared(ctx, [][]byte{obj}, LinkOptions{})
		var e *Error
		if !errors.As(err, &e) || e.Stage != "link" || !strings.Contains(e.Diagnostics, "missing") {
			t.Errorf("error %v", err)
		}
		if _, err = tc.LinkShared(ctx, [][]byte{obj}, LinkOptions{AllowUndefined: true}); err != nil {
			t.Errorf("with undefined symbols allowed: %v", err)
		}
	})
}

func TestDriverFallback(t *testing.T) {
	eachCompiler(t, func(t *testing.T, tc *Toolchain) {
		ctx := context.Background()
		plain := *tc.Compiler
		plain.Linker = ""
		tc.Compiler = &plain
		obj, err := tc.Compile(ctx, Unit{Text: "int f(void) { return 7; }\n", Flags: []string{"-fPIC"}})
		if err != nil {
			t.Fatal(err)
		}
		img, err := tc.LinkShared(ctx, [][]byte{obj}, LinkOptions{})
		if err != nil || !bytes.HasPrefix(img, []byte("\x7fELF")) {
			t.Errorf("%d bytes, %v", len(img), err)
		}
	})
}

func TestLinkExecutable(t *testing.T) {
	eachCompiler(t, func(t *testing.T, tc *Toolchain) {
		ctx := context.Background()
		obj, err := tc.Compile(ctx, Unit{Text: "int puts(const char *); int main(void) { puts(\"hi\"); return 3; }\n"})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "prog")
		if err := tc.LinkExecutable(ctx, path, [][]byte{obj}, LinkOptions{}); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(path)
		out, err := cmd.Output()
		if string(out) != "hi\n" || cmd.ProcessState.ExitCode() != 3 {
			t.Errorf("output %q, %v", out, err)
		}
	})
}

func TestCompileErrorNamesTheFirstDiagnostic(t *testing.T) {
	eachCompiler(t, func(t *testing.T, tc *Toolchain) {
		_, err := tc.Compile(context.Background(), Unit{Name: "kernel.c", Text: "int f(void) { return nothing; }\n"})
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("error %v", err)
		}
		if e.Stage != "compile" || !strings.HasPrefix(e.Diagnostics, "kernel.c:1:") || !strings.Contains(e.Error(), "nothing") {
			t.Errorf("error %q", e.Error())
		}
	})
}

// endless makes the preprocessor alone run for very long.
const endless = `
#define A(x) B(x) B(x) B(x) B(x) B(x) B(x) B(x) B(x)
#define B(x) C(x) C(x) C(x) C(x) C(x) C(x) C(x) C(x)
#define C(x) D(x) D(x) D(x) D(x) D(x) D(x) D(x) D(x)
#define D(x) E(x) E(x) E(x) E(x) E(x) E(x) E(x) E(x)
#define E(x) F(x) F(x) F(x) F(x) F(x) F(x) F(x) F(x)
#define F(x) G(x) G(x) G(x) G(x) G(x) G(x) G(x) G(x)
#define G(x) H(x) H(x) H(x) H(x) H(x) H(x) H(x) H(x)
#define H(x) x; x; x; x; x; x; x; x;
void f(volatile int *p) { A(*p) A(*p) A(*p) A(*p) A(*p) }
`

func TestWallLimit(t *testing.T) {
	eachCompiler(t, func(t *testing.T, tc *Toolchain) {
		tc.Limits = Limits{Wall: 300 * time.Millisecond}
		start := time.Now()
		_, err := tc.Compile(context.Background(), Unit{Text: endless})
		var e *LimitError
		if !errors.As(err, &e) || e.Limit != "time" || !e.Timeout() {
			t.Errorf("error %v", err)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("took %v", d)
		}
	})
}

func TestMemoryLimit(t *testing.T) {
	eachCompiler(t, func(t *testing.T, tc *Toolchain) {
		tc.Limits = Limits{Memory: 260 << 20, Wall: 30 * time.Second, CPU: 20 * time.Second}
		_, err := tc.Compile(context.Background(), Unit{Text: endless})
		var e *LimitError
		if !errors.As(err, &e) || e.Limit == "time" {
			t.Errorf("error %v", err)
		}
	})
}

func TestCancelKillsTheGroup(t *testing.T) {
	eachCompiler(t, func(t *testing.T, tc *Toolchain) {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		_, err := tc.Compile(ctx, Unit{Text: endless})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		left, err := os.ReadDir(tc.TempDir)
		if err != nil || len(left) != 0 {
			t.Errorf("scratch left behind: %v, %v", left, err)
		}
	})
}

func TestAssemblyIsReproducible(t *testing.T) {
	eachCompiler(t, func(t *testing.T, tc *Toolchain) {
		u := Unit{Text: "float f(float a, float b) { return a * b; }\n", Flags: []string{"-O2", "-fPIC"}}
		a, err := tc.Assembly(context.Background(), u)
		if err != nil {
			t.Fatal(err)
		}
		b, err := tc.Assembly(context.Background(), u)
		if err != nil || !bytes.Equal(a, b) || !bytes.Contains(a, []byte("f:")) {
			t.Errorf("not reproducible or not assembler: %v\n%s", err, a)
		}
	})
}

func TestUnitRefusesPaths(t *testing.T) {
	eachCompiler(t, func(t *testing.T, tc *Toolchain) {
		_, err := tc.Compile(context.Background(), Unit{Text: "", Headers: map[string]string{"../x.h": ""}})
		if err == nil || !strings.Contains(err.Error(), "plain file name") {
			t.Errorf("error %v", err)
		}
	})
}

func TestCacheServesTheSecondCompile(t *testing.T) {
	eachCompiler(t, func(t *testing.T, tc *Toolchain) {
		cache, err := OpenCache(t.TempDir(), 0)
		if err != nil {
			t.Fatal(err)
		}
		tc.Cache = cache
		u := Unit{Text: "int f(void) { return 1; }\n"}
		first, err := tc.Compile(context.Background(), u)
		if err != nil {
			t.Fatal(err)
		}
		broken := *tc.Compiler
		broken.Path = "/nonexistent/cc"
		tc.Compiler = &broken
		second, err := tc.Compile(context.Background(), u)
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("not served from the cache: %v", err)
		}
		u.Flags = []string{"-O1"}
		if _, err := tc.Compile(context.Background(), u); err == nil {
			t.Error("other flags were served from the cache")
		}
	})
}

// A tool that gives way does so with all that it starts.
func TestToolsGiveWay(t *testing.T) {
	p := process{stage: "compile", compiler: "sh", dir: t.TempDir(), argv: []string{"/bin/sh", "-c", "sleep 0.2; nice"}, limits: Limits{Nice: 19}}
	if out, err := p.run(context.Background()); err != nil || strings.TrimSpace(out) != "19" {
		t.Errorf("a niceness of %q, %v", out, err)
	}
}
