package harness

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"hone/internal/wire"
	"hone/tuner"
)

// finalists is how many candidates race at the end, as in a job.
const finalists = 4

// finalist is a right candidate.
type finalist struct {
	trial  tuner.Trial
	kernel wire.Kernel
	ns     float64
}

// race runs the fastest candidates against the default schedule, in turns and with
// fresh inputs, and keeps the best: the least of many times is a lucky one.
func (r *run) race(ctx context.Context) error {
	slices.SortStableFunc(r.right, func(a, b finalist) int { return cmp.Compare(a.ns, b.ns) })
	list := r.right[:min(finalists, len(r.right))]
	var entries []wire.Entry
	for _, f := range list {
		entries = append(entries, wire.Entry{Trial: symbol(f.trial), Symbol: f.kernel.Symbol, Workspace: f.kernel.Workspace, Pack: f.kernel.Pack, Artifact: f.kernel.Artifact})
	}
	item := r.task.Item(wire.KindRace, nil, entries)
	item.Work, item.Job, item.Project, item.Attempt, item.Nonce, item.Seed = "race", "bench", "default", 1, wire.NewNonce(), 2
	item.Expect = r.task.Expect(r.res.zero)
	item.Incumbent = &wire.Incumbent{Kernel: r.res.zero, Trial: "default", NS: r.res.DefaultNS}
	out := r.w.Do(ctx, item)
	best := 1.0
	r.res.Best, r.res.Kernel, r.res.BestNS = r.first, r.res.zero, r.res.DefaultNS
	for i, e := range out.Entries {
		if e.Code == wire.OK && e.Ratio > 0 && e.Ratio < best {
			best = e.Ratio
			r.res.Best, r.res.Kernel, r.res.BestNS = list[i].trial, list[i].kernel, e.Ratio*r.res.DefaultNS
		}
	}
	if out.Code != wire.OK {
		return fmt.Errorf("%s: the race failed: %s: %s", r.o.Func.Name, out.Code, out.Detail)
	}
	return nil
}
