package scheduler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hone/api"
	"hone/db/store"
	"hone/internal/clock"
)

// Events implements api.Service.
func (c *Coordinator) Events(ctx context.Context, q api.EventQuery) ([]api.Event, error) {
	if q.Limit <= 0 {
		q.Limit = 1000
	}
	until := c.Clock.Now().Add(q.Wait)
	for {
		woken := c.wake.wait(q.Job) // before looking, so that nothing is missed
		es, err := c.Store.EventsAfter(ctx, q.Job, q.After, q.Limit)
		left := until.Sub(c.Clock.Now())
		if err != nil || len(es) > 0 || left <= 0 {
			return each(es, eventOut), outward(err)
		}
		// Another coordinator's events wake nobody here: look every second.
		if !pause(ctx, c.Clock, min(left, time.Second), woken) {
			return nil, ctx.Err()
		}
	}
}

// Lookup implements api.Service.
func (c *Coordinator) Lookup(ctx context.Context, q api.LookupQuery) (api.Bundle, error) {
	layers := q.Layers
	if len(layers) == 0 {
		layers = []string{store.LocalProject}
	}
	b, err := c.Store.Lookup(ctx, store.LookupQuery{Layers: layers, Workloads: q.Workloads, Target: store.Target(q.Target)})
	return BundleOut(b, layers), outward(err)
}

// Records implements api.Service.
func (c *Coordinator) Records(ctx context.Context, q api.RecordQuery) ([]api.Record, error) {
	rs, err := c.Store.ListRecords(ctx, store.RecordFilter(q))
	return each(rs, recordOut), outward(err)
}

// Follow calls f with each event of a job after a sequence number, in order,
// until the job has ended, f fails or ctx ends.
func Follow(ctx context.Context, s api.Service, clk clock.Clock, job string, after int64, f func(api.Event) error) error {
	for {
		es, err := s.Events(ctx, api.EventQuery{Job: job, After: after, Wait: 10 * time.Second})
		if err != nil {
			return err
		}
		for _, e := range es {
			if err := f(e); err != nil {
				return err
			}
			after = e.Seq
		}
		j, err := s.Job(ctx, job)
		if err != nil {
			return err
		}
		if j.Ended() && j.LastEvent <= after {
			return nil
		}
		if len(es) == 0 && j.LastEvent > after {
			if err := clock.Sleep(ctx, clk, time.Millisecond); err != nil { // a reader behind its writer
				return err
			}
		}
	}
}

func each[A, B any](in []A, f func(A) B) []B {
	out := make([]B, 0, len(in))
	for _, a := range in {
		out = append(out, f(a))
	}
	return out
}

// outward turns the store's causes into the contract's.
func outward(err error) error {
	for from, to := range map[error]error{store.ErrNotFound: api.ErrNotFound, store.ErrInvalid: api.ErrInvalid, store.ErrConflict: api.ErrConflict} {
		if errors.Is(err, from) && !errors.Is(err, to) {
			return fmt.Errorf("%w (%w)", to, err)
		}
	}
	return err
}

func jobOut(j store.Job) api.Job {
	return api.Job{ID: j.ID, Project: j.Project, Name: j.Name, Class: string(j.Class), Weight: j.Weight, State: string(j.State), Reason: j.Reason, Seed: j.Seed,
		ModelDigest: j.ModelDigest, Spec: j.Spec, TrialBudget: j.TrialBudget, TrialsSpent: j.Charged, TrialsOpen: j.Proposed - j.Closed,
		TimeBudgetMS: j.TimeBudget.Milliseconds(), TimeSpentMS: j.TimeSpent.Milliseconds(), LastEvent: j.LastEvent,
		CreatedAt: j.CreatedAt, StartedAt: timeOut(j.StartedAt), EndedAt: timeOut(j.EndedAt)}
}

func timeOut(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func taskOut(t store.Task) api.Task {
	return api.Task{ID: t.ID, Index: t.Index, Name: t.Name, Workload: t.Workload, Target: t.Target, Weight: t.Weight, Trials: t.Trials, DefaultNs: t.DefaultNs, BestNs: t.BestNs}
}

func eventOut(e store.Event) api.Event {
	return api.Event{Seq: e.Seq, At: e.At, Kind: e.Kind, Version: e.Version, Body: e.Body}
}

func recordOut(r store.Record) api.Record {
	return api.Record{ID: r.ID, Project: r.Project, Workload: r.Workload, Target: r.Target, Variant: r.Variant, Job: r.Job, Trace: r.Trace, TraceHash: r.TraceHash,
		Ns: r.Ns, Samples: r.Samples, Conditions: r.Conditions, Toolchain: r.Toolchain, Provenance: r.Provenance, At: r.At}
}

// BundleOut turns a store's bundle into the contract's, for readers that look
// up without a coordinator.
func BundleOut(b store.Bundle, layers []string) api.Bundle {
	out := api.Bundle{Target: b.Target}
	for _, e := range b.Entries {
		entry := api.Entry{Workload: e.Workload, Known: e.Known}
		for _, h := range e.Hits {
			hit := api.Hit{Rung: int(h.Rung), Label: h.Rung.String(), Target: h.Target, Champion: h.Champion != nil, Record: recordOut(h.Record)}
			if h.Layer < len(layers) {
				hit.Layer = layers[h.Layer]
			}
			if h.Champion != nil {
				hit.Ratio = h.Champion.Ratio
			}
			entry.Hits = append(entry.Hits, hit)
		}
		out.Entries = append(out.Entries, entry)
	}
	return out
}
