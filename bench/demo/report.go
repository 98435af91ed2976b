package main

import (
	"context"
	"encoding/hex"
	"fmt"
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
	l, err := compiler.Load(d.modelFile(), &d.target, compiler.LoadOptions{})
	if err != nil {
		return 0, err
	}
	defer l.Close()
	if n := len(l.Program.Kernels); n != len(m.untunedCalls) || n != len(m.tunedCalls) {
		return 0, fmt.Errorf("the model has %d kernels, its libraries %d and %d", n, len(m.untunedCalls), len(m.tunedCalls))
	}
	names := map[string]string{}
	for _, t := range d.tune.tasks {
		names[t.Workload] = t.Name
	}
	fmt.Printf("\npeak of %d threads: %.1f GFLOP/s (%s)\n%-22s %-38s %11s %11s %7s %8s %7s\n", d.target.Threads, peak, d.isa, "task", "shapes", "untuned", "tuned", "gain", "GFLOP/s", "peak")
	work, room := 0.0, 0.0
	for _, t := range l.Tasks {
		op, shapes, _ := strings.Cut(names[hex.EncodeToString(t.Hash[:])], " ")
		untuned, tuned := callTime(m.untunedCalls, t), callTime(m.tunedCalls, t)
		rate, share := "-", "-"
		if f := analysis.EstimateFlops(t.Func); dense(op) && f >= leastFlops {
			rate, share = fmt.Sprintf("%.1f", f/tuned), fmt.Sprintf("%.0f %%", 100*f/tuned/peak)
			work, room = work+float64(t.Weight)*f, room+float64(t.Weight)*tuned*peak
		}
		fmt.Printf("%-22s %-38s %8.1f µs %8.1f µs %6.2fx %8s %7s\n", op, shapes, untuned/1e3, tuned/1e3, untuned/tuned, rate, share)
	}
	if room == 0 {
		return 0, nil
	}
	return work / room, nil
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
