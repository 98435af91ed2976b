package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hone/bench/harness"
	"hone/bench/simulate"
	"hone/compiler/target"
	"hone/internal/wire"
	"hone/rpcrunner"
	"hone/scheduler/jobrun"
	"hone/tuner"
)

// part is one search of a recording; its share is of the trials of a half.
type part struct {
	preset string
	half   simulate.Half
	seed   uint64
	share  float64
}

// parts make a log: of preset cpu a random half and, from three searches, an evolved
// one; less of cpu-parity, whose candidates only its own search meets.
var parts = []part{
	{"cpu", simulate.RandomHalf, 101, 1},
	{"cpu", simulate.EvolvedHalf, 102, 0.34},
	{"cpu", simulate.EvolvedHalf, 103, 0.33},
	{"cpu", simulate.EvolvedHalf, 104, 0.33},
	{"cpu-parity", simulate.RandomHalf, 105, 0.1},
	{"cpu-parity", simulate.EvolvedHalf, 106, 0.1},
}

// recorder measures subjects with real builds.
type recorder struct {
	target target.Target
	cc     string
	trials int // of a half
	worker *rpcrunner.Worker
	blobs  *harness.Memory
}

func record(ctx context.Context, o options) error {
	t, err := target.Native()
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "hone-bench-search")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	w, blobs, err := harness.NewWorker(tmp)
	if err != nil {
		return err
	}
	defer w.Close()
	r := &recorder{target: t.WithThreads(1), cc: o.cc, trials: o.half, worker: w, blobs: blobs}
	for _, s := range subjects(int64(t.Lanes(32))) {
		if !o.wants(s.Name) {
			continue
		}
		start := time.Now()
		l, err := r.log(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		if err := store(o.path(s.Name), l); err != nil {
			return err
		}
		fmt.Printf("%-12s %d candidates in %.0f s\n", s.Name, len(l.Entries), time.Since(start).Seconds())
	}
	return nil
}

// log runs all parts of a subject, every candidate beside one incumbent so that
// their times compare.
func (r *recorder) log(ctx context.Context, s subject) (*simulate.Log, error) {
	l := simulate.NewLog(s.Name, s.Func, r.target, r.cc)
	seen := map[[32]byte]bool{}
	var beside *harness.Result
	for _, p := range parts {
		trials := int(p.share * float64(r.trials))
		if s.donor && p.preset != "cpu" {
			continue
		}
		if s.donor {
			trials /= 2
		}
		var failed error
		res, err := harness.Tune(ctx, r.worker, harness.Options{
			Func: s.Func, Target: r.target, CC: r.cc, Preset: p.preset, Seed: p.seed, Trials: max(trials, 2), Random: p.half == simulate.RandomHalf,
			Model: jobrun.NewLearner(r.target, nil), Blobs: r.blobs, Beside: beside,
			Each: func(t tuner.Trial, e wire.EntryResult, ns float64) {
				if seen[t.Hash] || e.Code != wire.OK && e.Code.Class() != "candidate" {
					return // what devices did to a candidate says nothing about it
				}
				seen[t.Hash] = true
				if err := l.Add(simulate.Entry{Preset: p.preset, Half: p.half, Code: string(e.Code), NS: ns}, t.Trace, t.Hash); err != nil {
					failed = err
				}
			},
		})
		if err != nil {
			return nil, err
		}
		if failed != nil {
			return nil, failed
		}
		if beside == nil {
			beside, l.Raced = res, res.BestNS
		}
		l.Raced = min(l.Raced, res.BestNS)
		fmt.Printf("%-12s %-10s %-8s %4d trials in %3.0f s (build %.0f s, measure %.0f s), best %.1f µs, failed %v\n",
			s.Name, p.preset, p.half, len(res.Session.Trials()), res.Wall.Seconds(), res.Build.Seconds(), res.Measure.Seconds(), res.BestNS/1e3, res.Failed)
	}
	return l, nil
}

func store(path string, l *simulate.Log) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := l.Write(f); err != nil {
		return err
	}
	return f.Close()
}
