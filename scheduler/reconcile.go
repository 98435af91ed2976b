package scheduler

import (
	"context"
	"fmt"

	"hone/db/store"
	"hone/internal/wire"
	"hone/scheduler/job"
)

// StepReconcile looks for items that will not be answered: past their
// deadlines, or without a message though all results that came are taken in
// (a broker that lost its memory, a crash between commit and publish). Their
// trials go back.
func (c *Coordinator) StepReconcile(ctx context.Context) error {
	overdue, err := c.Store.Overdue(ctx, 2*c.AckWait)
	if err != nil {
		return err
	}
	for _, w := range overdue {
		if err := c.lose(ctx, w, wire.InfraLost, "no answer came before the deadline"); err != nil {
			return err
		}
	}
	out, err := c.Store.OpenItems(ctx, "")
	if err != nil {
		return err
	}
	for _, w := range out {
		if err := c.check(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// check looks after one item that is out.
func (c *Coordinator) check(ctx context.Context, w store.WorkItem) error {
	j, err := c.Store.Job(ctx, w.Job)
	if err != nil {
		return err
	}
	if j.State.Ended() { // its end was cut short
		if err := c.withdraw(ctx, c.Store, w.Job, true); err != nil {
			return err
		}
		return c.Bus.PurgeJob(ctx, w.Job)
	}
	if c.Clock.Now().Sub(w.SentAt) < 2*c.AckWait {
		return nil
	}
	there, err := c.Bus.Has(ctx, addressOf(w))
	if err != nil || there {
		return err
	}
	// An agent publishes its result before it lets go of the message, so what
	// is missing has been answered unless no result is on its way.
	n, err := c.Bus.Backlog(ctx)
	if err != nil || n > 0 {
		return err
	}
	return c.lose(ctx, w, wire.InfraLost, "its message is gone")
}

// lose gives an item up. Results that come in after all still count for trials
// that are open.
func (c *Coordinator) lose(ctx context.Context, w store.WorkItem, code wire.Code, why string) error {
	w, err := c.Store.WorkItem(ctx, w.ID)
	if err != nil || !w.ClosedAt.IsZero() {
		return err
	}
	trials, err := c.trialsOf(ctx, w)
	if err != nil {
		return err
	}
	task, err := c.taskOf(ctx, w)
	if err != nil {
		return err
	}
	b := store.Batch{Job: w.Job, CloseItem: w.ID, ItemCode: string(code)}
	for _, t := range trials {
		v := job.Judge(t, wire.Kind(w.Kind), code, len(t.Build) > 0)
		o := store.Outcome{Trial: t.ID, Move: v.Move, Code: string(v.Code), Charged: v.Charged, Held: v.Held,
			Attempt: store.Attempt{Work: w.ID, Attempt: w.Attempt, Kind: w.Kind, Agent: coordinatorName, Code: string(code), Message: why}}
		o.Event = closedEvent(task, t, o)
		b.Outcomes = append(b.Outcomes, o)
	}
	c.Log.Info("a work item is lost", "work", w.ID, "pool", w.Pool, "attempt", w.Attempt, "reason", why)
	if err := c.apply(ctx, w, b); err != nil {
		return err
	}
	return c.Bus.Purge(ctx, addressOf(w))
}

// loseAll gives up everything that is out, for a bus that starts empty.
func (c *Coordinator) loseAll(ctx context.Context) error {
	out, err := c.Store.OpenItems(ctx, "")
	if err != nil {
		return err
	}
	for _, w := range out {
		if err := c.lose(ctx, w, wire.InfraRestart, "the broker was started anew"); err != nil {
			return fmt.Errorf("work item %s: %w", w.ID, err)
		}
	}
	return nil
}
