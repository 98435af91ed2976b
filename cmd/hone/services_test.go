package main

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"
)

// limit is how long a tune of few trials may take.
const limit = 5 * time.Minute

// schema returns the URL of an empty schema on the server that
// HONE_TEST_POSTGRES names.
func schema(t *testing.T) string {
	t.Helper()
	base := os.Getenv("HONE_TEST_POSTGRES")
	if base == "" {
		t.Skip("HONE_TEST_POSTGRES is not set: no PostgreSQL to test with (postgres://…)")
	}
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	c, err := pgx.Connect(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	name := "hone_" + strings.ToLower(ulid.Make().String())
	if _, err := c.Exec(t.Context(), "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.Background() // the test's own has ended
		_, err := c.Exec(ctx, "DROP SCHEMA "+name+" CASCADE")
		if err := errors.Join(err, c.Close(ctx)); err != nil {
			t.Error(err)
		}
	})
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String()
}

// TestTuneOnPostgres keeps the state on a server; what compiles reads it there.
func TestTuneOnPostgres(t *testing.T) {
	needCompiler(t)
	db := schema(t)
	dir := filepath.Join(t.TempDir(), "state")
	p := start(t, "tune", demoModel, "--trials", "16", "--data-dir", dir, "--db", db)
	waitFor(t, p, db, 1)
	// One broker in a process is all that a database can have.
	second := start(t, "tune", demoModel, "--trials", "3", "--data-dir", dir+"2", "--db", db)
	if code := second.wait(limit); code != 1 || !strings.Contains(second.output(), "share one with --nats") {
		t.Errorf("exit code %d: %s", code, second.output())
	}
	if code := p.wait(limit); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, p.output())
	}
	l, err := readLedger(t, db)
	if err != nil {
		t.Fatal(err)
	}
	l.check(t, 16, nil)
	if _, err := os.Stat(filepath.Join(dir, "hone.db")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file besides the server: %v", err)
	}
	compileAndRun(t, dir, "--db", db)
}

// TestTuneOverABroker uses the broker that HONE_TEST_NATS names, which must be
// new: it serves one database for life.
func TestTuneOverABroker(t *testing.T) {
	needCompiler(t)
	broker := os.Getenv("HONE_TEST_NATS")
	if broker == "" {
		t.Skip("HONE_TEST_NATS is not set: no NATS server with JetStream to test with (nats://…)")
	}
	dir := filepath.Join(t.TempDir(), "state")
	hone(t, "tune", demoModel, "--trials", "16", "--data-dir", dir, "--nats", broker)
	l, err := readLedger(t, filepath.Join(dir, "hone.db"))
	if err != nil {
		t.Fatal(err)
	}
	l.check(t, 16, nil)
	compileAndRun(t, dir)
	p := start(t, "tune", demoModel, "--trials", "16", "--data-dir", dir+"2", "--nats", broker)
	if code := p.wait(limit); code != 1 || !strings.Contains(p.output(), "it serves another database") {
		t.Errorf("a second database on the broker: exit code %d: %s", code, p.output())
	}
}
