package codegentest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"hone/compiler/codegen"
	"hone/compiler/target"
	"hone/internal/cc"
)

// harness runs kernels inside the image under test: a runtime table whose
// parallel gives every worker its part in turn, the last worker first.
const harness = `
static void hone_test_parallel(void *ctx, void (*body)(void *, i64, i64, i32), void *env, i64 n) {
  i64 threads = *(i32 *)ctx;
  for (i64 w = threads - 1; w >= 0; w--) {
    i64 lo = w * n / threads, hi = (w + 1) * n / threads;
    if (lo < hi) body(env, lo, hi, (i32)w);
  }
}
__attribute__((visibility("default"))) i32 hone_test_run(i32 (*kernel)(const hone_rt *, void *const *, void *), void *const *args, void *workspace, i32 threads) {
  hone_rt rt = {1, threads, &threads, hone_test_parallel};
  return kernel(&rt, args, workspace);
}
`

// Image is a loaded unit.
type Image struct {
	handle uintptr
	run    func(kernel uintptr, args unsafe.Pointer, workspace unsafe.Pointer, threads int32) int32
}

// Load compiles and loads a unit; extra flags follow the target's.
func Load(t testing.TB, src codegen.Source, tgt target.Target, comp *cc.Compiler, extra ...string) *Image {
	t.Helper()
	ctx := context.Background()
	tc := cc.Toolchain{Compiler: comp, TempDir: t.TempDir()}
	obj, err := tc.Compile(ctx, cc.Unit{Text: src.C + harness, Flags: append(append(tgt.CFlags(), "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-Wno-unused-variable", "-Wno-tautological-compare"), extra...)})
	if err != nil {
		t.Fatalf("%v\n%s", err, numbered(src.C))
	}
	img, err := tc.LinkShared(ctx, [][]byte{obj}, cc.LinkOptions{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	path := filepath.Join(t.TempDir(), "unit.so")
	if err := os.WriteFile(path, img, 0o700); err != nil {
		t.Fatal(err)
	}
	h, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		t.Fatal(err)
	}
	m := &Image{handle: h}
	purego.RegisterLibFunc(&m.run, h, "hone_test_run")
	t.Cleanup(func() { _ = purego.Dlclose(h) })
	return m
}

// Symbol is the address of an exported function of the image.
func (m *Image) Symbol(name string) (uintptr, error) { return purego.Dlsym(m.handle, name) }

// Call runs a kernel on raw operands with as many simulated workers.
func (m *Image) Call(e codegen.Entry, args [][]byte, threads int) error {
	sym, err := m.Symbol(e.Symbol)
	if err != nil {
		return err
	}
	ptrs := make([]unsafe.Pointer, len(args)+1)
	for i, a := range args {
		ptrs[i] = unsafe.Pointer(unsafe.SliceData(a))
	}
	ws := aligned(int(e.Workspace))
	if code := m.run(sym, unsafe.Pointer(&ptrs[0]), unsafe.Pointer(unsafe.SliceData(ws)), int32(threads)); code != 0 {
		return fmt.Errorf("kernel %s returned %d", e.Symbol, code)
	}
	return nil
}
