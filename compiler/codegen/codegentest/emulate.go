package codegentest

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hone/compiler/codegen"
	"hone/compiler/target"
	"hone/internal/cc"
)

// driver is the program around a unit: it reads, for each run, the kernel's
// number, the number of workers, the workspace's size and the arguments, and
// writes the return code and the arguments back.
const driver = `
typedef __SIZE_TYPE__ size;
typedef i32 hone_test_kernel(const hone_rt *, void *const *, void *);
long read(int, void *, size);
long write(int, const void *, size);
void *aligned_alloc(size, size);
void exit(int);
static void get(void *p, size n) { for (u8 *b = p; n;) { long k = read(0, b, n); if (k <= 0) exit(n == sizeof(i64) ? 0 : 9); b += k; n -= (size)k; } }
static void put(const void *p, size n) { for (const u8 *b = p; n;) { long k = write(1, b, n); if (k <= 0) exit(8); b += k; n -= (size)k; } }
int main(void) {
  static hone_test_kernel *const kernels[] = {KERNELS};
  for (;;) {
    i64 which, threads, ws, args, n;
    get(&which, 8); get(&threads, 8); get(&ws, 8); get(&args, 8);
    void *p[64];
    i64 size_of[64];
    for (i64 i = 0; i < args; i++) { get(&n, 8); size_of[i] = n; p[i] = aligned_alloc(64, (size)(n + 127) & ~(size)63); get(p[i], (size)n); }
    i64 code = hone_test_run(kernels[which], p, aligned_alloc(64, (size)(ws + 127) & ~(size)63), (i32)threads);
    put(&code, 8);
    for (i64 i = 0; i < args; i++) put(p[i], (size)size_of[i]);
  }
}
`

// emulated runs a unit of another architecture, one process a call.
type emulated struct {
	t          testing.TB
	qemu, path string
	index      map[string]int64
}

// emulate compiles a unit with the driver into a static program.
func emulate(t testing.TB, src codegen.Source, tgt target.Target, comp *cc.Compiler, qemu string) *emulated {
	t.Helper()
	ctx := context.Background()
	tc := cc.Toolchain{Compiler: comp, TempDir: t.TempDir()}
	e := &emulated{t: t, qemu: qemu, path: filepath.Join(t.TempDir(), "unit"), index: map[string]int64{}}
	var names []string
	for i, en := range src.Entries {
		names = append(names, en.Symbol)
		e.index[en.Symbol] = int64(i)
	}
	text := src.C + harness + strings.ReplaceAll(driver, "KERNELS", strings.Join(names, ", "))
	obj, err := tc.Compile(ctx, cc.Unit{Text: text, Flags: tgt.CFlags()})
	if err != nil {
		t.Fatalf("%v\n%s", err, numbered(src.C))
	}
	if err := tc.LinkExecutable(ctx, e.path, [][]byte{obj}, cc.LinkOptions{DriverFlags: []string{"-static"}}); err != nil {
		t.Fatal(err)
	}
	return e
}

// Call implements runner.
func (e *emulated) Call(en codegen.Entry, args [][]byte, threads int) error {
	var in bytes.Buffer
	for _, v := range []int64{e.index[en.Symbol], int64(threads), en.Workspace, int64(len(args))} {
		_ = binary.Write(&in, binary.LittleEndian, v)
	}
	for _, a := range args {
		_ = binary.Write(&in, binary.LittleEndian, int64(len(a)))
		in.Write(a)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, e.qemu, e.path)
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("kernel %s under emulation: %w", en.Symbol, err)
	}
	if code := int64(binary.LittleEndian.Uint64(out)); code != 0 {
		return fmt.Errorf("kernel %s returned %d", en.Symbol, code)
	}
	out = out[8:]
	for _, a := range args {
		copy(a, out[:len(a)])
		out = out[len(a):]
	}
	return nil
}
