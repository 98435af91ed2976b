package scheduler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"hone/api"
	"hone/db/store"
	"hone/scheduler/job"
	"hone/scheduler/placement"
)

// CreateJob implements api.Service.
func (c *Coordinator) CreateJob(ctx context.Context, n api.NewJob) (api.Job, bool, error) {
	draft, err := newJob(n)
	if err != nil {
		return api.Job{}, false, err
	}
	if n.ResumeKey != "" && !n.Fresh {
		j, err := c.Store.UnfinishedJob(ctx, draft.Job.Project, n.ResumeKey)
		if err == nil && j.State == store.JobPaused {
			j, err = c.moveJob(ctx, c.Store, j.ID, store.JobRunning, "")
		}
		if !errors.Is(err, store.ErrNotFound) {
			kick(c.kicks.jobs)
			return c.answer(j, err, false)
		}
	}
	j, created, err := c.Store.CreateJob(ctx, draft)
	kick(c.kicks.jobs)
	return c.answer(j, err, created)
}

func (c *Coordinator) answer(j store.Job, err error, created bool) (api.Job, bool, error) {
	if err != nil {
		return api.Job{}, false, outward(err)
	}
	return jobOut(j), created, nil
}

// newJob checks a request and turns it into what is stored.
func newJob(n api.NewJob) (store.NewJob, error) {
	bad := func(format string, args ...any) (store.NewJob, error) {
		return store.NewJob{}, fmt.Errorf("%w: "+format, append([]any{api.ErrInvalid}, args...)...)
	}
	switch {
	case len(n.Tasks) == 0:
		return bad("a job without tasks")
	case n.TrialBudget < 0 || n.TimeBudgetMS < 0:
		return bad("a negative budget")
	case n.TrialBudget == 0 && n.TimeBudgetMS == 0:
		return bad("a job needs a budget of trials or of time")
	}
	out := store.NewJob{Job: store.Job{Project: n.Project, Name: n.Name, Key: n.ResumeKey, Idempotency: n.IdempotencyKey, Class: store.JobClass(n.Class), Weight: n.Weight,
		Seed: n.Seed, ModelDigest: n.ModelDigest, TrialBudget: n.TrialBudget, TimeBudget: time.Duration(n.TimeBudgetMS) * time.Millisecond, Spec: n.Spec}}
	if out.Job.Project == "" {
		out.Job.Project = store.LocalProject
	}
	for i, t := range n.Tasks {
		switch {
		case t.Workload.Hash == "" || t.Workload.Text == "":
			return bad("task %d (%s): a workload without hash or text", i, t.Name)
		case t.Target.Key == "" || t.Target.Kind == "" || t.Target.ISA == "":
			return bad("task %d (%s): a target without key, kind or instruction set", i, t.Name)
		case !(t.Weight >= 0) || math.IsInf(t.Weight, 1):
			return bad("task %d (%s): weight %v", i, t.Name, t.Weight)
		case t.Toolchain.Compiler == "" && !t.Combined:
			return bad("task %d (%s): no compiler named", i, t.Name)
		}
		g := store.Target(t.Target)
		device := placement.DevicePool(g)
		build := placement.BuildPool(t.Toolchain.Triple, t.Toolchain.Compiler)
		if t.Combined {
			build = device
		}
		out.Workloads = append(out.Workloads, store.Workload(t.Workload))
		out.Targets = append(out.Targets, g)
		out.Tasks = append(out.Tasks, store.TaskDraft{Name: t.Name, Workload: t.Workload.Hash, Target: g.Key, Weight: t.Weight, Variants: t.Variants, Spec: t.Spec,
			BuildPool: build, DevicePool: device, Threads: t.Target.Threads})
	}
	out.Events = []store.EventDraft{event(api.EventJobCreated, api.JobCreated{Tasks: len(out.Tasks)})}
	return out, nil
}

// Job implements api.Service.
func (c *Coordinator) Job(ctx context.Context, id string) (api.Job, error) {
	j, err := c.Store.Job(ctx, id)
	return jobOut(j), outward(err)
}

