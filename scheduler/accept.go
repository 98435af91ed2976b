package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"hone/api"
	"hone/db/store"
	"hone/internal/wire"
	"hone/scheduler/job"
	"hone/scheduler/placement"
)

// StepResults takes in results that have come, waiting for the first, and
// returns how many there were. A result is acknowledged once what it says is
// committed; one that says nothing believable is dropped.
func (c *Coordinator) StepResults(ctx context.Context, wait time.Duration) (int, error) {
	ds, err := c.Bus.Receive(ctx, 64, wait)
	if err != nil {
		return 0, err
	}
	var errs []error
	for _, d := range ds { // one that fails now holds up no other
		errs = append(errs, c.take(ctx, d))
	}
	return len(ds), errors.Join(errs...)
}

func (c *Coordinator) take(ctx context.Context, d Delivery) error {
	err := c.accept(ctx, d)
	var no *unbelievable
	if errors.As(err, &no) {
		c.Log.Warn("a result was dropped", "agent", d.Agent(), "reason", no.why)
		err = nil
	}
	if err != nil {
		return errors.Join(err, d.Later(ctx, time.Second))
	}
	return d.Ack(ctx)
}

// unbelievable is a result that no honest agent of the pool sends.
type unbelievable struct{ why string }

func (e *unbelievable) Error() string { return e.why }

func (c *Coordinator) accept(ctx context.Context, d Delivery) error {
	r, err := wire.DecodeResult(d.Data())
	if err != nil {
		return &unbelievable{err.Error()}
	}
	if r.Agent != d.Agent() {
		return &unbelievable{fmt.Sprintf("agent %s speaks as %s", d.Agent(), r.Agent)}
	}
	if r.DiedWith != nil {
		return c.acceptDeath(ctx, r)
	}
	item, err := c.itemOf(ctx, r.Work, r.Attempt, r.Nonce)
	if err != nil {
		return err
	}
	trials, err := c.trialsOf(ctx, item)
	if err != nil {
		return err
	}
	b, err := c.outcomes(ctx, item, trials, r)
	if err != nil {
		return err
	}
	return c.apply(ctx, item, b)
}

// itemOf finds the item that a result answers; its nonce proves that the
// agent was given it.
func (c *Coordinator) itemOf(ctx context.Context, work string, attempt int, nonce string) (store.WorkItem, error) {
	item, err := c.Store.WorkItem(ctx, work)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return item, &unbelievable{"no work item " + work}
	case err != nil:
		return item, err
	case item.Attempt != attempt || !wire.SameNonce(item.Nonce, nonce):
		return item, &unbelievable{"work item " + work + " was not sent so"}
	}
	return item, nil
}

