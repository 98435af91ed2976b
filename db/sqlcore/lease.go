package sqlcore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"hone/db/store"
)

// checkFence locks l's row for the transaction and fails unless l is held.
func (t *tx) checkFence(l store.Lease) error {
	var owner string
	var epoch, until int64
	err := t.row(`SELECT owner, epoch, until FROM leases WHERE name = $1`+t.d.ForShare, l.Name).Scan(&owner, &epoch, &until)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if err != nil || owner != l.Owner || epoch != l.Epoch || until <= t.now {
		return fmt.Errorf("lease %s of %s at epoch %d: %w", l.Name, l.Owner, l.Epoch, store.ErrFenced)
	}
	return nil
}

// Acquire implements store.Leases.
func (s *Store) Acquire(ctx context.Context, name, owner string, ttl time.Duration) (l store.Lease, err error) {
	err = s.write(ctx, "lease "+name, func(t *tx) error {
		// The row is made first, already run out, so that there is one to lock.
		if _, err := t.exec(`INSERT INTO leases (name, owner, epoch, until) VALUES ($1, $2, 0, 0) ON CONFLICT DO NOTHING`, name, owner); err != nil {
			return err
		}
		var holder string
		var epoch, until int64
		if err := t.row(`SELECT owner, epoch, until FROM leases WHERE name = $1`+t.d.ForUpdate, name).Scan(&holder, &epoch, &until); err != nil {
			return err
		}
		if until > t.now && holder != owner {
			return fmt.Errorf("%w by %s", store.ErrHeld, holder)
		}
		if until <= t.now {
			epoch++
		}
		l = store.Lease{Name: name, Owner: owner, Epoch: epoch, Until: time.UnixMicro(t.now).UTC().Add(ttl)}
		_, err := t.exec(`UPDATE leases SET owner = $2, epoch = $3, until = $4 WHERE name = $1`, name, owner, epoch, l.Until.UnixMicro())
		return err
	})
	return l, err
}

// Renew implements store.Leases.
func (s *Store) Renew(ctx context.Context, l store.Lease, ttl time.Duration) (store.Lease, error) {
	err := s.write(ctx, "lease "+l.Name, func(t *tx) error {
		l.Until = time.UnixMicro(t.now).UTC().Add(ttl)
		n, err := t.exec(`UPDATE leases SET until = $4 WHERE name = $1 AND owner = $2 AND epoch = $3 AND until > $5`, l.Name, l.Owner, l.Epoch, l.Until.UnixMicro(), t.now)
		if err == nil && n == 0 {
			err = store.ErrFenced
		}
		return err
	})
	return l, err
}

// Release implements store.Leases.
func (s *Store) Release(ctx context.Context, l store.Lease) error {
	return s.write(ctx, "lease "+l.Name, func(t *tx) error {
		_, err := t.exec(`UPDATE leases SET until = 0 WHERE name = $1 AND owner = $2 AND epoch = $3`, l.Name, l.Owner, l.Epoch)
		return err
	})
}
