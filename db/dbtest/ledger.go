package dbtest

import (
	"encoding/json"
	"math"
	"testing"

	"hone/db/store"
)

func testPropose(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(0))
	d := drafts(tasks[0].ID, 1, 3)
	d[0].Baseline = true
	d[0].Variant = "winograd"
	got := must[[]store.Trial](t)(s.Propose(ctx, j.ID, d, store.EventDraft{Kind: "round"}))
	equal(t, "stored", len(got), 3)
	equal(t, "baseline", got[0].Baseline && !got[1].Baseline, true)
	equal(t, "variant", got[0].Variant, "winograd")
	equal(t, "state", got[2].State, store.TrialQueued)
	equal(t, "pool", got[2].Pool, buildPool)
	equal(t, "attempt", got[2].Attempt, 1)
	equal(t, "again", len(must[[]store.Trial](t)(s.Propose(ctx, j.ID, d, store.EventDraft{Kind: "round"}))), 0)
	equal(t, "overlap", len(must[[]store.Trial](t)(s.Propose(ctx, j.ID, drafts(tasks[0].ID, 2, 3)))), 1)
	_, err := s.Propose(ctx, j.ID, drafts(tasks[0].ID, 9, 1))
	wantErr(t, err, store.ErrInvalid) // a gap
	bad := drafts(tasks[0].ID, 5, 1)
	bad[0].Seen = 1
	_, err = s.Propose(ctx, j.ID, bad)
	wantErr(t, err, store.ErrInvalid) // it claims results that are not there
	_, err = s.Propose(ctx, j.ID, drafts(tasks[0].ID+999, 5, 1))
	wantErr(t, err, store.ErrInvalid) // a task of no such job
	must[store.Job](t)(s.MoveJob(ctx, j.ID, store.JobMove{From: store.Unfinished, To: store.JobPaused}))
	_, err = s.Propose(ctx, j.ID, drafts(tasks[0].ID, 5, 1))
	wantErr(t, err, store.ErrConflict)
	equal(t, "events", must[store.Job](t)(s.Job(ctx, j.ID)).LastEvent, int64(1))
	Conserved(t, s, j.ID)
}

func testBudget(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(3))
	trials := propose(t, s, j, tasks[0].ID, 3)
	_, err := s.Propose(ctx, j.ID, drafts(tasks[0].ID, 4, 1))
	wantErr(t, err, store.ErrBudget) // three are open
	w := send(t, s, store.Build, trials[0])
	apply(t, s, j.ID, store.Outcome{Trial: trials[0].ID, Move: store.MoveClose, Code: "infra.exhausted", Attempt: attempt(w, "a", "infra.lost")})
	propose(t, s, j, tasks[0].ID, 1) // an uncharged close makes room
	measured(t, s, trials[1], 10)
	_, err = s.Propose(ctx, j.ID, drafts(tasks[0].ID, 5, 1))
	wantErr(t, err, store.ErrBudget) // a charged one does not
	race := store.TrialDraft{Task: tasks[0].ID, Seq: 5, Kind: store.Race, Of: trials[1].ID, Build: artifact}
	must[[]store.Trial](t)(s.Propose(ctx, j.ID, []store.TrialDraft{race})) // a race is not charged
	equal(t, "charged", must[store.Job](t)(s.Job(ctx, j.ID)).Charged, int64(1))
	Conserved(t, s, j.ID)
}

func testLifeOfTrial(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(10))
	d := drafts(tasks[0].ID, 1, 2)
	d[0].Baseline = true
	trials := must[[]store.Trial](t)(s.Propose(ctx, j.ID, d))
	a := measured(t, s, trials[0], 40)
	b := measured(t, s, trials[1], 10)
	equal(t, "orders", [2]int64{a.Order, b.Order}, [2]int64{1, 2})
	tr := must[store.Trial](t)(s.Trial(ctx, trials[1].ID))
	equal(t, "state", tr.State, store.TrialClosed)
	equal(t, "code", tr.Code, store.CodeOK)
	equal(t, "record", tr.Record, b.Record)
	equal(t, "build kept", string(tr.Build), string(artifact))
	k := must[[]store.Task](t)(s.Tasks(ctx, j.ID))[0]
	equal(t, "default", k.DefaultNs, 40.0)
	equal(t, "best", k.BestNs, 10.0)
	equal(t, "best trial", k.BestTrial, trials[1].ID)
	equal(t, "charged trials of the task", k.Trials, int64(2))
	r := must[[]store.Result](t)(s.Results(ctx, j.ID, 1, 10))
	equal(t, "results after the first", len(r), 1)
	equal(t, "samples", len(r[0].Attempt.Samples), 3)
	equal(t, "incumbent samples", r[0].Attempt.Incumbent[1], 2.0)
	Conserved(t, s, j.ID)
}

