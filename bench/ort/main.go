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
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hone/bench/artifact"
	"hone/bench/libproc"
	"hone/bench/ortproc"
)

type options struct {
	artifact.Lab
	data    string
	rounds  int
	only    []string
	threads []int
	untuned bool
}

func main() {
	var o options
	var threads string
	o.Flags(300, "model and thread count")
	flag.StringVar(&o.data, "data-dir", "", "data directory of the tuning jobs; empty: a fresh one")
	flag.IntVar(&o.rounds, "rounds", 9, "alternating rounds")
	flag.StringVar(&threads, "threads", "1,2", "thread counts")
	flag.BoolVar(&o.untuned, "untuned", false, "default schedules instead of tuned ones")
	flag.Parse()
	if o.only = flag.Args(); len(o.only) == 0 {
		o.only = artifact.Models
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

func run(o options) error {
	ctx := context.Background()
	tmp, err := os.MkdirTemp("", "hone-bench-ort")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	switch {
	case o.untuned:
		o.data, o.Trials = "", 0
	case o.data == "":
		o.data = filepath.Join(tmp, "data")
	}
	if err := o.Check(o.only); err != nil {
		return err
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
	fmt.Printf("RESULT ort threads=%d geomean=%.3f min=%.3f models=%d trials=%d wall_s=%.0f\n", threads, math.Exp(sum/float64(len(ratios))), slices.Min(ratios), len(ratios), o.Trials, time.Since(start).Seconds())
	return nil
}

// one tunes, builds, checks and compares one model.
func one(ctx context.Context, o options, ort *ortproc.Runtime, tmp, name string, threads int) (ratio float64, err error) {
	start := time.Now()
	if !o.untuned {
		said, err := o.Tune(ctx, name, o.data, threads, 1)
		if err != nil {
			return 0, err
		}
		fmt.Printf("%-15s threads %d: %s\n", name, threads, said)
	}
	tuned := time.Since(start)
	lib := filepath.Join(tmp, fmt.Sprintf("%s-%d.so", name, threads))
	if err := o.Compile(ctx, name, o.data, threads, lib); err != nil {
		return 0, err
	}
	err = libproc.OnCPUs(threads, func() error {
		r, err := artifact.Open(lib, o.Dir(name), threads)
		if err != nil {
			return err
		}
		defer r.Close()
		ours, theirs, err := rounds(ctx, o, r, ort, tmp, name, threads)
		if err != nil {
			return err
		}
		ratio = theirs / ours
		fmt.Printf("%-15s threads %d: Hone %8.3f ms, ONNX Runtime %8.3f ms, ratio %.2f (tuned in %.0f s)\n", name, threads, ours/1e6, theirs/1e6, ratio, tuned.Seconds())
		return nil
	})
	return ratio, err
}

// rounds alternates the two sides and returns the medians of the rounds' medians in
// nanoseconds.
func rounds(ctx context.Context, o options, r *artifact.Runner, ort *ortproc.Runtime, tmp, name string, threads int) (ours, theirs float64, err error) {
	var named []ortproc.Input
	for i, in := range r.Inputs() {
		named = append(named, ortproc.Input{Name: in.Name, Tensor: r.Recorded[i]})
	}
	sess, err := ort.Start(ctx, tmp, o.File(name), threads, named)
	if err != nil {
		return 0, 0, err
	}
	defer sess.Close()
	var a, b [][]float64
	for range o.rounds {
		mine, err := r.Time(250 * time.Millisecond)
		if err != nil {
			return 0, 0, err
		}
		other, err := sess.Time(len(mine))
		if err != nil {
			return 0, 0, err
		}
		a, b = append(a, mine), append(b, other)
	}
	return artifact.Median(a), artifact.Median(b), nil
}