// Jobs implements api.Service.
func (c *Coordinator) Jobs(ctx context.Context, q api.JobQuery) ([]api.Job, error) {
	f := store.JobFilter{Project: q.Project, Limit: q.Limit}
	for _, s := range q.States {
		f.States = append(f.States, store.JobState(s))
	}
	js, err := c.Store.ListJobs(ctx, f)
	return each(js, jobOut), outward(err)
}

// Tasks implements api.Service.
func (c *Coordinator) Tasks(ctx context.Context, id string) ([]api.Task, error) {
	ts, err := c.Store.Tasks(ctx, id)
	return each(ts, taskOut), outward(err)
}

// CancelJob implements api.Service.
func (c *Coordinator) CancelJob(ctx context.Context, id string) (api.Job, error) {
	if err := c.endJob(ctx, c.Store, id, job.Cancelled); err != nil {
		return api.Job{}, outward(err)
	}
	return c.Job(ctx, id)
}

// PauseJob implements api.Service.
func (c *Coordinator) PauseJob(ctx context.Context, id string) (api.Job, error) {
	j, err := c.moveJob(ctx, c.Store, id, store.JobPaused, "")
	return jobOut(j), outward(err)
}

// ResumeJob implements api.Service.
func (c *Coordinator) ResumeJob(ctx context.Context, id string) (api.Job, error) {
	j, err := c.moveJob(ctx, c.Store, id, store.JobRunning, "")
	kick(c.kicks.jobs)
	return jobOut(j), outward(err)
}

// moveJob takes a job to another state, with an event, and wakes everybody.
func (c *Coordinator) moveJob(ctx context.Context, st store.Store, id string, to store.JobState, reason string) (store.Job, error) {
	j, err := st.MoveJob(ctx, id, store.JobMove{From: job.Into(to), To: to, Reason: reason, Events: []store.EventDraft{event(api.EventJobState, api.JobState{State: string(to), Reason: reason})}})
	if err == nil {
		c.changed(id)
	}
	return j, err
}

// endJob takes a job to the end that reason stands for. What is open is closed
// and withdrawn; the steps may be repeated after a crash between any two.
func (c *Coordinator) endJob(ctx context.Context, st store.Store, id, reason string) error {
	j, err := st.Job(ctx, id)
	if err != nil || j.State.Ended() {
		return err
	}
	final := job.Final(reason)
	if job.Allowed(j.State, store.JobStopping) {
		if _, err := c.moveJob(ctx, st, id, store.JobStopping, reason); err != nil && !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
	if final != store.JobDone {
		if err := c.withdraw(ctx, st, id, true); err != nil {
			return err
		}
	}
	// The bus is only told: what it keeps longer is refused when it comes in.
	if err := errors.Join(c.Bus.PurgeJob(ctx, id), c.Bus.CancelJob(ctx, id)); err != nil {
		c.Log.Warn("withdraw a job", "job", id, "error", err)
	}
	_, err = c.moveJob(ctx, st, id, final, reason)
	if errors.Is(err, store.ErrConflict) {
		if j, jerr := st.Job(ctx, id); jerr == nil && j.State.Ended() {
			return nil // somebody else was quicker
		}
	}
	return err
}

// withdraw closes open trials of a job that stops: those that wait, or all.
func (c *Coordinator) withdraw(ctx context.Context, st store.Store, id string, all bool) error {
	n, err := st.Abandon(ctx, id, job.Cancelled, all)
	if err != nil || n == 0 {
		return err
	}
	_, err = st.AppendEvents(ctx, id, event(api.EventTrialsWithdrawn, api.TrialsWithdrawn{Trials: n}))
	return err
}

// PutBlob implements api.Service.
func (c *Coordinator) PutBlob(ctx context.Context, _, want string, r io.Reader) (api.Blob, error) {
	if c.Blobs == nil {
		return api.Blob{}, fmt.Errorf("%w: this coordinator keeps no blobs", api.ErrInvalid)
	}
	sum, size, err := c.Blobs.Put(ctx, want, r)
	return api.Blob{SHA256: sum, Size: size}, outward(err)
}
