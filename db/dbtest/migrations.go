package dbtest

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
)

// CheckMigrations takes an empty database up, down to nothing and up again: the
// schemas must be equal, hold the text given, and leave nothing. schema writes a
// schema as text, without what goose keeps.
func CheckMigrations(t *testing.T, db *sql.DB, p *goose.Provider, holds string, schema func(*testing.T, *sql.DB) string) {
	t.Helper()
	up := func() string {
		if _, err := p.Up(t.Context()); err != nil {
			t.Fatal(err)
		}
		return schema(t, db)
	}
	first := up()
	if !strings.Contains(first, holds) {
		t.Fatalf("schema: %s", first)
	}
	if _, err := p.DownTo(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if left := schema(t, db); left != "" {
		t.Fatalf("left after down: %s", left)
	}
	if second := up(); second != first {
		t.Fatalf("the schema differs after up, down, up:\n%s\n%s", first, second)
	}
}
