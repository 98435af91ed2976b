package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/oklog/ulid/v2"

	"hone/db/dbtest"
	"hone/db/store"
)

// envURL names a PostgreSQL server for these tests.
const envURL = "HONE_TEST_POSTGRES"

// tempURL returns a URL whose connections see an empty schema of their own,
// dropped when the test ends.
func tempURL(t *testing.T) string {
	t.Helper()
	base := os.Getenv(envURL)
	if base == "" {
		t.Skipf("%s is not set: no PostgreSQL to test with (postgres://…)", envURL)
	}
	ctx := context.Background()
	c, err := pgx.Connect(ctx, base)
	if err != nil {
		t.Fatal(err)
	}
	name := "hone_" + strings.ToLower(ulid.Make().String())
	if _, err := c.Exec(ctx, "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := c.Exec(ctx, "DROP SCHEMA "+name+" CASCADE")
		if err := errors.Join(err, c.Close(ctx)); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(base)
	if err != nil {
		t.Fatalf("%s: %v", envURL, err)
	}
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String()
}

func openTemp(t *testing.T, extra string) interface {
	store.Store
	dbtest.Planner
} {
	t.Helper()
	s, err := Open(t.Context(), tempURL(t)+extra, Options{})
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
	dbtest.Run(t, func(t *testing.T) store.Store { return openTemp(t, "") })
}

// TestLookupPlan forbids scans where there is a choice: on the few rows of a
// test the planner would prefer them.
func TestLookupPlan(t *testing.T) { dbtest.CheckPlan(t, openTemp(t, "&enable_seqscan=off")) }

func TestMigrationsUpDownUp(t *testing.T) {
	cfg, err := pgx.ParseConfig(tempURL(t))
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*cfg)
	defer db.Close()
	p, err := provider(db)
	if err != nil {
		t.Fatal(err)
	}
	dbtest.CheckMigrations(t, db, p, "trials.trace json", schema)
}

func schema(t *testing.T, db *sql.DB) string {
	t.Helper()
	var out sql.NullString
	err := db.QueryRow(`SELECT string_agg(x, E'\n' ORDER BY x) FROM (
		SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable AS x FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name NOT LIKE 'goose%'
		UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND tablename NOT LIKE 'goose%') s`).Scan(&out)
	if err != nil {
		t.Fatal(err)
	}
	return out.String
}

// TestOpenTogether: programs that start at once migrate once.
func TestOpenTogether(t *testing.T) {
	u := tempURL(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := Open(context.Background(), u, Options{})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.PutWorkloads(context.Background(), store.Workload{Hash: "h", Text: "x"}); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func TestReadOnly(t *testing.T) {
	u := tempURL(t)
	if _, err := Open(t.Context(), u, Options{ReadOnly: true}); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("an empty database: %v", err)
	}
	s, err := Open(t.Context(), u, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := Open(t.Context(), u, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.PutWorkloads(t.Context(), store.Workload{Hash: "h"}); !errors.Is(err, store.ErrReadOnly) {
		t.Fatalf("a write through a reader: %v", err)
	}
	if _, err := r.Targets(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestRefusals(t *testing.T) {
	for _, u := range []string{"postgres://127.0.0.1:1/none?connect_timeout=2", "postgres://bad url"} {
		_, err := Open(t.Context(), u, Options{})
		if err == nil || !strings.HasPrefix(err.Error(), "postgres: ") {
			t.Errorf("%s: %v", u, err)
		}
	}
	u := tempURL(t)
	cfg, err := pgx.ParseConfig(u)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), u, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	db := stdlib.OpenDB(*cfg)
	defer db.Close()
	if _, err := db.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, true)`); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), u, Options{}); err == nil || !strings.Contains(fmt.Sprint(err), "newer Hone") {
		t.Fatalf("a newer schema: %v", err)
	}
}