func testFirstResultWins(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(10))
	tr := built(t, s, propose(t, s, j, tasks[0].ID, 1)[0])
	w := send(t, s, store.Measure, tr)
	ev := store.EventDraft{Kind: "trial.closed"}
	first, second, again := okOutcome(tr, w, "a1", 10), okOutcome(tr, w, "a2", 5), okOutcome(tr, w, "a1", 10)
	first.Event, second.Event, again.Event = &ev, &ev, &ev
	a := apply(t, s, j.ID, first)
	b := apply(t, s, j.ID, second)
	c := apply(t, s, j.ID, again)
	equal(t, "first took", a.Took, true)
	equal(t, "second took", b.Took || b.Record != 0, false)
	equal(t, "the same one again took", c.Took, false)
	equal(t, "the same attempt", c.Attempt, a.Attempt)
	attempts := must[[]store.Attempt](t)(s.Attempts(ctx, tr.ID))
	equal(t, "attempts: a build, two measurements", len(attempts), 3)
	equal(t, "the second is kept, not counted", attempts[2].Accepted, false)
	equal(t, "best", must[[]store.Task](t)(s.Tasks(ctx, j.ID))[0].BestNs, 10.0)
	got := must[store.Job](t)(s.Job(ctx, j.ID))
	equal(t, "charged once", got.Charged, int64(1))
	equal(t, "one event", got.LastEvent, int64(1))
	Conserved(t, s, j.ID)
}

func testRequeueGuards(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(10))
	tr := built(t, s, propose(t, s, j, tasks[0].ID, 1)[0])
	old := send(t, s, store.Measure, tr)
	lost := func(w store.WorkItem, move store.Move, agent string) store.Outcome {
		return store.Outcome{Trial: tr.ID, Move: move, Attempt: attempt(w, agent, "infra.lost")}
	}
	equal(t, "requeued", apply(t, s, j.ID, lost(old, store.MoveRebuilt, "c")).Took, true)
	got := must[store.Trial](t)(s.Trial(ctx, tr.ID))
	equal(t, "attempt", got.Attempt, 2)
	equal(t, "state", got.State, store.TrialBuilt)
	fresh := send(t, s, store.Measure, got)
	equal(t, "a late requeue of the first attempt", apply(t, s, j.ID, lost(old, store.MoveRebuilt, "d")).Took, false)
	equal(t, "out still", must[store.Trial](t)(s.Trial(ctx, tr.ID)).State, store.TrialMeasuring)
	equal(t, "back to the builders", apply(t, s, j.ID, lost(fresh, store.MoveRequeue, "c")).Took, true)
	got = must[store.Trial](t)(s.Trial(ctx, tr.ID))
	equal(t, "state", got.State, store.TrialQueued)
	equal(t, "pool", got.Pool, buildPool)
	equal(t, "attempt", got.Attempt, 3)
	exhausted := lost(old, store.MoveClose, "e")
	exhausted.Code, exhausted.Held = "infra.exhausted", true
	equal(t, "an old item cannot exhaust it", apply(t, s, j.ID, exhausted).Took, false)
	// The first attempt's own result comes in after all: the trial is open.
	equal(t, "late result", apply(t, s, j.ID, okOutcome(got, old, "a1", 7)).Took, true)
	Conserved(t, s, j.ID)
}

