// Command kernels tunes four kernels from nothing and holds them against the
// multiply-add peak of one core, measured in bursts between them, and a depthwise
// convolution against ONNX Runtime, which gets a chain of eight such layers so that
// its changes of layout are shared.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"hone/bench/harness"
	"hone/bench/ortproc"
	"hone/bench/workload"
	"hone/compiler/dtype"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/internal/wire"
	"hone/rpcrunner"
	"hone/scheduler/emit"
	"hone/scheduler/jobrun"
	"hone/tuner"
)

// subject is one kernel to tune.
type subject struct {
	name  string
	f     *tir.PrimFunc
	flops float64 // nominal, padding included

	kernel wire.Kernel
	task   *emit.Task
	zero   float64
	ns     float64 // fastest of the final rounds
}

func main() {
	trials := flag.Int("trials", 200, "trials per kernel")
	rounds := flag.Int("rounds", 20, "final rounds, each with a peak burst")
	cc := flag.String("cc", "gcc", "compiler")
	seed := flag.Uint64("seed", 1, "seed of the search")
	only := flag.String("only", "", "one kernel by name")
	flag.Parse()
	if err := run(*trials, *rounds, *cc, *seed, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench-kernels:", err)
		os.Exit(1)
	}
}

func subjects(lanes int64) []*subject {
	return []*subject{
		{name: "matmul512", f: workload.Matmul(512, 512, 512), flops: workload.Flops(512*512, 512)},
		{name: "matmul_bert", f: workload.Matmul(384, 768, 768), flops: workload.Flops(384*768, 768)},
		{name: "conv3x3", f: workload.Conv(56, 56, 64, 64, 3, lanes), flops: workload.Flops(56*56*64, 64*9)},
		{name: "dw", f: workload.Depthwise(112, 112, 32, 3, lanes), flops: workload.Flops(112*112*32, 9)},
	}
}

func run(trials, rounds int, cc string, seed uint64, only string) error {
	ctx := context.Background()
	tgt, err := target.Native()
	if err != nil {
		return err
	}
	tgt = tgt.WithThreads(1)
	tmp, err := os.MkdirTemp("", "hone-bench-kernels")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	w, blobs, err := harness.NewWorker(tmp)
	if err != nil {
		return err
	}
	defer w.Close()
	list := subjects(int64(tgt.Lanes(32)))
	if only != "" {
		list = slices.DeleteFunc(list, func(s *subject) bool { return s.name != only })
	}
	for _, s := range list {
		if err := s.tune(ctx, w, harness.Options{Func: s.f, Target: tgt, CC: cc, Trials: trials, Seed: seed, Model: jobrun.NewLearner(tgt), Blobs: blobs}); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	ort, why := startChain(ctx, tmp)
	if ort != nil {
		defer ort.Close()
	}
	peak, ortNS, err := finalRounds(ctx, w, list, ort, rounds)
	if err != nil {
		return err
	}
	return report(list, peak, ortNS, why)
}

func (s *subject) tune(ctx context.Context, w *rpcrunner.Worker, o harness.Options) error {
	best, n := 0.0, 0
	o.Each = func(t tuner.Trial, e wire.EntryResult) {
		n++
		if e.Code == wire.OK && s.flops/e.NS > best {
			best = s.flops / e.NS
			fmt.Printf("%-12s trial %3d %-8s %7.1f GFLOP/s\n", s.name, n, t.Origin, best)
		}
	}
	r, err := harness.Tune(ctx, w, o)
	if err != nil {
		return err
	}
	s.kernel, s.zero = r.Kernel, r.DefaultNS
	if s.task, err = emit.NewTask(s.f, o.Target, o.CC); err != nil {
		return err
	}
	fmt.Printf("%-12s %d trials in %.1f s (build %.1f s, measure %.1f s), failed %v\n", s.name, n, r.Wall.Seconds(), r.Build.Seconds(), r.Measure.Seconds(), r.Failed)
	return nil
}

// measure times the tuned kernel once more.
func (s *subject) measure(ctx context.Context, w *rpcrunner.Worker) error {
	entry := wire.Entry{Trial: "best", Symbol: s.kernel.Symbol, Workspace: s.kernel.Workspace, Pack: s.kernel.Pack}
	item := s.task.Item(wire.KindMeasure, nil, []wire.Entry{entry})
	item.Artifact = s.kernel.Artifact
	item.Work, item.Job, item.Project, item.Attempt, item.Nonce = "final", "bench", "default", 1, wire.NewNonce()
	item.Expect = s.task.Expect(s.kernel)
	r := w.Do(ctx, item)
	if len(r.Entries) != 1 || r.Entries[0].Code != wire.OK {
		return fmt.Errorf("%s: %s %s %+v", s.name, r.Code, r.Detail, r.Entries)
	}
	if ns := r.Entries[0].NS; s.ns == 0 || ns < s.ns {
		s.ns = ns
	}
	return nil
}

// startChain starts ONNX Runtime on the chain of eight layers; without it, why
// says what is missing.
func startChain(ctx context.Context, tmp string) (s *ortproc.Session, why error) {
	rt, err := ortproc.Find(ctx, tmp)
	if err != nil {
		return nil, err
	}
	x := dtype.NewTensor(dtype.Float32, 1, 32, 112, 112)
	for i := range x.Len() {
		x.SetInt(i, int64(i%7)-3)
	}
	model := filepath.Join("testdata", "models", "dw_chain", "model.onnx")
	return rt.Start(ctx, tmp, model, 1, []ortproc.Input{{Name: "x", Tensor: x}})
}

func finalRounds(ctx context.Context, w *rpcrunner.Worker, list []*subject, ort *ortproc.Session, rounds int) (peak, ortNS float64, err error) {
	for range rounds {
		p, _, err := w.Peak(ctx, 1, 50*time.Millisecond)
		if err != nil {
			return 0, 0, err
		}
		peak = max(peak, p)
		for _, s := range list {
			if err := s.measure(ctx, w); err != nil {
				return 0, 0, err
			}
		}
		if ort == nil {
			continue
		}
		times, err := ort.Time(20)
		if err != nil {
			return 0, 0, err
		}
		if ns := slices.Min(times) / 8; ortNS == 0 || ns < ortNS {
			ortNS = ns
		}
	}
	return peak, ortNS, nil
}

func report(list []*subject, peak, ortNS float64, why error) error {
	line := fmt.Sprintf("RESULT kernels peak_gflops=%.1f", peak)
	for _, s := range list {
		g := s.flops / s.ns
		fmt.Printf("%-12s %7.1f GFLOP/s, %5.1f %% of peak, %.2f× the default schedule\n", s.name, g, 100*g/peak, s.zero/s.ns)
		if s.name != "dw" {
			line += fmt.Sprintf(" %s=%.3f", s.name, g/peak)
			continue
		}
		if why != nil {
			fmt.Printf("dw has no comparison: %v\n", why)
			line += " dw_vs_ort=none"
			continue
		}
		fmt.Printf("dw takes %.1f µs, ONNX Runtime %.1f µs a layer\n", s.ns/1e3, ortNS/1e3)
		line += fmt.Sprintf(" dw_vs_ort=%.2f", ortNS/s.ns)
	}
	fmt.Println(line)
	return nil
}
