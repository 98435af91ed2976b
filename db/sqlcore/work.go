package sqlcore

import (
	"context"
	"fmt"
	"time"

	"hone/db/store"
)

const itemCols = `id, project_id, job_id, task_id, kind, pool, attempt, nonce, trials, spec, cost_us, sent_at, deadline, code, closed_at`

func scanItem(r scanner) (w store.WorkItem, err error) {
	err = r.Scan(&w.ID, &w.Project, &w.Job, &w.Task, &w.Kind, &w.Pool, &w.Attempt, &w.Nonce, listCol[int64]{&w.Trials}, jsonCol{&w.Spec}, spanCol{&w.Cost},
		timeCol{&w.SentAt}, timeCol{&w.Deadline}, &w.Code, timeCol{&w.ClosedAt})
	return w, err
}

// Pools implements store.Dispatch.
func (s *Store) Pools(ctx context.Context) ([]string, error) {
	return list(s, ctx, "pools", func(r scanner) (p string, err error) {
		err = r.Scan(&p)
		return p, err
	}, `SELECT DISTINCT jp.pool FROM jobs j JOIN job_pools jp ON jp.job_id = j.id
		WHERE j.state IN ('running', 'stopping') AND (
			EXISTS (SELECT 1 FROM trials t WHERE t.pool = jp.pool AND t.job_id = j.id AND t.state IN ('queued', 'built'))
			OR EXISTS (SELECT 1 FROM work_items w WHERE w.pool = jp.pool AND w.job_id = j.id AND w.closed_at = 0))
		ORDER BY jp.pool`)
}

// PoolLoad implements store.Dispatch.
func (s *Store) PoolLoad(ctx context.Context, pool string) (l store.PoolLoad, err error) {
	what := "load of pool " + pool
	if err := s.readRow(ctx, `SELECT count(*) FROM work_items WHERE pool = $1 AND closed_at = 0`, pool).Scan(&l.Out); err != nil {
		return l, fmt.Errorf("%s: %w", what, s.d.Wrap(err))
	}
	jobs, err := list(s, ctx, what, func(r scanner) (b store.Backlog, err error) {
		err = r.Scan(&b.Job, &b.Class, &b.Weight, &b.VTime, timeCol{&b.Since}, &b.Waiting, &b.Out)
		return b, err
	}, `SELECT j.id, j.class, j.weight, jp.vtime, jp.served_at,
			(SELECT count(*) FROM trials t WHERE t.pool = jp.pool AND t.job_id = j.id AND t.state IN ('queued', 'built')),
			(SELECT count(*) FROM work_items w WHERE w.pool = jp.pool AND w.job_id = j.id AND w.closed_at = 0)
		FROM job_pools jp JOIN jobs j ON j.id = jp.job_id WHERE jp.pool = $1 AND j.state IN ('running', 'stopping') ORDER BY j.id`, pool)
	for _, b := range jobs {
		if b.Waiting > 0 {
			l.Jobs = append(l.Jobs, b)
		}
	}
	return l, err
}

// Waiting implements store.Dispatch.
func (s *Store) Waiting(ctx context.Context, pool, job string, limit int) ([]store.Trial, error) {
	return list(s, ctx, "trials waiting for pool "+pool, scanTrial, `SELECT `+trialCols+` FROM trials
		WHERE pool = $1 AND job_id = $2 AND state IN ('queued', 'built') ORDER BY seq LIMIT $3`, pool, job, limitArg(limit))
}

// Send implements store.Dispatch.
func (s *Store) Send(ctx context.Context, d store.WorkDraft) (w store.WorkItem, err error) {
	err = s.write(ctx, "send work item "+d.ID, func(t *tx) error {
		j, err := t.lockJob(d.Job)
		if err != nil {
			return err
		}
		if j.State != store.JobRunning && j.State != store.JobStopping {
			return fmt.Errorf("%w: job %s is %s", store.ErrConflict, d.Job, j.State)
		}
		now := time.UnixMicro(t.now).UTC()
		w = store.WorkItem{ID: d.ID, Project: j.Project, Job: d.Job, Task: d.Task, Kind: d.Kind, Pool: d.Pool, Nonce: d.Nonce, Spec: d.Spec,
			Cost: d.Cost, SentAt: now, Deadline: now.Add(d.Within)}
		if err := t.take(&w, d.Trials); err != nil {
			return err
		}
		if len(w.Trials) == 0 {
			return fmt.Errorf("%w: none of its trials is waiting", store.ErrConflict)
		}
		if _, err := t.exec(`INSERT INTO work_items (`+itemCols+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, '', 0)`,
			w.ID, w.Project, w.Job, w.Task, w.Kind, w.Pool, w.Attempt, w.Nonce, jsonText(w.Trials), jsonArg(w.Spec), w.Cost.Microseconds(), t.now, w.Deadline.UnixMicro()); err != nil {
			return err
		}
		if _, err := t.exec(`UPDATE job_pools SET vtime = $3, served_at = $4 WHERE pool = $1 AND job_id = $2`, d.Pool, d.Job, d.VTime, t.now); err != nil {
			return err
		}
		if d.Event == nil {
			return nil
		}
		return t.saveJob(&j, *d.Event)
	})
	return w, err
}

// take marks as out with w those of trials that still wait for its pool.
func (t *tx) take(w *store.WorkItem, trials []store.TrialRef) error {
	for _, ref := range trials {
		n, err := t.exec(`UPDATE trials SET work_id = $1, state = CASE WHEN state = 'queued' THEN 'building' ELSE 'measuring' END
			WHERE id = $2 AND attempt = $3 AND job_id = $4 AND task_id = $5 AND pool = $6
			AND (state = 'built' AND $7 <> 'build' OR state = 'queued' AND ($7 = 'build' OR build IS NULL))
			AND state IN ('queued', 'built')`, w.ID, ref.ID, ref.Attempt, w.Job, w.Task, w.Pool, string(w.Kind))
		if err != nil {
			return err
		}
		if n == 1 {
			w.Trials = append(w.Trials, ref.ID)
			w.Attempt = max(w.Attempt, ref.Attempt)
		}
	}
	return nil
}

// WorkItem implements store.Dispatch.
func (s *Store) WorkItem(ctx context.Context, id string) (store.WorkItem, error) {
	return one(s, ctx, "work item "+id, scanItem, `SELECT `+itemCols+` FROM work_items WHERE id = $1`, id)
}

// OpenItems implements store.Dispatch.
func (s *Store) OpenItems(ctx context.Context, job string) ([]store.WorkItem, error) {
	return list(s, ctx, "items out", scanItem, `SELECT `+itemCols+` FROM work_items WHERE closed_at = 0 AND ($1 = '' OR job_id = $1) ORDER BY id`, job)
}

// Overdue implements store.Dispatch.
func (s *Store) Overdue(ctx context.Context, grace time.Duration) (out []store.WorkItem, err error) {
	err = s.write(ctx, "overdue items", func(t *tx) error { // a transaction for the database's clock
		out, err = query(ctx, t, scanItem, `SELECT `+itemCols+` FROM work_items WHERE closed_at = 0 AND deadline < $1 ORDER BY deadline, id`, t.now-grace.Microseconds())
		return err
	})
	return out, err
}