func (c *Coordinator) trialsOf(ctx context.Context, item store.WorkItem) ([]store.Trial, error) {
	var out []store.Trial
	for _, id := range item.Trials {
		t, err := c.Store.Trial(ctx, id)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// outcomes says what a result does to the trials of its item.
func (c *Coordinator) outcomes(ctx context.Context, item store.WorkItem, trials []store.Trial, r wire.Result) (store.Batch, error) {
	var sent wire.Work
	if err := json.Unmarshal(item.Spec, &sent); err != nil {
		return store.Batch{}, fmt.Errorf("work item %s: its description: %w", item.ID, err)
	}
	task, err := c.taskOf(ctx, item)
	if err != nil {
		return store.Batch{}, err
	}
	code := r.Code
	if code == "" {
		code = wire.OK
	}
	b := store.Batch{Job: item.Job, CloseItem: item.ID, ItemCode: string(code)}
	measured := 0
	for _, t := range trials {
		o := outcome(sent, t, r)
		o.Event = closedEvent(task, t, o)
		b.Outcomes = append(b.Outcomes, o)
		if o.Code == string(wire.OK) || o.Move == store.MoveBuilt {
			measured++
		}
	}
	took := clockTime(r.Clocks)
	if item.ClosedAt.IsZero() {
		b.Events = append(b.Events, event(api.EventWorkDone, api.WorkDone{Kind: string(sent.Kind), Task: task.Index, Trials: len(trials), Code: string(code),
			QueueMS: r.Clocks.Queue, FetchMS: r.Clocks.Fetch, BuildMS: r.Clocks.Build, RunMS: r.Clocks.Run}))
		c.times.saw(item.Task, sent.Kind, measured, took)
		if j, err := c.Store.Job(ctx, item.Job); err == nil {
			b.Correct = []store.PoolShare{{Pool: item.Pool, Delta: placement.Delta(took, j.Weight) - placement.Delta(item.Cost, j.Weight)}}
		}
	}
	return b, nil
}

func (c *Coordinator) taskOf(ctx context.Context, item store.WorkItem) (store.Task, error) {
	if r := c.runner(item.Job); r != nil {
		return r.tasks[item.Task], nil
	}
	ts, err := c.Store.Tasks(ctx, item.Job)
	for _, t := range ts {
		if t.ID == item.Task {
			return t, nil
		}
	}
	return store.Task{}, errors.Join(err, fmt.Errorf("work item %s: no task %d", item.ID, item.Task))
}

// clockTime is the device time of an item.
func clockTime(k wire.Clocks) time.Duration {
	ms := max(0, k.Fetch) + max(0, k.Build) + max(0, k.Run)
	return time.Duration(min(ms, 1e9) * float64(time.Millisecond))
}

// outcome says what a result does to one trial.
func outcome(sent wire.Work, t store.Trial, r wire.Result) store.Outcome {
	e, found := entryOf(r, TrialName(t.ID))
	if !found {
		// The agent says nothing of this trial: what it says of the item
		// holds, unless that is no more than good.
		e.Code = r.Code
		if e.Code == "" || e.Code == wire.OK {
			e.Code = wire.InfraLost
		}
		e.Detail = r.Detail
	}
	ns := timeOf(sent, e)
	if e.Code == wire.OK && sent.Kind != wire.KindBuild && ns == 0 {
		e.Code, e.Detail = wire.InfraLost, "measured, but no time was reported"
	}
	build := builtNow(sent, t, r, e)
	if e.Code == wire.OK && sent.Kind == wire.KindBuild && build == nil {
		e.Code, e.Detail = wire.InfraArtifact, "built, but no artifact was reported"
	}
	v := job.Judge(t, sent.Kind, e.Code, build != nil || len(t.Build) > 0)
	o := store.Outcome{Trial: t.ID, Move: v.Move, Code: string(v.Code), Charged: v.Charged, Held: v.Held, Build: build, Attempt: attemptOf(sent, r, e, ns)}
	if v.Move == store.MoveClose && v.Code == wire.OK {
		o.Ns = ns
		if t.Kind == store.Measure {
			o.Record = recordOf(sent, t, build, r)
		}
	}
	return o
}

func entryOf(r wire.Result, name string) (wire.EntryResult, bool) {
	i := slices.IndexFunc(r.Entries, func(e wire.EntryResult) bool { return e.Trial == name })
	if i < 0 {
		return wire.EntryResult{Trial: name}, false
	}
	return r.Entries[i], true
}

// timeOf is an entry's time on the scale of its task: where it was timed in turn
// with the incumbent, the incumbent's own time scaled by the ratio, so that a
// machine that is slow today does not make its candidates slow; else what the
// agent says, or the least sample.
func timeOf(sent wire.Work, e wire.EntryResult) float64 {
	ns := e.NS
	if ns <= 0 && len(e.SamplesNS) > 0 {
		ns = slices.Min(e.SamplesNS)
	}
	if sent.Incumbent == nil || sent.Incumbent.NS <= 0 || ns <= 0 {
		return ns
	}
	if e.Ratio > 0 {
		return e.Ratio * sent.Incumbent.NS
	}
	if len(e.IncumbentNS) > 0 {
		if seen := slices.Min(e.IncumbentNS); seen > 0 {
			return ns * sent.Incumbent.NS / seen
		}
	}
	return ns
}

// builtNow describes the artifact that a result brings for a trial, if any.
func builtNow(sent wire.Work, t store.Trial, r wire.Result, e wire.EntryResult) json.RawMessage {
	artifact := e.Artifact
	if artifact == nil {
		artifact = r.Artifact
	}
	i := slices.IndexFunc(sent.Entries, func(x wire.Entry) bool { return x.Trial == TrialName(t.ID) })
	if artifact == nil || sent.Source == nil || i < 0 {
		return nil
	}
	b := Built{Entry: sent.Entries[i], Toolchain: sent.Toolchain}
	b.Entry.Artifact = artifact
	return mustJSON(b)
}

func attemptOf(sent wire.Work, r wire.Result, e wire.EntryResult, ns float64) store.Attempt {
	return store.Attempt{Work: sent.Work, Attempt: r.Attempt, Kind: store.Kind(sent.Kind), Agent: r.Agent, Device: r.Device, Boot: r.Boot, BuildID: r.BuildID, Deliveries: r.Deliveries,
		Code: string(e.Code), Stage: fmt.Sprint(e.Stage), Ns: ns, Ratio: e.Ratio, CILow: e.CILow, CIHigh: e.CIHigh, MaxErr: e.MaxErr, Samples: e.SamplesNS, Incumbent: e.IncumbentNS,
		Conditions: mustJSON(r.Conditions), Clocks: mustJSON(r.Clocks), Log: r.LogSHA256, Message: e.Detail}
}

// provenance is where a record comes from, besides its job and trial.
type provenance struct {
	Agent    string `json:"agent"`
	Device   string `json:"device"`
	BuildID  string `json:"build_id"`
	Protocol int    `json:"protocol"`
	Threads  int    `json:"threads"`
	Seed     uint64 `json:"seed"`
	Rule     string `json:"rule,omitempty"` // by which its outputs were checked
	Cold     bool   `json:"cold,omitempty"`
}

func recordOf(sent wire.Work, t store.Trial, build json.RawMessage, r wire.Result) *store.RecordDraft {
	if build != nil {
		t.Build = build
	}
	p := provenance{Agent: r.Agent, Device: r.Device, BuildID: r.BuildID, Protocol: sent.Protocol, Threads: sent.Threads, Seed: sent.Seed, Cold: sent.Cold}
	if sent.Expect != nil {
		p.Rule = string(sent.Expect.Rule)
	}
	return &store.RecordDraft{Toolchain: toolchainOf(t), Provenance: mustJSON(p)}
}

// toolchainOf is the compiler of a trial's artifact, or nothing.
func toolchainOf(t store.Trial) json.RawMessage {
	b, err := BuiltOf(t)
	if err != nil || b.Toolchain == nil {
		return nil
	}
	return mustJSON(b.Toolchain)
}

// closedEvent is the event for an outcome that closes its trial.
func closedEvent(task store.Task, t store.Trial, o store.Outcome) *store.EventDraft {
	if o.Move != store.MoveClose {
		return nil
	}
	e := event(api.EventTrialClosed, api.TrialClosed{Trial: t.Seq, Task: task.Index, Kind: string(t.Kind), Baseline: t.Baseline, Code: o.Code, Charged: o.Charged,
		Ns: o.Ns, Ratio: o.Attempt.Ratio, Device: o.Attempt.Device, Message: o.Attempt.Message})
	return &e
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("BUG: scheduler: " + err.Error()) // what came as JSON goes as JSON
	}
	return b
}

// apply commits what came of an item and wakes everybody.
func (c *Coordinator) apply(ctx context.Context, item store.WorkItem, b store.Batch) error {
	if _, err := c.Store.Apply(ctx, b); err != nil {
		return err
	}
	c.changed(item.Job)
	return nil
}
