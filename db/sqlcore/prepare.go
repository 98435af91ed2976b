package sqlcore

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// statements are kept prepared for a driver that compiles a query each time:
// for SQLite that is half of the time of a short one. Their number is that of
// the queries in this package; statements written for a number of rows are not
// kept.
type statements struct {
	mu   sync.Mutex
	w, r map[string]*sql.Stmt
}

// keepUpTo bounds the statements kept of each handle.
const keepUpTo = 256

func (s *statements) get(ctx context.Context, db *sql.DB, in map[string]*sql.Stmt, query string) (*sql.Stmt, error) {
	s.mu.Lock()
	stmt, full := in[query], len(in) >= keepUpTo
	s.mu.Unlock()
	if stmt != nil || full {
		return stmt, nil
	}
	stmt, err := db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := in[query]; other != nil {
		return other, stmt.Close()
	}
	in[query] = stmt
	return stmt, nil
}

func (s *statements) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, m := range []map[string]*sql.Stmt{s.w, s.r} {
		for _, stmt := range m {
			errs = append(errs, stmt.Close())
		}
		clear(m)
	}
	return errors.Join(errs...)
}

// prepared returns t's query as a statement, or nil. A statement cannot be
// prepared beside a transaction, since the writer has one connection: what was
// missing is learnt when the transaction is over.
func (t *tx) prepared(query string) *sql.Stmt {
	if !t.d.Prepare {
		return nil
	}
	s := t.s.stmts
	s.mu.Lock()
	stmt := s.w[query]
	s.mu.Unlock()
	if stmt == nil {
		t.missed = append(t.missed, query)
		return nil
	}
	return t.StmtContext(t.ctx, stmt)
}

// learn prepares what a transaction missed. It is only for speed, so its
// errors are nobody's business: the next transaction meets them itself.
func (s *Store) learn(ctx context.Context, missed []string) {
	for _, q := range missed {
		if _, err := s.stmts.get(ctx, s.w, s.stmts.w, q); err != nil {
			return
		}
	}
}

// reader is the reading handle, with statements kept where that helps.
type reader struct{ s *Store }

func (r reader) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if r.s.d.Prepare {
		stmt, err := r.s.stmts.get(ctx, r.s.r, r.s.stmts.r, query)
		if err != nil {
			return nil, err
		}
		if stmt != nil {
			return stmt.QueryContext(ctx, args...)
		}
	}
	return r.s.r.QueryContext(ctx, query, args...)
}

// readRow reads one row through the reading handle.
func (s *Store) readRow(ctx context.Context, query string, args ...any) scanner {
	if s.d.Prepare {
		if stmt, err := s.stmts.get(ctx, s.r, s.stmts.r, query); err == nil && stmt != nil {
			return stmt.QueryRowContext(ctx, args...)
		}
	}
	return s.r.QueryRowContext(ctx, query, args...)
}
