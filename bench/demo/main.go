// Command demo shows the whole of Hone on this machine: it tunes the sample
// model anew through the hone command, compiles it without and with what was
// found, runs both against the model's own loops and the expected output, and
// says how near each task comes to what the processor can do. It ends with one
// line for programs, `RESULT demo …`, and fails if an output is wrong or the
// tuned model is slower than the untuned one.
//
//	make demo
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hone/compiler/target"
)

// options of the command.
type options struct {
	bin, model string
	trials     int
	threads    int
	seed       uint64
	keep       bool
}

// demo is one run.
type demo struct {
	options
	dir    string // everything that is made
	target target.Target
	tune   tuned
	tuneS  float64
	buildS float64
	peak   float64 // GFLOP/s of all threads
	isa    string
}

// tolerance is how far outputs may be from the expected ones.
const tolerance = 1e-4

func main() {
	var o options
	flag.StringVar(&o.bin, "bin", "bin", "directory of the hone binary")
	flag.StringVar(&o.model, "model", "testdata/models/demo", "directory of the model and its test data")
	flag.IntVar(&o.trials, "trials", 270, "candidates to measure")
	flag.IntVar(&o.threads, "threads", 0, "threads (default: the machine's cores)")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the search")
	flag.BoolVar(&o.keep, "keep", false, "keep the data directory and the libraries")
	flag.Parse()
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	d := &demo{options: o}
	if d.target, err = target.Native(); err != nil {
		return err
	}
	if o.threads > 0 {
		d.target = d.target.WithThreads(o.threads)
	}
	if d.dir, err = os.MkdirTemp("", "hone-demo-"); err != nil {
		return err
	}
	if o.keep {
		fmt.Println("everything is kept in", d.dir)
	} else {
		defer func() { err = errors.Join(err, os.RemoveAll(d.dir)) }()
	}
	if err := d.seekPeak(ctx); err != nil {
		return err
	}
	start := time.Now()
	if err := d.search(ctx); err != nil {
		return err
	}
	d.tuneS = time.Since(start).Seconds()
	start = time.Now()
	if err := d.build(ctx); err != nil {
		return err
	}
	d.buildS = time.Since(start).Seconds()
	if err := d.seekPeak(ctx); err != nil {
		return err
	}
	m, err := d.measure()
	if err != nil {
		return err
	}
	share, err := d.report(ctx, m)
	if err != nil {
		return err
	}
	return d.result(m, share)
}

// result prints the summary and judges.
func (d *demo) result(m measured, share float64) error {
	fmt.Printf("\nthe loops as written  %8.3f ms\nuntuned               %8.3f ms  %5.1f times faster\ntuned                 %8.3f ms  %5.2f times faster than untuned\nlargest error         %.2g\n\n",
		m.naive, m.untuned, m.naive/m.untuned, m.tuned, m.untuned/m.tuned, m.maxErr)
	fmt.Printf("RESULT demo naive_ms=%.3f untuned_ms=%.4f tuned_ms=%.4f ratio=%.3f max_err=%.3g trials_ok=%d failed=%d build_s=%.1f tune_s=%.1f peak_share=%.3f\n",
		m.naive, m.untuned, m.tuned, m.untuned/m.tuned, m.maxErr, d.tune.ok, d.tune.failed, d.buildS, d.tuneS, share)
	switch {
	case !(m.maxErr <= tolerance):
		return fmt.Errorf("an output is wrong by %g", m.maxErr)
	case m.tuned > m.untuned:
		return fmt.Errorf("the tuned model is slower than the untuned one: %.4f ms and %.4f ms", m.tuned, m.untuned)
	}
	return nil
}

func (d *demo) modelFile() string          { return filepath.Join(d.model, "model.onnx") }
func (d *demo) state() string              { return filepath.Join(d.dir, "state") }
func (d *demo) compiled() string           { return filepath.Join(d.dir, "tuned.json") } // what the tuned library uses
func (d *demo) library(kind string) string { return filepath.Join(d.dir, kind+".so") }
