package sqlcore

import (
	"context"
	"fmt"
	"slices"

	"hone/db/store"
)

const trialCols = `id, project_id, job_id, task_id, seq, kind, of_trial, against, baseline, variant, trace, trace_hash, seen,
	state, attempt, pool, work_id, solo, build, code, ord, charged, ns, record_id, accepted, created_at, closed_at`

func scanTrial(r scanner) (t store.Trial, err error) {
	err = r.Scan(&t.ID, &t.Project, &t.Job, &t.Task, &t.Seq, &t.Kind, &t.Of, &t.Against, &t.Baseline, &t.Variant, jsonCol{&t.Trace}, &t.TraceHash, &t.Seen,
		&t.State, &t.Attempt, &t.Pool, &t.Work, &t.Solo, jsonCol{&t.Build}, &t.Code, &t.Order, &t.Charged, &t.Ns, &t.Record, &t.Accepted,
		timeCol{&t.CreatedAt}, timeCol{&t.ClosedAt})
	return t, err
}

// Propose implements store.Ledger.
func (s *Store) Propose(ctx context.Context, job string, drafts []store.TrialDraft, events ...store.EventDraft) (out []store.Trial, err error) {
	err = s.write(ctx, "propose trials of job "+job, func(t *tx) error {
		j, err := t.lockJob(job)
		if err != nil {
			return err
		}
		if !mayPropose(j.State, drafts) {
			return fmt.Errorf("%w: it is %s", store.ErrConflict, j.State)
		}
		first := j.Proposed + 1
		fresh, err := t.fresh(&j, drafts)
		if err != nil {
			return err
		}
		if len(fresh) == 0 {
			return nil
		}
		if err := t.checkBudget(j, fresh); err != nil {
			return err
		}
		if err := t.insertTrials(j, fresh); err != nil {
			return err
		}
		if err := t.saveJob(&j, events...); err != nil {
			return err
		}
		out, err = query(ctx, t, scanTrial, `SELECT `+trialCols+` FROM trials WHERE job_id = $1 AND seq >= $2 ORDER BY seq`, job, first)
		return err
	})
	return out, err
}

// mayPropose says whether a job in state s takes drafts: when it is stopping it
// takes the races that decide its champions.
func mayPropose(s store.JobState, drafts []store.TrialDraft) bool {
	races := !slices.ContainsFunc(drafts, func(d store.TrialDraft) bool { return d.Kind != store.Race })
	return s == store.JobRunning || s == store.JobStopping && races
}

// fresh leaves out the drafts that are stored already, checks that the others
// continue the sequence, and counts them in j.
func (t *tx) fresh(j *store.Job, drafts []store.TrialDraft) ([]store.TrialDraft, error) {
	var out []store.TrialDraft
	stored := j.Proposed
	for _, d := range drafts {
		if d.Seq <= stored {
			continue
		}
		if d.Seq != j.Proposed+1 {
			return nil, fmt.Errorf("%w: trial %d follows trial %d", store.ErrInvalid, d.Seq, j.Proposed)
		}
		if d.Seen > j.Closed {
			return nil, fmt.Errorf("%w: trial %d was proposed after %d results, there are %d", store.ErrInvalid, d.Seq, d.Seen, j.Closed)
		}
		j.Proposed = d.Seq
		out = append(out, d)
	}
	return out, nil
}

// checkBudget fails if j's charged trials, its open ones and drafts, all of
// which may yet be charged, exceed its budget.
func (t *tx) checkBudget(j store.Job, drafts []store.TrialDraft) error {
	if j.TrialBudget == 0 {
		return nil
	}
	var open int64
	if err := t.row(`SELECT count(*) FROM trials WHERE job_id = $1 AND state <> 'closed' AND kind = 'measure'`, j.ID).Scan(&open); err != nil {
		return err
	}
	var more int64
	for _, d := range drafts {
		if d.Kind == store.Measure {
			more++
		}
	}
	if more > 0 && j.Charged+open+more > j.TrialBudget {
		return fmt.Errorf("%w: %d charged, %d open, %d proposed, %d allowed", store.ErrBudget, j.Charged, open, more, j.TrialBudget)
	}
	return nil
}

func (t *tx) insertTrials(j store.Job, drafts []store.TrialDraft) error {
	tasks, err := query(t.ctx, t, scanTask, `SELECT `+taskCols+taskFrom+`WHERE ta.job_id = $1`, j.ID)
	if err != nil {
		return err
	}
	byID := map[int64]store.Task{}
	for _, k := range tasks {
		byID[k.ID] = k
	}
	var rows [][]any
	for _, d := range drafts {
		k, ok := byID[d.Task]
		if !ok {
			return fmt.Errorf("%w: trial %d is of task %d, which is not of this job", store.ErrInvalid, d.Seq, d.Task)
		}
		state, pool := store.TrialQueued, k.BuildPool
		if len(d.Build) > 0 {
			state, pool = store.TrialBuilt, k.DevicePool
		}
		rows = append(rows, []any{j.Project, j.ID, d.Task, d.Seq, d.Kind, d.Of, d.Against, d.Baseline, d.Variant, jsonOr(d.Trace, "null"), d.TraceHash, d.Seen,
			state, pool, jsonArg(d.Build), t.now})
	}
	return t.insert("trials", "project_id, job_id, task_id, seq, kind, of_trial, against, baseline, variant, trace, trace_hash, seen, state, pool, build, created_at", rows, "")
}

// Trials implements store.Ledger.
func (s *Store) Trials(ctx context.Context, job string, after int64, limit int) ([]store.Trial, error) {
	return list(s, ctx, "trials of job "+job, scanTrial, `SELECT `+trialCols+` FROM trials WHERE job_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`, job, after, limitArg(limit))
}

// OpenTrials implements store.Ledger.
func (s *Store) OpenTrials(ctx context.Context, job string) ([]store.Trial, error) {
	return list(s, ctx, "open trials of job "+job, scanTrial, `SELECT `+trialCols+` FROM trials WHERE job_id = $1 AND state <> 'closed' ORDER BY seq`, job)
}

// Trial implements store.Ledger.
func (s *Store) Trial(ctx context.Context, id int64) (store.Trial, error) {
	return one(s, ctx, fmt.Sprintf("trial %d", id), scanTrial, `SELECT `+trialCols+` FROM trials WHERE id = $1`, id)
}

// Results implements store.Ledger.
func (s *Store) Results(ctx context.Context, job string, after int64, limit int) ([]store.Result, error) {
	what := "results of job " + job
	trials, err := list(s, ctx, what, scanTrial, `SELECT `+trialCols+` FROM trials WHERE job_id = $1 AND ord > $2 AND ord > 0 ORDER BY ord LIMIT $3`, job, after, limitArg(limit))
	if err != nil || len(trials) == 0 {
		return nil, err
	}
	ids := make([]int64, len(trials))
	for i, t := range trials {
		ids[i] = t.Accepted
	}
	// Attempts never change, so a second query sees what the first one saw.
	attempts, err := list(s, ctx, what, scanAttempt, `SELECT `+attemptCols+` FROM attempts WHERE id IN (SELECT CAST(value AS BIGINT) FROM `+s.d.strings("$1")+` x)`, jsonText(ids))
	if err != nil {
		return nil, err
	}
	byID := map[int64]store.Attempt{}
	for _, a := range attempts {
		byID[a.ID] = a
	}
	out := make([]store.Result, len(trials))
	for i, t := range trials {
		out[i] = store.Result{Trial: t, Attempt: byID[t.Accepted]}
	}
	return out, nil
}
