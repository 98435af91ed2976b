// Package migrations holds the numbered changes of the schema, one directory a
// dialect, embedded. It has no code besides: the dialects' stores run them
// with goose. Files that were released are never edited.
package migrations

import (
	"embed"
	"io/fs"
)

//go:embed sqlite/*.sql postgres/*.sql
var files embed.FS

// SQLite returns the migrations for SQLite.
func SQLite() fs.FS { return sub("sqlite") }

// Postgres returns the migrations for PostgreSQL.
func Postgres() fs.FS { return sub("postgres") }

func sub(dir string) fs.FS {
	f, err := fs.Sub(files, dir)
	if err != nil {
		panic("BUG: migrations: " + err.Error()) // dir is one of the embedded two
	}
	return f
}
