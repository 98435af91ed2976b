// Package dbtest is the conformance suite of stores: what package store
// promises, as tests that every implementation runs with one line. It imports
// package store alone of ours. Start at [Run].
package dbtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"hone/db/store"
)

// Open returns a store with an empty database, closed when the test ends.
type Open func(t *testing.T) store.Store

// Run runs the suite.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		test func(*testing.T, store.Store)
	}{
		{"jobs/create", testCreateJob}, {"jobs/idempotency", testIdempotency}, {"jobs/moves", testMoves}, {"jobs/unfinished", testUnfinished},
		{"jobs/list", testListJobs}, {"jobs/invalid", testInvalidJobs},
		{"ledger/propose", testPropose}, {"ledger/budget", testBudget}, {"ledger/life", testLifeOfTrial}, {"ledger/first result wins", testFirstResultWins},
		{"ledger/requeue guards", testRequeueGuards}, {"ledger/late build", testLateBuild}, {"ledger/races", testRaces}, {"ledger/invalid outcomes", testInvalidOutcomes},
		{"ledger/abandon", testAbandon}, {"ledger/stopping", testStopping}, {"ledger/artifacts", testArtifacts}, {"ledger/resume", testResume}, {"ledger/bytes kept", testBytesKept},
		{"dispatch/send", testSend}, {"dispatch/load", testLoad}, {"dispatch/overdue", testOverdue},
		{"events/stream", testEvents},
		{"records/champions", testChampions}, {"records/list", testListRecords}, {"records/related", testRelated},
		{"lookup/ladder", testLadder}, {"lookup/order", testLookupOrder}, {"lookup/layers", testLayers},
		{"library/workloads", testWorkloads}, {"library/cost models", testCostModels}, {"library/settings", testSettings},
		{"leases/epochs", testLeases}, {"leases/fence", testFence},
		{"concurrent/claim", testConcurrentClaim}, {"concurrent/results", testConcurrentResults}, {"concurrent/champion", testConcurrentChampion},
		{"concurrent/propose", testConcurrentPropose}, {"concurrent/leases", testConcurrentLeases},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

var ctx = context.Background()

// pools of the fixture.
const (
	buildPool  = "b-x86_64-linux-gcc"
	devicePool = "d-cpu-x86_64-zen3-box"
)

var zen3 = store.Target{Key: "cpu/x86_64/avx2+fma/zen3/box/1", Version: 1, Kind: "cpu", ISA: "x86_64", Features: []string{"avx2", "fma"}, UArch: "zen3", Model: "box", Threads: 1}

// must stops the test on an error.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t *testing.T, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("got error %v, want %v", got, want)
	}
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// workload is a small workload with a name of its own.
func workload(name string) store.Workload {
	return store.Workload{Hash: "h-" + name, Name: name, Text: "func " + name}
}

// newJob is a job with one task for each workload.
func newJob(budget int64, workloads ...string) store.NewJob {
	n := store.NewJob{Job: store.Job{Name: "model.onnx", Key: "key", Seed: 1<<63 | 7, TrialBudget: budget}, Targets: []store.Target{zen3}}
	if len(workloads) == 0 {
		workloads = []string{"matmul"}
	}
	for _, w := range workloads {
		n.Workloads = append(n.Workloads, workload(w))
		n.Tasks = append(n.Tasks, store.TaskDraft{Name: w, Workload: "h-" + w, Target: zen3.Key, Weight: 2, BuildPool: buildPool, DevicePool: devicePool, Threads: 1})
	}
	return n
}

// running creates a job and starts it.
func running(t *testing.T, s store.Store, n store.NewJob) (store.Job, []store.Task) {
	t.Helper()
	j, created, err := s.CreateJob(ctx, n)
	ok(t, err)
	equal(t, "created", created, true)
	j = must[store.Job](t)(s.MoveJob(ctx, j.ID, store.JobMove{From: []store.JobState{store.JobQueued}, To: store.JobRunning}))
	return j, must[[]store.Task](t)(s.Tasks(ctx, j.ID))
}

// drafts are n proposals for a task, numbered from seq.
func drafts(task int64, seq int64, n int) []store.TrialDraft {
	var out []store.TrialDraft
	for i := range n {
		at := seq + int64(i)
		out = append(out, store.TrialDraft{Task: task, Seq: at, Kind: store.Measure, Trace: json.RawMessage(fmt.Sprintf(`{"n":%d}`, at)), TraceHash: fmt.Sprint("t", at)})
	}
	return out
}

// propose stores n more trials.
func propose(t *testing.T, s store.Store, j store.Job, task int64, n int) []store.Trial {
	t.Helper()
	j = must[store.Job](t)(s.Job(ctx, j.ID))
	return must[[]store.Trial](t)(s.Propose(ctx, j.ID, drafts(task, j.Proposed+1, n)))
}

