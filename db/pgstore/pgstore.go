// Package pgstore keeps Hone's state in PostgreSQL, for everything that is
// shared. The database's clock is the only one that counts, rows are locked by
// the transactions that change them, and a commit is durable before it
// returns.
//
// It imports package store and sqlcore of ours. Start at [Open].
package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"hone/db/migrations"
	"hone/db/sqlcore"
	"hone/db/store"
)

// Options change how a database is opened.
type Options struct {
	// ReadOnly runs no migrations, and writes fail.
	ReadOnly bool
}

// Open connects to the database that url names (postgres://…, or any string
// that libpq takes) and brings its schema up to date. Two programs that do so
// at once wait for each other.
func Open(ctx context.Context, url string, o Options) (*sqlcore.Store, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	// Lookups are bound by round trips: more connections than this only add
	// waiting.
	cfg.MaxConns = max(4, int32(2*runtime.NumCPU()))
	if o.ReadOnly {
		cfg.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	db := stdlib.OpenDBFromPool(pool)
	closePool := func() error { pool.Close(); return nil }
	if err := prepare(ctx, db, o); err != nil {
		return nil, errors.Join(fmt.Errorf("postgres: %w", wrap(err)), db.Close(), closePool())
	}
	return sqlcore.New(db, db, dialect(), db.Close, closePool), nil
}

func prepare(ctx context.Context, db *sql.DB, o Options) error {
	if err := db.PingContext(ctx); err != nil {
		return err
	}
	p, err := provider(db)
	if err != nil {
		return err
	}
	var have int64
	if o.ReadOnly {
		if have, err = readVersion(ctx, db); err != nil {
			return err
		}
	} else if have, err = p.GetDBVersion(ctx); err != nil {
		return err
	}
	want := p.ListSources()[len(p.ListSources())-1].Version
	switch {
	case have > want:
		return fmt.Errorf("the database was written by a newer Hone (schema %d, this program knows %d)", have, want)
	case o.ReadOnly && have < want:
		return fmt.Errorf("its schema is of version %d, this program reads %d: run a command that writes once", have, want)
	case o.ReadOnly:
		return nil
	}
	_, err = p.Up(ctx)
	return err
}

func provider(db *sql.DB) (*goose.Provider, error) {
	l, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 120))
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectPostgres, db, migrations.Postgres(), goose.WithSessionLocker(l), goose.WithDisableGlobalRegistry(true))
}

// readVersion reads the schema's version without creating goose's table.
func readVersion(ctx context.Context, db *sql.DB) (v int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version`).Scan(&v)
	var e *pgconn.PgError
	if errors.As(err, &e) && e.Code == "42P01" { // no such table
		return 0, fmt.Errorf("%w: the database is empty", store.ErrNotFound)
	}
	return v, err
}

func dialect() sqlcore.Dialect {
	return sqlcore.Dialect{
		ForUpdate: " FOR UPDATE",
		ForShare:  " FOR SHARE",
		Strings:   `(SELECT value, ordinality - 1 AS ord FROM json_array_elements_text(CAST(%s AS JSON)) WITH ORDINALITY AS e (value, ordinality))`,
		JSON:      "JSON",
		Explain:   "EXPLAIN",
		Now: func(ctx context.Context, tx *sql.Tx) (now time.Time, err error) {
			err = tx.QueryRowContext(ctx, `SELECT clock_timestamp()`).Scan(&now)
			return now, err
		},
		Wrap: wrap,
	}
}

// wrap names the cause of an error of PostgreSQL.
func wrap(err error) error {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return err
	}
	cause := map[string]error{
		"23502": store.ErrInvalid,  // not null
		"23503": store.ErrInvalid,  // foreign key
		"23514": store.ErrInvalid,  // check
		"22P02": store.ErrInvalid,  // text that is no JSON or number
		"23505": store.ErrConflict, // unique
		"25006": store.ErrReadOnly,
		"53100": store.ErrFull,
		"40P01": store.ErrBusy, // deadlock
		"55P03": store.ErrBusy, // lock not available
		"53300": store.ErrBusy, // too many connections
	}[e.Code]
	if cause == nil {
		return err
	}
	return fmt.Errorf("%w (%v)", cause, err)
}
