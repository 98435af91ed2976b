package sqlcore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"

	"hone/db/store"
)

// Apply implements store.Ledger.
func (s *Store) Apply(ctx context.Context, b store.Batch) (out []store.Applied, err error) {
	for _, o := range b.Outcomes {
		if err := validOutcome(o); err != nil {
			return nil, err
		}
	}
	err = s.write(ctx, "results of job "+b.Job, func(t *tx) error {
		j, err := t.lockJob(b.Job)
		if err != nil {
			return err
		}
		events := b.Events
		for _, o := range b.Outcomes {
			a, err := t.applyOne(&j, o)
			if err != nil {
				return fmt.Errorf("trial %d: %w", o.Trial, err)
			}
			if a.Took && o.Event != nil {
				events = append(events, *o.Event)
			}
			out = append(out, a)
		}
		if err := t.closeItem(b.CloseItem, b.ItemCode); err != nil {
			return err
		}
		for _, c := range b.Correct {
			if _, err := t.exec(`UPDATE job_pools SET vtime = vtime + $3 WHERE pool = $1 AND job_id = $2`, c.Pool, b.Job, c.Delta); err != nil {
				return err
			}
		}
		return t.saveJob(&j, events...)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// validOutcome refuses what no state would allow: a charge for anything but a
// candidate's own doing, a record without a time, a close without a code.
func validOutcome(o store.Outcome) error {
	candidate := o.Code == store.CodeOK || strings.HasPrefix(o.Code, "candidate.")
	switch {
	case o.Move == store.MoveClose && o.Code == "":
		return fmt.Errorf("trial %d: %w: closed without a code", o.Trial, store.ErrInvalid)
	case o.Move == store.MoveClose && o.Charged && !candidate:
		return fmt.Errorf("trial %d: %w: %s is not charged", o.Trial, store.ErrInvalid, o.Code)
	case o.Move == store.MoveBuilt && len(o.Build) == 0:
		return fmt.Errorf("trial %d: %w: built without an artifact", o.Trial, store.ErrInvalid)
	case o.Record != nil && (o.Move != store.MoveClose || o.Code != store.CodeOK || !(o.Ns > 0) || math.IsInf(o.Ns, 0)):
		return fmt.Errorf("trial %d: %w: a record of code %q and %v ns", o.Trial, store.ErrInvalid, o.Code, o.Ns)
	}
	return nil
}

func (t *tx) applyOne(j *store.Job, o store.Outcome) (a store.Applied, err error) {
	tr, err := scanTrial(t.row(`SELECT `+trialCols+` FROM trials WHERE id = $1 AND job_id = $2`, o.Trial, j.ID))
	if errors.Is(err, sql.ErrNoRows) {
		return a, fmt.Errorf("%w in job %s", store.ErrNotFound, j.ID)
	}
	if err != nil {
		return a, err
	}
	if tr.Kind == store.Race && (o.Charged || o.Record != nil) {
		return a, fmt.Errorf("%w: a race is not charged and makes no record", store.ErrInvalid)
	}
	took := guard(tr, o)
	id, again, err := t.insertAttempt(j.Project, tr.ID, o.Attempt, took && o.Move == store.MoveClose)
	if err != nil {
		return a, err
	}
	if a.Attempt = id; again || !took {
		return a, nil
	}
	a.Took = true
	if err := t.noteTrial(tr, o); err != nil {
		return a, err
	}
	switch o.Move {
	case store.MoveKeep:
	case store.MoveBuilt:
		err = t.moveTrial(tr.ID, store.TrialBuilt, 0)
	case store.MoveRequeue:
		err = t.moveTrial(tr.ID, store.TrialQueued, 1)
	case store.MoveRebuilt:
		err = t.moveTrial(tr.ID, store.TrialBuilt, 1)
	case store.MoveClose:
		a.Order, a.Record, err = t.closeTrial(j, tr, o, id)
	default:
		panic(fmt.Sprintf("BUG: sqlcore: move %d", o.Move))
	}
	return a, err
}

// noteTrial keeps what an outcome says about its trial besides the move.
func (t *tx) noteTrial(tr store.Trial, o store.Outcome) error {
	build := tr.Build
	switch {
	case o.Move == store.MoveKeep:
		return nil
	case o.Move == store.MoveRequeue:
		build = nil
	case len(o.Build) > 0:
		build = o.Build
	}
	_, err := t.exec(`UPDATE trials SET build = $2, solo = $3 WHERE id = $1`, tr.ID, jsonArg(build), tr.Solo || o.Solo)
	return err
}

// moveTrial lets a trial wait in state for the next pool.
func (t *tx) moveTrial(id int64, state store.TrialState, more int) error {
	pool := "device_pool"
	if state == store.TrialQueued {
		pool = "build_pool"
	}
	_, err := t.exec(`UPDATE trials SET state = $2, attempt = attempt + $3, work_id = '',
		pool = (SELECT `+pool+` FROM tasks WHERE tasks.id = trials.task_id) WHERE id = $1`, id, state, more)
	return err
}

// guard says whether o may move tr as it stands.
func guard(tr store.Trial, o store.Outcome) bool {
	out := tr.State == store.TrialBuilding || tr.State == store.TrialMeasuring
	same := out && tr.Work == o.Attempt.Work && tr.Attempt == o.Attempt.Attempt
	switch o.Move {
	case store.MoveKeep:
		return true
	case store.MoveBuilt:
		return tr.State == store.TrialQueued || tr.State == store.TrialBuilding
	case store.MoveClose:
		return tr.State != store.TrialClosed && (same || !o.Held)
	case store.MoveRequeue:
		return same
	case store.MoveRebuilt:
		return same && len(tr.Build)+len(o.Build) > 0
	}
	return false
}

// closeTrial closes an open trial: its place in the order of acceptance, its
// charge, its record, its task's figures.
func (t *tx) closeTrial(j *store.Job, tr store.Trial, o store.Outcome, attempt int64) (order, record int64, err error) {
	j.Closed++
	var charge int64
	if o.Charged {
		charge = 1
	}
	j.Charged += charge
	if o.Record != nil {
		if record, err = t.insertRecord(tr, o, attempt); err != nil {
			return 0, 0, err
		}
	}
	if _, err = t.exec(`UPDATE trials SET state = 'closed', code = $2, ord = $3, charged = $4, ns = $5, record_id = $6, accepted = $7, closed_at = $8 WHERE id = $1`,
		tr.ID, o.Code, j.Closed, o.Charged, realArg(o.Ns), record, attempt, t.now); err != nil {
		return 0, 0, err
	}
	if _, err = t.exec(`UPDATE tasks SET trials = trials + $2 WHERE id = $1`, tr.Task, charge); err != nil {
		return 0, 0, err
	}
	if record == 0 {
		return j.Closed, 0, nil
	}
	if tr.Baseline {
		if _, err = t.exec(`UPDATE tasks SET default_ns = $2 WHERE id = $1`, tr.Task, o.Ns); err != nil {
			return 0, 0, err
		}
	}
	_, err = t.exec(`UPDATE tasks SET best_ns = $2, best_trial = $3 WHERE id = $1 AND (best_trial = 0 OR best_ns > $2)`, tr.Task, o.Ns, tr.ID)
	return j.Closed, record, err
}

func (t *tx) closeItem(id, code string) error {
	if id == "" {
		return nil
	}
	_, err := t.exec(`UPDATE work_items SET code = $2, closed_at = $3 WHERE id = $1 AND closed_at = 0`, id, code, t.now)
	return err
}

// Abandon implements store.Ledger.
func (s *Store) Abandon(ctx context.Context, job, code string, all bool) (closed int, err error) {
	err = s.write(ctx, "abandon trials of job "+job, func(t *tx) error {
		j, err := t.lockJob(job)
		if err != nil {
			return err
		}
		which := `state <> 'closed'`
		if !all {
			which = `state IN ('queued', 'built') AND kind = 'measure'`
		}
		open, err := query(ctx, t, scanTrial, `SELECT `+trialCols+` FROM trials WHERE job_id = $1 AND `+which+` ORDER BY seq`, job)
		if err != nil {
			return err
		}
		for _, tr := range open {
			a := store.Attempt{Work: tr.Work, Attempt: tr.Attempt, Kind: tr.Kind, Agent: "coordinator", Code: code}
			o := store.Outcome{Trial: tr.ID, Move: store.MoveClose, Code: code, Attempt: a}
			if err := validOutcome(o); err != nil {
				return err
			}
			if _, err := t.applyOne(&j, o); err != nil {
				return err
			}
		}
		closed = len(open)
		if !all {
			return t.saveJob(&j)
		}
		if _, err := t.exec(`UPDATE work_items SET code = $2, closed_at = $3 WHERE job_id = $1 AND closed_at = 0`, job, code, t.now); err != nil {
			return err
		}
		return t.saveJob(&j)
	})
	return closed, err
}
