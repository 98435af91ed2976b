// Package artifact tunes, builds and runs whole models with the hone binaries, for
// benchmarks: the library is checked against its model's recorded outputs before
// anybody times it. Start from Lab.
package artifact

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"hone/bench/libproc"
	"hone/compiler/dtype"
	"hone/compiler/onnx"
	"hone/compiler/runtime"
)

// Models is the fixed list: a benchmark fails where one is missing or wrong.
var Models = []string{"mobilenetv2", "resnet18", "bert_base_l1", "bert_tiny", "unet", "vit_tiny", "conv_gru", "mobilenetv2_qdq"}

// Lab says where binaries and models are and how to tune.
type Lab struct {
	Bin    string // folder of the binaries
	Folder string // of the models
	CC     string
	Trials int
}

// Flags registers what a benchmark of models is told about them; trials and what are
// the default budget and what it is for.
func (l *Lab) Flags(trials int, what string) {
	flag.StringVar(&l.Bin, "bin", "bin", "folder of the hone binaries")
	flag.StringVar(&l.Folder, "models", defaultFolder(), "folder of the models (or HONE_MODELS)")
	flag.StringVar(&l.CC, "cc", "gcc", "compiler")
	flag.IntVar(&l.Trials, "trials", trials, "trials per "+what)
}

// defaultFolder is HONE_MODELS, or a folder beside the checkout.
func defaultFolder() string {
	if d := os.Getenv("HONE_MODELS"); d != "" {
		return d
	}
	return filepath.Join("..", "shared", "models")
}

// Dir is the folder of a model and its recorded inputs and outputs.
func (l Lab) Dir(model string) string { return filepath.Join(l.Folder, model) }

// File is the model itself.
func (l Lab) File(model string) string { return filepath.Join(l.Dir(model), "model.onnx") }

// Check refuses models that are not there.
func (l Lab) Check(models []string) error {
	for _, m := range models {
		if _, err := os.Stat(l.File(m)); err != nil {
			return fmt.Errorf("model %s is missing: %w", m, err)
		}
	}
	return nil
}

// Tune runs a job and returns what it says in its last line, for programs.
func (l Lab) Tune(ctx context.Context, model, data string, threads int, seed uint64) (string, error) {
	out, err := l.hone(ctx, "tune", l.File(model), "--data-dir", data, "--threads", strconv.Itoa(threads), "--cc", l.CC,
		"--trials", strconv.Itoa(l.Trials), "--seed", strconv.FormatUint(seed, 10))
	if err != nil {
		return "", err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	_, values, _ := strings.Cut(lines[len(lines)-1], "RESULT ")
	return values, nil
}

// Compile builds a library with the records in data, or with default schedules where
// data is empty.
func (l Lab) Compile(ctx context.Context, model, data string, threads int, lib string) error {
	args := []string{"compile", l.File(model), "-o", lib, "--threads", strconv.Itoa(threads), "--cc", l.CC}
	if data == "" {
		args = append(args, "--untuned")
	} else {
		args = append(args, "--data-dir", data)
	}
	_, err := l.hone(ctx, args...)
	return err
}

func (l Lab) hone(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, filepath.Join(l.Bin, "hone"), args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("hone %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// Runner is an open library with its recorded inputs.
type Runner struct {
	*runtime.Instance
	Recorded []*dtype.Tensor
	out      []*dtype.Tensor
}

// Open loads a library that was built from the model in dir and checks it. Its threads
// inherit the processors of the calling thread (libproc.OnCPUs).
func Open(lib, dir string, threads int) (*Runner, error) {
	inst, err := runtime.Open(lib, runtime.Options{Threads: threads})
	if err != nil {
		return nil, err
	}
	r := &Runner{Instance: inst, out: inst.NewOutputs()}
	if r.Recorded, err = check(inst, dir); err != nil {
		inst.Close()
		return nil, err
	}
	for range 3 {
		if err := inst.RunInto(r.Recorded, r.out); err != nil {
			inst.Close()
			return nil, err
		}
	}
	return r, nil
}

// Time runs the model for a while, five times at least, and returns the nanoseconds
// of every run. Afterwards the threads have gone to rest.
func (r *Runner) Time(least time.Duration) ([]float64, error) {
	var ns []float64
	for start := time.Now(); len(ns) < 5 || time.Since(start) < least; {
		s := time.Now()
		if err := r.RunInto(r.Recorded, r.out); err != nil {
			return nil, err
		}
		ns = append(ns, float64(time.Since(s).Nanoseconds()))
	}
	time.Sleep(2 * time.Millisecond)
	return ns, nil
}

// check runs the model's test set and compares within rtol 1e-3 and the model's
// absolute tolerance.
func check(inst *runtime.Instance, dir string) ([]*dtype.Tensor, error) {
	sets, err := onnx.TestSets(dir)
	if err != nil || len(sets) == 0 {
		return nil, fmt.Errorf("no test set in %s: %v", dir, err)
	}
	inputs := make([]*dtype.Tensor, len(inst.Inputs()))
	for i := range inputs {
		if inputs[i], _, err = onnx.ReadTensor(filepath.Join(dir, "test_data_set_0", fmt.Sprintf("input_%d.pb", i))); err != nil {
			return nil, err
		}
	}
	got, err := inst.Run(inputs)
	if err != nil {
		return nil, err
	}
	for i, g := range got {
		want, _, err := onnx.ReadTensor(filepath.Join(dir, "test_data_set_0", fmt.Sprintf("output_%d.pb", i)))
		if err != nil {
			return nil, err
		}
		for k := range want.Len() {
			if d := math.Abs(g.Float(k) - want.Float(k)); !(d <= onnx.Tolerance(dir)+1e-3*math.Abs(want.Float(k))) {
				return nil, fmt.Errorf("output %d, element %d is %v, want %v", i, k, g.Float(k), want.Float(k))
			}
		}
	}
	return inputs, nil
}

// Median of the medians of rounds.
func Median(rounds [][]float64) float64 {
	var m []float64
	for _, r := range rounds {
		m = append(m, libproc.Median(r))
	}
	return libproc.Median(m)
}
