package scheduler_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"hone/api"
	"hone/db/store"
	"hone/internal/clock"
	"hone/scheduler"
	"hone/scheduler/blobs"
	"hone/scheduler/schedtest"
)

func request() api.NewJob {
	return api.NewJob{Name: "m", TrialBudget: 5, Tasks: []api.NewTask{{Name: "matmul", Workload: api.Workload{Hash: "h", Name: "matmul", Text: "f"},
		Target: api.Target{Key: "k", Kind: "cpu", ISA: "x86_64", Threads: 1}, Weight: 1, Toolchain: api.Toolchain{Triple: "x", Compiler: "gcc"}}}}
}

func TestBadRequests(t *testing.T) {
	w := schedtest.NewWorld(t)
	for want, spoil := range map[string]func(*api.NewJob){
		"without tasks":        func(n *api.NewJob) { n.Tasks = nil },
		"negative budget":      func(n *api.NewJob) { n.TrialBudget = -1 },
		"needs a budget":       func(n *api.NewJob) { n.TrialBudget = 0 },
		"without hash or text": func(n *api.NewJob) { n.Tasks[0].Workload.Text = "" },
		"without key":          func(n *api.NewJob) { n.Tasks[0].Target.Key = "" },
		"weight -1":            func(n *api.NewJob) { n.Tasks[0].Weight = -1 },
		"no compiler":          func(n *api.NewJob) { n.Tasks[0].Toolchain = api.Toolchain{} },
		"constraint":           func(n *api.NewJob) { n.Class = "urgent" },
		"FOREIGN KEY":          func(n *api.NewJob) { n.Project = "nobody's" },
		"malformed JSON":       func(n *api.NewJob) { n.Spec = json.RawMessage("{") },
	} {
		n := request()
		spoil(&n)
		_, _, err := w.Coordinator.CreateJob(t.Context(), n)
		if !errors.Is(err, api.ErrInvalid) && !errors.Is(err, api.ErrConflict) {
			t.Errorf("%s: got %v", want, err)
		}
	}
	if _, err := w.Coordinator.Job(t.Context(), "none"); !errors.Is(err, api.ErrNotFound) {
		t.Errorf("no such job: %v", err)
	}
	for name, f := range map[string]func(context.Context, string) (api.Job, error){"cancel": w.Coordinator.CancelJob, "pause": w.Coordinator.PauseJob, "resume": w.Coordinator.ResumeJob} {
		if _, err := f(t.Context(), "none"); !errors.Is(err, api.ErrNotFound) {
			t.Errorf("%s of no such job: %v", name, err)
		}
	}
}

