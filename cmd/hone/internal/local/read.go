package local

import (
	"context"
	"errors"
	"time"

	"hone/api"
	"hone/db"
	"hone/db/store"
	"hone/scheduler"
)

// Reader answers from the database alone: no lock, no broker, no agent.
type Reader struct {
	api.Service
	Store store.Store
}

// Read opens the database of a data directory beside whoever works in it. The
// error wraps store.ErrNotFound when there is no database yet. With write it
// may change jobs; whoever runs them finds out.
func Read(ctx context.Context, o Options, write bool) (*Reader, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	url := DatabaseURL(o.Dir, o.DB)
	if write { // but never make a database
		s, err := db.Open(ctx, url, db.Options{ReadOnly: true})
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			return nil, err
		}
	}
	s, err := db.Open(ctx, url, db.Options{ReadOnly: !write})
	if err != nil {
		return nil, err
	}
	c, err := scheduler.New(scheduler.Config{Store: s, Bus: offline{}, OpenDriver: noDriver})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return &Reader{Service: c, Store: s}, nil
}

// Close closes the database.
func (r *Reader) Close() error { return r.Store.Close() }

func noDriver(context.Context, store.Job, []store.Task) (scheduler.Driver, error) {
	return nil, errors.New("this process only reads")
}

// offline is the bus of a coordinator that hands nothing out: there is nothing
// to withdraw and nobody to tell.
type offline struct{}

var _ scheduler.Bus = offline{}

var errOffline = errors.New("this process has no broker")

func (offline) Claim(context.Context, string) error                      { return errOffline }
func (offline) EnsurePool(context.Context, string) error                 { return errOffline }
func (offline) Publish(context.Context, scheduler.Address, []byte) error { return errOffline }
func (offline) Has(context.Context, scheduler.Address) (bool, error)     { return false, errOffline }
func (offline) Purge(context.Context, scheduler.Address) error           { return nil }
func (offline) PurgeJob(context.Context, string) error                   { return nil }
func (offline) CancelJob(context.Context, string) error                  { return nil }
func (offline) Backlog(context.Context) (int, error)                     { return 0, nil }
func (offline) Agents(context.Context) ([]scheduler.Agent, error)        { return nil, nil }
func (offline) Receive(ctx context.Context, _ int, _ time.Duration) ([]scheduler.Delivery, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
