package csrc_test

import (
	"context"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hone/compiler/runtime/csrc"
	"hone/compiler/target"
	"hone/internal/cc"
)

// toolchain is the default compiler, its target and a scratch directory.
func toolchain(t *testing.T, triple string) (*cc.Toolchain, target.Target) {
	t.Helper()
	comp, err := cc.Default(context.Background(), triple)
	if err != nil {
		t.Skip(err)
	}
	tgt, err := target.Native()
	if triple != "" {
		tgt, err = target.Parse(`{"kind":"cpu","triple":"` + triple + `"}`)
	}
	if err != nil {
		t.Skip(err)
	}
	return &cc.Toolchain{Compiler: comp, TempDir: t.TempDir()}, tgt
}

// program links the pool with a test program, both with extra flags.
func program(t *testing.T, tc *cc.Toolchain, tgt target.Target, name string, extra ...string) string {
	t.Helper()
	ctx := context.Background()
	text, err := os.ReadFile("testdata/" + name + ".c")
	if err != nil {
		t.Fatal(err)
	}
	flags := append(tgt.HostCFlags(), "-Wall", "-Wextra", "-Werror", "-g")
	flags = append(flags, extra...)
	pool, err := tc.Compile(ctx, cc.Unit{Name: "pool.c", Text: csrc.Pool(), Headers: csrc.Headers(), Flags: append([]string{"-ffreestanding", "-nostdinc"}, flags...)})
	if err != nil {
		t.Fatal(err)
	}
	main, err := tc.Compile(ctx, cc.Unit{Name: name + ".c", Text: string(text), Headers: csrc.Headers(), Flags: flags})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := tc.LinkExecutable(ctx, path, [][]byte{pool, main}, cc.LinkOptions{DriverFlags: append([]string{"-pthread", "-static-libgcc"}, extra...)}); err != nil {
		t.Fatal(err)
	}
	return path
}

func runProgram(t *testing.T, argv ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", argv, err, out)
	}
	return string(out)
}

func TestPoolRunsEveryIterationOnce(t *testing.T) {
	tc, tgt := toolchain(t, "")
	path := program(t, tc, tgt, "pool_test")
	for _, args := range [][]string{{"1", "0"}, {"2", "0"}, {"5", "0"}, {"2", "300"}, {"3", "120"}} {
		out := runProgram(t, append([]string{path}, args...)...)
		if !strings.HasPrefix(out, "ok ") {
			t.Errorf("threads %s, pause %s: %s", args[0], args[1], out)
		}
		t.Logf("threads %s, pause %s µs: %s", args[0], args[1], strings.TrimSpace(out))
	}
}

func TestPoolIsFreeOfDataRaces(t *testing.T) {
	tc, tgt := toolchain(t, "")
	probe := &cc.Toolchain{Compiler: tc.Compiler, TempDir: tc.TempDir}
	obj, err := probe.Compile(context.Background(), cc.Unit{Text: "int main(void) { return 0; }\n", Flags: []string{"-fsanitize=thread"}})
	if err == nil {
		err = probe.LinkExecutable(context.Background(), filepath.Join(t.TempDir(), "probe"), [][]byte{obj}, cc.LinkOptions{DriverFlags: []string{"-fsanitize=thread"}})
	}
	if err != nil {
		t.Skip("thread sanitizer: ", err)
	}
	path := program(t, tc, tgt, "pool_test", "-fsanitize=thread")
	if out, err := exec.Command(path, "1", "0").CombinedOutput(); err != nil && strings.Contains(string(out), "FATAL: ThreadSanitizer") {
		t.Skip("thread sanitizer does not run here: ", string(out))
	}
	for _, args := range [][]string{{"2", "0"}, {"3", "200"}} {
		if out := runProgram(t, append([]string{path}, args...)...); strings.Contains(out, "WARNING: ThreadSanitizer") {
			t.Errorf("%s", out)
		}
	}
}

func TestPoolUnderEmulation(t *testing.T) {
	tc, tgt := toolchain(t, "aarch64-linux-gnu")
	qemu, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		t.Skip("qemu-aarch64-static: ", err)
	}
	path := program(t, tc, tgt, "pool_test", "-static")
	f, err := elf.Open(path)
	if err != nil || f.Machine != elf.EM_AARCH64 {
		t.Fatalf("not an aarch64 program: %v", err)
	}
	f.Close()
	if out := runProgram(t, qemu, path, "2", "0"); !strings.HasPrefix(out, "ok ") {
		t.Errorf("%s", out)
	}
}