func testLateBuild(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(10))
	tr := propose(t, s, j, tasks[0].ID, 1)[0]
	w := send(t, s, store.Build, tr)
	equal(t, "lost", apply(t, s, j.ID, store.Outcome{Trial: tr.ID, Move: store.MoveRequeue, Attempt: attempt(w, "c", "infra.lost")}).Took, true)
	b := store.Outcome{Trial: tr.ID, Move: store.MoveBuilt, Build: artifact, Attempt: attempt(w, "builder", store.CodeOK)}
	equal(t, "a build that was given up is welcome", apply(t, s, j.ID, b).Took, true)
	tr = must[store.Trial](t)(s.Trial(ctx, tr.ID))
	equal(t, "pool", tr.Pool, devicePool)
	send(t, s, store.Measure, tr)
	b.Attempt.Agent = "builder-2"
	equal(t, "a second build is not", apply(t, s, j.ID, b).Took, false)
	equal(t, "a lost build item does not touch a trial that is measured",
		apply(t, s, j.ID, store.Outcome{Trial: tr.ID, Move: store.MoveRequeue, Attempt: attempt(w, "c2", "infra.lost")}).Took, false)
	equal(t, "state", must[store.Trial](t)(s.Trial(ctx, tr.ID)).State, store.TrialMeasuring)
}

func testRaces(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(10))
	tr := propose(t, s, j, tasks[0].ID, 1)[0]
	measured(t, s, tr, 10)
	race := must[[]store.Trial](t)(s.Propose(ctx, j.ID, []store.TrialDraft{{Task: tasks[0].ID, Seq: 2, Kind: store.Race, Of: tr.ID, Build: artifact, Seen: 1}}))[0]
	equal(t, "it waits for a device", race.Pool, devicePool)
	w := send(t, s, store.Race, race)
	bad := okOutcome(race, w, "a", 9)
	_, err := s.Apply(ctx, store.Batch{Job: j.ID, Outcomes: []store.Outcome{bad}})
	wantErr(t, err, store.ErrInvalid)
	bad.Charged, bad.Record = false, nil
	a := apply(t, s, j.ID, bad)
	equal(t, "took", a.Took, true)
	equal(t, "record", a.Record, int64(0))
	equal(t, "charged", must[store.Job](t)(s.Job(ctx, j.ID)).Charged, int64(1))
	Conserved(t, s, j.ID)
}

func testInvalidOutcomes(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(10))
	tr := propose(t, s, j, tasks[0].ID, 1)[0]
	for name, o := range map[string]store.Outcome{
		"no code":           {Move: store.MoveClose},
		"infra charged":     {Move: store.MoveClose, Code: "infra.lost", Charged: true},
		"no artifact":       {Move: store.MoveBuilt},
		"record of failure": {Move: store.MoveClose, Code: "candidate.wrong", Ns: 1, Record: &store.RecordDraft{}},
		"record of no time": {Move: store.MoveClose, Code: store.CodeOK, Record: &store.RecordDraft{}},
		"record of NaN":     {Move: store.MoveClose, Code: store.CodeOK, Ns: math.NaN(), Record: &store.RecordDraft{}},
	} {
		o.Trial = tr.ID
		if _, err := s.Apply(ctx, store.Batch{Job: j.ID, Outcomes: []store.Outcome{o}}); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			wantErr(t, err, store.ErrInvalid)
		}
	}
	_, err := s.Apply(ctx, store.Batch{Job: j.ID, Outcomes: []store.Outcome{{Trial: tr.ID + 1, Move: store.MoveKeep}}})
	wantErr(t, err, store.ErrNotFound)
	w := send(t, s, store.Build, tr)
	huge := attempt(w, "a", "candidate.wrong")
	huge.MaxErr, huge.Samples = math.NaN(), []float64{1, math.Inf(1)}
	apply(t, s, j.ID, store.Outcome{Trial: tr.ID, Move: store.MoveClose, Code: "candidate.wrong", Charged: true, Attempt: huge})
	got := must[[]store.Attempt](t)(s.Attempts(ctx, tr.ID))[0]
	equal(t, "an error that is no number", math.IsInf(got.MaxErr, 1), true)
	equal(t, "finite samples", len(got.Samples), 1)
	Conserved(t, s, j.ID)
}