// send takes trials out as one item of a kind.
func send(t *testing.T, s store.Store, kind store.Kind, trials ...store.Trial) store.WorkItem {
	t.Helper()
	return must[store.WorkItem](t)(s.Send(ctx, workDraft(kind, trials...)))
}

func workDraft(kind store.Kind, trials ...store.Trial) store.WorkDraft {
	d := store.WorkDraft{ID: ulid.Make().String(), Job: trials[0].Job, Task: trials[0].Task, Kind: kind, Pool: buildPool, Nonce: "n0", Within: time.Minute, Cost: time.Second}
	if kind != store.Build {
		d.Pool = devicePool
	}
	for _, tr := range trials {
		d.Trials = append(d.Trials, store.TrialRef{ID: tr.ID, Attempt: tr.Attempt})
	}
	return d
}

var artifact = json.RawMessage(`{"sha256":"ab","symbol":"f"}`)

// attempt is what an agent reports for an item.
func attempt(w store.WorkItem, agent, code string) store.Attempt {
	return store.Attempt{Work: w.ID, Attempt: w.Attempt, Kind: w.Kind, Agent: agent, Device: "dev", Code: code, Samples: []float64{3, 1, 2}, Incumbent: []float64{2, 2, 2}}
}

// apply stores one outcome.
func apply(t *testing.T, s store.Store, job string, o store.Outcome) store.Applied {
	t.Helper()
	return must[[]store.Applied](t)(s.Apply(ctx, store.Batch{Job: job, Outcomes: []store.Outcome{o}, CloseItem: o.Attempt.Work, ItemCode: "ok"}))[0]
}

// built takes a queued trial through its build.
func built(t *testing.T, s store.Store, tr store.Trial) store.Trial {
	t.Helper()
	w := send(t, s, store.Build, tr)
	a := apply(t, s, tr.Job, store.Outcome{Trial: tr.ID, Move: store.MoveBuilt, Build: artifact, Attempt: attempt(w, "builder", store.CodeOK)})
	equal(t, "built", a.Took, true)
	return must[store.Trial](t)(s.Trial(ctx, tr.ID))
}

// measured takes a trial from queued to closed with ok.
func measured(t *testing.T, s store.Store, tr store.Trial, ns float64) store.Applied {
	t.Helper()
	tr = built(t, s, tr)
	w := send(t, s, store.Measure, tr)
	a := apply(t, s, tr.Job, okOutcome(tr, w, "runner", ns))
	equal(t, "measured", a.Took, true)
	return a
}

func okOutcome(tr store.Trial, w store.WorkItem, agent string, ns float64) store.Outcome {
	return store.Outcome{Trial: tr.ID, Move: store.MoveClose, Code: store.CodeOK, Charged: true, Ns: ns,
		Record: &store.RecordDraft{Toolchain: json.RawMessage(`{"cc":"gcc"}`)}, Attempt: attempt(w, agent, store.CodeOK)}
}

// Conserved checks the invariant of every test that changes a ledger: a job's
// counters agree with its rows, each trial was accepted at most once, and none
// went out again after it was closed.
func Conserved(t testing.TB, s store.Store, job string) {
	t.Helper()
	j := must[store.Job](t)(s.Job(ctx, job))
	all := must[[]store.Trial](t)(s.Trials(ctx, job, 0, 0))
	open := must[[]store.Trial](t)(s.OpenTrials(ctx, job))
	results := must[[]store.Result](t)(s.Results(ctx, job, 0, 0))
	equal(t, "trials proposed", int64(len(all)), j.Proposed)
	equal(t, "trials closed", int64(len(results)), j.Closed)
	equal(t, "open and closed", len(open)+len(results), len(all))
	var charged int64
	for i, r := range results {
		equal(t, "order of acceptance", r.Trial.Order, int64(i+1))
		if r.Trial.Charged {
			charged++
		}
	}
	equal(t, "charged", j.Charged, charged)
	for i, tr := range all {
		equal(t, "sequence", tr.Seq, int64(i+1))
		accepted, last := 0, ""
		for _, a := range must[[]store.Attempt](t)(s.Attempts(ctx, tr.ID)) {
			if a.Accepted {
				accepted++
			}
			last = max(last, a.Work)
		}
		if accepted > 1 || (accepted == 1) != (tr.State == store.TrialClosed) {
			t.Fatalf("trial %d is %s with %d accepted attempts", tr.Seq, tr.State, accepted)
		}
		if last == "" || tr.State != store.TrialClosed {
			continue
		}
		if w, err := s.WorkItem(ctx, last); err != nil || w.SentAt.After(tr.ClosedAt) {
			t.Fatalf("trial %d was closed at %v and sent at %v (%v)", tr.Seq, tr.ClosedAt, w.SentAt, err)
		}
	}
}
