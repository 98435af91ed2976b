package dbtest

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"hone/db/store"
)

func testSend(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(10, "matmul", "conv"))
	trials := propose(t, s, j, tasks[0].ID, 3)
	other := propose(t, s, j, tasks[1].ID, 1)[0]
	waiting := must[[]store.Trial](t)(s.Waiting(ctx, buildPool, j.ID, 2))
	equal(t, "waiting, limited", len(waiting), 2)
	w := send(t, s, store.Build, trials[0], trials[1])
	equal(t, "trials taken", len(w.Trials), 2)
	equal(t, "attempt", w.Attempt, 1)
	equal(t, "out", must[store.Trial](t)(s.Trial(ctx, trials[1].ID)).State, store.TrialBuilding)
	again := send(t, s, store.Build, trials[1], trials[2])
	equal(t, "only what still waits", len(again.Trials), 1)
	_, err := s.Send(ctx, workDraft(store.Build, trials...))
	wantErr(t, err, store.ErrConflict)
	_, err = s.Send(ctx, workDraft(store.Measure, other))
	wantErr(t, err, store.ErrConflict) // it is not built
	mixed := workDraft(store.Build, other)
	mixed.Task = tasks[0].ID
	_, err = s.Send(ctx, mixed)
	wantErr(t, err, store.ErrConflict) // another task's
	got := must[store.WorkItem](t)(s.WorkItem(ctx, w.ID))
	equal(t, "nonce", got.Nonce, "n0")
	equal(t, "trials", slices.Equal(got.Trials, w.Trials), true)
	_, err = s.WorkItem(ctx, "none")
	wantErr(t, err, store.ErrNotFound)
	must[store.Job](t)(s.MoveJob(ctx, j.ID, store.JobMove{From: store.Unfinished, To: store.JobPaused}))
	_, err = s.Send(ctx, workDraft(store.Build, other))
	wantErr(t, err, store.ErrConflict)
}

func testLoad(t *testing.T, s store.Store) {
	equal(t, "pools", len(must[[]string](t)(s.Pools(ctx))), 0)
	a, tasks := running(t, s, newJob(10))
	trials := propose(t, s, a, tasks[0].ID, 3)
	n := newJob(10)
	n.Job.Class, n.Job.Weight = store.CI, 3
	b, tasksB := running(t, s, n)
	propose(t, s, b, tasksB[0].ID, 1)
	d := workDraft(store.Build, trials[0])
	d.VTime = 2.5
	w := must[store.WorkItem](t)(s.Send(ctx, d))

	l := must[store.PoolLoad](t)(s.PoolLoad(ctx, buildPool))
	equal(t, "out", l.Out, 1)
	equal(t, "jobs", len(l.Jobs), 2)
	equal(t, "job", l.Jobs[0].Job, a.ID)
	equal(t, "waiting", l.Jobs[0].Waiting, 2)
	equal(t, "its items", l.Jobs[0].Out, 1)
	equal(t, "virtual time", l.Jobs[0].VTime, 2.5)
	equal(t, "class", l.Jobs[1].Class, store.CI)
	equal(t, "weight", l.Jobs[1].Weight, 3)
	late, lateTasks := running(t, s, newJob(10))
	propose(t, s, late, lateTasks[0].ID, 1)
	for _, b := range must[store.PoolLoad](t)(s.PoolLoad(ctx, buildPool)).Jobs {
		if b.Job == late.ID {
			equal(t, "a new job starts where the pool is", b.VTime, 0.0)
		}
	}
	must[store.Job](t)(s.MoveJob(ctx, late.ID, store.JobMove{From: store.Unfinished, To: store.JobDone}))
	equal(t, "devices idle", len(must[store.PoolLoad](t)(s.PoolLoad(ctx, devicePool)).Jobs), 0)
	equal(t, "pools", slices.Equal(must[[]string](t)(s.Pools(ctx)), []string{buildPool}), true)

	must[[]store.Applied](t)(s.Apply(ctx, store.Batch{Job: a.ID, CloseItem: w.ID, ItemCode: "ok", Correct: []store.PoolShare{{Pool: buildPool, Delta: -1}},
		Outcomes: []store.Outcome{{Trial: trials[0].ID, Move: store.MoveBuilt, Build: artifact, Attempt: attempt(w, "b", "ok")}}}))
	l = must[store.PoolLoad](t)(s.PoolLoad(ctx, buildPool))
	equal(t, "corrected", l.Jobs[0].VTime, 1.5)
	equal(t, "out", l.Out, 0)
	equal(t, "pools", slices.Equal(must[[]string](t)(s.Pools(ctx)), []string{buildPool, devicePool}), true)
	must[store.Job](t)(s.MoveJob(ctx, a.ID, store.JobMove{From: store.Unfinished, To: store.JobPaused}))
	equal(t, "a paused job is not runnable", len(must[store.PoolLoad](t)(s.PoolLoad(ctx, buildPool)).Jobs), 1)
}

func testOverdue(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(10))
	trials := propose(t, s, j, tasks[0].ID, 2)
	late, fine := workDraft(store.Build, trials[0]), workDraft(store.Build, trials[1])
	late.Within, fine.Within = -time.Minute, time.Hour
	must[store.WorkItem](t)(s.Send(ctx, late))
	must[store.WorkItem](t)(s.Send(ctx, fine))
	equal(t, "within the grace", len(must[[]store.WorkItem](t)(s.Overdue(ctx, time.Hour))), 0)
	got := must[[]store.WorkItem](t)(s.Overdue(ctx, time.Second))
	equal(t, "overdue", len(got), 1)
	equal(t, "the late one", got[0].ID, late.ID)
	equal(t, "out", len(must[[]store.WorkItem](t)(s.OpenItems(ctx, ""))), 2)
	apply(t, s, j.ID, store.Outcome{Trial: trials[0].ID, Move: store.MoveRequeue, Attempt: attempt(got[0], "coordinator", "infra.lost")})
	equal(t, "closed items are not overdue", len(must[[]store.WorkItem](t)(s.Overdue(ctx, time.Second))), 0)
	equal(t, "out", len(must[[]store.WorkItem](t)(s.OpenItems(ctx, j.ID))), 1)
	if w := must[store.WorkItem](t)(s.WorkItem(ctx, late.ID)); w.ClosedAt.IsZero() || w.Code != "ok" {
		t.Fatalf("closed item: %+v", w)
	}
}

func testEvents(t *testing.T, s store.Store) {
	j, _ := running(t, s, newJob(10))
	body := json.RawMessage(`{"x": 1}`)
	last := must[int64](t)(s.AppendEvents(ctx, j.ID, store.EventDraft{Kind: "a"}, store.EventDraft{Kind: "b", Version: 2, Body: body}))
	equal(t, "last", last, int64(2))
	equal(t, "none", must[int64](t)(s.AppendEvents(ctx, j.ID)), int64(2))
	must[int64](t)(s.AppendEvents(ctx, j.ID, store.EventDraft{Kind: "c"}))
	got := must[[]store.Event](t)(s.EventsAfter(ctx, j.ID, 1, 0))
	equal(t, "events after the first", len(got), 2)
	equal(t, "kind", got[0].Kind, "b")
	equal(t, "version", got[0].Version, 2)
	equal(t, "body", string(got[0].Body), string(body))
	equal(t, "default version", got[1].Version, 1)
	equal(t, "limited", len(must[[]store.Event](t)(s.EventsAfter(ctx, j.ID, 0, 1))), 1)
	_, err := s.AppendEvents(ctx, "nobody", store.EventDraft{Kind: "x"})
	wantErr(t, err, store.ErrNotFound)
}
