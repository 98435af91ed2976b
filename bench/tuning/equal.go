package main

import (
	"context"
	"fmt"
	"math"

	"hone/bench/harness"
	"hone/bench/workload"
	"hone/compiler/target"
	"hone/internal/wire"
	"hone/rpcrunner"
	"hone/scheduler/emit"
)

// equals races one kernel against itself, entered as two candidates, and returns the
// share of races in which it comes out equal to 2 %.
func equals(ctx context.Context, o options, w *rpcrunner.Worker, blobs *harness.Memory, tgt target.Target) (float64, error) {
	within, all := 0, 0
	for threads := 1; threads <= min(2, tgt.Threads); threads++ {
		for _, n := range []int64{96, 384, 640} {
			f := workload.Matmul(n, n, n)
			r, err := harness.Tune(ctx, w, harness.Options{Func: f, Target: tgt.WithThreads(threads), CC: o.CC, Trials: 1, Blobs: blobs})
			if err != nil {
				return 0, err
			}
			task, err := emit.NewTask(f, tgt.WithThreads(threads), o.CC)
			if err != nil {
				return 0, err
			}
			good, worst := 0, 0.0
			for range o.races {
				x, err := same(ctx, w, task, r.Kernel)
				if err != nil {
					return 0, err
				}
				off := math.Abs(x - 1)
				worst = max(worst, off)
				if off <= 0.02 {
					good++
				}
			}
			fmt.Printf("A/A, %7.1f µs, %d threads: %d of %d races within 2 %%, worst %.1f %%\n", r.DefaultNS/1e3, threads, good, o.races, 100*worst)
			within, all = within+good, all+o.races
		}
	}
	return float64(within) / float64(all), nil
}

// same races a kernel against itself once: the ratio of the two.
func same(ctx context.Context, w *rpcrunner.Worker, task *emit.Task, k wire.Kernel) (float64, error) {
	entries := make([]wire.Entry, 2)
	for i := range entries {
		entries[i] = wire.Entry{Trial: fmt.Sprintf("t%d", i), Symbol: k.Symbol, Workspace: k.Workspace, Pack: k.Pack, Artifact: k.Artifact}
	}
	item := task.Item(wire.KindRace, nil, entries)
	item.Work, item.Job, item.Project, item.Attempt, item.Nonce = "same", "bench", "default", 1, wire.NewNonce()
	item.Expect = task.Expect(k)
	r := w.Do(ctx, item)
	if r.Code != wire.OK || len(r.Entries) != 2 || r.Entries[1].Code != wire.OK || r.Entries[1].Ratio <= 0 {
		return 0, fmt.Errorf("the race failed: %s %s %+v", r.Code, r.Detail, r.Entries)
	}
	return r.Entries[1].Ratio, nil
}
