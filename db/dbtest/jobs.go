package dbtest

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"hone/db/store"
)

func testCreateJob(t *testing.T, s store.Store) {
	n := newJob(100, "matmul", "conv")
	n.Job.Spec = json.RawMessage(`{"model": "m",  "threads":1}`)
	n.Job.TimeBudget = 90 * time.Second
	n.Events = []store.EventDraft{{Kind: "job.created"}}
	j, created, err := s.CreateJob(ctx, n)
	ok(t, err)
	got := must[store.Job](t)(s.Job(ctx, j.ID))
	equal(t, "created", created, true)
	equal(t, "state", got.State, store.JobQueued)
	equal(t, "project", got.Project, store.LocalProject)
	equal(t, "seed", got.Seed, uint64(1<<63|7))
	equal(t, "time budget", got.TimeBudget, 90*time.Second)
	equal(t, "spec, byte for byte", string(got.Spec), string(n.Job.Spec))
	equal(t, "events", got.LastEvent, int64(1))
	if got.CreatedAt.IsZero() || !got.StartedAt.IsZero() || !got.EndedAt.IsZero() {
		t.Fatalf("times %v %v %v", got.CreatedAt, got.StartedAt, got.EndedAt)
	}
	tasks := must[[]store.Task](t)(s.Tasks(ctx, j.ID))
	equal(t, "tasks", len(tasks), 2)
	equal(t, "second task", tasks[1].Workload, "h-conv")
	equal(t, "its index", tasks[1].Index, 1)
	equal(t, "its target", tasks[1].Target, zen3.Key)
	_, err = s.Job(ctx, "nobody")
	wantErr(t, err, store.ErrNotFound)
}

func testIdempotency(t *testing.T, s store.Store) {
	n := newJob(10)
	n.Job.Idempotency = "once"
	a, first, err := s.CreateJob(ctx, n)
	ok(t, err)
	b, second, err := s.CreateJob(ctx, n)
	ok(t, err)
	equal(t, "first", first, true)
	equal(t, "second", second, false)
	equal(t, "the same job", b.ID, a.ID)
	equal(t, "jobs", len(must[[]store.Job](t)(s.ListJobs(ctx, store.JobFilter{}))), 1)
}

func testMoves(t *testing.T, s store.Store) {
	j, _ := running(t, s, newJob(10))
	if j.StartedAt.IsZero() {
		t.Fatal("a running job has no start")
	}
	_, err := s.MoveJob(ctx, j.ID, store.JobMove{From: []store.JobState{store.JobPaused}, To: store.JobRunning})
	wantErr(t, err, store.ErrConflict)
	ok(t, s.SpendTime(ctx, j.ID, 1500*time.Millisecond))
	ok(t, s.SpendTime(ctx, j.ID, time.Second))
	wantErr(t, s.SpendTime(ctx, "nobody", time.Second), store.ErrNotFound)
	j = must[store.Job](t)(s.MoveJob(ctx, j.ID, store.JobMove{From: store.Unfinished, To: store.JobFailed, Reason: "infra.exhausted", Events: []store.EventDraft{{Kind: "job.failed"}}}))
	j = must[store.Job](t)(s.Job(ctx, j.ID))
	equal(t, "state", j.State, store.JobFailed)
	equal(t, "reason", j.Reason, "infra.exhausted")
	equal(t, "time spent", j.TimeSpent, 2500*time.Millisecond)
	equal(t, "events", j.LastEvent, int64(1))
	if j.EndedAt.IsZero() || !j.State.Ended() {
		t.Fatal("a failed job has not ended")
	}
}

func testUnfinished(t *testing.T, s store.Store) {
	old, _ := running(t, s, newJob(10))
	younger, _ := running(t, s, newJob(10))
	got := must[store.Job](t)(s.UnfinishedJob(ctx, store.LocalProject, "key"))
	equal(t, "newest", got.ID, younger.ID)
	must[store.Job](t)(s.MoveJob(ctx, younger.ID, store.JobMove{From: store.Unfinished, To: store.JobDone}))
	equal(t, "newest unfinished", must[store.Job](t)(s.UnfinishedJob(ctx, store.LocalProject, "key")).ID, old.ID)
	_, err := s.UnfinishedJob(ctx, store.LocalProject, "another key")
	wantErr(t, err, store.ErrNotFound)
}

func testListJobs(t *testing.T, s store.Store) {
	a, _ := running(t, s, newJob(10))
	b, _, err := s.CreateJob(ctx, newJob(10))
	ok(t, err)
	ids := func(f store.JobFilter) (out []string) {
		for _, j := range must[[]store.Job](t)(s.ListJobs(ctx, f)) {
			out = append(out, j.ID)
		}
		return out
	}
	for _, c := range []struct {
		f    store.JobFilter
		want []string
	}{
		{store.JobFilter{}, []string{b.ID, a.ID}},
		{store.JobFilter{Limit: 1}, []string{b.ID}},
		{store.JobFilter{States: []store.JobState{store.JobRunning, store.JobDone}}, []string{a.ID}},
		{store.JobFilter{Project: "other"}, nil},
	} {
		if got := ids(c.f); !slices.Equal(got, c.want) {
			t.Errorf("%+v: got %v, want %v", c.f, got, c.want)
		}
	}
}

func testInvalidJobs(t *testing.T, s store.Store) {
	n := newJob(10)
	n.Tasks[0].Workload = "h-unknown"
	_, _, err := s.CreateJob(ctx, n)
	wantErr(t, err, store.ErrInvalid)
	n = newJob(10)
	n.Tasks[0].DevicePool = ""
	_, _, err = s.CreateJob(ctx, n)
	wantErr(t, err, store.ErrInvalid)
	n = newJob(-1)
	_, _, err = s.CreateJob(ctx, n)
	wantErr(t, err, store.ErrInvalid)
	n = newJob(1)
	n.Job.Project = "nobody's"
	_, _, err = s.CreateJob(ctx, n)
	wantErr(t, err, store.ErrInvalid)
	n = newJob(1)
	n.Job.Class = "urgent"
	_, _, err = s.CreateJob(ctx, n)
	wantErr(t, err, store.ErrInvalid)
	equal(t, "jobs left behind", len(must[[]store.Job](t)(s.ListJobs(ctx, store.JobFilter{}))), 0)
	_, err = s.Workload(ctx, "h-matmul")
	wantErr(t, err, store.ErrNotFound) // it went with its job
}