func testAbandon(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(10))
	trials := propose(t, s, j, tasks[0].ID, 3)
	measured(t, s, trials[0], 10)
	w := send(t, s, store.Build, trials[1])
	equal(t, "closed", must[int](t)(s.Abandon(ctx, j.ID, "infra.cancelled", true)), 2)
	equal(t, "open", len(must[[]store.Trial](t)(s.OpenTrials(ctx, j.ID))), 0)
	equal(t, "out", len(must[[]store.WorkItem](t)(s.OpenItems(ctx, j.ID))), 0)
	equal(t, "charged", must[store.Job](t)(s.Job(ctx, j.ID)).Charged, int64(1))
	late := apply(t, s, j.ID, store.Outcome{Trial: trials[1].ID, Move: store.MoveBuilt, Build: artifact, Attempt: attempt(w, "b", store.CodeOK)})
	equal(t, "a late result", late.Took, false)
	Conserved(t, s, j.ID)
}

// testResume reads back what a session is rebuilt from after its process died
// in the middle.
func testResume(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(10, "matmul", "conv"))
	first := propose(t, s, j, tasks[0].ID, 2)
	second := propose(t, s, j, tasks[1].ID, 2)
	measured(t, s, second[1], 8)
	measured(t, s, first[0], 9)
	more := drafts(tasks[0].ID, 5, 1)
	more[0].Seen = 2
	must[[]store.Trial](t)(s.Propose(ctx, j.ID, more))
	send(t, s, store.Build, first[1])

	var open, order []int64
	for _, tr := range must[[]store.Trial](t)(s.OpenTrials(ctx, j.ID)) {
		open = append(open, tr.Seq)
	}
	for _, r := range must[[]store.Result](t)(s.Results(ctx, j.ID, 0, 0)) {
		order = append(order, r.Trial.Seq)
	}
	equal(t, "open", [3]int64(open), [3]int64{2, 3, 5})
	equal(t, "order of results", [2]int64(order), [2]int64{4, 1})
	all := must[[]store.Trial](t)(s.Trials(ctx, j.ID, 3, 10))
	equal(t, "trials after the third", len(all), 2)
	equal(t, "results seen by the fifth", all[1].Seen, int64(2))
	equal(t, "limited", len(must[[]store.Trial](t)(s.Trials(ctx, j.ID, 0, 2))), 2)
	equal(t, "limited", len(must[[]store.Result](t)(s.Results(ctx, j.ID, 0, 1))), 1)
	Conserved(t, s, j.ID)
}

// testBytesKept: hashes are taken of traces, so their text may not change.
func testBytesKept(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(10))
	d := drafts(tasks[0].ID, 1, 1)
	d[0].Trace = json.RawMessage("{ \"b\": 1.0,\n\t\"a\": [ \"\\u00e9\", \"é\" ] }")
	tr := must[[]store.Trial](t)(s.Propose(ctx, j.ID, d))[0]
	equal(t, "trace", string(tr.Trace), string(d[0].Trace))
	a := measured(t, s, tr, 3)
	rec := must[[]store.Record](t)(s.ListRecords(ctx, store.RecordFilter{Job: j.ID}))[0]
	equal(t, "record", rec.ID, a.Record)
	equal(t, "the record's trace", string(rec.Trace), string(d[0].Trace))
	d[0].Seq, d[0].Trace = 2, json.RawMessage("{")
	_, err := s.Propose(ctx, j.ID, d)
	wantErr(t, err, store.ErrInvalid)
}

