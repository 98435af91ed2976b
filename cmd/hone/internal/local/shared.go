package local

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hone/db/store"
)

// A database outside may be used by several machines, but only one of them may
// bring a broker of its own: a broker that starts empty makes its coordinator
// give up what is out, and what is out on another broker is none of its
// business. A lease tells who does.
const (
	brokerLease = "broker of one process"
	brokerTTL   = 30 * time.Second
)

// holdBroker takes the lease.
func (h *Home) holdBroker(ctx context.Context) error {
	if h.opt.DB == "" {
		return nil // the lock on the directory is enough
	}
	l, err := h.store.Acquire(ctx, brokerLease, "local-"+h.id, brokerTTL)
	if errors.Is(err, store.ErrHeld) {
		return fmt.Errorf("database %s is in use by another coordinator with a broker of its own: share one with --nats", withoutPassword(h.opt.DB))
	}
	if err != nil {
		return err
	}
	h.lease = l
	h.closer.add(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		return h.store.Release(ctx, l)
	})
	return nil
}

// keepBroker renews the lease until ctx ends; losing it is the end.
func (h *Home) keepBroker(ctx context.Context) error {
	t := time.NewTicker(brokerTTL / 3)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		if _, err := h.store.Renew(ctx, h.lease, brokerTTL); errors.Is(err, store.ErrFenced) {
			return fmt.Errorf("another coordinator took database %s over: share a broker with --nats", withoutPassword(h.opt.DB))
		}
	}
}
