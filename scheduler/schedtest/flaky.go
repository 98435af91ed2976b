package schedtest

import (
	"context"
	"errors"
	"time"

	"hone/db/store"
)

// ErrCrash is what a coordinator sees when its process is made to die.
var ErrCrash = errors.New("the process died")

// Flaky is a store seen by a process that dies at its n-th write: before it
// reaches the database or after it was committed. From then on nothing of that
// process reaches the database any more.
type Flaky struct {
	store.Store
	life *life
}

type life struct {
	writes int
	dieAt  int // 0: never
	after  bool
	dead   bool
}

// NewFlaky returns a view of s for a process that dies at write n, after the
// commit or before it.
func NewFlaky(s store.Store, n int, after bool) *Flaky {
	return &Flaky{Store: s, life: &life{dieAt: n, after: after}}
}

// Writes is how many writes there were.
func (f *Flaky) Writes() int { return f.life.writes }

// Dead says whether the process has died.
func (f *Flaky) Dead() bool { return f.life.dead }

// write runs one write, or dies at it.
func (f *Flaky) write(do func() error) error {
	l := f.life
	if l.dead {
		return ErrCrash
	}
	l.writes++
	last := l.dieAt > 0 && l.writes >= l.dieAt
	if last && !l.after {
		l.dead = true
		return ErrCrash
	}
	err := do()
	if last {
		l.dead = true
		return ErrCrash
	}
	return err
}

// Fenced implements store.Store.
func (f *Flaky) Fenced(l store.Lease) store.Store {
	return &Flaky{Store: f.Store.Fenced(l), life: f.life}
}

// CreateJob implements store.Store.
func (f *Flaky) CreateJob(ctx context.Context, n store.NewJob) (j store.Job, created bool, err error) {
	err = f.write(func() error { j, created, err = f.Store.CreateJob(ctx, n); return err })
	return j, created, err
}

// MoveJob implements store.Store.
func (f *Flaky) MoveJob(ctx context.Context, id string, m store.JobMove) (j store.Job, err error) {
	err = f.write(func() error { j, err = f.Store.MoveJob(ctx, id, m); return err })
	return j, err
}

// SpendTime implements store.Store.
func (f *Flaky) SpendTime(ctx context.Context, id string, d time.Duration) error {
	return f.write(func() error { return f.Store.SpendTime(ctx, id, d) })
}

// Propose implements store.Store.
func (f *Flaky) Propose(ctx context.Context, job string, ds []store.TrialDraft, es ...store.EventDraft) (ts []store.Trial, err error) {
	err = f.write(func() error { ts, err = f.Store.Propose(ctx, job, ds, es...); return err })
	return ts, err
}

// Apply implements store.Store.
func (f *Flaky) Apply(ctx context.Context, b store.Batch) (as []store.Applied, err error) {
	err = f.write(func() error { as, err = f.Store.Apply(ctx, b); return err })
	return as, err
}

// Abandon implements store.Store.
func (f *Flaky) Abandon(ctx context.Context, job, code string, all bool) (n int, err error) {
	err = f.write(func() error { n, err = f.Store.Abandon(ctx, job, code, all); return err })
	return n, err
}

// Send implements store.Store.
func (f *Flaky) Send(ctx context.Context, d store.WorkDraft) (w store.WorkItem, err error) {
	err = f.write(func() error { w, err = f.Store.Send(ctx, d); return err })
	return w, err
}

// AppendEvents implements store.Store.
func (f *Flaky) AppendEvents(ctx context.Context, job string, es ...store.EventDraft) (n int64, err error) {
	err = f.write(func() error { n, err = f.Store.AppendEvents(ctx, job, es...); return err })
	return n, err
}

// Promote implements store.Store.
func (f *Flaky) Promote(ctx context.Context, p store.Promotion) (c store.Champion, err error) {
	err = f.write(func() error { c, err = f.Store.Promote(ctx, p); return err })
	return c, err
}

// Acquire implements store.Store.
func (f *Flaky) Acquire(ctx context.Context, name, owner string, ttl time.Duration) (l store.Lease, err error) {
	err = f.write(func() error { l, err = f.Store.Acquire(ctx, name, owner, ttl); return err })
	return l, err
}

// Renew implements store.Store.
func (f *Flaky) Renew(ctx context.Context, l store.Lease, ttl time.Duration) (out store.Lease, err error) {
	err = f.write(func() error { out, err = f.Store.Renew(ctx, l, ttl); return err })
	return out, err
}

// Release implements store.Store.
func (f *Flaky) Release(ctx context.Context, l store.Lease) error {
	return f.write(func() error { return f.Store.Release(ctx, l) })
}
