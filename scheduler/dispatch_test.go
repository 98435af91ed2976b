package scheduler_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"hone/api"
	"hone/db/store"
	"hone/scheduler"
	"hone/scheduler/schedtest"
)

// eager is a session during whose every Admit somebody dispatches.
type eager struct {
	scheduler.Driver
	dispatch func() error

	mu       sync.Mutex
	admitted map[int64]bool
	strange  []int64 // asked for and not admitted
}

func (e *eager) Admit(t store.Trial) error {
	done := make(chan error, 1)
	go func() { done <- e.dispatch() }()
	select {
	case err := <-done:
		if err != nil {
			return err
		}
	case <-time.After(50 * time.Millisecond): // it waits, as it should
	}
	e.mu.Lock()
	e.admitted[t.ID] = true
	e.mu.Unlock()
	return e.Driver.Admit(t)
}

func (e *eager) Item(ctx context.Context, r scheduler.ItemRequest) (scheduler.Emission, error) {
	e.mu.Lock()
	for _, t := range r.Trials {
		if !e.admitted[t.ID] {
			e.strange = append(e.strange, t.Seq)
		}
	}
	e.mu.Unlock()
	return e.Driver.Item(ctx, r)
}

func TestItemsAreOfAdmittedTrials(t *testing.T) {
	w := schedtest.NewWorld(t)
	w.AddAgent("a", both...)
	e := &eager{admitted: map[int64]bool{}}
	c, err := scheduler.New(scheduler.Config{Store: w.Store, Bus: w.Bus, Clock: w.Clock, OpenDriver: func(ctx context.Context, j store.Job, ts []store.Task) (scheduler.Driver, error) {
		d, err := schedtest.OpenDriver(ctx, j, ts)
		e.Driver = d
		return e, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	var one sync.Mutex // a coordinator has one dispatcher
	e.dispatch = func() error {
		one.Lock()
		defer one.Unlock()
		return c.StepDispatch(t.Context())
	}
	w.Submit("job", api.NewJob{TrialBudget: 4}, 1, schedtest.Spec{Batch: 2})
	if err := c.StepJobs(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := e.dispatch(); err != nil {
		t.Fatal(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.admitted) == 0 || len(e.strange) > 0 {
		t.Fatalf("%d trials admitted, asked for %v before they were", len(e.admitted), e.strange)
	}
}
