package migrations

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Both dialects have the same migrations, numbered without gaps, with a way
// back, and create the same tables and columns.
func TestDialectsAgree(t *testing.T) {
	lite, pg := names(t, SQLite()), names(t, Postgres())
	if !slices.Equal(lite, pg) {
		t.Fatalf("sqlite has %v, postgres has %v", lite, pg)
	}
	for i, name := range lite {
		if want := fmt.Sprintf("%05d_", i+1); !strings.HasPrefix(name, want) {
			t.Errorf("%s: want a name that begins with %s", name, want)
		}
		a, b := read(t, SQLite(), name), read(t, Postgres(), name)
		if !strings.Contains(a, "-- +goose Down\n") || !strings.Contains(b, "-- +goose Down\n") {
			t.Errorf("%s has no way back", name)
		}
		if x, y := columns(a), columns(b); !slices.Equal(x, y) {
			t.Errorf("%s differs:\nsqlite   %v\npostgres %v", name, x, y)
		}
	}
}

func names(t *testing.T, f fs.FS) []string {
	t.Helper()
	list, err := fs.Glob(f, "*.sql")
	if err != nil || len(list) == 0 {
		t.Fatalf("no migrations: %v", err)
	}
	return list
}

func read(t *testing.T, f fs.FS, name string) string {
	t.Helper()
	b, err := fs.ReadFile(f, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

var tableOrColumn = regexp.MustCompile(`(?m)^(?:CREATE (?:UNIQUE )?(?:TABLE|INDEX) (\w+)|  ([a-z_0-9]+) +[A-Z]+)`)

func columns(sql string) []string {
	var out []string
	for _, m := range tableOrColumn.FindAllStringSubmatch(sql, -1) {
		out = append(out, m[1]+m[2])
	}
	return out
}
