package runtime_test

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"hone/compiler/dtype"
	"hone/compiler/runtime"
	"hone/compiler/runtime/csrc"
	"hone/compiler/target"
	"hone/internal/cc"
	"hone/internal/peer"
)

// kernels are hand-made kernels of the shape code generation emits.
const kernels = `
#include "hone_kernel.h"
typedef struct { const float *a, *w; float *o; float *scratch; } env;
/* o = relu(a · w), 4×8 by 8×8, a row per iteration, through worker scratch. */
static void row(void *p, hone_i64 lo, hone_i64 hi, hone_i32 worker) {
  const env *e = p;
  float *s = e->scratch + 32 * worker;
  for (hone_i64 i = lo; i < hi; i++) {
    for (int j = 0; j < 8; j++) { s[j] = 0; for (int k = 0; k < 8; k++) s[j] += e->a[8 * i + k] * e->w[8 * k + j]; }
    for (int j = 0; j < 8; j++) e->o[8 * i + j] = s[j] > 0 ? s[j] : 0;
  }
}
__attribute__((visibility("default"))) hone_i32 k_dense(const hone_rt *rt, void *const *args, void *workspace) {
  for (int i = 0; i < 3; i++) if ((__UINTPTR_TYPE__)args[i] & 63) return 7;
  env e = {args[0], args[1], args[2], workspace};
  rt->parallel(rt->ctx, row, &e, 4);
  return 0;
}
/* o[i] = a[i] + border[i] + border[i + 1], where the borders stay zero. */
__attribute__((visibility("default"))) hone_i32 k_add(const hone_rt *rt, void *const *args, void *workspace) {
  (void)rt, (void)workspace;
  const float *a = args[0], *border = args[1];
  float *o = args[2];
  for (int i = 0; i < 32; i++) o[i] = a[i] + border[i];
  return 0;
}
__attribute__((visibility("default"))) hone_i32 k_fail(const hone_rt *rt, void *const *args, void *workspace) { (void)rt, (void)args, (void)workspace; return 42; }
`

const maxThreads = 3

// testModel is y = relu(x · w) + 0, z = x, over the kernels above.
func testModel() *runtime.Model {
	w := make([]byte, 8*8*4)
	for i := range 64 {
		binary.LittleEndian.PutUint32(w[4*i:], f32bits(float32(i%5-2)))
	}
	const stageX, stageY, stageZ, mid, border, scratch = 0, 128, 256, 384, 512, 640
	return &runtime.Model{
		Inputs:  []runtime.IO{{Name: "x", Type: dtype.Float32, Shape: []int64{4, 8}, Stage: stageX}},
		Outputs: []runtime.IO{{Name: "y \"quoted\"", Type: dtype.Float32, Shape: []int64{4, 8}, Stage: stageY}, {Name: "z", Type: dtype.Float32, Shape: []int64{4, 8}, Stage: stageZ}},
		Calls: []runtime.Call{
			{Name: "dense", Symbol: "k_dense", Workspace: scratch, Args: []runtime.Place{{Where: runtime.InInput}, {Where: runtime.InConstants}, {Where: runtime.InArena, Offset: mid}}},
			{Name: "add", Symbol: "k_add", Workspace: -1, Args: []runtime.Place{{Where: runtime.InArena, Offset: mid}, {Where: runtime.InArena, Offset: border}, {Where: runtime.InOutput}}},
			{Name: "copy", Workspace: -1, Bytes: 128, Args: []runtime.Place{{Where: runtime.InInput}, {Where: runtime.InOutput, Index: 1}}},
		},
		Zeros:      []runtime.Range{{Offset: border, Bytes: 128}},
		ArenaBytes: scratch + 128*maxThreads, Constants: w, Threads: 2, MaxThreads: maxThreads, Metadata: `{"model": "test"}`,
	}
}