// testStopping: a job that has spent its budget lets go of what waits to be
// measured, keeps what is out, and still runs races.
func testStopping(t *testing.T, s store.Store) {
	j, tasks := running(t, s, newJob(10))
	trials := propose(t, s, j, tasks[0].ID, 3)
	measured(t, s, trials[0], 10)
	out := built(t, s, trials[1])
	w := send(t, s, store.Measure, out)
	must[store.Job](t)(s.MoveJob(ctx, j.ID, store.JobMove{From: store.Unfinished, To: store.JobStopping}))
	_, err := s.Propose(ctx, j.ID, drafts(tasks[0].ID, 4, 1))
	wantErr(t, err, store.ErrConflict)
	race := store.TrialDraft{Task: tasks[0].ID, Seq: 4, Kind: store.Race, Of: trials[0].ID, Against: 7, Build: artifact}
	r := must[[]store.Trial](t)(s.Propose(ctx, j.ID, []store.TrialDraft{race}))[0]
	equal(t, "raced against", r.Against, int64(7))
	equal(t, "let go", must[int](t)(s.Abandon(ctx, j.ID, "infra.cancelled", false)), 1)
	equal(t, "runnable", len(must[store.PoolLoad](t)(s.PoolLoad(ctx, devicePool)).Jobs), 1)
	rw := send(t, s, store.Race, r)
	a := attempt(rw, "a", store.CodeOK)
	a.Ratio, a.CILow, a.CIHigh = 0.5, 0.4, 0.6
	equal(t, "race", apply(t, s, j.ID, store.Outcome{Trial: r.ID, Move: store.MoveClose, Code: store.CodeOK, Ns: 5, Attempt: a}).Took, true)
	equal(t, "what was out", apply(t, s, j.ID, okOutcome(out, w, "a", 9)).Took, true)
	last := must[[]store.Result](t)(s.Results(ctx, j.ID, 2, 1))[0]
	equal(t, "interval", [2]float64{last.Attempt.CILow, last.Attempt.CIHigh}, [2]float64{0.4, 0.6})
	equal(t, "open", len(must[[]store.Trial](t)(s.OpenTrials(ctx, j.ID))), 0)
	equal(t, "charged", must[store.Job](t)(s.Job(ctx, j.ID)).Charged, int64(2))
	Conserved(t, s, j.ID)
}

// testArtifacts: what is kept of an artifact as a trial moves, and the mark of
// a trial that travels alone.
func testArtifacts(t *testing.T, s store.Store) {
	n := newJob(10)
	n.Tasks[0].BuildPool = devicePool // one agent builds and measures
	j, tasks := running(t, s, n)
	tr := propose(t, s, j, tasks[0].ID, 1)[0]
	d := workDraft(store.Measure, tr)
	d.Spec = json.RawMessage(`{"entries": 1}`)
	w := must[store.WorkItem](t)(s.Send(ctx, d))
	equal(t, "spec", string(must[store.WorkItem](t)(s.WorkItem(ctx, w.ID)).Spec), `{"entries": 1}`)
	equal(t, "building first", must[store.Trial](t)(s.Trial(ctx, tr.ID)).State, store.TrialBuilding)
	back := func(w store.WorkItem, move store.Move, build json.RawMessage) bool {
		return apply(t, s, j.ID, store.Outcome{Trial: tr.ID, Move: move, Build: build, Solo: true, Attempt: attempt(w, "a", "device.busy")}).Took
	}
	equal(t, "built needs an artifact", back(w, store.MoveRebuilt, nil), false)
	w.Attempt = 1
	a := attempt(w, "b", "device.busy")
	equal(t, "built with one", apply(t, s, j.ID, store.Outcome{Trial: tr.ID, Move: store.MoveRebuilt, Build: artifact, Solo: true, Attempt: a}).Took, true)
	tr = must[store.Trial](t)(s.Trial(ctx, tr.ID))
	equal(t, "artifact", string(tr.Build), string(artifact))
	equal(t, "alone", tr.Solo, true)
	w = send(t, s, store.Measure, tr)
	equal(t, "measuring at once", must[store.Trial](t)(s.Trial(ctx, tr.ID)).State, store.TrialMeasuring)
	equal(t, "back to the builders", back(w, store.MoveRequeue, nil), true)
	tr = must[store.Trial](t)(s.Trial(ctx, tr.ID))
	equal(t, "no artifact", len(tr.Build), 0)
	equal(t, "alone for good", tr.Solo, true)
	w = send(t, s, store.Measure, tr)
	done := okOutcome(tr, w, "a", 4)
	done.Build = artifact
	apply(t, s, j.ID, done)
	equal(t, "kept for races", string(must[store.Trial](t)(s.Trial(ctx, tr.ID)).Build), string(artifact))
	Conserved(t, s, j.ID)
}
