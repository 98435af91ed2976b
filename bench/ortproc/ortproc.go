// Package ortproc runs models with ONNX Runtime in a process of its own (libproc),
// for comparisons. It is used by benchmarks only. The library comes from the PyPI
// wheel, the header from the Go module github.com/yalue/onnxruntime_go; both are
// looked up, never shipped. Start from Find and Runtime.Start.
package ortproc

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"hone/bench/libproc"
	"hone/compiler/dtype"
)

//go:embed csrc/ortbench.c
var source []byte

// headerModule carries onnxruntime_c_api.h; its interface must not be newer than
// the library's.
const headerModule = "github.com/yalue/onnxruntime_go@v1.27.0"

// Runtime is a usable ONNX Runtime.
type Runtime struct {
	Library string
	Version string
	program string
}

// Find looks the library and the header up and compiles the program into dir.
func Find(ctx context.Context, dir string) (*Runtime, error) {
	out, err := exec.CommandContext(ctx, "python3", "-c",
		"import onnxruntime,glob,os;print(glob.glob(os.path.join(os.path.dirname(onnxruntime.__file__),'capi','libonnxruntime.so*'))[0]);print(onnxruntime.__version__)").Output()
	if err != nil {
		return nil, fmt.Errorf("ONNX Runtime's library is not installed: python3 -m pip install onnxruntime")
	}
	lines := strings.Fields(string(out))
	if len(lines) != 2 {
		return nil, fmt.Errorf("ONNX Runtime's wheel holds no libonnxruntime.so")
	}
	header, err := headerDir(ctx)
	if err != nil {
		return nil, err
	}
	bin, err := libproc.Compile(ctx, dir, "gcc", "ortbench.c", source, "-I", header, "-ldl")
	if err != nil {
		return nil, err
	}
	return &Runtime{Library: lines[0], Version: lines[1], program: bin}, nil
}

func headerDir(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", headerModule)
	cmd.Dir = os.TempDir() // outside of our module: it is no dependency
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ONNX Runtime's header: go mod download %s failed", headerModule)
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		return "", err
	}
	return m.Dir, nil
}

// Input is a named tensor.
type Input struct {
	Name   string
	Tensor *dtype.Tensor
}

var onnxTypes = map[dtype.DType]int{
	dtype.Float32: 1, dtype.UInt8: 2, dtype.Int8: 3, dtype.Int32: 6, dtype.Int64: 7, dtype.BoolType: 9, dtype.Float64: 11,
}

// Start loads a model on the first threads processors and stops the process.
func (r *Runtime) Start(ctx context.Context, dir, model string, threads int, inputs []Input) (*libproc.Process, error) {
	var manifest strings.Builder
	for i, x := range inputs {
		file := filepath.Join(dir, fmt.Sprintf("input%d.bin", i))
		if err := os.WriteFile(file, x.Tensor.Data, 0o600); err != nil {
			return nil, err
		}
		fmt.Fprintf(&manifest, "%s %d %d", x.Name, onnxTypes[x.Tensor.Type], len(x.Tensor.Shape))
		for _, d := range x.Tensor.Shape {
			fmt.Fprintf(&manifest, " %d", d)
		}
		fmt.Fprintf(&manifest, " %s\n", file)
	}
	mf := filepath.Join(dir, "manifest")
	if err := os.WriteFile(mf, []byte(manifest.String()), 0o600); err != nil {
		return nil, err
	}
	p, err := libproc.Start(ctx, threads, nil, r.program, r.Library, model, strconv.Itoa(threads), mf)
	if err != nil {
		return nil, fmt.Errorf("ONNX Runtime could not load %s: %w", model, err)
	}
	return p, nil
}
