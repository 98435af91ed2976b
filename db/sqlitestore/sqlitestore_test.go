package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hone/db/dbtest"
	"hone/db/sqlcore"
	"hone/db/store"
	"hone/internal/clock"
)

func openTemp(t *testing.T) *sqlcore.Store {
	t.Helper()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "hone.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestConformance(t *testing.T) {
	dbtest.Run(t, func(t *testing.T) store.Store { return openTemp(t) })
}

func TestLookupPlan(t *testing.T) { dbtest.CheckPlan(t, openTemp(t)) }

func TestMigrationsUpDownUp(t *testing.T) {
	db, err := sql.Open("sqlite", dsn(filepath.Join(t.TempDir(), "x.db"), "_txlock=immediate"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p, err := provider(db)
	if err != nil {
		t.Fatal(err)
	}
	dbtest.CheckMigrations(t, db, p, "trials_waiting", schema)
}

func schema(t *testing.T, db *sql.DB) string {
	t.Helper()
	var out sql.NullString
	err := db.QueryRow(`SELECT group_concat(sql, char(10)) FROM (SELECT sql FROM sqlite_schema WHERE name NOT LIKE 'goose%' AND name NOT LIKE 'sqlite_%' ORDER BY name)`).Scan(&out)
	if err != nil {
		t.Fatal(err)
	}
	return out.String
}

func TestReopenKeepsState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "er", "hone.db")
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutWorkloads(t.Context(), store.Workload{Hash: "h", Text: "x"}); err != nil {
		t.Fatal(err)
	}
	r, err := Open(t.Context(), path, Options{ReadOnly: true}) // beside the writer
	if err != nil {
		t.Fatal(err)
	}
	if w, err := r.Workload(t.Context(), "h"); err != nil || w.Text != "x" {
		t.Fatalf("read beside the writer: %+v %v", w, err)
	}
	if err := r.PutWorkloads(t.Context(), store.Workload{Hash: "g"}); !errors.Is(err, store.ErrReadOnly) {
		t.Fatalf("a write through a reader: %v", err)
	}
	if err := errors.Join(s.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("mode of the directory: %v %v", info.Mode(), err)
	}
	if again, err := Open(t.Context(), path, Options{}); err != nil {
		t.Fatal(err)
	} else if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	junk := filepath.Join(dir, "junk.db")
	for _, p := range []string{file, junk} {
		if err := os.WriteFile(p, []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	newer := filepath.Join(dir, "newer.db")
	s, err := Open(t.Context(), newer, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", newer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)`); err != nil {
		t.Fatal(err)
	}
	db.Close()
	for _, c := range []struct {
		name, path, want string
		cause            error
		o                Options
	}{
		{name: "below a file", path: filepath.Join(file, "hone.db"), want: "not a directory"},
		{name: "no database", path: junk, cause: store.ErrCorrupt, want: "not a database"},
		{name: "nothing to read", path: filepath.Join(dir, "none.db"), cause: store.ErrNotFound, want: "no database yet", o: Options{ReadOnly: true}},
		{name: "kernel's own", path: "/proc/hone/hone.db", want: "data directory /proc/hone"},
		{name: "newer", path: newer, want: "newer Hone"},
		{name: "newer, to read", path: newer, want: "newer Hone", o: Options{ReadOnly: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(t.Context(), c.path, c.o)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("got %v, want one line with %q", err, c.want)
			}
			if c.cause != nil && !errors.Is(err, c.cause) {
				t.Fatalf("%v is not %v", err, c.cause)
			}
		})
	}
}

func TestDirErrorsSayWhatToDo(t *testing.T) {
	if err := dirError("/d", &fs.PathError{Op: "open", Path: "/d/x", Err: os.ErrPermission}); !errors.Is(err, store.ErrReadOnly) || !strings.Contains(err.Error(), "--data-dir") {
		t.Fatal(err)
	}
}

// TestOwnClock: leases run out by the clock that the store was given.
func TestOwnClock(t *testing.T) {
	m := clock.NewManual(time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC))
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "hone.db"), Options{Clock: m})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	if _, err := s.Acquire(ctx, "l", "a", time.Minute); err != nil {
		t.Fatal(err)
	}
	m.Advance(59 * time.Second)
	if _, err := s.Acquire(ctx, "l", "b", time.Minute); !errors.Is(err, store.ErrHeld) {
		t.Fatal(err)
	}
	m.Advance(time.Second)
	if _, err := s.Acquire(ctx, "l", "b", time.Minute); err != nil {
		t.Fatal(err)
	}
}
