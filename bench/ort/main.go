// Command ort holds tuned artifacts against ONNX Runtime with all optimisations, on
// the same cores, in alternating rounds, with the other side's process stopped. The
// list of models is fixed: one that is missing or wrong fails the command. Arguments
// name the models to take instead of all.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hone/bench/libproc"
	"hone/bench/ortproc"
	"hone/compiler/dtype"
	"hone/compiler/onnx"
	hrt "hone/compiler/runtime"
)

// allModels is the fixed list.
var allModels = []string{"mobilenetv2", "resnet18", "bert_base_l1", "bert_tiny", "unet", "vit_tiny", "conv_gru", "mobilenetv2_qdq"}

type options struct {
	bin, models, data, cc string
	trials, rounds        int
	only                  []string
	threads               []int
	untuned               bool
}

func main() {
	var o options
	var threads string
	flag.StringVar(&o.bin, "bin", "bin", "folder of the hone binaries")
	flag.StringVar(&o.models, "models", defaultModels(), "folder of the models (or HONE_MODELS)")
	flag.StringVar(&o.data, "data-dir", "", "data directory of the tuning jobs; empty: a fresh one")
	flag.StringVar(&o.cc, "cc", "gcc", "compiler")
	flag.IntVar(&o.trials, "trials", 300, "trials per model and thread count")
	flag.IntVar(&o.rounds, "rounds", 9, "alternating rounds")
	flag.StringVar(&threads, "threads", "1,2", "thread counts")
	flag.BoolVar(&o.untuned, "untuned", false, "default schedules instead of tuned ones")
	flag.Parse()
	if o.only = flag.Args(); len(o.only) == 0 {
		o.only = allModels
	}
	for _, s := range strings.Split(threads, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			fmt.Fprintln(os.Stderr, "bench-ort: bad thread count", s)
			os.Exit(2)
		}
		o.threads = append(o.threads, n)
	}
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "bench-ort:", err)
		os.Exit(1)
	}
}

func defaultModels() string {
	if d := os.Getenv("HONE_MODELS"); d != "" {
		return d
	}
	return filepath.Join("..", "shared", "models")
}

func run(o options) error {
	ctx := context.Background()
	tmp, err := os.MkdirTemp("", "hone-bench-ort")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if o.data == "" {
		o.data = filepath.Join(tmp, "data")
	}
	for _, m := range o.only {
		if _, err := os.Stat(filepath.Join(o.models, m, "model.onnx")); err != nil {
			return fmt.Errorf("model %s is missing: %w", m, err)
		}
	}
	ort, err := ortproc.Find(ctx, tmp)
	if err != nil {
		return err
	}
	fmt.Printf("ONNX Runtime %s\n", ort.Version)
	for _, n := range o.threads {
		if err := compare(ctx, o, ort, tmp, n); err != nil {
			return err
		}
	}
	return nil
}

func compare(ctx context.Context, o options, ort *ortproc.Runtime, tmp string, threads int) error {
	var ratios []float64
	start := time.Now()
	for _, m := range o.only {
		r, err := one(ctx, o, ort, tmp, m, threads)
		if err != nil {
			return fmt.Errorf("%s on %d threads: %w", m, threads, err)
		}
		ratios = append(ratios, r)
	}
	sum := 0.0
	for _, r := range ratios {
		sum += math.Log(r)
	}
	trials := o.trials
	if o.untuned {
		trials = 0
	}
	fmt.Printf("RESULT ort threads=%d geomean=%.3f min=%.3f models=%d trials=%d wall_s=%.0f\n", threads, math.Exp(sum/float64(len(ratios))), slices.Min(ratios), len(ratios), trials, time.Since(start).Seconds())
	return nil
}

