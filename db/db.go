// Package db opens the store that a URL names. It imports the stores and
// nothing else of ours; everybody else asks for a store.Store or for the part
// of one that they use. Start at [Open].
package db

import (
	"context"
	"fmt"
	"strings"

	"hone/db/pgstore"
	"hone/db/sqlitestore"
	"hone/db/store"
	"hone/internal/clock"
)

// Options change how a store is opened.
type Options struct {
	// ReadOnly creates, migrates and locks nothing; writes fail.
	ReadOnly bool
	// Clock is SQLite's clock, nil for the machine's. PostgreSQL has its own.
	Clock clock.Clock
}

// Open opens the store at url: postgres:// or postgresql:// for PostgreSQL;
// sqlite:// and a path, or a path alone, for a SQLite file.
func Open(ctx context.Context, url string, o Options) (store.Store, error) {
	scheme, rest, found := strings.Cut(url, "://")
	switch {
	case url == "":
		return nil, fmt.Errorf("database: no path or URL given")
	case scheme == "postgres", scheme == "postgresql":
		s, err := pgstore.Open(ctx, url, pgstore.Options{ReadOnly: o.ReadOnly})
		if err != nil {
			return nil, err
		}
		return s, nil
	case !found, scheme == "sqlite":
		path := url
		if found {
			path = rest
		}
		s, err := sqlitestore.Open(ctx, path, sqlitestore.Options{ReadOnly: o.ReadOnly, Clock: o.Clock})
		if err != nil {
			return nil, err
		}
		return s, nil
	}
	return nil, fmt.Errorf("database %s://…: unknown scheme %q, want postgres:// or a file's path", scheme, scheme)
}
