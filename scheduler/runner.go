package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"hone/api"
	"hone/db/store"
	"hone/internal/wire"
	"hone/scheduler/job"
)

// runner is one job in this coordinator's hands: its lease, its driver, and
// how far the driver has been told the ledger.
//
// It tells results one by one and asks for proposals after each, storing them
// with the number of results told (Seen). That makes the ledger enough to
// repeat the conversation: between two results the driver was asked once, and
// what it answered has that Seen.
type runner struct {
	c      *Coordinator
	id     string
	st     store.Store // fenced by the job's lease
	lease  store.Lease
	driver Driver
	tasks  map[int64]store.Task
	given  store.Job // the job as it was found: for what never changes

	step sync.Mutex // one step at a time
	// proposing is held while proposals are stored and admitted, so that the
	// driver knows every trial that dispatch finds waiting.
	proposing sync.RWMutex

	job     store.Job
	seen    int64  // results told
	asked   bool   // the driver was asked since
	last    bool   // it was asked for the last time: it knows that the job stops
	charged int64  // among the results told
	open    int64  // measure trials admitted whose results were not told
	barren  int    // measure trials in a row that ended without a verdict
	why     string // the last of them
	races   raceBook
	time    stopwatch
}

// open starts a runner for a job whose lease is held.
func (c *Coordinator) openRunner(ctx context.Context, l store.Lease, id string) (*runner, error) {
	r := &runner{c: c, id: id, st: c.Store.Fenced(l), lease: l, tasks: map[int64]store.Task{}, races: raceBook{}}
	j, err := r.st.Job(ctx, id)
	if err != nil {
		return nil, err
	}
	r.job, r.given = j, j
	tasks, err := r.st.Tasks(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		r.tasks[t.ID] = t
	}
	if r.driver, err = c.OpenDriver(ctx, j, tasks); err != nil {
		return r, &driverError{err}
	}
	if err := r.note(ctx); err != nil {
		return r, err
	}
	return r, r.rebuild(ctx)
}

// note tells what the driver has to say when a job begins.
func (r *runner) note(ctx context.Context) error {
	notes := r.driver.Notes()
	if len(notes) == 0 || r.job.Proposed > 0 {
		return nil
	}
	_, err := r.st.AppendEvents(ctx, r.id, event(api.EventJobNotes, api.JobNotes{Notes: notes}))
	r.c.changed(r.id)
	return err
}

// driverError is a failure of the session, which fails its job, as opposed to
// one of the store, which passes.
type driverError struct{ err error }

func (e *driverError) Error() string { return e.err.Error() }
func (e *driverError) Unwrap() error { return e.err }

// rebuild tells the driver the ledger up to its last proposal, in the order in
// which it happened. Results after that are told by work, like new ones.
func (r *runner) rebuild(ctx context.Context) error {
	trials, err := r.st.Trials(ctx, r.id, 0, 0)
	if err != nil {
		return err
	}
	results, err := r.st.Results(ctx, r.id, 0, 0)
	if err != nil {
		return err
	}
	for _, t := range trials {
		for r.seen < t.Seen {
			if _, err := r.observe(results[r.seen]); err != nil {
				return err
			}
		}
		if err := r.admit(t); err != nil {
			return err
		}
	}
	r.asked = len(trials) > 0
	return nil
}

func (r *runner) admit(t store.Trial) error {
	if t.Kind == store.Measure {
		r.open++
	}
	r.races.admit(t)
	if err := r.driver.Admit(t); err != nil {
		return &driverError{fmt.Errorf("trial %d: %w", t.Seq, err)}
	}
	return nil
}

// observe tells the driver a result, and returns the winner if it ended a race.
func (r *runner) observe(res store.Result) (*store.Result, error) {
	r.seen = res.Trial.Order
	r.asked = false
	if res.Trial.Kind == store.Measure {
		r.open--
		if err := r.verdict(res); err != nil {
			return nil, err
		}
	}
	if err := r.driver.Observe(res); err != nil {
		return nil, &driverError{fmt.Errorf("result of trial %d: %w", res.Trial.Seq, err)}
	}
	return r.races.finished(res), nil
}

// patience is how many candidates in a row may end without a verdict. They cost
// nothing, so a job whose own code makes agents fail would go on for ever.
const patience = 2 * wire.MaxEntries

// verdict counts a result against the budget, or against the job's patience.
func (r *runner) verdict(res store.Result) error {
	switch {
	case res.Trial.Charged:
		r.charged++
		r.barren = 0
	case res.Trial.Code == string(wire.InfraExhausted):
		r.barren++
		r.why = fmt.Sprintf("%d candidates in a row ended without a verdict, the last with %s: %s", r.barren, res.Attempt.Code, res.Attempt.Message)
	}
	if r.barren < patience {
		return nil
	}
	return &driverError{errors.New(r.why)}
}

// work does what there is to do for the job and says whether it has ended.
func (r *runner) work(ctx context.Context) (ended bool, err error) {
	r.step.Lock()
	defer r.step.Unlock()
	ended, err = r.advance(ctx)
	var d *driverError
	if errors.As(err, &d) && ctx.Err() == nil {
		r.c.Log.Error("the session failed", "job", r.id, "error", d.err)
		return r.end(ctx, job.Failure(d.err.Error()))
	}
	return ended, err
}

