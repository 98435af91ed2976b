package dbtest

import (
	"testing"
	"time"

	"hone/db/store"
)

func testLeases(t *testing.T, s store.Store) {
	a := must[store.Lease](t)(s.Acquire(ctx, "job/1", "alice", time.Hour))
	equal(t, "first epoch", a.Epoch, int64(1))
	_, err := s.Acquire(ctx, "job/1", "bob", time.Hour)
	wantErr(t, err, store.ErrHeld)
	equal(t, "another lease", must[store.Lease](t)(s.Acquire(ctx, "job/2", "bob", time.Hour)).Epoch, int64(1))
	equal(t, "again", must[store.Lease](t)(s.Acquire(ctx, "job/1", "alice", time.Hour)).Epoch, int64(1))
	longer := must[store.Lease](t)(s.Renew(ctx, a, 2*time.Hour))
	equal(t, "longer", longer.Until.After(a.Until), true)
	ok(t, s.Release(ctx, longer))
	b := must[store.Lease](t)(s.Acquire(ctx, "job/1", "bob", -time.Second)) // it has run out already
	equal(t, "next owner, next epoch", b.Epoch, int64(2))
	_, err = s.Renew(ctx, b, time.Hour)
	wantErr(t, err, store.ErrFenced)
	equal(t, "run out, next epoch", must[store.Lease](t)(s.Acquire(ctx, "job/1", "bob", time.Hour)).Epoch, int64(3))
	ok(t, s.Release(ctx, a)) // lost long ago
	_, err = s.Acquire(ctx, "job/1", "alice", time.Hour)
	wantErr(t, err, store.ErrHeld)
}

func testFence(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(10))
	l := must[store.Lease](t)(s.Acquire(ctx, "job/"+j.ID, "alice", time.Hour))
	owner := s.Fenced(l)
	must[[]store.Trial](t)(owner.Propose(ctx, j.ID, drafts(tasks[0].ID, 1, 1)))
	ok(t, owner.SpendTime(ctx, j.ID, time.Second))
	ok(t, s.Release(ctx, l))
	_, err := owner.Propose(ctx, j.ID, drafts(tasks[0].ID, 2, 1))
	wantErr(t, err, store.ErrFenced)
	must[store.Lease](t)(s.Acquire(ctx, "job/"+j.ID, "bob", time.Hour))
	wantErr(t, owner.SpendTime(ctx, j.ID, time.Second), store.ErrFenced)
	_, err = owner.AppendEvents(ctx, j.ID, store.EventDraft{Kind: "x"})
	wantErr(t, err, store.ErrFenced)
	wantErr(t, s.Fenced(store.Lease{Name: "none"}).SpendTime(ctx, j.ID, time.Second), store.ErrFenced)
	got := must[store.Job](t)(owner.Job(ctx, j.ID)) // reading is free
	equal(t, "trials", got.Proposed, int64(1))
	equal(t, "events", got.LastEvent, int64(0))
}
