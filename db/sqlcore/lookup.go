package sqlcore

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"hone/db/store"
)

// lookupSQL finds, for each workload, at most one hit a rung: $1 layers and $2
// workloads as JSON arrays, $3 to $8 the target's key, kind, instruction set,
// model, micro-architecture and threads. A workload that is known has a row
// even without a hit.
func (d *Dialect) lookupSQL() string {
	return `WITH
known AS (SELECT w.id, w.hash FROM ` + d.strings("$2") + ` want JOIN workloads w ON w.hash = want.value),
near AS (SELECT tg.id, CASE WHEN tg.key = $3 THEN 0
		WHEN tg.model <> '' AND tg.model = $6 THEN 1
		WHEN tg.uarch <> '' AND tg.uarch = $7 THEN 2 ELSE 3 END AS rung,
		CASE WHEN tg.threads = CAST($8 AS BIGINT) THEN 0 ELSE 1 END AS other_threads
	FROM targets tg WHERE tg.kind = $4 AND tg.isa = $5),
found AS (SELECT known.id AS workload_id, near.rung, near.other_threads, layer.ord AS layer, c.id AS champion_id,
		CASE WHEN c.id IS NULL THEN 1 ELSE 0 END AS unraced,
		COALESCE(c.record_id, (SELECT r.id FROM records r
			WHERE r.project_id = layer.value AND r.workload_id = known.id AND r.target_id = near.id ORDER BY r.ns, r.id LIMIT 1)) AS record_id
	FROM known CROSS JOIN near CROSS JOIN ` + d.strings("$1") + ` layer
	LEFT JOIN champions c ON c.project_id = layer.value AND c.workload_id = known.id AND c.target_id = near.id AND c.superseded_at = 0),
ranked AS (SELECT found.*, row_number() OVER (PARTITION BY found.workload_id, found.rung
		ORDER BY found.unraced, found.layer, found.other_threads, rec.ns, found.record_id) AS place
	FROM found JOIN records rec ON rec.id = found.record_id)
SELECT known.hash, hit.rung, hit.layer, ` + recordCols + `, c.id, c.race_attempt, c.ratio, c.ci_low, c.ci_high, c.toolchain, c.at
FROM known LEFT JOIN (SELECT * FROM ranked WHERE place = 1) hit ON hit.workload_id = known.id
LEFT JOIN records r ON r.id = hit.record_id LEFT JOIN workloads w ON w.id = r.workload_id LEFT JOIN targets tg ON tg.id = r.target_id
LEFT JOIN champions c ON c.id = hit.champion_id
ORDER BY known.hash, hit.rung`
}

func lookupArgs(q store.LookupQuery) []any {
	g := q.Target
	return []any{jsonText(append([]string{}, q.Layers...)), jsonText(unique(q.Workloads)), g.Key, g.Kind, g.ISA, g.Model, g.UArch, g.Threads}
}

// unique drops repeated names.
func unique(names []string) []string {
	out := []string{}
	seen := map[string]bool{}
	for _, n := range names {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// Lookup implements store.Records.
func (s *Store) Lookup(ctx context.Context, q store.LookupQuery) (store.Bundle, error) {
	b := store.Bundle{Target: q.Target.Key}
	entries := map[string]*store.Entry{}
	rows, err := list(s, ctx, "lookup", scanHit, s.d.lookupSQL(), lookupArgs(q)...)
	if err != nil {
		return b, err
	}
	for _, row := range rows {
		e := entries[row.workload]
		if e == nil {
			e = &store.Entry{Workload: row.workload, Known: true}
			entries[row.workload] = e
		}
		if row.found {
			e.Hits = append(e.Hits, row.hit)
		}
	}
	for _, w := range q.Workloads {
		if e := entries[w]; e != nil {
			b.Entries = append(b.Entries, *e)
		} else {
			b.Entries = append(b.Entries, store.Entry{Workload: w})
		}
	}
	return b, nil
}

// hitRow is one row of the lookup.
type hitRow struct {
	workload string
	found    bool
	hit      store.Hit
}

func scanHit(s scanner) (h hitRow, err error) {
	var rung, layer sql.NullInt64
	var championID, raceAttempt, at sql.NullInt64
	var ratio, low, high sql.NullFloat64
	var c store.Champion
	var r nullRecord
	dest := append([]any{&h.workload, &rung, &layer}, r.dest()...)
	dest = append(dest, &championID, &raceAttempt, &ratio, &low, &high, jsonCol{&c.Toolchain}, &at)
	if err := s.Scan(dest...); err != nil {
		return h, err
	}
	if !rung.Valid {
		return h, nil
	}
	rec := r.record()
	h.found = true
	h.hit = store.Hit{Rung: store.Rung(rung.Int64), Layer: int(layer.Int64), Target: rec.Target, Record: rec}
	if championID.Valid {
		c.ID, c.RaceAttempt, c.Ratio, c.CILow, c.CIHigh = championID.Int64, raceAttempt.Int64, ratio.Float64, low.Float64, high.Float64
		c.Project, c.Workload, c.Target, c.Record = rec.Project, rec.Workload, rec.Target, rec.ID
		_ = timeCol{&c.At}.Scan(at.Int64) // an int64 always scans
		h.hit.Champion = &c
	}
	return h, nil
}

// nullRecord scans the record columns of a row that may have none.
type nullRecord struct {
	rec store.Record
}

// dest wraps each destination of a record so that NULL leaves it zero.
func (n *nullRecord) dest() []any {
	out := recordDest(&n.rec)
	for i, d := range out {
		out[i] = orNull(d)
	}
	return out
}

func (n *nullRecord) record() store.Record { return n.rec }

func orNull(dest any) any {
	switch p := dest.(type) {
	case *int64:
		return nullInt{p}
	case *string:
		return nullString{p}
	case *float64:
		return nullFloat{p}
	case timeCol:
		return nullTime(p)
	}
	return dest // JSON columns take NULL as they are
}

type nullInt struct{ p *int64 }

func (n nullInt) Scan(src any) error {
	var v sql.NullInt64
	err := v.Scan(src)
	*n.p = v.Int64
	return err
}

type nullString struct{ p *string }

func (n nullString) Scan(src any) error {
	var v sql.NullString
	err := v.Scan(src)
	*n.p = v.String
	return err
}

type nullFloat struct{ p *float64 }

func (n nullFloat) Scan(src any) error {
	var v sql.NullFloat64
	err := v.Scan(src)
	*n.p = v.Float64
	return err
}

type nullTime timeCol

func (n nullTime) Scan(src any) error {
	if src == nil {
		return nil
	}
	return timeCol(n).Scan(src)
}

// ExplainLookup returns the database's plan for a lookup, one step a line.
func (s *Store) ExplainLookup(ctx context.Context, q store.LookupQuery) (string, error) {
	rows, err := s.r.QueryContext(ctx, s.d.Explain+" "+s.d.lookupSQL(), lookupArgs(q)...)
	if err != nil {
		return "", s.d.Wrap(err)
	}
	defer rows.Close() //nolint:errcheck // its error is rows.Err
	cols, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for rows.Next() {
		step := make([]any, len(cols))
		for i := range step {
			step[i] = new(any)
		}
		if err := rows.Scan(step...); err != nil {
			return "", err
		}
		fmt.Fprintln(&b, *step[len(cols)-1].(*any))
	}
	return b.String(), rows.Err()
}
