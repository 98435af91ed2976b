package compiler_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"hone/compiler"
	"hone/compiler/dtype"
	"hone/compiler/onnx"
	"hone/compiler/runtime"
	"hone/compiler/target"
	"hone/internal/cc"
)

// buildDefault builds a model with default schedules and opens it.
func buildDefault(t *testing.T, dir string, threads int) *runtime.Instance {
	t.Helper()
	tgt, err := target.Native()
	if err != nil {
		t.Skip(err)
	}
	comp, err := cc.Default(context.Background(), "")
	if err != nil {
		t.Skip(err)
	}
	inst, err := runtime.Open(buildFor(t, dir, tgt.WithThreads(threads), comp), runtime.Options{Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inst.Close() })
	return inst
}

// buildFor builds a model with default schedules into a library of its own.
func buildFor(t *testing.T, dir string, tgt target.Target, comp *cc.Compiler) string {
	t.Helper()
	l, err := compiler.Load(filepath.Join(dir, "model.onnx"), &tgt, compiler.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	choices, err := compiler.Choose(l.Tasks, nil, &tgt)
	if err != nil {
		t.Fatal(err)
	}
	tc := &cc.Toolchain{Compiler: comp, TempDir: t.TempDir()}
	a, err := compiler.Build(context.Background(), l.Program, choices, compiler.BuildOptions{Target: tgt, Toolchain: tc, Embed: true})
	if err != nil {
		t.Fatal(err)
	}
	lib := filepath.Join(t.TempDir(), "model.so")
	if err := os.WriteFile(lib, a.Library, 0o644); err != nil {
		t.Fatal(err)
	}
	return lib
}

// testData reads input_K.pb or output_K.pb of a model.
func testData(t *testing.T, dir, kind string) []*dtype.Tensor {
	t.Helper()
	var out []*dtype.Tensor
	for i := 0; ; i++ {
		x, _, err := onnx.ReadTensor(filepath.Join(dir, "test_data_set_0", kind+"_"+string(rune('0'+i))+".pb"))
		if os.IsNotExist(err) || err != nil && i > 0 {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, x)
	}
}

// closeTo reports the largest violation of |a − b| ≤ atol + 1e-3·|b|.
func closeTo(t *testing.T, name string, got, want *dtype.Tensor, atol float64) {
	t.Helper()
	if got.Len() != want.Len() {
		t.Fatalf("%s: %v elements, want %v", name, got.Shape, want.Shape)
	}
	worst, at := 0.0, -1
	for i := range got.Len() {
		d := math.Abs(got.Float(i)-want.Float(i)) - atol - 1e-3*math.Abs(want.Float(i))
		if d > worst || d != d {
			worst, at = d, i
		}
	}
	if at >= 0 {
		t.Errorf("%s: element %d is %v, want %v", name, at, got.Float(at), want.Float(at))
	}
}

// An artifact of default schedules gives the outputs that came with the model.
func TestUntunedArtifacts(t *testing.T) {
	for _, name := range []string{"demo", "bert_tiny", "mobilenetv2", "resnet18", "bert_base_l1", "unet", "vit_tiny", "conv_gru", "mobilenetv2_qdq"} {
		t.Run(name, func(t *testing.T) {
			if name != "demo" && os.Getenv("HONE_TEST_ALL") == "" {
				t.Skip("HONE_TEST_ALL is not set")
			}
			dir := modelDir(t, name)
			inst := buildDefault(t, dir, 1)
			in, want := testData(t, dir, "input"), testData(t, dir, "output")
			got, err := inst.Run(in)
			if err != nil {
				t.Fatal(err)
			}
			for i := range want {
				closeTo(t, inst.Outputs()[i].Name, got[i], want[i], onnx.Tolerance(dir))
			}
		})
	}
}
