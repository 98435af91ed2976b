package scheduler

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/oklog/ulid/v2"

	"hone/db/store"
	"hone/internal/wire"
	"hone/scheduler/job"
	"hone/scheduler/placement"
)

// StepDispatch fills the windows of all pools, as far as this coordinator runs
// the jobs whose turn it is.
func (c *Coordinator) StepDispatch(ctx context.Context) error {
	pools, err := c.Store.Pools(ctx)
	if err != nil {
		return err
	}
	agents, err := c.agentsByPool(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, p := range pools {
		if err := c.fill(ctx, p, agents[p]); err != nil {
			errs = append(errs, fmt.Errorf("pool %s: %w", p, err))
		}
	}
	return errors.Join(errs...)
}

// fill sends items to one pool until its credit or its jobs' trials run out.
func (c *Coordinator) fill(ctx context.Context, pool string, agents int) error {
	if err := c.ensurePool(ctx, pool); err != nil {
		return err
	}
	load, err := c.Store.PoolLoad(ctx, pool)
	if err != nil {
		return err
	}
	c.mu.Lock()
	shares := c.shares[pool]
	if shares == nil {
		shares = &placement.Shares{}
		c.shares[pool] = shares
	}
	c.mu.Unlock()
	for credit := placement.Credit(agents, load.Out); credit > 0; {
		i, start := shares.Pick(c.Clock.Now(), load.Jobs)
		if i < 0 {
			return nil
		}
		b := &load.Jobs[i]
		r := c.runner(b.Job)
		if r == nil { // another coordinator's
			b.Waiting = 0
			continue
		}
		sent, err := c.sendNext(ctx, r, pool, agents, func(cost time.Duration) float64 { return shares.Served(start, cost, b.Weight) })
		if err != nil {
			return err
		}
		if b.Waiting -= sent.trials; sent.trials == 0 {
			b.Waiting = 0
		}
		if sent.item {
			b.VTime, b.Since = sent.vtime, c.Clock.Now()
			credit--
		}
	}
	return nil
}

func (c *Coordinator) ensurePool(ctx context.Context, pool string) error {
	c.mu.Lock()
	known := c.pools[pool]
	c.mu.Unlock()
	if known {
		return nil
	}
	if err := c.Bus.EnsurePool(ctx, pool); err != nil {
		return err
	}
	c.mu.Lock()
	c.pools[pool] = true
	c.mu.Unlock()
	return nil
}

// sending is what became of one turn.
type sending struct {
	trials int // no longer waiting
	item   bool
	vtime  float64
}

// sendNext makes one item of a job's next trials and sends it.
func (c *Coordinator) sendNext(ctx context.Context, r *runner, pool string, agents int, charge func(time.Duration) float64) (s sending, err error) {
	r.proposing.RLock()
	waiting, err := r.st.Waiting(ctx, pool, r.id, 4*wire.MaxEntries)
	r.proposing.RUnlock()
	if err != nil {
		return s, err
	}
	group := placement.Batch(waiting, agents)
	if len(group) == 0 {
		return s, nil
	}
	req := r.request(group)
	em, err := r.driver.Item(ctx, req)
	if err != nil {
		if ctx.Err() != nil {
			return s, ctx.Err()
		}
		// The session cannot write its own candidates: that is no candidate's
		// fault, and trying again would not help.
		return s, c.endJob(ctx, r.st, r.id, job.Failure(err.Error()))
	}
	if s.trials, err = c.refuse(ctx, r, req, em.Refused); err != nil {
		return s, err
	}
	group = slices.DeleteFunc(group, func(t store.Trial) bool { _, bad := em.Refused[t.ID]; return bad })
	if len(group) == 0 {
		return s, nil
	}
	draft, err := c.draft(ctx, r, req, pool, group, &em)
	var bad *driverError
	if errors.As(err, &bad) {
		return s, c.endJob(ctx, r.st, r.id, job.Failure(bad.Error()))
	}
	if err != nil {
		return s, err
	}
	draft.VTime = charge(draft.Cost)
	item, err := r.st.Send(ctx, draft)
	if errors.Is(err, store.ErrConflict) { // taken by another coordinator, or the job stopped
		return s, nil
	}
	if err != nil {
		return s, err
	}
	s.trials += len(item.Trials)
	s.item, s.vtime = true, draft.VTime
	return s, c.publish(ctx, item, em.Work)
}

// request says what message trials need: those that are queued must be built
// first, by a builder or, where one agent does both, on the way to measuring.
func (r *runner) request(group []store.Trial) ItemRequest {
	t := r.tasks[group[0].Task]
	req := ItemRequest{Job: r.given, Task: t, Kind: wire.KindMeasure, Trials: group, Build: group[0].State == store.TrialQueued}
	switch {
	case req.Build && t.BuildPool != t.DevicePool:
		req.Kind = wire.KindBuild
	case group[0].Kind == store.Race:
		req.Kind = wire.KindRace
	}
	return req
}

// draft completes the message and describes it for the ledger.
func (c *Coordinator) draft(ctx context.Context, r *runner, req ItemRequest, pool string, group []store.Trial, em *Emission) (d store.WorkDraft, err error) {
	w := &em.Work
	w.V, w.Kind, w.Project, w.Job, w.Pool = wire.Version, req.Kind, r.given.Project, r.id, pool
	w.Work, w.Nonce = ulid.Make().String(), wire.NewNonce()
	if w.Protocol == 0 {
		w.Protocol = wire.Protocol
	}
	fillLimits(w)
	if req.Build {
		if w.Source, err = c.pack(ctx, em.Source); err != nil {
			return d, err
		}
	}
	d = store.WorkDraft{ID: w.Work, Job: r.id, Task: req.Task.ID, Kind: store.Kind(req.Kind), Pool: pool, Nonce: w.Nonce, Cost: c.times.expect(req.Task.ID, req.Kind, len(group)),
		// An item may wait behind another one of its agent's.
		Within: placement.PerAgent * w.Deadline()}
	for _, t := range group {
		d.Trials = append(d.Trials, store.TrialRef{ID: t.ID, Attempt: t.Attempt})
		w.Attempt = max(w.Attempt, t.Attempt)
	}
	if _, err := wire.EncodeWork(*w); err != nil {
		return d, &driverError{fmt.Errorf("the session wrote a bad work item: %w", err)}
	}
	if err := sameTrials(w.Entries, group); err != nil {
		return d, &driverError{err}
	}
	spec := *w
	spec.Args = nil
	if spec.Source != nil {
		spec.Source = &wire.Source{SHA256: w.Source.SHA256, Size: w.Source.Size}
	}
	d.Spec, err = json.Marshal(spec)
	return d, err
}

func sameTrials(entries []wire.Entry, group []store.Trial) error {
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Trial] = true
	}
	for _, t := range group {
		if !names[TrialName(t.ID)] {
			return fmt.Errorf("the session wrote no entry for trial %d", t.Seq)
		}
	}
	if len(names) != len(group) {
		return fmt.Errorf("the session wrote %d entries for %d trials", len(names), len(group))
	}
	return nil
}

