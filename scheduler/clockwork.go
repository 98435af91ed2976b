package scheduler

import (
	"context"
	"slices"
	"time"

	"hone/api"
	"hone/db/store"
)

// stopwatch counts a job's running time: wall time while it runs and a device
// for it is connected. What it has counted is stored at least every 10 s.
type stopwatch struct {
	last    time.Time // of the last look, zero: it did not run then
	unspent time.Duration
	idle    bool // no device, as told by the last event
}

// spendTime looks at the watch.
func (r *runner) spendTime(ctx context.Context) error {
	now := r.c.Clock.Now()
	w := &r.time
	runs := r.job.State == store.JobRunning || r.job.State == store.JobStopping
	if runs && !w.last.IsZero() && !w.idle {
		w.unspent += max(0, now.Sub(w.last))
	}
	w.last = now
	if !runs {
		w.last = time.Time{}
		return w.flush(ctx, r)
	}
	if err := r.lookForDevices(ctx); err != nil {
		return err
	}
	due := r.job.TimeBudget > 0 && r.job.TimeSpent+w.unspent >= r.job.TimeBudget
	if w.unspent >= flushEvery || due {
		return w.flush(ctx, r)
	}
	return nil
}

// flush stores the time counted.
func (w *stopwatch) flush(ctx context.Context, r *runner) error {
	if w.unspent < time.Microsecond {
		return nil
	}
	if err := r.st.SpendTime(ctx, r.id, w.unspent); err != nil {
		return err
	}
	r.job.TimeSpent += w.unspent
	w.unspent = 0
	return nil
}

// lookForDevices stops the watch while none of the job's device pools has an
// agent, and tells so when that changes.
func (r *runner) lookForDevices(ctx context.Context) error {
	agents, err := r.c.agentsByPool(ctx)
	if err != nil {
		return err
	}
	var pools []string
	idle := true
	for _, t := range r.tasks {
		if !slices.Contains(pools, t.DevicePool) {
			pools = append(pools, t.DevicePool)
		}
		idle = idle && agents[t.DevicePool] == 0
	}
	if idle == r.time.idle {
		return nil
	}
	slices.Sort(pools)
	kind := api.EventDevice
	if idle {
		kind = api.EventNoDevice
	}
	if _, err := r.st.AppendEvents(ctx, r.id, event(kind, api.NoDevice{Pools: pools})); err != nil {
		return err
	}
	r.time.idle = idle
	r.c.wake.notify(r.id)
	return nil
}

// agentsByPool counts the agents that take items.
func (c *Coordinator) agentsByPool(ctx context.Context) (map[string]int, error) {
	agents, err := c.Bus.Agents(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]int{}
	for _, a := range agents {
		if a.Draining {
			continue
		}
		for _, p := range a.Pools {
			out[p]++
		}
	}
	return out, nil
}
