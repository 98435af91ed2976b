package sqlcore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"hone/db/store"
)

const attemptCols = `id, trial_id, work_id, attempt, kind, agent, device, boot, build_id, deliveries, code, stage, ns, ratio, ci_low, ci_high, max_err,
	samples, incumbent, conditions, clocks, log, message, accepted, at`

func scanAttempt(r scanner) (a store.Attempt, err error) {
	err = r.Scan(&a.ID, &a.Trial, &a.Work, &a.Attempt, &a.Kind, &a.Agent, &a.Device, &a.Boot, &a.BuildID, &a.Deliveries, &a.Code, &a.Stage, &a.Ns, &a.Ratio, &a.CILow, &a.CIHigh, &a.MaxErr,
		listCol[float64]{&a.Samples}, listCol[float64]{&a.Incumbent}, jsonCol{&a.Conditions}, jsonCol{&a.Clocks}, &a.Log, &a.Message, &a.Accepted, timeCol{&a.At})
	return a, err
}

// Attempts implements store.Ledger.
func (s *Store) Attempts(ctx context.Context, trial int64) ([]store.Attempt, error) {
	return list(s, ctx, fmt.Sprintf("attempts of trial %d", trial), scanAttempt, `SELECT `+attemptCols+` FROM attempts WHERE trial_id = $1 ORDER BY id`, trial)
}

// insertAttempt stores what was tried; again says that it was there already.
func (t *tx) insertAttempt(project string, trial int64, a store.Attempt, accepted bool) (id int64, again bool, err error) {
	err = t.row(`INSERT INTO attempts (project_id, trial_id, work_id, attempt, kind, agent, device, boot, build_id, deliveries, code, stage, ns, ratio, ci_low, ci_high, max_err,
			samples, incumbent, conditions, clocks, log, message, accepted, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25)
		ON CONFLICT (trial_id, work_id, attempt, agent, code) DO NOTHING RETURNING id`,
		project, trial, a.Work, a.Attempt, a.Kind, a.Agent, a.Device, a.Boot, a.BuildID, a.Deliveries, a.Code, a.Stage, realArg(a.Ns), realArg(a.Ratio), realArg(a.CILow), realArg(a.CIHigh), realArg(a.MaxErr),
		samplesArg(a.Samples), samplesArg(a.Incumbent), jsonArg(a.Conditions), jsonArg(a.Clocks), a.Log, a.Message, accepted, t.now).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, false, err
	}
	err = t.row(`SELECT id FROM attempts WHERE trial_id = $1 AND work_id = $2 AND attempt = $3 AND agent = $4 AND code = $5`, trial, a.Work, a.Attempt, a.Agent, a.Code).Scan(&id)
	return id, true, err
}
