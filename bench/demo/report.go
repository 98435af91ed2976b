package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hone/compiler"
	"hone/compiler/tir/analysis"
	"hone/rpcrunner"
)

// leastFlops is the work below which a task's time says nothing about
// arithmetic: starting its threads takes longer.
const leastFlops = 1e6

// report prints, for every task, the least time of its kernel in the rounds of
// the whole model, without and with what was found, and its share of the peak. It
// returns the share of the convolutions and matmuls together: their arithmetic
// over what the processor could have done in their time.
func (d *demo) report(ctx context.Context, m measured) (float64, error) {
	if err := d.seekPeak(ctx); err != nil {
		return 0, err
	}
	peak := d.peak
	before, tasks, err := d.tasks(m)
	if err != nil {
		return 0, err
	}
	names := map[string]string{}
	for _, t := range d.tune.tasks {
		names[t.Workload] = t.Name
	}
	fmt.Printf("\npeak of %d threads: %.1f GFLOP/s (%s)\n%-22s %-38s %11s %11s %7s %8s %7s\n", d.target.Threads, peak, d.isa, "task", "shapes", "untuned", "tuned", "gain", "GFLOP/s", "peak")
	work, room := 0.0, 0.0
	for _, t := range tasks {
		op, shapes, _ := strings.Cut(names[hex.EncodeToString(t.Hash[:])], " ")
		untuned, tuned := before[t.Hash], callTime(m.tunedCalls, t)
		rate, share := "-", "-"
		if f := analysis.EstimateFlops(t.Func); dense(op) && f >= leastFlops {
			rate, share = fmt.Sprintf("%.1f", f/tuned), fmt.Sprintf("%.0f %%", 100*f/tuned/peak)
			work, room = work+float64(t.Weight)*f, room+float64(t.Weight)*tuned*peak
		}
		was, gain := "-", "-" // of another form than the untuned model's
		if untuned > 0 {
			was, gain = fmt.Sprintf("%.1f µs", untuned/1e3), fmt.Sprintf("%.2fx", untuned/tuned)
		}
		fmt.Printf("%-22s %-38s %11s %8.1f µs %7s %8s %7s\n", op, shapes, was, tuned/1e3, gain, rate, share)
	}
	if room == 0 {
		return 0, nil
	}
	return work / room, nil
}

// tasks are those of the tuned library, whose forms its report names, and before the
// times of the untuned library's by their hash.
func (d *demo) tasks(m measured) (before map[[32]byte]float64, tasks []compiler.Task, err error) {
	text, err := os.ReadFile(d.compiled())
	if err != nil {
		return nil, nil, err
	}
	var compiled struct{ Forms map[string]int64 }
	if err := json.Unmarshal(text, &compiled); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", d.compiled(), err)
	}
	untuned, err := d.tasksOf(nil, m.untunedCalls)
	if err != nil {
		return nil, nil, err
	}
	before = map[[32]byte]float64{}
	for _, t := range untuned {
		before[t.Hash] = callTime(m.untunedCalls, t)
	}
	tasks, err = d.tasksOf(compiled.Forms, m.tunedCalls)
	return before, tasks, err
}

// tasksOf are the tasks of a library that was compiled with the given forms.
func (d *demo) tasksOf(forms map[string]int64, calls []float64) ([]compiler.Task, error) {
	l, err := compiler.Load(d.modelFile(), &d.target, compiler.LoadOptions{Forms: forms, Hollow: true})
	if err != nil {
		return nil, err
	}
	if n := len(l.Program.Kernels); n != len(calls) {
		err = fmt.Errorf("the model has %d kernels, its library %d", n, len(calls))
	}
	return l.Tasks, errors.Join(err, l.Close())
}

// callTime is the mean over a task's calls.
func callTime(calls []float64, t compiler.Task) float64 {
	sum := 0.0
	for _, k := range t.Kernels {
		sum += calls[k]
	}
	return sum / float64(len(t.Kernels))
}

// dense says whether arithmetic is what bounds an operator.
func dense(op string) bool { return strings.HasPrefix(op, "conv") || strings.HasPrefix(op, "matmul") }

// bursts is how often the peak is sought at each of several moments, of what
// length; the best counts, since whatever else runs only slows one down.
const (
	bursts = 20
	burst  = 20 * time.Millisecond
)

// seekPeak looks for the rate of multiply-adds of the processor, by the agent's
// own means.
func (d *demo) seekPeak(ctx context.Context) error {
	w, err := rpcrunner.New(rpcrunner.Config{Dir: filepath.Join(d.dir, "peak")})
	if err != nil {
		return err
	}
	defer w.Close()
	for range bursts {
		g, isa, err := w.Peak(ctx, d.target.Threads, burst)
		if err != nil {
			return err
		}
		d.peak, d.isa = max(d.peak, g), isa
	}
	return nil
}
