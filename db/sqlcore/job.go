package sqlcore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"hone/db/store"
)

const jobCols = `id, project_id, name, job_key, idempotency, class, weight, state, reason, spec, seed, model_digest,
	trial_budget, time_budget_us, time_spent_us, proposed, closed, charged, last_event, created_at, started_at, ended_at`

func scanJob(r scanner) (j store.Job, err error) {
	err = r.Scan(&j.ID, &j.Project, &j.Name, &j.Key, &j.Idempotency, &j.Class, &j.Weight, &j.State, &j.Reason, jsonCol{&j.Spec},
		seedCol{&j.Seed}, &j.ModelDigest, &j.TrialBudget, spanCol{&j.TimeBudget}, spanCol{&j.TimeSpent},
		&j.Proposed, &j.Closed, &j.Charged, &j.LastEvent, timeCol{&j.CreatedAt}, timeCol{&j.StartedAt}, timeCol{&j.EndedAt})
	return j, err
}

// CreateJob implements store.Jobs.
func (s *Store) CreateJob(ctx context.Context, n store.NewJob) (j store.Job, created bool, err error) {
	if err := completeJob(&n.Job); err != nil {
		return j, false, err
	}
	err = s.write(ctx, "create job", func(t *tx) error {
		if err := t.putWorkloads(n.Workloads); err != nil {
			return err
		}
		if err := t.putTargets(n.Targets); err != nil {
			return err
		}
		if created, err = t.insertJob(n.Job); err != nil {
			return err
		}
		if !created {
			j, err = scanJob(t.row(`SELECT `+jobCols+` FROM jobs WHERE project_id = $1 AND idempotency = $2 AND idempotency <> ''`, n.Job.Project, n.Job.Idempotency))
			if errors.Is(err, sql.ErrNoRows) {
				return fmt.Errorf("%w: there is a job %s already", store.ErrConflict, n.Job.ID)
			}
			return err
		}
		if err := t.insertTasks(n.Job, n.Tasks); err != nil {
			return err
		}
		if j, err = t.lockJob(n.Job.ID); err != nil {
			return err
		}
		return t.saveJob(&j, n.Events...)
	})
	return j, created && err == nil, err
}

// completeJob fills what may be left out and checks the rest.
func completeJob(j *store.Job) error {
	if j.ID == "" {
		j.ID = ulid.Make().String()
	}
	if j.Project == "" {
		j.Project = store.LocalProject
	}
	if j.Class == "" {
		j.Class = store.Interactive
	}
	j.Weight = max(j.Weight, 1)
	if len(j.Spec) == 0 {
		j.Spec = json.RawMessage("{}")
	}
	if j.TrialBudget < 0 || j.TimeBudget < 0 {
		return fmt.Errorf("create job: %w: a negative budget", store.ErrInvalid)
	}
	return nil
}

func (t *tx) insertJob(j store.Job) (bool, error) {
	n, err := t.exec(`INSERT INTO jobs (id, project_id, name, job_key, idempotency, class, weight, state, spec, seed, model_digest, trial_budget, time_budget_us, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT DO NOTHING`,
		j.ID, j.Project, j.Name, j.Key, j.Idempotency, j.Class, j.Weight, store.JobQueued, string(j.Spec), int64(j.Seed), j.ModelDigest,
		j.TrialBudget, j.TimeBudget.Microseconds(), t.now)
	return n == 1, err
}

// Job implements store.Jobs.
func (s *Store) Job(ctx context.Context, id string) (store.Job, error) {
	return one(s, ctx, "job "+id, scanJob, `SELECT `+jobCols+` FROM jobs WHERE id = $1`, id)
}

// ListJobs implements store.Jobs.
func (s *Store) ListJobs(ctx context.Context, f store.JobFilter) ([]store.Job, error) {
	if f.Limit <= 0 {
		f.Limit = 100
	}
	states := []string{}
	for _, st := range f.States {
		states = append(states, string(st))
	}
	return list(s, ctx, "list jobs", scanJob, `SELECT `+jobCols+` FROM jobs
		WHERE ($1 = '' OR project_id = $1) AND ($2 = 0 OR state IN (SELECT value FROM `+s.d.strings("$3")+` x)) ORDER BY id DESC LIMIT $4`,
		f.Project, int64(len(states)), jsonText(states), f.Limit)
}

// UnfinishedJob implements store.Jobs.
func (s *Store) UnfinishedJob(ctx context.Context, project, key string) (store.Job, error) {
	return one(s, ctx, "unfinished job", scanJob, `SELECT `+jobCols+` FROM jobs
		WHERE project_id = $1 AND job_key = $2 AND state IN ('queued', 'running', 'paused', 'stopping') ORDER BY id DESC LIMIT 1`, project, key)
}

// MoveJob implements store.Jobs.
func (s *Store) MoveJob(ctx context.Context, id string, m store.JobMove) (j store.Job, err error) {
	err = s.write(ctx, "job "+id, func(t *tx) error {
		if j, err = t.lockJob(id); err != nil {
			return err
		}
		if !slices.Contains(m.From, j.State) {
			return fmt.Errorf("%w: it is %s", store.ErrConflict, j.State)
		}
		j.State, j.Reason = m.To, m.Reason
		now := time.UnixMicro(t.now).UTC()
		if m.To == store.JobRunning && j.StartedAt.IsZero() {
			j.StartedAt = now
		}
		if m.To.Ended() {
			j.EndedAt = now
		}
		return t.saveJob(&j, m.Events...)
	})
	return j, err
}

// SpendTime implements store.Jobs.
func (s *Store) SpendTime(ctx context.Context, id string, d time.Duration) error {
	return s.write(ctx, "job "+id, func(t *tx) error {
		n, err := t.exec(`UPDATE jobs SET time_spent_us = time_spent_us + $2 WHERE id = $1`, id, d.Microseconds())
		if err == nil && n == 0 {
			err = store.ErrNotFound
		}
		return err
	})
}

// lockJob reads a job's row and keeps it until the transaction ends.
func (t *tx) lockJob(id string) (store.Job, error) {
	j, err := scanJob(t.row(`SELECT `+jobCols+` FROM jobs WHERE id = $1`+t.d.ForUpdate, id))
	if errors.Is(err, sql.ErrNoRows) {
		err = store.ErrNotFound
	}
	return j, err
}

// saveJob writes back a locked job's state and counters, with events.
func (t *tx) saveJob(j *store.Job, events ...store.EventDraft) error {
	if err := t.addEvents(j, events); err != nil {
		return err
	}
	_, err := t.exec(`UPDATE jobs SET state = $2, reason = $3, proposed = $4, closed = $5, charged = $6, last_event = $7, started_at = $8, ended_at = $9 WHERE id = $1`,
		j.ID, j.State, j.Reason, j.Proposed, j.Closed, j.Charged, j.LastEvent, micros(j.StartedAt), micros(j.EndedAt))
	return err
}

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}