func want(x []float32) []float32 {
	out := make([]float32, 32)
	for i := range 4 {
		for j := range 8 {
			s := float32(0)
			for k := range 8 {
				s += x[8*i+k] * float32((8*k+j)%5-2)
			}
			out[8*i+j] = max(s, 0)
		}
	}
	return out
}

func f32bits(v float32) uint32 { return *(*uint32)(unsafe.Pointer(&v)) }

func ramp() []float32 {
	x := make([]float32, 32)
	for i := range x {
		x[i] = float32(i%7 - 3)
	}
	return x
}

func setup(t *testing.T, triple string) (*cc.Toolchain, target.Target) {
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
	return &cc.Toolchain{Compiler: comp, TempDir: t.TempDir(), Cache: cache}, tgt
}

// cache lets the tests of this package compile the runtime once.
var cache *cc.Cache

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "hone-runtime-test-")
	if err == nil {
		cache, err = cc.OpenCache(dir, 0)
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// build links a model with the test kernels and writes the library.
func build(t *testing.T, m *runtime.Model, embed bool, triple string) string {
	t.Helper()
	tc, tgt := setup(t, triple)
	ctx := context.Background()
	obj, err := tc.Compile(ctx, cc.Unit{Text: kernels, Headers: csrc.Headers(), Flags: append(tgt.CFlags(), "-Wall", "-Wextra", "-Werror")})
	if err != nil {
		t.Fatal(err)
	}
	lib := runtime.Library{Model: m, Objects: [][]byte{obj}, Embed: embed, Soname: "libtest.so"}
	img, err := runtime.BuildLibrary(ctx, tc, tgt, lib)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "test.so")
	if err := runtime.WriteFiles(path, img, lib); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, path string, opt runtime.Options) *runtime.Instance {
	t.Helper()
	m, err := runtime.Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func checkRun(t *testing.T, m *runtime.Instance) {
	t.Helper()
	x := ramp()
	out, err := m.Run([]*dtype.Tensor{dtype.FromFloat32(x, 4, 8)})
	if err != nil {
		t.Fatal(err)
	}
	if got := out[0].Float32s(); fmt.Sprint(got) != fmt.Sprint(want(x)) {
		t.Errorf("y is %v, want %v", got, want(x))
	}
	if got := out[1].Float32s(); fmt.Sprint(got) != fmt.Sprint(x) {
		t.Errorf("z is %v, want %v", got, x)
	}
}

func TestLibraryWithWeightsFile(t *testing.T) {
	path := build(t, testModel(), false, "")
	m := open(t, path, runtime.Options{})
	checkRun(t, m)
	if in := m.Inputs(); len(in) != 1 || in[0].Name != "x" || in[0].Type != dtype.Float32 || fmt.Sprint(in[0].Shape) != "[4 8]" {
		t.Errorf("inputs %v", in)
	}
	if out := m.Outputs(); len(out) != 2 || out[0].Name != `y "quoted"` || m.Metadata() != `{"model": "test"}` {
		t.Errorf("outputs %v, metadata %s", out, m.Metadata())
	}
}

func TestLibraryWithEmbeddedWeights(t *testing.T) {
	path := build(t, testModel(), true, "")
	if _, err := os.Stat(runtime.WeightsPath(path)); !os.IsNotExist(err) {
		t.Errorf("a weights file was written: %v", err)
	}
	for threads := 1; threads <= maxThreads; threads++ {
		m := open(t, path, runtime.Options{Threads: threads, Pin: threads == 2})
		if m.Threads() != threads {
			t.Errorf("%d threads, want %d", m.Threads(), threads)
		}
		checkRun(t, m)
	}
}

func TestUnalignedTensors(t *testing.T) {
	m := open(t, build(t, testModel(), true, ""), runtime.Options{})
	x := ramp()
	for shift := 0; shift < 64; shift += 12 {
		raw := make([]byte, 128+128)
		off := int(-uintptr(unsafe.Pointer(&raw[0]))&63) + shift
		in := &dtype.Tensor{Type: dtype.Float32, Shape: []int64{4, 8}, Data: raw[off : off+128 : off+128]}
		copy(in.Data, dtype.FromFloat32(x, 4, 8).Data)
		rawOut := make([]byte, 256)
		off = int(-uintptr(unsafe.Pointer(&rawOut[0]))&63) + shift
		y := &dtype.Tensor{Type: dtype.Float32, Shape: []int64{4, 8}, Data: rawOut[off : off+128 : off+128]}
		z := dtype.NewTensor(dtype.Float32, 4, 8)
		if err := m.RunInto([]*dtype.Tensor{in}, []*dtype.Tensor{y, z}); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(y.Float32s()) != fmt.Sprint(want(x)) || fmt.Sprint(z.Float32s()) != fmt.Sprint(x) {
			t.Errorf("shift %d: y %v, z %v", shift, y.Float32s(), z.Float32s())
		}
	}
}

func TestConcurrentRunsAndInstances(t *testing.T) {
	path := build(t, testModel(), false, "")
	a, b := open(t, path, runtime.Options{Threads: 2}), open(t, path, runtime.Options{Threads: 2})
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			m := a
			if g%2 == 1 {
				m = b
			}
			x := make([]float32, 32)
			for i := range x {
				x[i] = float32((i*(g+1))%9 - 4)
			}
			for range 50 {
				out, err := m.Run([]*dtype.Tensor{dtype.FromFloat32(x, 4, 8)})
				if err != nil || fmt.Sprint(out[0].Float32s()) != fmt.Sprint(want(x)) {
					t.Errorf("goroutine %d: %v, %v", g, out, err)
					return
				}
			}
		}()
	}
	wg.Wait()
}