// publish sends the message of an item that the ledger holds. If it fails the
// item is found missing, and sent again with the next attempt.
func (c *Coordinator) publish(ctx context.Context, item store.WorkItem, w wire.Work) error {
	taken := map[string]bool{}
	for _, id := range item.Trials {
		taken[TrialName(id)] = true
	}
	w.Attempt = item.Attempt
	w.Entries = slices.DeleteFunc(slices.Clone(w.Entries), func(e wire.Entry) bool { return !taken[e.Trial] })
	body, err := wire.EncodeWork(w)
	if err != nil {
		return err
	}
	return c.Bus.Publish(ctx, addressOf(item), body)
}

func addressOf(w store.WorkItem) Address {
	return Address{Pool: w.Pool, Job: w.Job, Work: w.ID, Attempt: w.Attempt}
}

// pack makes a message's source: inline when it is small, else a blob.
func (c *Coordinator) pack(ctx context.Context, text string) (*wire.Source, error) {
	if text == "" {
		return nil, &driverError{errors.New("the session wrote no source")}
	}
	sum := sha256.Sum256([]byte(text))
	s := &wire.Source{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(text))}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	if in := z.EncodeAll([]byte(text), nil); len(in) <= wire.MaxInline {
		s.Inline = in
		return s, nil
	}
	if c.Blobs == nil {
		return nil, &driverError{fmt.Errorf("a source of %d bytes does not fit a message, and this coordinator keeps no blobs", len(text))}
	}
	_, _, err = c.Blobs.Put(ctx, s.SHA256, strings.NewReader(text))
	return s, err
}

// refuse closes trials for which no code could be written.
func (c *Coordinator) refuse(ctx context.Context, r *runner, req ItemRequest, refused map[int64]string) (int, error) {
	b := store.Batch{Job: r.id}
	for _, t := range req.Trials {
		why, bad := refused[t.ID]
		if !bad {
			continue
		}
		v := job.Judge(t, req.Kind, wire.CandidateCompile, false)
		o := store.Outcome{Trial: t.ID, Move: v.Move, Code: string(v.Code), Charged: v.Charged,
			Attempt: store.Attempt{Attempt: t.Attempt, Kind: store.Kind(req.Kind), Agent: coordinatorName, Code: string(wire.CandidateCompile), Message: why}}
		o.Event = closedEvent(req.Task, t, o)
		b.Outcomes = append(b.Outcomes, o)
	}
	if len(b.Outcomes) == 0 {
		return 0, nil
	}
	_, err := r.st.Apply(ctx, b)
	c.changed(r.id)
	return len(b.Outcomes), err
}

// coordinatorName stands for the agent in attempts that no agent made.
const coordinatorName = "coordinator"

// fillLimits sets what the session left open.
func fillLimits(w *wire.Work) {
	l := &w.Limits
	l.BuildMS = orDefault(l.BuildMS, 60_000)
	l.RunMS = orDefault(l.RunMS, 2_000)
	l.MemMB = orDefault(l.MemMB, 1_024)
	l.OutKB = orDefault(l.OutKB, 16<<10)
	if w.DeadlineMS > 0 {
		return
	}
	w.DeadlineMS = 10_000
	if w.Kind == wire.KindBuild || w.Artifact == nil {
		// A batch that fails is split until its culprit is alone.
		w.DeadlineMS += l.BuildMS * 3
	}
	if w.Kind != wire.KindBuild {
		w.DeadlineMS += int64(len(w.Entries)) * (l.RunMS + 3_000)
	}
}

func orDefault(v, def int64) int64 {
	if v == 0 {
		return def
	}
	return v
}