// one tunes, builds, checks and compares one model.
func one(ctx context.Context, o options, ort *ortproc.Runtime, tmp, name string, threads int) (float64, error) {
	dir := filepath.Join(o.models, name)
	model := filepath.Join(dir, "model.onnx")
	common := []string{"--data-dir", o.data, "--threads", strconv.Itoa(threads), "--cc", o.cc}
	tuneStart := time.Now()
	if !o.untuned {
		args := append([]string{"tune", model, "--trials", strconv.Itoa(o.trials), "--seed", "1"}, common...)
		out, err := command(ctx, filepath.Join(o.bin, "hone"), args...)
		if err != nil {
			return 0, err
		}
		fmt.Printf("%-14s threads %d: %s\n", name, threads, summary(out))
	}
	tuned := time.Since(tuneStart)
	lib := filepath.Join(tmp, fmt.Sprintf("%s-%d.so", name, threads))
	args := append([]string{"compile", model, "-o", lib}, common...)
	if o.untuned {
		args = append(args, "--untuned")
	}
	if _, err := command(ctx, filepath.Join(o.bin, "hone"), args...); err != nil {
		return 0, err
	}
	return race(ctx, o, ort, tmp, name, dir, lib, threads, tuned)
}

func command(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// summary is what the command said in its last line, for programs.
func summary(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	_, values, _ := strings.Cut(lines[len(lines)-1], "RESULT ")
	return values
}

// race alternates the two sides.
func race(ctx context.Context, o options, ort *ortproc.Runtime, tmp, name, dir, lib string, threads int, tuned time.Duration) (float64, error) {
	// The pool's threads inherit the affinity of the thread that opens the library.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var old unix.CPUSet
	if err := unix.SchedGetaffinity(0, &old); err != nil {
		return 0, err
	}
	set := libproc.FirstCPUs(threads)
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return 0, err
	}
	defer func() { _ = unix.SchedSetaffinity(0, &old) }()
	inst, err := hrt.Open(lib, hrt.Options{Threads: threads})
	if err != nil {
		return 0, err
	}
	defer inst.Close()
	inputs, err := check(inst, dir)
	if err != nil {
		return 0, err
	}
	var named []ortproc.Input
	for i, in := range inst.Inputs() {
		named = append(named, ortproc.Input{Name: in.Name, Tensor: inputs[i]})
	}
	sess, err := ort.Start(ctx, tmp, filepath.Join(dir, "model.onnx"), threads, named)
	if err != nil {
		return 0, err
	}
	defer sess.Close()
	ours, theirs, err := rounds(o.rounds, inst, sess, inputs)
	if err != nil {
		return 0, err
	}
	fmt.Printf("%-14s threads %d: Hone %8.3f ms, ONNX Runtime %8.3f ms, ratio %.2f (tuned in %.0f s)\n", name, threads, ours/1e6, theirs/1e6, theirs/ours, tuned.Seconds())
	return theirs / ours, nil
}

// rounds returns the medians of the rounds' medians in nanoseconds.
func rounds(n int, inst *hrt.Instance, sess *libproc.Process, inputs []*dtype.Tensor) (ours, theirs float64, err error) {
	out := inst.NewOutputs()
	for range 3 {
		if err := inst.RunInto(inputs, out); err != nil {
			return 0, 0, err
		}
	}
	var a, b []float64
	for range n {
		t := time.Now()
		var mine []float64
		for len(mine) < 5 || time.Since(t) < 250*time.Millisecond {
			s := time.Now()
			if err := inst.RunInto(inputs, out); err != nil {
				return 0, 0, err
			}
			mine = append(mine, float64(time.Since(s).Nanoseconds()))
		}
		time.Sleep(2 * time.Millisecond) // the pool parks
		other, err := sess.Time(len(mine))
		if err != nil {
			return 0, 0, err
		}
		a, b = append(a, libproc.Median(mine)), append(b, libproc.Median(other))
	}
	return libproc.Median(a), libproc.Median(b), nil
}

// check runs the model's test set and compares within rtol 1e-3 and the model's
// absolute tolerance.
func check(inst *hrt.Instance, dir string) ([]*dtype.Tensor, error) {
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
