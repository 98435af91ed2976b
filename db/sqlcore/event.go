package sqlcore

import (
	"context"

	"hone/db/store"
)

// addEvents appends to a locked job's events and counts them in j.
func (t *tx) addEvents(j *store.Job, events []store.EventDraft) error {
	var rows [][]any
	for _, e := range events {
		j.LastEvent++
		rows = append(rows, []any{j.ID, j.LastEvent, t.now, e.Kind, max(e.Version, 1), jsonOr(e.Body, "{}")})
	}
	return t.insert("job_events", "job_id, seq, at, kind, version, body", rows, "")
}

// AppendEvents implements store.Events.
func (s *Store) AppendEvents(ctx context.Context, job string, events ...store.EventDraft) (last int64, err error) {
	err = s.write(ctx, "events of job "+job, func(t *tx) error {
		j, err := t.lockJob(job)
		if err != nil {
			return err
		}
		if err := t.saveJob(&j, events...); err != nil {
			return err
		}
		last = j.LastEvent
		return nil
	})
	return last, err
}

// EventsAfter implements store.Events.
func (s *Store) EventsAfter(ctx context.Context, job string, after int64, limit int) ([]store.Event, error) {
	return list(s, ctx, "events of job "+job, scanEvent,
		`SELECT job_id, seq, at, kind, version, body FROM job_events WHERE job_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`, job, after, limitArg(limit))
}

func scanEvent(r scanner) (e store.Event, err error) {
	err = r.Scan(&e.Job, &e.Seq, timeCol{&e.At}, &e.Kind, &e.Version, jsonCol{&e.Body})
	return e, err
}

// limitArg is a limit for SQL: none is very many.
func limitArg(n int) int64 {
	if n <= 0 {
		return 1 << 31
	}
	return int64(n)
}