// The same request continues the job it began, unless it asks for a fresh one.
func TestResumeKey(t *testing.T) {
	w := schedtest.NewWorld(t)
	n := request()
	n.ResumeKey = "model, shapes, target, options"
	create := func(n api.NewJob, fresh bool) api.Job {
		t.Helper()
		j, created, err := w.Coordinator.CreateJob(t.Context(), n)
		if err != nil || created != fresh {
			t.Fatalf("created %v, error %v", created, err)
		}
		return j
	}
	a := create(n, true)
	w.Advance(2 * time.Second)
	if _, err := w.Coordinator.PauseJob(t.Context(), a.ID); err != nil {
		t.Fatal(err)
	}
	if b := create(n, false); b.ID != a.ID || b.State != "running" {
		t.Fatalf("got job %s, %s", b.ID, b.State)
	}
	n.Fresh = true
	c := create(n, true)
	n.Fresh = false
	if d := create(n, false); d.ID != c.ID {
		t.Fatal("it did not continue the newest")
	}
	for _, id := range []string{a.ID, c.ID} {
		if _, err := w.Coordinator.CancelJob(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if j, err := w.Coordinator.CancelJob(t.Context(), id); err != nil || j.State != "cancelled" {
			t.Fatalf("cancelled twice: %s %v", j.State, err)
		}
	}
	create(n, true)
}

func TestEventsWait(t *testing.T) {
	w := schedtest.NewWorld(t)
	j, _, err := w.Coordinator.CreateJob(t.Context(), request())
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan []api.Event)
	go func() {
		es, err := w.Coordinator.Events(context.Background(), api.EventQuery{Job: j.ID, After: 1, Wait: time.Hour})
		if err != nil {
			t.Error(err)
		}
		got <- es
	}()
	w.Clock.BlockUntil(1) // it waits
	if _, err := w.Coordinator.CancelJob(t.Context(), j.ID); err != nil {
		t.Fatal(err)
	}
	es := <-got
	var s api.JobState
	if len(es) == 0 || es[0].Seq != 2 || es[0].Kind != api.EventJobState || json.Unmarshal(es[0].Body, &s) != nil || s.State != "cancelled" {
		t.Fatalf("events: %+v", es)
	}
	var kinds []string
	if err := scheduler.Follow(t.Context(), w.Coordinator, w.Clock, j.ID, 0, func(e api.Event) error {
		kinds = append(kinds, e.Kind)
		return nil
	}); err != nil || strings.Join(kinds, " ") != "job.created job.state" {
		t.Fatalf("followed %v, %v", kinds, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Coordinator.Events(ctx, api.EventQuery{Job: j.ID, After: 99, Wait: time.Hour}); !errors.Is(err, context.Canceled) {
		t.Fatalf("a reader that left: %v", err)
	}
}

// What a job found is there for builds: lookup and records.
func TestLookupAfterTuning(t *testing.T) {
	w := schedtest.NewWorld(t)
	w.AddAgent("a", both...)
	w.Submit("job", api.NewJob{Seed: 2, TrialBudget: 12}, 2, schedtest.Spec{})
	w.Stabilize(time.Hour)
	target := api.Target{Key: "cpu/x86_64/zen3/box/1", Kind: "cpu", ISA: "x86_64", UArch: "zen3", Model: "box", Threads: 1}
	b, err := w.Coordinator.Lookup(t.Context(), api.LookupQuery{Workloads: []string{"h-job-1", "h-none"}, Target: target})
	if err != nil {
		t.Fatal(err)
	}
	h := b.Entries[0].Hits[0]
	if !h.Champion || h.Label != "exact" || h.Layer != store.LocalProject || h.Ratio <= 0 || h.Ratio >= 1 || len(h.Record.Samples) != 3 {
		t.Fatalf("hit %+v", h)
	}
	if string(h.Record.Toolchain) != `{"cc":"gcc","version":"12"}` || !strings.Contains(string(h.Record.Provenance), `"agent":"a"`) {
		t.Fatalf("toolchain %s, provenance %s", h.Record.Toolchain, h.Record.Provenance)
	}
	if b.Entries[1].Known || len(b.Entries[1].Hits) != 0 {
		t.Fatalf("an unknown workload: %+v", b.Entries[1])
	}
	rs, err := w.Coordinator.Records(t.Context(), api.RecordQuery{Workload: "h-job-0"})
	if err != nil || len(rs) == 0 {
		t.Fatalf("%d records, %v", len(rs), err)
	}
	tasks, err := w.Coordinator.Tasks(t.Context(), w.Job("job").ID)
	if err != nil || len(tasks) != 2 || tasks[1].DefaultNs == 0 || tasks[1].BestNs > tasks[1].DefaultNs {
		t.Fatalf("tasks %+v, %v", tasks, err)
	}
}

func TestPutBlob(t *testing.T) {
	w := schedtest.NewWorld(t)
	if _, err := w.Coordinator.PutBlob(t.Context(), "", "", strings.NewReader("x")); !errors.Is(err, api.ErrInvalid) {
		t.Fatalf("without a place for blobs: %v", err)
	}
	dir, err := blobs.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c, err := scheduler.New(scheduler.Config{Store: w.Store, Bus: w.Bus, Blobs: dir, Clock: clock.Real{}, OpenDriver: schedtest.OpenDriver})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("hello"))
	want := hex.EncodeToString(sum[:])
	if b, err := c.PutBlob(t.Context(), "", want, strings.NewReader("hello")); err != nil || b.SHA256 != want || b.Size != 5 {
		t.Fatalf("%+v %v", b, err)
	}
	if _, err := c.PutBlob(t.Context(), "", want, strings.NewReader("bye")); !errors.Is(err, api.ErrInvalid) {
		t.Fatalf("another digest: %v", err)
	}
}

func TestNewNeedsItsParts(t *testing.T) {
	if _, err := scheduler.New(scheduler.Config{}); err == nil {
		t.Fatal("a coordinator of nothing")
	}
}
