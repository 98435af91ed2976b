package sqlcore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"hone/db/store"
)

const recordCols = `r.id, r.project_id, w.hash, tg.key, r.variant, r.job_id, r.trial_id, r.attempt_id, r.trace, r.trace_hash, r.ns, r.samples, r.conditions, r.toolchain, r.provenance, r.at`

const recordFrom = ` FROM records r JOIN workloads w ON w.id = r.workload_id JOIN targets tg ON tg.id = r.target_id `

func recordDest(r *store.Record) []any {
	return []any{&r.ID, &r.Project, &r.Workload, &r.Target, &r.Variant, &r.Job, &r.Trial, &r.Attempt, jsonCol{&r.Trace}, &r.TraceHash, &r.Ns, listCol[float64]{&r.Samples},
		jsonCol{&r.Conditions}, jsonCol{&r.Toolchain}, jsonCol{&r.Provenance}, timeCol{&r.At}}
}

func scanRecord(s scanner) (r store.Record, err error) {
	err = s.Scan(recordDest(&r)...)
	return r, err
}

// insertRecord stores the record of a trial that closes with ok.
func (t *tx) insertRecord(tr store.Trial, o store.Outcome, attempt int64) (id int64, err error) {
	err = t.row(`INSERT INTO records (project_id, workload_id, target_id, variant, job_id, trial_id, attempt_id, trace, trace_hash, ns, samples, conditions, toolchain, provenance, at)
		SELECT ta.project_id, ta.workload_id, ta.target_id, tr.variant, tr.job_id, tr.id, a.id, tr.trace, tr.trace_hash, CAST($3 AS DOUBLE PRECISION), a.samples, a.conditions,
			CAST($4 AS `+t.d.JSON+`), CAST($5 AS `+t.d.JSON+`), a.at
		FROM trials tr JOIN tasks ta ON ta.id = tr.task_id JOIN attempts a ON a.id = $2 WHERE tr.id = $1 RETURNING id`,
		tr.ID, attempt, o.Ns, jsonArg(o.Record.Toolchain), jsonArg(o.Record.Provenance)).Scan(&id)
	return id, err
}

// ListRecords implements store.Records.
func (s *Store) ListRecords(ctx context.Context, f store.RecordFilter) ([]store.Record, error) {
	if f.Limit <= 0 {
		f.Limit = 100
	}
	return list(s, ctx, "list records", scanRecord, `SELECT `+recordCols+recordFrom+`
		WHERE ($1 = '' OR r.project_id = $1) AND ($2 = '' OR r.job_id = $2) AND ($3 = '' OR substr(w.hash, 1, length($3)) = $3) AND ($4 = '' OR tg.key = $4) AND (CAST($5 AS BIGINT) = 0 OR r.id < CAST($5 AS BIGINT))
		ORDER BY r.id DESC LIMIT $6`, f.Project, f.Job, f.Workload, f.Target, f.Before, f.Limit)
}

const championCols = `c.id, c.project_id, w.hash, tg.key, c.record_id, c.race_attempt, c.ratio, c.ci_low, c.ci_high, c.toolchain, c.at, c.superseded_at`

const championFrom = ` FROM champions c JOIN workloads w ON w.id = c.workload_id JOIN targets tg ON tg.id = c.target_id
	WHERE c.project_id = $1 AND w.hash = $2 AND tg.key = $3 `

func scanChampion(s scanner) (c store.Champion, err error) {
	err = s.Scan(&c.ID, &c.Project, &c.Workload, &c.Target, &c.Record, &c.RaceAttempt, &c.Ratio, &c.CILow, &c.CIHigh, jsonCol{&c.Toolchain}, timeCol{&c.At}, timeCol{&c.SupersededAt})
	return c, err
}

// Champion implements store.Records.
func (s *Store) Champion(ctx context.Context, project, workload, target string) (store.Champion, error) {
	return one(s, ctx, "champion", scanChampion, `SELECT `+championCols+championFrom+`AND c.superseded_at = 0`, project, workload, target)
}

// Champions implements store.Records.
func (s *Store) Champions(ctx context.Context, project, workload, target string) ([]store.Champion, error) {
	return list(s, ctx, "champions", scanChampion, `SELECT `+championCols+championFrom+`ORDER BY c.id`, project, workload, target)
}

// Promote implements store.Records.
func (s *Store) Promote(ctx context.Context, p store.Promotion) (c store.Champion, err error) {
	if err := p.Validate(); err != nil {
		return c, err
	}
	err = s.write(ctx, fmt.Sprintf("promote record %d", p.Record), func(t *tx) error {
		w, tg, err := t.recordOf(p)
		if err != nil {
			return err
		}
		if p.Against != 0 {
			n, err := t.exec(`UPDATE champions SET superseded_at = $5 WHERE id = $1 AND project_id = $2 AND workload_id = $3 AND target_id = $4 AND superseded_at = 0`,
				p.Against, p.Project, w, tg, t.now)
			if err != nil {
				return err
			}
			if n == 0 {
				return store.ErrStale
			}
		}
		var id int64
		err = t.row(`INSERT INTO champions (project_id, workload_id, target_id, record_id, race_attempt, ratio, ci_low, ci_high, toolchain, at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
			ON CONFLICT (project_id, workload_id, target_id) WHERE superseded_at = 0 DO NOTHING RETURNING id`,
			p.Project, w, tg, p.Record, p.RaceAttempt, p.Ratio, p.CILow, p.CIHigh, jsonArg(p.Toolchain), t.now).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return store.ErrStale
		}
		if err != nil {
			return err
		}
		c, err = scanChampion(t.row(`SELECT `+championCols+championFrom+`AND c.id = $4`, p.Project, p.Workload, p.Target, id))
		return err
	})
	return c, err
}

// recordOf checks that p's record is one of p's workload and target, and
// returns their ids.
func (t *tx) recordOf(p store.Promotion) (workload, target int64, err error) {
	err = t.row(`SELECT r.workload_id, r.target_id`+recordFrom+`WHERE r.id = $1 AND r.project_id = $2 AND w.hash = $3 AND tg.key = $4`,
		p.Record, p.Project, p.Workload, p.Target).Scan(&workload, &target)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: it is no record of workload %s on %s", store.ErrNotFound, p.Workload, p.Target)
	}
	return workload, target, err
}
