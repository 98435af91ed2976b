// Package scheduler turns jobs into records: it keeps the ledger of their
// trials, sends them to the fleet and takes in what comes back.
//
// The truth is the store. The bus holds a shallow window of work items, which
// can be lost and made again; results are acknowledged once they are
// committed. What to try next is a [Driver]'s business: the coordinator owns
// its place in the ledger, so that a job continues after any process died.
//
//	driver ─ proposals ─▶ ledger ─ dispatch ─▶ bus ─▶ agents
//	   ▲                    │                            │
//	   └──── results by order of acceptance ◀─ accept ◀──┘
//
// Its parts: job and placement hold the rules as functions of values, blobs
// keeps data by digest, bus speaks to the broker, jobrun is the driver of real
// jobs, schedtest simulates a fleet. This package imports none of the last
// three, nor tuner, cost or rpcrunner; commands wire them.
//
// Start at [Coordinator]; it implements api.Service.
package scheduler

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"hone/api"
	"hone/db/store"
	"hone/internal/clock"
	"hone/scheduler/placement"
)

// Blobs keeps data by its digest.
type Blobs interface {
	// Put stores data and returns its digest and size; data that does not
	// match a digest wanted is refused.
	Put(ctx context.Context, want string, r io.Reader) (sum string, size int64, err error)
	// Open returns stored data; the error wraps store.ErrNotFound if there is
	// none.
	Open(ctx context.Context, sum string) (io.ReadCloser, error)
}

// Config is what a coordinator works with.
type Config struct {
	Store store.Store
	Bus   Bus
	Blobs Blobs
	Clock clock.Clock
	// OpenDriver starts or continues the session of a job.
	OpenDriver OpenDriver
	// Owner names this coordinator in leases; it must be its own. Empty: a new
	// name.
	Owner string
	Log   *slog.Logger // nil: nothing is logged
	// AckWait is how long the bus waits for a sign of life from the holder of
	// an item; 0: 30 s.
	AckWait time.Duration
	// LeaseTTL is how long a lost coordinator keeps its jobs; 0: 30 s.
	LeaseTTL time.Duration
	// FreshBus says that the bus holds nothing that was sent before, as after
	// the start of a broker of one's own: what is out is lost.
	FreshBus bool
}

// Coordinator runs jobs. Make one with New, drive it with Run; several may
// share a store and a bus.
type Coordinator struct {
	Config
	wake  notifier
	kicks kicks
	times durations

	mu      sync.Mutex
	runners map[string]*runner
	shares  map[string]*placement.Shares
	pools   map[string]bool // known to the bus
}

var _ api.Service = (*Coordinator)(nil)

// New returns a coordinator that does nothing until it is run, except answer.
func New(c Config) (*Coordinator, error) {
	if c.Store == nil || c.Bus == nil || c.OpenDriver == nil {
		return nil, errors.New("scheduler: a coordinator needs a store, a bus and drivers")
	}
	if c.Clock == nil {
		c.Clock = clock.Real{}
	}
	if c.Owner == "" {
		c.Owner = ulid.Make().String()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.AckWait == 0 {
		c.AckWait = 30 * time.Second
	}
	if c.LeaseTTL == 0 {
		c.LeaseTTL = 30 * time.Second
	}
	return &Coordinator{Config: c, kicks: newKicks(), runners: map[string]*runner{}, shares: map[string]*placement.Shares{}, pools: map[string]bool{}}, nil
}
