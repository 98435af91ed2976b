package sqlcore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"hone/db/store"
)

const taskCols = `ta.id, ta.project_id, ta.job_id, ta.idx, ta.name, w.hash, tg.key, ta.weight, ta.variants, ta.spec, ta.build_pool, ta.device_pool, ta.threads,
	ta.trials, ta.default_ns, ta.best_ns, ta.best_trial`

const taskFrom = ` FROM tasks ta JOIN workloads w ON w.id = ta.workload_id JOIN targets tg ON tg.id = ta.target_id `

func scanTask(r scanner) (k store.Task, err error) {
	err = r.Scan(&k.ID, &k.Project, &k.Job, &k.Index, &k.Name, &k.Workload, &k.Target, &k.Weight, jsonCol{&k.Variants}, jsonCol{&k.Spec},
		&k.BuildPool, &k.DevicePool, &k.Threads, &k.Trials, &k.DefaultNs, &k.BestNs, &k.BestTrial)
	return k, err
}

// Tasks implements store.Jobs.
func (s *Store) Tasks(ctx context.Context, job string) ([]store.Task, error) {
	return list(s, ctx, "tasks of job "+job, scanTask, `SELECT `+taskCols+taskFrom+`WHERE ta.job_id = $1 ORDER BY ta.idx`, job)
}

// insertTasks stores a new job's tasks and its share of their pools.
func (t *tx) insertTasks(j store.Job, tasks []store.TaskDraft) error {
	var rows, shares [][]any
	seen := map[string]bool{}
	for i, k := range tasks {
		w, err := t.idOf("workloads", "hash", k.Workload)
		if err != nil {
			return err
		}
		tg, err := t.idOf("targets", "key", k.Target)
		if err != nil {
			return err
		}
		if k.BuildPool == "" || k.DevicePool == "" {
			return fmt.Errorf("%w: task %d (%s) names no pool", store.ErrInvalid, i, k.Name)
		}
		rows = append(rows, []any{j.Project, j.ID, i, k.Name, w, tg, k.Weight, jsonArg(k.Variants), jsonArg(k.Spec), k.BuildPool, k.DevicePool, k.Threads})
		for _, pool := range []string{k.BuildPool, k.DevicePool} {
			if !seen[pool] {
				seen[pool] = true
				vtime, err := t.leastVTime(pool)
				if err != nil {
					return err
				}
				shares = append(shares, []any{j.ID, pool, vtime, t.now})
			}
		}
	}
	if err := t.insert("tasks", "project_id, job_id, idx, name, workload_id, target_id, weight, variants, spec, build_pool, device_pool, threads", rows, ""); err != nil {
		return err
	}
	return t.insert("job_pools", "job_id, pool, vtime, served_at", shares, "")
}

// leastVTime is where a new job comes into a pool: no job may claim the past.
func (t *tx) leastVTime(pool string) (v float64, err error) {
	err = t.row(`SELECT COALESCE(min(jp.vtime), 0) FROM job_pools jp JOIN jobs j ON j.id = jp.job_id
		WHERE jp.pool = $1 AND j.state IN ('running', 'stopping')`, pool).Scan(&v)
	return v, err
}

// idOf turns the outer name of a workload or target into its inner one.
func (t *tx) idOf(table, column, name string) (id int64, err error) {
	err = t.row(`SELECT id FROM `+table+` WHERE `+column+` = $1`, name).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: no %s %q in %s", store.ErrInvalid, column, name, table)
	}
	return id, err
}
