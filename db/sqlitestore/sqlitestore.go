// Package sqlitestore keeps Hone's state in one SQLite file: the default on a
// machine without a server. There are two handles: one connection that
// writes, so that writers queue in the process instead of failing on locks,
// and a few that read beside it (write-ahead log). Every commit reaches the
// disk before it returns, because results are acknowledged after it.
//
// It imports package store and sqlcore of ours. Start at [Open].
package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"hone/db/migrations"
	"hone/db/sqlcore"
	"hone/db/store"
	"hone/internal/clock"
)

// Options change how a database is opened.
type Options struct {
	// ReadOnly opens an existing database beside its writer: nothing is
	// created, migrated or locked, and writes fail.
	ReadOnly bool
	// Clock is the database's clock; nil is the machine's.
	Clock clock.Clock
	// NoSync lets commits return before they reach the disk: for simulations,
	// whose state nobody needs after a power cut.
	NoSync bool
}

// Open opens the database in the file at path, creating file and directory
// (mode 0700) if need be, and brings its schema up to date. It refuses, in one
// line, directories that are read-only or full and network file systems.
func Open(ctx context.Context, path string, o Options) (*sqlcore.Store, error) {
	if o.Clock == nil {
		o.Clock = clock.Real{}
	}
	if o.ReadOnly {
		return openReader(ctx, path, o)
	}
	if err := CheckDir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	extra := "_txlock=immediate"
	if o.NoSync {
		extra += "&_pragma=synchronous(OFF)"
	}
	w, err := sql.Open("sqlite", dsn(path, extra))
	if err != nil {
		return nil, err
	}
	w.SetMaxOpenConns(1)
	if err := prepare(ctx, w); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, wrap(err)), w.Close())
	}
	r, err := sql.Open("sqlite", dsn(path, "_pragma=query_only(1)"))
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	r.SetMaxOpenConns(4)
	r.SetMaxIdleConns(4)
	return sqlcore.New(w, r, dialect(o.Clock), r.Close, func() error { return closeWriter(w) }), nil
}

// prepare turns on the write-ahead log and runs the migrations.
func prepare(ctx context.Context, w *sql.DB) error {
	var mode string
	if err := w.QueryRowContext(ctx, `PRAGMA journal_mode = WAL`).Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("the file system allows no write-ahead log (journal mode %s)", mode)
	}
	p, err := provider(w)
	if err != nil {
		return err
	}
	if _, _, err := versions(ctx, p); err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

func provider(db *sql.DB) (*goose.Provider, error) {
	return goose.NewProvider(goose.DialectSQLite3, db, migrations.SQLite(), goose.WithDisableGlobalRegistry(true))
}

// versions returns the schema's version in the database and in this program.
func versions(ctx context.Context, p *goose.Provider) (have, want int64, err error) {
	have, want, err = p.GetVersions(ctx)
	if err == nil && have > want {
		err = fmt.Errorf("the database was written by a newer Hone (schema %d, this program knows %d)", have, want)
	}
	return have, want, err
}

func openReader(ctx context.Context, path string, o Options) (*sqlcore.Store, error) {
	if _, err := os.Stat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("open %s: %w: there is no database yet", path, store.ErrNotFound)
		}
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	r, err := sql.Open("sqlite", dsn(path, "mode=ro&_pragma=query_only(1)"))
	if err != nil {
		return nil, err
	}
	r.SetMaxOpenConns(4)
	var have, want int64
	p, err := provider(r)
	if err == nil {
		have, want, err = versions(ctx, p)
	}
	if err == nil && have < want {
		err = fmt.Errorf("its schema is of version %d, this program reads %d: run a command that writes, such as hone tune, once", have, want)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, wrap(err)), r.Close())
	}
	return sqlcore.New(r, r, dialect(o.Clock), r.Close), nil
}

// closeWriter folds the log into the file, so that a copy of the file alone is
// whole, and closes.
func closeWriter(w *sql.DB) error {
	_, err := w.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
	return errors.Join(wrap(err), w.Close())
}

func dsn(path, extra string) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	return u.String() + "?_pragma=busy_timeout(10000)&_pragma=foreign_keys(1)&_pragma=synchronous(FULL)&_pragma=cache_size(-32768)&" + extra
}

func dialect(c clock.Clock) sqlcore.Dialect {
	return sqlcore.Dialect{
		Strings: `(SELECT value, key AS ord FROM json_each(%s))`,
		JSON:    "TEXT",
		Prepare: true,
		Explain: "EXPLAIN QUERY PLAN",
		Now:     func(context.Context, *sql.Tx) (time.Time, error) { return c.Now(), nil },
		Wrap:    wrap,
	}
}

// wrap names the cause of an error of SQLite.
func wrap(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	cause := map[int]error{
		sqlite3.SQLITE_BUSY:       store.ErrBusy,
		sqlite3.SQLITE_LOCKED:     store.ErrBusy,
		sqlite3.SQLITE_FULL:       store.ErrFull,
		sqlite3.SQLITE_READONLY:   store.ErrReadOnly,
		sqlite3.SQLITE_CANTOPEN:   store.ErrReadOnly,
		sqlite3.SQLITE_CORRUPT:    store.ErrCorrupt,
		sqlite3.SQLITE_NOTADB:     store.ErrCorrupt,
		sqlite3.SQLITE_CONSTRAINT: store.ErrInvalid,
	}[e.Code()&0xff]
	if e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY {
		cause = store.ErrConflict
	}
	if cause == nil {
		return err
	}
	return fmt.Errorf("%w (%v)", cause, err)
}
