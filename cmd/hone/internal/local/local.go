// Package local is Hone on one machine: a coordinator in this process with its
// store, broker and blobs in a data directory, and one agent process beside
// it. Commands get an api.Service from it and cannot tell it from a server.
//
//	Open ─▶ Home: lock on the directory, store, blobs, broker, coordinator
//	Home.Run: the coordinator's loops and the agent, around what a command does
//	Read ─▶ a service that answers from the database alone, without lock or broker
//
// It wires packages together and holds no rule of tuning; it must not import
// the tuner, the cost model or the command line. Start at [Open].
package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	"hone/api"
	"hone/db"
	"hone/db/sqlitestore"
	"hone/db/store"
	"hone/scheduler"
	"hone/scheduler/blobs"
	"hone/scheduler/bus"
)

// Options say where the state is and what runs.
type Options struct {
	Dir     string // data directory; empty: DefaultDir
	DB      string // store's URL; empty: a SQLite file in Dir
	NATS    string // broker's URL; empty: one in this process
	Command string // what holds the lock, for those who are refused
	// Driver makes the sessions of jobs from the store.
	Driver func(store.Store) scheduler.OpenDriver
	Log    *slog.Logger // nil: into hone.log in Dir, anew in every run
}

// Home is an opened data directory with its coordinator. Close it.
type Home struct {
	Coordinator *scheduler.Coordinator

	opt     Options
	id      string   // of this data directory: names its coordinator and its agent
	logFile *os.File // nil: the caller's log
	store   store.Store
	lease   store.Lease // on bringing a broker; zero: not needed
	broker  *bus.Server // nil: outside
	bus     *bus.Bus
	closer  closers
}

// closers are undone last to first.
type closers []func() error

func (c *closers) add(f func() error) { *c = append(*c, f) }

func (c *closers) close() error {
	var errs []error
	for i := len(*c) - 1; i >= 0; i-- {
		errs = append(errs, (*c)[i]())
	}
	*c = nil
	return errors.Join(errs...)
}

// Open takes the data directory for this process and prepares a coordinator.
// The errors are one line each: a directory that is in use (by whom), on a
// network file system, read-only or full; a database or broker that cannot be
// reached.
func Open(ctx context.Context, o Options) (*Home, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	h := &Home{opt: o}
	if err := h.open(ctx); err != nil {
		return nil, errors.Join(err, h.closer.close())
	}
	return h, nil
}

func (o *Options) complete() (err error) {
	if o.Dir == "" {
		if o.Dir, err = DefaultDir(); err != nil {
			return err
		}
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	return nil
}

func (h *Home) open(ctx context.Context) error {
	o := h.opt
	if err := prepareDir(o.Dir); err != nil {
		return err
	}
	unlock, err := lock(o.Dir, o.Command)
	if err != nil {
		return err
	}
	h.closer.add(unlock)
	if o.Log == nil {
		f, err := os.OpenFile(filepath.Join(o.Dir, "hone.log"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return fmt.Errorf("data directory: %w", err)
		}
		h.closer.add(f.Close)
		h.logFile, h.opt.Log = f, slog.New(slog.NewTextHandler(f, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o = h.opt
	}
	if h.id, err = identity(o.Dir); err != nil {
		return err
	}
	if h.store, err = db.Open(ctx, DatabaseURL(o.Dir, o.DB), db.Options{}); err != nil {
		return err
	}
	h.closer.add(h.store.Close)
	bl, err := blobs.OpenDir(h.blobDir())
	if err != nil {
		return err
	}
	if err := h.openBus(ctx); err != nil {
		return err
	}
	c := scheduler.Config{Store: h.store, Bus: h.bus, Blobs: bl, OpenDriver: o.Driver(h.store), Log: o.Log, FreshBus: h.broker != nil,
		// The lock makes sure that there is one: its leases survive a crash.
		Owner: "local-" + h.id}
	h.Coordinator, err = scheduler.New(c)
	return err
}

// openBus connects to the broker, after starting one unless there is one
// outside.
func (h *Home) openBus(ctx context.Context) (err error) {
	if h.opt.NATS == "" {
		if err := h.holdBroker(ctx); err != nil {
			return err
		}
		if h.broker, err = bus.Start(bus.ServerConfig{Dir: h.opt.Dir}); err != nil {
			return err
		}
		h.closer.add(func() error { h.broker.Stop(); return nil })
	}
	if h.bus, err = bus.Open(ctx, bus.Config{Server: h.broker, URL: h.opt.NATS, Log: h.opt.Log}); err != nil {
		return err
	}
	h.closer.add(h.bus.Close)
	return nil
}

// Service is what commands speak to.
func (h *Home) Service() api.Service { return h.Coordinator }

// Dir is the data directory.
func (h *Home) Dir() string { return h.opt.Dir }

// AgentBin is where the agent of this directory keeps its executor.
func (h *Home) AgentBin() string { return filepath.Join(h.agentDir(), "bin") }

func (h *Home) agentDir() string { return filepath.Join(h.opt.Dir, "agent") }

// Close lets go of everything. Run must have returned.
func (h *Home) Close() error { return h.closer.close() }

func (h *Home) blobDir() string { return filepath.Join(h.opt.Dir, "blobs") }

// DatabaseURL is the store of a data directory, unless another one is given.
func DatabaseURL(dir, given string) string {
	if given != "" {
		return given
	}
	return filepath.Join(dir, "hone.db")
}

// prepareDir makes the directory or refuses it, and closes it to others.
func prepareDir(dir string) error {
	if err := sqlitestore.CheckDir(dir); err != nil {
		return err
	}
	st, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	if st.Mode().Perm()&0o077 == 0 {
		return nil
	}
	// It holds keys of the broker and code that is run.
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("data directory %s may be entered by others and its mode cannot be changed: chmod 700 it, or choose another with --data-dir", dir)
	}
	return nil
}

// DefaultDir is the data directory of this user: $HONE_DATA_DIR, else hone
// under the XDG data directory.
func DefaultDir() (string, error) {
	if d := os.Getenv("HONE_DATA_DIR"); d != "" {
		return d, nil
	}
	if d := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "hone"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no data directory: %w: choose one with --data-dir", err)
	}
	return filepath.Join(home, ".local", "share", "hone"), nil
}

// Describe says which database and broker are used.
func (h *Home) Describe() string {
	where := "a broker of its own"
	if h.opt.NATS != "" {
		where = "broker " + withoutPassword(h.opt.NATS)
	}
	return withoutPassword(DatabaseURL(h.opt.Dir, h.opt.DB)) + " with " + where
}

func withoutPassword(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		return text
	}
	return u.Redacted()
}

// Examine says whether a data directory can be used, without making or locking
// it.
func Examine(o Options) (string, error) {
	if err := o.complete(); err != nil {
		return "", err
	}
	if _, err := os.Stat(o.Dir); errors.Is(err, fs.ErrNotExist) {
		return o.Dir + " (not there yet)", nil
	}
	return o.Dir, sqlitestore.CheckDir(o.Dir)
}