func TestBadTensors(t *testing.T) {
	m := open(t, build(t, testModel(), true, ""), runtime.Options{})
	good := func() []*dtype.Tensor { return m.NewOutputs() }
	for _, c := range []struct {
		in, out []*dtype.Tensor
		want    string
	}{
		{[]*dtype.Tensor{dtype.NewTensor(dtype.Float32, 8, 4)}, good(), "input x: shape is [8, 4], the model has [4, 8]"},
		{[]*dtype.Tensor{dtype.NewTensor(dtype.Float32, 32)}, good(), "input x: shape is [32], the model has [4, 8]"},
		{[]*dtype.Tensor{dtype.NewTensor(dtype.Int32, 4, 8)}, good(), "input x: wrong element type"},
		{nil, good(), "0 inputs and 2 outputs given, the model has 1 and 2"},
		{[]*dtype.Tensor{dtype.NewTensor(dtype.Float32, 4, 8)}, []*dtype.Tensor{dtype.NewTensor(dtype.Float32, 4, 8), dtype.NewTensor(dtype.Float64, 4, 8)}, "output z: wrong element type"},
		{[]*dtype.Tensor{{Type: dtype.Float32, Shape: []int64{4, 8}, Data: make([]byte, 12)}}, good(), "holds 12 bytes, want 128"},
		{[]*dtype.Tensor{nil}, good(), "tensor 0 is missing"},
	} {
		if err := m.RunInto(c.in, c.out); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if _, err := m.RunNamed(map[string]*dtype.Tensor{"y": nil}); err == nil || err.Error() != "input x is missing (the model has: x)" {
		t.Errorf("error %v", err)
	}
	if _, err := m.RunNamed(map[string]*dtype.Tensor{"x": dtype.NewTensor(dtype.Float32, 4, 8), "q": nil}); err == nil || !strings.Contains(err.Error(), "input q is not one of the model's") {
		t.Errorf("error %v", err)
	}
}

func TestThreadsByEnvironment(t *testing.T) {
	path := build(t, testModel(), true, "")
	for value, want := range map[string]int{"1": 1, "3": 3, "99": maxThreads} {
		t.Setenv("HONE_NUM_THREADS", value)
		if m := open(t, path, runtime.Options{}); m.Threads() != want {
			t.Errorf("HONE_NUM_THREADS=%s gives %d threads", value, m.Threads())
		}
	}
	for _, value := range []string{"0", "-1", "two", "3x", "99999999999999999999"} {
		t.Setenv("HONE_NUM_THREADS", value)
		if _, err := runtime.Open(path, runtime.Options{}); err == nil || !strings.Contains(err.Error(), "HONE_NUM_THREADS="+value+" is not a number of threads") {
			t.Errorf("HONE_NUM_THREADS=%s: %v", value, err)
		}
	}
	var e *runtime.Error
	if _, err := runtime.Open(path, runtime.Options{Threads: 4}); !errors.As(err, &e) || e.Code != 4 || e.Message != "4 threads asked for: this model was compiled for 1 to 3" {
		t.Errorf("error %v", err)
	}
}

// weightsOf reads the weights file beside a library.
func weightsOf(t *testing.T, library string) (path string, data []byte) {
	t.Helper()
	path = runtime.WeightsPath(library)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, data
}

func TestBadWeights(t *testing.T) {
	path := build(t, testModel(), false, "")
	file, good := weightsOf(t, path)
	other := testModel()
	other.Constants[0] ^= 1
	var foreign bytes.Buffer
	if err := other.WriteWeights(&foreign); err != nil {
		t.Fatal(err)
	}
	wrongMagic := append([]byte("NOTHONE!"), good[8:]...)
	for _, c := range []struct {
		data []byte
		want string
	}{
		{nil, "the model's weights are in a file of their own: set weights_path"},
		{good[:len(good)-1], "wrong size, it is damaged or belongs to another model"}, {[]byte("x"), "wrong size"},
		{foreign.Bytes(), "belongs to another model"}, {wrongMagic, "not a Hone weights file"},
	} {
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if c.data != nil {
			if err := os.WriteFile(file, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var e *runtime.Error
		if _, err := runtime.Open(path, runtime.Options{}); !errors.As(err, &e) || e.Code != 3 || !strings.Contains(e.Message, c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if _, err := runtime.Open(path, runtime.Options{Weights: "/nonexistent.weights"}); err == nil || !strings.Contains(err.Error(), "/nonexistent.weights: cannot be opened") {
		t.Errorf("error %v", err)
	}
}

func TestKernelFailureNamesTheStep(t *testing.T) {
	model := testModel()
	model.Calls[1].Symbol, model.Calls[1].Name = "k_fail", "fused_add"
	m := open(t, build(t, model, true, ""), runtime.Options{})
	_, err := m.Run([]*dtype.Tensor{dtype.NewTensor(dtype.Float32, 4, 8)})
	var e *runtime.Error
	if !errors.As(err, &e) || e.Code != 5 || e.Message != "step fused_add failed with code 42" {
		t.Errorf("error %v", err)
	}
}

func TestRunTimed(t *testing.T) {
	m := open(t, build(t, testModel(), true, ""), runtime.Options{})
	times, err := m.RunTimed([]*dtype.Tensor{dtype.NewTensor(dtype.Float32, 4, 8)}, m.NewOutputs())
	if err != nil || len(times) != 3 || times[0] <= 0 {
		t.Errorf("times %v, %v", times, err)
	}
	if got := strings.Join(m.Calls(), " "); got != "dense add copy" {
		t.Errorf("calls %s", got)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(nil); err == nil || err.Error() != "the model is closed" {
		t.Errorf("error %v", err)
	}
}

// TestOldSystems checks what a library needs of the C library.
func TestOldSystems(t *testing.T) {
	for _, triple := range []string{"", "aarch64-linux-gnu"} {
		t.Run(triple, func(t *testing.T) {
			f, err := elf.Open(build(t, testModel(), true, triple))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			libs, err := f.ImportedLibraries()
			if err != nil || strings.Join(libs, " ") != "libpthread.so.0 libc.so.6" {
				t.Errorf("libraries %v, %v", libs, err)
			}
			syms, err := f.ImportedSymbols()
			if err != nil || len(syms) < 10 {
				t.Fatalf("symbols %v, %v", syms, err)
			}
			for _, s := range syms {
				v := strings.Split(strings.TrimPrefix(s.Version, "GLIBC_"), ".")
				minor := 0
				if len(v) > 1 {
					minor, _ = strconv.Atoi(v[1])
				}
				if !strings.HasPrefix(s.Version, "GLIBC_2.") || minor > 17 {
					t.Errorf("symbol %s of version %q", s.Name, s.Version)
				}
			}
			dyn, err := f.DynamicSymbols()
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range dyn {
				if s.Section != elf.SHN_UNDEF && s.Name != "" && !strings.HasPrefix(s.Name, "hone_") {
					t.Errorf("symbol %s is exported", s.Name)
				}
			}
		})
	}
}

func TestModelCheck(t *testing.T) {
	for want, spoil := range map[string]func(m *runtime.Model){
		"2 threads of at most 1":               func(m *runtime.Model) { m.MaxThreads = 1 },
		"call 0 (dense): argument 0: bytes 64": func(m *runtime.Model) { m.Calls[0].Args[0].Offset = 64; m.Calls[0].Bytes = 100 },
		"argument 0 names tensor 3 of 1":       func(m *runtime.Model) { m.Calls[0].Args[0].Index = 3 },
		"call 2 (copy): argument 0":            func(m *runtime.Model) { m.Calls[2].Bytes = 129 },
		`symbol "a b" is not a C identifier`:   func(m *runtime.Model) { m.Calls[0].Symbol = "a b" },
		"workspace at 3":                       func(m *runtime.Model) { m.Calls[0].Workspace = 3 },
		"copy of x":                            func(m *runtime.Model) { m.Inputs[0].Stage = 1 << 40 },
		"zero range 0":                         func(m *runtime.Model) { m.Zeros[0].Offset = 1 },
		"tensors of handle cannot cross":       func(m *runtime.Model) { m.Inputs[0].Type = dtype.HandleType },
		"a copy has two arguments":             func(m *runtime.Model) { m.Calls[2].Args = m.Calls[2].Args[:1] },
	} {
		m := testModel()
		spoil(m)
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestPythonLoader(t *testing.T) {
	python := peer.Python(t, "numpy")
	path := build(t, testModel(), false, "")
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "hone_model.py"), []byte(runtime.PythonLoader), 0o600); err != nil {
		t.Fatal(err)
	}
	script := `
import numpy as np, hone_model
m = hone_model.Model("test.so", threads=2)
x = (np.arange(32) % 7 - 3).astype(np.float32).reshape(4, 8)
w = (np.arange(64) % 5 - 2).astype(np.float32).reshape(8, 8)
y, z = m.run(x)
assert np.array_equal(y, np.maximum(x @ w, 0)) and np.array_equal(z, x), y
y, z = m.run(np.asfortranarray(x))
assert np.array_equal(y, np.maximum(x @ w, 0)), y
assert m.threads == 2 and m.inputs[0].shape == (4, 8), m.inputs
assert list(m.run_named(x=x)) == ['y "quoted"', "z"]
for bad, text in ((x[:2], "shape is [2, 8]"), (x.astype(np.float64), "float64")):
    try: m.run(bad)
    except hone_model.HoneError as e: assert text in str(e), e
    else: raise AssertionError(text)
m.close()
print("ok")
`
	cmd := exec.Command(python, "-c", script)
	cmd.Dir = filepath.Dir(path)
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "ok\n" {
		t.Errorf("%v: %s", err, out)
	}
}
