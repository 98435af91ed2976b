package main

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sys/unix"

	"hone/bench/workload"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/internal/cc"
	"hone/internal/rng"
	"hone/scheduler/emit"
	"hone/scheduler/jobrun"
	"hone/tuner"
	"hone/tuner/preset"
	"hone/tuner/search"
)

// unitSize is how many candidates share a unit in a job.
const unitSize = 8

// rate are candidates per second of one core, the harmonic means over the workloads.
type rate struct{ built, searched float64 }

// rates builds and searches alone, by processor time.
func rates(ctx context.Context, o options, tgt target.Target, tmp string) (rate, error) {
	comp, err := cc.Named(ctx, tgt.Triple, o.CC)
	if err != nil {
		return rate{}, err
	}
	tc := &cc.Toolchain{Compiler: comp, TempDir: tmp}
	lanes := int64(tgt.Lanes(32))
	list := []struct {
		name string
		f    *tir.PrimFunc
	}{
		{"matmul 512³", workload.Matmul(512, 512, 512)},
		{"conv 3×3 56²·64→64", workload.Conv(56, 56, 64, 64, 3, lanes)},
		{"conv 1×1 14²·256→64", workload.Conv(14, 14, 256, 64, 1, lanes)},
		{"depthwise 3×3 112²·32", workload.Depthwise(112, 112, 32, 3, lanes)},
	}
	var sum rate
	for _, x := range list {
		found, searching, err := propose(o, x.f, tgt)
		if err != nil {
			return rate{}, fmt.Errorf("%s: %w", x.name, err)
		}
		built, building, size, err := compile(ctx, tc, x.f, tgt, found)
		if err != nil {
			return rate{}, fmt.Errorf("%s: %w", x.name, err)
		}
		fmt.Printf("%-24s search %5.0f candidates/s a core; build %4.0f ms of processor and %.1f KiB of text a candidate, %.1f/s a core\n",
			x.name, searching, 1e3*building/float64(built), float64(size)/1024/float64(built), float64(built)/building)
		sum.built += building / float64(built) / float64(len(list))
		sum.searched += 1 / searching / float64(len(list))
	}
	return rate{1 / sum.built, 1 / sum.searched}, nil
}

// propose runs rounds of search with a trained model and returns what was found and how
// many candidates a second were replayed, postprocessed, turned into features and scored.
func propose(o options, f *tir.PrimFunc, tgt target.Target) ([]search.Candidate, float64, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	p, err := preset.Lookup("cpu")
	if err != nil {
		return nil, 0, err
	}
	e, err := search.NewEngine(f, p, tgt)
	if err != nil {
		return nil, 0, err
	}
	// A model of made-up times: what it believes changes nothing about its cost.
	var samples []tuner.Sample
	var known []search.Measured
	for i, c := range e.Propose(search.Round{N: 64, Rand: rng.New(1)}) {
		ns := 1e6 * (1 + math.Mod(float64(i)*0.37, 1))
		samples = append(samples, tuner.Sample{Task: "task", Func: c.Func, NS: ns})
		known = append(known, search.Measured{Trace: c.Trace, Hash: c.Hash, NS: ns})
	}
	model := jobrun.NewLearner(tgt, nil).Fit(samples)
	if model == nil {
		return nil, 0, fmt.Errorf("no model of %d samples", len(samples))
	}
	var out []search.Candidate
	scored := 0
	start := cpuTime(unix.RUSAGE_SELF)
	for i := range o.rounds {
		out = append(out, e.Propose(search.Round{N: unitSize, Measured: known, Rand: rng.New(2, i), Predict: func(cs []*search.Candidate) []float64 {
			scored += len(cs)
			fs := make([]*tir.PrimFunc, len(cs))
			for k, c := range cs {
				fs[k] = c.Func
			}
			return model.Predict("task", fs)
		}})...)
	}
	return out, float64(scored) / (cpuTime(unix.RUSAGE_SELF) - start), nil
}

// compile builds the candidates in units of a job's size.
func compile(ctx context.Context, tc *cc.Toolchain, f *tir.PrimFunc, tgt target.Target, cs []search.Candidate) (n int, seconds float64, size int, err error) {
	task, err := emit.NewTask(f, tgt, string(tc.Compiler.Kind))
	if err != nil {
		return 0, 0, 0, err
	}
	for at := 0; at < len(cs); at += unitSize {
		var ks []emit.Kernel
		for i, c := range cs[at:min(at+unitSize, len(cs))] {
			ks = append(ks, emit.Kernel{Symbol: fmt.Sprintf("t%d", i), Func: c.Func})
		}
		text, entries, _ := task.Unit(ks) // a candidate that cannot be emitted costs no compiler
		if len(entries) == 0 {
			continue
		}
		start := cpuTime(unix.RUSAGE_CHILDREN)
		obj, err := tc.Compile(ctx, cc.Unit{Text: text, Flags: tgt.CFlags()})
		if err == nil {
			_, err = tc.LinkShared(ctx, [][]byte{obj}, cc.LinkOptions{})
		}
		if err != nil {
			return 0, 0, 0, err
		}
		seconds += cpuTime(unix.RUSAGE_CHILDREN) - start
		n, size = n+len(entries), size+len(text)
	}
	if n == 0 {
		return 0, 0, 0, fmt.Errorf("nothing was built")
	}
	return n, seconds, size, nil
}

// cpuTime is the processor time of this process or of its children, in seconds.
func cpuTime(who int) float64 {
	var u unix.Rusage
	if unix.Getrusage(who, &u) != nil {
		return math.NaN()
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