func (r *runner) advance(ctx context.Context) (ended bool, err error) {
	if r.job, err = r.st.Job(ctx, r.id); err != nil {
		return false, err
	}
	if err := r.spendTime(ctx); err != nil {
		return false, err
	}
	switch r.job.State {
	case store.JobQueued:
		if err := r.move(ctx, store.JobRunning, ""); err != nil {
			return false, err
		}
	case store.JobPaused:
		return false, nil
	case store.JobStopping:
		if final := job.Final(r.job.Reason); final != store.JobDone {
			return r.end(ctx, r.job.Reason)
		}
	case store.JobRunning:
	default:
		return true, nil
	}
	if r.job.State == store.JobRunning && r.job.TimeBudget > 0 && r.job.TimeSpent >= r.job.TimeBudget {
		if err := r.move(ctx, store.JobStopping, "the time is up"); err != nil {
			return false, err
		}
	}
	if r.job.State == store.JobStopping {
		r.asked = r.asked && r.last
		r.last = true
		if err := r.c.withdraw(ctx, r.st, r.id, false); err != nil {
			return false, err
		}
	}
	if err := r.converse(ctx); err != nil {
		return false, err
	}
	return r.finish(ctx)
}

// converse tells the driver all results there are and stores its proposals.
func (r *runner) converse(ctx context.Context) error {
	for {
		if !r.asked {
			if err := r.propose(ctx); err != nil {
				return err
			}
		}
		results, err := r.st.Results(ctx, r.id, r.seen, 1)
		if err != nil || len(results) == 0 {
			return err
		}
		win, err := r.observe(results[0])
		if err != nil {
			return err
		}
		if err := r.promote(ctx, win); err != nil {
			return err
		}
	}
}

// propose asks the driver and stores what it answers.
func (r *runner) propose(ctx context.Context) error {
	room := Room{Trials: math.MaxInt32, Stopping: r.job.State == store.JobStopping}
	if r.job.TrialBudget > 0 {
		room.Trials = int(max(0, r.job.TrialBudget-r.charged-r.open))
	}
	if room.Stopping {
		room.Trials = 0
	}
	start := r.c.Clock.Now()
	drafts, err := r.driver.Propose(ctx, room)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &driverError{err}
	}
	if len(drafts) == 0 {
		r.asked = true
		return nil
	}
	if err := r.number(ctx, drafts, room); err != nil {
		return err
	}
	r.proposing.Lock()
	defer r.proposing.Unlock()
	stored, err := r.st.Propose(ctx, r.id, drafts, event(api.EventTrialsProposed, api.TrialsProposed{First: drafts[0].Seq, Last: drafts[len(drafts)-1].Seq,
		SearchMS: float64(r.c.Clock.Now().Sub(start)) / float64(time.Millisecond), Origins: origins(drafts)}))
	if errors.Is(err, store.ErrInvalid) {
		return &driverError{err}
	}
	if err != nil {
		return err // paused or stopped meanwhile, or the store is in trouble: asked again later
	}
	r.asked = true
	r.job.Proposed += int64(len(drafts))
	r.c.changed(r.id)
	for _, t := range stored {
		if err := r.admit(t); err != nil {
			return err
		}
	}
	return nil
}

// origins counts the candidates of a proposal; races have none.
func origins(drafts []store.TrialDraft) map[string]int {
	out := map[string]int{}
	for _, d := range drafts {
		if d.Origin != "" {
			out[d.Origin]++
		}
	}
	return out
}

// number completes proposals: their place in the ledger and, for races, the
// artifact that runs.
func (r *runner) number(ctx context.Context, drafts []store.TrialDraft, room Room) error {
	measure := 0
	for i := range drafts {
		d := &drafts[i]
		d.Seq, d.Seen = r.job.Proposed+int64(i)+1, r.seen
		if d.Kind == store.Measure {
			measure++
			continue
		}
		of, err := r.st.Trial(ctx, d.Of)
		if err != nil {
			return err
		}
		if d.Build == nil {
			d.Build = of.Build
		}
	}
	if measure > room.Trials {
		return &driverError{fmt.Errorf("the session proposed %d trials with room for %d", measure, room.Trials)}
	}
	return nil
}

// finish ends a job that has nothing out and proposes nothing: first it stops,
// which lets its driver propose races, then it is done.
func (r *runner) finish(ctx context.Context) (bool, error) {
	j, err := r.st.Job(ctx, r.id)
	if err != nil {
		return false, err
	}
	if !r.asked || j.Closed < j.Proposed || r.seen < j.Closed || j.State != r.job.State {
		return false, nil
	}
	if j.State == store.JobStopping {
		return r.end(ctx, j.Reason)
	}
	if r.charged == 0 && r.barren > 0 {
		return r.end(ctx, job.Failure(r.why))
	}
	reason := "nothing is left to try"
	if j.TrialBudget > 0 && j.Charged >= j.TrialBudget {
		reason = "the trials are used up"
	}
	if err := r.move(ctx, store.JobStopping, reason); err != nil {
		return false, err
	}
	return false, nil
}

// end takes the job to the end that its reason stands for.
func (r *runner) end(ctx context.Context, reason string) (bool, error) {
	if err := r.time.flush(ctx, r); err != nil {
		return false, err
	}
	return true, r.c.endJob(ctx, r.st, r.id, reason)
}

// move takes the job to another state, with an event.
func (r *runner) move(ctx context.Context, to store.JobState, reason string) error {
	j, err := r.c.moveJob(ctx, r.st, r.id, to, reason)
	if err == nil {
		r.job, r.given = j, j
	}
	return err
}

func (r *runner) close() error {
	if r.driver == nil {
		return nil
	}
	return r.driver.Close()
}

// event is a draft with a body.
func event(kind string, body any) store.EventDraft {
	b, err := json.Marshal(body)
	if err != nil {
		panic("BUG: scheduler: event " + kind + ": " + err.Error()) // the bodies are plain
	}
	return store.EventDraft{Kind: kind, Version: 1, Body: b}
}

// flushEvery is how much running time may be lost by a crash.
const flushEvery = 10 * time.Second
