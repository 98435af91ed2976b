package scheduler

import (
	"context"
	"errors"

	"hone/api"
	"hone/db/store"
	"hone/internal/wire"
)

// raceBook keeps the races of a job that are being run: finalists of a task
// against one champion. When the last result of a race is in, the best that
// shows a gain is promoted.
type raceBook map[raceKey]*race

type raceKey struct {
	task, against int64
}

type race struct {
	open int
	best *store.Result
}

func keyOf(t store.Trial) raceKey { return raceKey{t.Task, t.Against} }

func (b raceBook) admit(t store.Trial) {
	if t.Kind != store.Race {
		return
	}
	k := keyOf(t)
	if b[k] == nil {
		b[k] = &race{}
	}
	b[k].open++
}

// finished counts a result in and returns the winner of its race if that was
// the last.
func (b raceBook) finished(res store.Result) *store.Result {
	k := keyOf(res.Trial)
	r := b[k]
	if res.Trial.Kind != store.Race || r == nil {
		return nil
	}
	r.open--
	a := res.Attempt
	gains := res.Trial.Code == string(wire.OK) && a.CIHigh > 0 && a.CIHigh < 1
	if gains && (r.best == nil || a.Ratio < r.best.Attempt.Ratio) {
		r.best = &res
	}
	if r.open > 0 {
		return nil
	}
	delete(b, k)
	return r.best
}

// promote makes the winner of a race, if there is one, the champion. Another
// promotion since makes the race void: the driver may run it again.
func (r *runner) promote(ctx context.Context, win *store.Result) error {
	if win == nil {
		return nil
	}
	of, err := r.st.Trial(ctx, win.Trial.Of)
	if err != nil {
		return err
	}
	task := r.tasks[win.Trial.Task]
	a := win.Attempt
	ch, err := r.st.Promote(ctx, store.Promotion{Project: r.job.Project, Workload: task.Workload, Target: task.Target, Record: of.Record,
		Against: win.Trial.Against, RaceAttempt: a.ID, Ratio: a.Ratio, CILow: a.CILow, CIHigh: a.CIHigh, Toolchain: toolchainOf(of)})
	switch {
	case errors.Is(err, store.ErrStale):
		r.c.Log.Info("the champion raced is no longer current", "job", r.id, "trial", of.Seq)
		return nil
	case errors.Is(err, store.ErrInvalid), errors.Is(err, store.ErrNotFound):
		r.c.Log.Warn("no promotion", "job", r.id, "trial", of.Seq, "error", err)
		return nil
	case err != nil:
		return err
	}
	_, err = r.st.AppendEvents(ctx, r.id, event(api.EventChampion, api.NewChampion{Task: task.Index, Trial: of.Seq, Record: ch.Record,
		Ns: win.Trial.Ns, Ratio: ch.Ratio, CILow: ch.CILow, CIHigh: ch.CIHigh}))
	r.c.wake.notify(r.id)
	return err
}
