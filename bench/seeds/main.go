// Command seeds asks whether tuning can be relied on: every model is tuned twice, from
// nothing and with different seeds, and the two libraries and the one of default
// schedules run in turns. It shows how far the seeds are apart and whether a tuned
// library is ever slower than the untuned one. Arguments name the models to take.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"hone/bench/artifact"
	"hone/bench/libproc"
)

type options struct {
	artifact.Lab
	rounds, threads int
}

func main() {
	var o options
	o.Flags(300, "model and seed")
	flag.IntVar(&o.rounds, "rounds", 15, "rounds, in which every library runs for a quarter of a second")
	flag.IntVar(&o.threads, "threads", 1, "threads")
	flag.Parse()
	models := flag.Args()
	if len(models) == 0 {
		models = artifact.Models
	}
	if err := run(context.Background(), o, models); err != nil {
		fmt.Fprintln(os.Stderr, "bench-seeds:", err)
		os.Exit(1)
	}
}

// Libraries of a model: default schedules, and two seeds.
const (
	untuned = iota
	seed1
	seed2
	libraries
)

// outcome are the median ratios of the rounds.
type outcome struct {
	apart float64 // of the seeds, above 1: the slower over the faster
	gain  float64 // untuned over the slower seed
}

func run(ctx context.Context, o options, models []string) error {
	if err := o.Check(models); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "hone-bench-seeds")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	within, apart, least := 0, 1.0, math.Inf(1)
	for _, m := range models {
		r, err := one(ctx, o, tmp, m)
		if err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
		if r.apart <= 1.03 {
			within++
		}
		apart, least = max(apart, r.apart), min(least, r.gain)
	}
	fmt.Printf("RESULT seeds threads=%d trials=%d models=%d within_3_percent=%d apart_max=%.3f untuned_over_tuned_min=%.3f\n", o.threads, o.Trials, len(models), within, apart, least)
	return nil
}

func one(ctx context.Context, o options, tmp, model string) (r outcome, err error) {
	libs := make([]string, libraries)
	for i := range libs {
		data := ""
		libs[i] = filepath.Join(tmp, fmt.Sprintf("%s-%d.so", model, i))
		if i != untuned {
			data = filepath.Join(tmp, fmt.Sprintf("%s-%d", model, i))
			if _, err := o.Tune(ctx, model, data, o.threads, uint64(i)); err != nil {
				return r, err
			}
		}
		if err := o.Compile(ctx, model, data, o.threads, libs[i]); err != nil {
			return r, err
		}
	}
	err = libproc.OnCPUs(o.threads, func() error {
		ns, err := race(o, libs, o.Dir(model))
		if err != nil {
			return err
		}
		r = judge(ns)
		fmt.Printf("%-15s untuned %8.3f ms, seeds %8.3f and %8.3f ms: %.1f %% apart, untuned is %.3f of the slower\n", model,
			artifact.Median(ns[untuned])/1e6, artifact.Median(ns[seed1])/1e6, artifact.Median(ns[seed2])/1e6, 100*(r.apart-1), r.gain)
		return nil
	})
	return r, err
}

// race runs the libraries in turns, nobody always after the same one, and returns the
// samples of every round in nanoseconds.
func race(o options, libs []string, dir string) ([][][]float64, error) {
	all := make([]*artifact.Runner, len(libs))
	for i, lib := range libs {
		r, err := artifact.Open(lib, dir, o.threads)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		all[i] = r
	}
	ns := make([][][]float64, len(libs))
	for round := range o.rounds {
		for k := range all {
			i := (k + round) % len(all)
			x, err := all[i].Time(250 * time.Millisecond)
			if err != nil {
				return nil, err
			}
			ns[i] = append(ns[i], x)
		}
	}
	return ns, nil
}

// judge takes the medians over the rounds of the rounds' ratios.
func judge(ns [][][]float64) outcome {
	var seeds, gain1, gain2 []float64
	for round := range ns[untuned] {
		u, a, b := libproc.Median(ns[untuned][round]), libproc.Median(ns[seed1][round]), libproc.Median(ns[seed2][round])
		seeds, gain1, gain2 = append(seeds, a/b), append(gain1, u/a), append(gain2, u/b)
	}
	s := libproc.Median(seeds)
	return outcome{apart: max(s, 1/s), gain: min(libproc.Median(gain1), libproc.Median(gain2))}
}
