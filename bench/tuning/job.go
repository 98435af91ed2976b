package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"hone/api"
	"hone/db"
	"hone/db/store"
)

// span is when something was busy.
type span struct{ from, to time.Time }

// clocks are those of one job, by its events. A span ends when its result was taken
// in, which is a little after the work was done.
type clocks struct {
	trials         int
	wall           time.Duration // from the job's start to its end, races included
	defaults       time.Duration // until the default schedules were measured
	races          time.Duration // after the last trial
	build, measure []span
	search         time.Duration
}

// tune runs one job and reads its events.
func tune(ctx context.Context, o options, model, data string) (*clocks, error) {
	said, err := o.Tune(ctx, model, data, o.threads, 1)
	if err != nil {
		return nil, err
	}
	fmt.Printf("%s: %s\n", model, said)
	s, err := db.Open(ctx, filepath.Join(data, "hone.db"), db.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	jobs, err := s.ListJobs(ctx, store.JobFilter{Limit: 2})
	if err != nil {
		return nil, err
	}
	if len(jobs) != 1 {
		return nil, fmt.Errorf("%d jobs in a new data directory", len(jobs))
	}
	j := jobs[0]
	c := &clocks{trials: int(j.Charged), wall: j.EndedAt.Sub(j.StartedAt)}
	var first, last time.Time // results of defaults and of trials
	for after := int64(0); ; {
		events, err := s.EventsAfter(ctx, j.ID, after, 1000)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			if err := c.add(e, &first, &last); err != nil {
				return nil, fmt.Errorf("event %d: %w", e.Seq, err)
			}
			after = e.Seq
		}
		if len(events) == 0 {
			break
		}
	}
	if c.trials == 0 || len(c.build) == 0 || len(c.measure) == 0 {
		return nil, errors.New("the job built and measured nothing")
	}
	c.defaults, c.races = first.Sub(j.StartedAt), j.EndedAt.Sub(last)
	return c, nil
}

func (c *clocks) add(e store.Event, first, last *time.Time) error {
	switch e.Kind {
	case api.EventTrialsProposed:
		var b api.TrialsProposed
		if err := json.Unmarshal(e.Body, &b); err != nil {
			return err
		}
		c.search += millis(b.SearchMS)
	case api.EventTrialClosed:
		var b api.TrialClosed
		if err := json.Unmarshal(e.Body, &b); err != nil {
			return err
		}
		switch {
		case b.Baseline:
			*first = e.At
			*last = e.At
		case b.Kind == string(store.Measure):
			*last = e.At
		}
	case api.EventWorkDone:
		var b api.WorkDone
		if err := json.Unmarshal(e.Body, &b); err != nil {
			return err
		}
		measured := e.At.Add(-millis(b.RunMS))
		if b.RunMS > 0 {
			c.measure = append(c.measure, span{measured, e.At})
		}
		if b.BuildMS > 0 {
			c.build = append(c.build, span{measured.Add(-millis(b.BuildMS)), measured})
		}
	}
	return nil
}

func millis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// union is how long at least one of the spans lasted.
func union(list []span) time.Duration {
	list = slices.SortedFunc(slices.Values(list), func(a, b span) int { return cmp.Compare(a.from.UnixNano(), b.from.UnixNano()) })
	var sum time.Duration
	var end time.Time
	for _, s := range list {
		if s.from.Before(end) {
			s.from = end
		}
		if s.to.After(s.from) {
			sum += s.to.Sub(s.from)
			end = s.to
		}
	}
	return sum
}

func (c *clocks) perTrial() float64 { return c.wall.Seconds() / float64(c.trials) }

// busy is the share of the time in which the busier of builder and device worked.
func (c *clocks) busy() float64 {
	return float64(max(union(c.build), union(c.measure))) / float64(c.wall)
}

func (c *clocks) text(model string) string {
	share := func(d time.Duration) float64 { return 100 * d.Seconds() / c.wall.Seconds() }
	steady := c.wall - c.defaults - c.races
	return fmt.Sprintf("%s: %d trials in %.1f s: %.3f s each, of which %.1f s for the defaults and %.1f s for races, %.3f s each without those;"+
		" builder busy %.0f %%, device %.0f %%, one of them %.0f %%; searching %.1f s",
		model, c.trials, c.wall.Seconds(), c.perTrial(), c.defaults.Seconds(), c.races.Seconds(), steady.Seconds()/float64(c.trials),
		share(union(c.build)), share(union(c.measure)), share(union(append(slices.Clone(c.build), c.measure...))), c.search.Seconds())
}
