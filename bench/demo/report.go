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

// report prints every task's default and best time and share of the peak. It
// returns the share of the convolutions and matmuls together: their arithmetic
// over what the processor could have done in their time.
func (d *demo) report(ctx context.Context) (float64, error) {
	if err := d.seekPeak(ctx); err != nil {
		return 0, err
	}
	peak := d.peak
	l, err := compiler.Load(d.modelFile(), &d.target, compiler.LoadOptions{})
	if err != nil {
		return 0, err
	}
	defer l.Close()
	flops := map[string]float64{}
	for _, t := range l.Tasks {
		flops[hex.EncodeToString(t.Hash[:])] = analysis.EstimateFlops(t.Func)
	}
	fmt.Printf("\npeak of %d threads: %.1f GFLOP/s (%s)\n%-22s %-38s %11s %11s %7s %8s %7s\n", d.target.Threads, peak, d.isa, "task", "shapes", "default", "best", "gain", "GFLOP/s", "peak")
	work, room := 0.0, 0.0
	for _, t := range d.tune.tasks {
		op, shapes, _ := strings.Cut(t.Name, " ")
		rate, share := "-", "-"
		if f := flops[t.Workload]; dense(op) && f >= leastFlops {
			rate, share = fmt.Sprintf("%.1f", f/t.BestNs), fmt.Sprintf("%.0f %%", 100*f/t.BestNs/peak)
			work, room = work+t.Weight*f, room+t.Weight*t.BestNs*peak
		}
		fmt.Printf("%-22s %-38s %8.1f µs %8.1f µs %6.2fx %8s %7s\n", op, shapes, t.DefaultNs/1e3, t.BestNs/1e3, t.DefaultNs/t.BestNs, rate, share)
	}
	if room == 0 {
		return 0, nil
	}
	return work / room, nil
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
