// Package sqlcore is the part of a SQL store that both dialects share: the
// transactions behind the verbs of package store, written once in the SQL that
// SQLite and PostgreSQL have in common ($n parameters, RETURNING, partial
// indexes, ON CONFLICT), with a [Dialect] for what differs. Only sqlitestore
// and pgstore import it. Times are kept as microseconds since 1970, JSON as
// text, byte for byte.
//
// Every write that concerns a job locks the job's row first. That makes writes
// of one job serial, so guards are plain comparisons in Go, the order of
// acceptance and the numbers of events have no gaps, and no two transactions
// wait for each other in a circle. On SQLite the one writer does the same.
//
// Start at [Store].
package sqlcore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"hone/db/store"
)

// Dialect is what differs between the two databases.
type Dialect struct {
	// ForUpdate and ForShare follow a SELECT to lock its rows.
	ForUpdate, ForShare string
	// Strings is a format: given a parameter, a table expression with columns
	// value and ord for the elements of a JSON array of strings.
	Strings string
	// JSON is the type of a JSON column.
	JSON string
	// Explain precedes a query to get its plan.
	Explain string
	// Now reads the database's clock.
	Now func(ctx context.Context, tx *sql.Tx) (time.Time, error)
	// Prepare keeps statements prepared, for drivers that do not do so
	// themselves.
	Prepare bool
	// Wrap turns the driver's errors into the causes of package store.
	Wrap func(error) error
}

// Store implements store.Store over two handles, which may be the same.
type Store struct {
	w, r    *sql.DB
	d       Dialect
	stmts   *statements
	fence   *store.Lease
	closers []func() error
}

var _ store.Store = (*Store)(nil)

// New returns a store that writes through w and reads through r. Close runs
// closers in order.
func New(w, r *sql.DB, d Dialect, closers ...func() error) *Store {
	return &Store{w: w, r: r, d: d, closers: closers, stmts: &statements{w: map[string]*sql.Stmt{}, r: map[string]*sql.Stmt{}}}
}

// Close implements store.Store.
func (s *Store) Close() error {
	errs := []error{s.stmts.close()}
	for _, c := range s.closers {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// Fenced implements store.Store.
func (s *Store) Fenced(l store.Lease) store.Store {
	v := *s
	v.fence, v.closers = &l, nil
	return &v
}

// tx is one write: the transaction, and the time at which it happens.
type tx struct {
	*sql.Tx
	s   *Store
	ctx context.Context
	d   *Dialect
	now int64

	missed []string // queries that were not prepared
}

// write runs f in a transaction, after the fence if there is one.
func (s *Store) write(ctx context.Context, what string, f func(*tx) error) error {
	err := s.transact(ctx, f)
	if err != nil {
		return fmt.Errorf("%s: %w", what, s.d.Wrap(err))
	}
	return nil
}

func (s *Store) transact(ctx context.Context, f func(*tx) error) error {
	raw, err := s.w.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer raw.Rollback() //nolint:errcheck // after a commit it has nothing to do
	now, err := s.d.Now(ctx, raw)
	if err != nil {
		return err
	}
	t := &tx{Tx: raw, s: s, ctx: ctx, d: &s.d, now: now.UnixMicro()}
	if s.fence != nil {
		if err := t.checkFence(*s.fence); err != nil {
			return err
		}
	}
	if err := f(t); err != nil {
		return err
	}
	if err := raw.Commit(); err != nil {
		return err
	}
	s.learn(ctx, t.missed)
	return nil
}

// exec runs a statement and returns how many rows it changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	var r sql.Result
	var err error
	if stmt := t.prepared(query); stmt != nil {
		r, err = stmt.ExecContext(t.ctx, args...)
	} else {
		r, err = t.ExecContext(t.ctx, query, args...)
	}
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// row runs a query for one row.
func (t *tx) row(query string, args ...any) *sql.Row {
	if stmt := t.prepared(query); stmt != nil {
		return stmt.QueryRowContext(t.ctx, args...)
	}
	return t.QueryRowContext(t.ctx, query, args...)
}

// insert writes rows with one statement. cols names the columns, tail follows
// the values.
func (t *tx) insert(table, cols string, rows [][]any, tail string) error {
	const most = 500 // rows a statement: both databases cap the parameters
	for len(rows) > 0 {
		n := min(most, len(rows))
		q, args := values("INSERT INTO "+table+" ("+cols+") VALUES ", rows[:n])
		if _, err := t.ExecContext(t.ctx, q+" "+tail, args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// values writes ($1, $2), ($3, $4) … behind head.
func values(head string, rows [][]any) (string, []any) {
	var b strings.Builder
	b.WriteString(head)
	var args []any
	for i, row := range rows {
		for j, v := range row {
			switch {
			case j > 0:
				b.WriteString(", ")
			case i > 0:
				b.WriteString("), (")
			default:
				b.WriteString("(")
			}
			args = append(args, v)
			fmt.Fprintf(&b, "$%d", len(args))
		}
	}
	b.WriteString(")")
	return b.String(), args
}

// strings is the dialect's table of the strings in a JSON parameter.
func (d *Dialect) strings(param string) string { return fmt.Sprintf(d.Strings, param) }

// query reads all rows of a query through scan.
func query[T any](ctx context.Context, q querier, scan func(scanner) (T, error), sqlText string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, sqlText, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // its error is rows.Err
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

type scanner interface{ Scan(dest ...any) error }

// one reads a single row through scan; none is store.ErrNotFound.
func one[T any](s *Store, ctx context.Context, what string, scan func(scanner) (T, error), sqlText string, args ...any) (T, error) {
	v, err := scan(s.readRow(ctx, sqlText, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return v, fmt.Errorf("%s: %w", what, store.ErrNotFound)
	}
	if err != nil {
		return v, fmt.Errorf("%s: %w", what, s.d.Wrap(err))
	}
	return v, nil
}

// list reads rows outside a transaction.
func list[T any](s *Store, ctx context.Context, what string, scan func(scanner) (T, error), sqlText string, args ...any) ([]T, error) {
	out, err := query(ctx, reader{s}, scan, sqlText, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, s.d.Wrap(err))
	}
	return out, nil
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic("BUG: sqlcore: " + err.Error()) // strings and finite numbers always marshal
	}
	return string(b)
}
