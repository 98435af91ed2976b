package scheduler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"hone/db/store"
	"hone/scheduler/job"
)

// How often the loops turn when nothing wakes them.
const (
	idleTurn      = time.Second
	reconcileTurn = 10 * time.Second
	resultWait    = 5 * time.Second
)

// Run drives the coordinator until ctx ends or the store gives up for good
// (full, read-only, corrupt), whose error it returns. Jobs go on when another
// coordinator, or this one again, runs on the same store.
func (c *Coordinator) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := c.claimBus(ctx); err != nil {
		return fmt.Errorf("scheduler: %w", err)
	}
	if c.FreshBus {
		if err := c.loseAll(ctx); err != nil {
			return fmt.Errorf("scheduler: %w", err)
		}
	}
	var wg sync.WaitGroup
	loop := func(what string, every time.Duration, kicked <-chan struct{}, step func(context.Context) error) {
		wg.Go(func() {
			for ctx.Err() == nil {
				next, woken := every, kicked
				if err := step(ctx); err != nil && ctx.Err() == nil {
					c.Log.Error(what, "error", err)
					if hopeless(err) {
						cancel(err)
					}
					next, woken = max(every, idleTurn), nil // do not hurry into the next error
				}
				if !pause(ctx, c.Clock, next, woken) {
					return
				}
			}
		})
	}
	loop("dispatch", idleTurn, c.kicks.dispatch, c.StepDispatch)
	loop("reconcile", reconcileTurn, nil, c.StepReconcile)
	loop("renew leases", c.LeaseTTL/3, nil, c.renew)
	loop("results", time.Millisecond, nil, func(ctx context.Context) error {
		_, err := c.StepResults(ctx, resultWait)
		return err
	})
	loop("jobs", idleTurn, c.kicks.jobs, func(ctx context.Context) error {
		fresh, err := c.claim(ctx)
		for _, r := range fresh {
			wg.Go(func() {
				if err := c.attend(ctx, r); hopeless(err) {
					cancel(err)
				}
			})
		}
		return err
	})
	wg.Wait()
	return c.shutdown(context.Cause(ctx))
}

// claimBus makes sure that the bus serves this database and no other.
func (c *Coordinator) claimBus(ctx context.Context) error {
	cluster, err := c.Store.Setting(ctx, "cluster", ulid.Make().String())
	if err != nil {
		return err
	}
	return c.Bus.Claim(ctx, cluster)
}

// hopeless errors are not mended by waiting.
func hopeless(err error) bool {
	return errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrReadOnly) || errors.Is(err, store.ErrCorrupt)
}

// shutdown stores the time counted and frees the leases.
func (c *Coordinator) shutdown(cause error) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for _, r := range c.allRunners() {
		r.step.Lock()
		err := errors.Join(r.time.flush(ctx, r), c.release(ctx, r))
		r.step.Unlock()
		if err != nil {
			c.Log.Warn("leave a job", "job", r.id, "error", err)
		}
	}
	if cause != nil && !errors.Is(cause, context.Canceled) {
		return fmt.Errorf("scheduler: %w", cause)
	}
	return nil
}

// attend works for one job until it ends or its lease is lost, or an error that
// waiting does not mend, which it returns.
func (c *Coordinator) attend(ctx context.Context, r *runner) error {
	for {
		woken := c.wake.wait(r.id) // before working, so that nothing is missed
		ended, err := r.work(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			c.Log.Error("work for a job", "job", r.id, "error", err)
			woken = nil
		}
		if hopeless(err) {
			return err
		}
		if ended || errors.Is(err, store.ErrFenced) {
			if err := c.release(ctx, r); err != nil {
				c.Log.Warn("leave a job", "job", r.id, "error", err)
			}
			return nil
		}
		if !pause(ctx, c.Clock, idleTurn, woken) {
			return nil
		}
	}
}

// claim takes the unfinished jobs that nobody holds and returns their runners.
func (c *Coordinator) claim(ctx context.Context) ([]*runner, error) {
	js, err := c.Store.ListJobs(ctx, store.JobFilter{States: store.Unfinished, Limit: 1000})
	if err != nil {
		return nil, err
	}
	var fresh []*runner
	for i := len(js) - 1; i >= 0; i-- { // oldest first
		if c.runner(js[i].ID) != nil {
			continue
		}
		r, err := c.claimOne(ctx, js[i].ID)
		if err != nil {
			return fresh, err
		}
		if r != nil {
			fresh = append(fresh, r)
		}
	}
	return fresh, nil
}

func (c *Coordinator) claimOne(ctx context.Context, id string) (*runner, error) {
	l, err := c.Store.Acquire(ctx, "job/"+id, c.Owner, c.LeaseTTL)
	if errors.Is(err, store.ErrHeld) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r, err := c.openRunner(ctx, l, id)
	var d *driverError
	if errors.As(err, &d) && ctx.Err() == nil {
		c.Log.Error("the session cannot be opened", "job", id, "error", d.err)
		err = errors.Join(c.endJob(ctx, r.st, id, job.Failure(d.err.Error())), r.close(), c.Store.Release(ctx, l))
		return nil, err
	}
	if err != nil {
		return nil, errors.Join(err, c.Store.Release(ctx, l))
	}
	c.mu.Lock()
	c.runners[id] = r
	c.mu.Unlock()
	return r, nil
}

// release lets go of a job.
func (c *Coordinator) release(ctx context.Context, r *runner) error {
	c.mu.Lock()
	delete(c.runners, r.id)
	c.mu.Unlock()
	return errors.Join(r.close(), c.Store.Release(ctx, r.lease))
}

func (c *Coordinator) runner(id string) *runner {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.runners[id]
}

func (c *Coordinator) allRunners() []*runner {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []*runner
	for _, r := range c.runners {
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *runner) int { return cmp.Compare(a.id, b.id) })
	return out
}

// renew extends the leases of the jobs in hand. One that is lost is found out
// by the next write under it.
func (c *Coordinator) renew(ctx context.Context) error {
	var errs []error
	for _, r := range c.allRunners() {
		if _, err := c.Store.Renew(ctx, r.lease, c.LeaseTTL); err != nil && !errors.Is(err, store.ErrFenced) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// StepJobs claims jobs and works once for each in hand, one after another: the
// way simulations drive a coordinator.
func (c *Coordinator) StepJobs(ctx context.Context) error {
	if err := c.renew(ctx); err != nil {
		return err
	}
	if _, err := c.claim(ctx); err != nil {
		return err
	}
	var errs []error
	for _, r := range c.allRunners() {
		ended, err := r.work(ctx)
		if ended || errors.Is(err, store.ErrFenced) {
			err = errors.Join(err, c.release(ctx, r))
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
