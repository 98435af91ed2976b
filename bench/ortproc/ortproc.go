// Package ortproc runs models with ONNX Runtime in a process of its own, for
// comparisons: the process is stopped while anything else is timed. It is used by
// benchmarks only. The library comes from the PyPI wheel, the header from the Go
// module github.com/yalue/onnxruntime_go; both are looked up, never shipped. Start
// from Find and Runtime.Start.
package ortproc

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

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
	src, bin := filepath.Join(dir, "ortbench.c"), filepath.Join(dir, "ortbench")
	if err := os.WriteFile(src, source, 0o600); err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, "gcc", "-O2", "-w", "-I", header, src, "-o", bin, "-ldl").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling the ONNX Runtime program: %s", out)
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

// Session is a running process with a loaded model, stopped unless it is asked
// for something.
type Session struct {
	cmd *exec.Cmd
	in  *os.File
	out *bufio.Scanner
}

var onnxTypes = map[dtype.DType]int{
	dtype.Float32: 1, dtype.UInt8: 2, dtype.Int8: 3, dtype.Int32: 6, dtype.Int64: 7, dtype.BoolType: 9, dtype.Float64: 11,
}

// Start loads a model on the first threads processors and stops the process.
func (r *Runtime) Start(ctx context.Context, dir, model string, threads int, inputs []Input) (*Session, error) {
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
	pr, pw, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer pr.Close()
	cmd := exec.CommandContext(ctx, r.program, r.Library, model, strconv.Itoa(threads), mf)
	cmd.Stdin, cmd.Stderr = pr, os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	// The child inherits the affinity of the thread that starts it.
	err = onCPUs(threads, cmd.Start)
	if err != nil {
		return nil, err
	}
	s := &Session{cmd: cmd, in: pw, out: bufio.NewScanner(stdout)}
	if !s.out.Scan() || s.out.Text() != "ready" {
		s.Close()
		return nil, fmt.Errorf("ONNX Runtime could not load %s", model)
	}
	return s, s.signal(syscall.SIGSTOP)
}

// onCPUs runs f on a thread that may use only the first n processors.
func onCPUs(n int, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var old unix.CPUSet
	if err := unix.SchedGetaffinity(0, &old); err != nil {
		return err
	}
	set := FirstCPUs(n)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return err
	}
	defer func() { _ = unix.SchedSetaffinity(0, &old) }()
	return f()
}

// FirstCPUs is the set of the first n processors this process may use.
func FirstCPUs(n int) unix.CPUSet {
	var all, set unix.CPUSet
	_ = unix.SchedGetaffinity(0, &all)
	for i := 0; i < 1024 && set.Count() < n; i++ {
		if all.IsSet(i) {
			set.Set(i)
		}
	}
	return set
}

func (s *Session) signal(sig syscall.Signal) error { return s.cmd.Process.Signal(sig) }

// ask sends a command to the woken process and collects the lines up to "done".
func (s *Session) ask(command string) ([]string, error) {
	if err := s.signal(syscall.SIGCONT); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintln(s.in, command); err != nil {
		return nil, err
	}
	var lines []string
	for s.out.Scan() {
		if s.out.Text() == "done" {
			return lines, s.signal(syscall.SIGSTOP)
		}
		lines = append(lines, s.out.Text())
	}
	return nil, fmt.Errorf("ONNX Runtime's process ended")
}

// Time runs the model n times and returns the nanoseconds of each run.
func (s *Session) Time(n int) ([]float64, error) {
	lines, err := s.ask(fmt.Sprintf("r %d", n))
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(lines))
	for i, l := range lines {
		if out[i], err = strconv.ParseFloat(l, 64); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Close ends the process.
func (s *Session) Close() {
	_ = s.signal(syscall.SIGCONT)
	s.in.Close()
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}
