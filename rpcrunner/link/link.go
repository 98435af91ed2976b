// Package link connects an agent to the broker: it pulls work items one at a time, keeps
// their leases while progress is made, publishes results and acknowledges, and survives a
// broker that comes and goes.
//
// It knows a Handler, not the worker behind it, and must not import the scheduler. Start
// from Connect and Link.Run.
package link

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"hone/internal/wire"
)

// Handler does the work. It may be called from several goroutines.
type Handler interface {
	// Do executes one item; it always answers.
	Do(ctx context.Context, item wire.Work) wire.Result
	// SinceProgress is the time since a compiler or executor last answered.
	SinceProgress() time.Duration
	// DiedWith is the report about what an earlier life of this agent died with, if any,
	// and the item's job; Reported says that it is safe.
	DiedWith() (report wire.Result, job string, ok bool)
	Reported() error
}

// Source is a pool an agent takes items from, and how many at once. A device runs one item
// at a time; a second slot lets it build the next one meanwhile.
type Source struct {
	Pool  string
	Slots int
}

// Config of a link.
type Config struct {
	URL     string
	Agent   string
	Seed    []byte // nkey seed, nil without authentication
	CAFile  string // for TLS with a private authority
	Sources []Source
	Handler Handler
	// Describe fills in what the agent tells about itself; link sets state and work.
	Describe func() wire.Presence
	// Causes cancel items in hand: the job was cancelled, the agent must stop.
	Cancelled, Draining error
	Log                 *slog.Logger

	// Timing; zero values are the fleet's.
	Heartbeat time.Duration // between two lease extensions, 10 s
	PullWait  time.Duration // of one long poll, 60 s
	Grace     time.Duration // for items in hand when the agent stops, 30 s
	Presence  time.Duration // between two signs of life, 5 s
}

// Link is a connected agent.
type Link struct {
	cfg Config
	nc  *nats.Conn
	js  jetstream.JetStream

	mu       sync.Mutex
	running  map[string]held // by work id
	draining bool
	wake     chan struct{} // closed and replaced when draining changes
}

// held is an item in hand.
type held struct {
	job    string
	cancel context.CancelCauseFunc
}

// Connect opens the connection. An unreachable broker is not an error: the client keeps
// trying.
func Connect(cfg Config) (*Link, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.Heartbeat = orElse(cfg.Heartbeat, 10*time.Second)
	cfg.PullWait = orElse(cfg.PullWait, 60*time.Second)
	cfg.Grace = orElse(cfg.Grace, 30*time.Second)
	cfg.Presence = orElse(cfg.Presence, wire.PresenceEvery*time.Second)
	if len(cfg.Sources) == 0 || !wire.ValidAgent(cfg.Agent) {
		return nil, fmt.Errorf("link: agent %q with %d pools", cfg.Agent, len(cfg.Sources))
	}
	for _, s := range cfg.Sources {
		if !wire.ValidPool(s.Pool) || s.Slots < 1 {
			return nil, fmt.Errorf("link: bad pool %q with %d slots", s.Pool, s.Slots)
		}
	}
	opts := []nats.Option{
		nats.Name("hone-agent " + cfg.Agent), nats.CustomInboxPrefix("_INBOX_" + cfg.Agent), nats.MaxReconnects(-1),
		nats.RetryOnFailedConnect(true), nats.ReconnectWait(250 * time.Millisecond), nats.ReconnectJitter(250*time.Millisecond, time.Second),
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(3),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil { // else the connection was closed here
				cfg.Log.Warn("the broker is gone", "error", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { cfg.Log.Info("connected again", "broker", nc.ConnectedUrlRedacted()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { cfg.Log.Warn("broker", "error", err) }),
	}
	if cfg.CAFile != "" {
		opts = append(opts, nats.RootCAs(cfg.CAFile))
	}
	if cfg.Seed != nil {
		o, err := keyOption(cfg.Seed)
		if err != nil {
			return nil, err
		}
		opts = append(opts, o)
	}
	nc, err := nats.Connect(cfg.URL, opts...)
	if err != nil {
		return nil, fmt.Errorf("link: %s: %w", cfg.URL, err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("link: %w", err)
	}
	return &Link{cfg: cfg, nc: nc, js: js, running: map[string]held{}, wake: make(chan struct{})}, nil
}

func orElse(d, def time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return def
}

// keyOption signs the broker's challenge with the agent's key.
func keyOption(seed []byte) (nats.Option, error) {
	kp, err := nkeys.FromSeed(seed)
	if err != nil {
		return nil, fmt.Errorf("link: key: %w", err)
	}
	pub, err := kp.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("link: key: %w", err)
	}
	return nats.Nkey(pub, kp.Sign), nil
}

// Run serves until ctx ends; then it takes nothing more, gives what is in hand the grace
// period, cancels the rest (its answer still goes out) and closes the connection.
func (l *Link) Run(ctx context.Context) error {
	defer l.nc.Close()
	subs, err := l.listen()
	if err != nil {
		return err
	}
	defer func() {
		for _, s := range subs {
			_ = s.Unsubscribe()
		}
	}()
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	var wg sync.WaitGroup
	wg.Go(func() { l.livesigns(life) })
	var work sync.WaitGroup
	if err := l.reportDeath(ctx); err != nil && ctx.Err() == nil {
		l.cfg.Log.Error("the report about the last item could not be sent", "error", err)
	}
	for _, s := range l.cfg.Sources {
		for range s.Slots {
			work.Go(func() { l.pull(ctx, life, s.Pool) })
		}
	}
	<-ctx.Done()
	l.setDraining(true)
	done := make(chan struct{})
	go func() { work.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(l.cfg.Grace):
		l.cancelAll(l.cfg.Draining)
		<-done
	}
	end(nil)
	wg.Wait()
	return nil
}

// listen subscribes to the control subjects.
func (l *Link) listen() ([]*nats.Subscription, error) {
	subjects := map[string]bool{}
	for _, s := range l.cfg.Sources {
		for _, c := range wire.ControlSubjects(s.Pool, l.cfg.Agent) {
			subjects[c] = true
		}
	}
	var subs []*nats.Subscription
	for c := range subjects {
		s, err := l.nc.Subscribe(c, l.control)
		if err != nil {
			return subs, fmt.Errorf("link: %s: %w", c, err)
		}
		subs = append(subs, s)
	}
	return subs, nil
}

// reportDeath sends what the previous life left behind, before any new item can overwrite
// the journal.
func (l *Link) reportDeath(ctx context.Context) error {
	r, job, ok := l.cfg.Handler.DiedWith()
	if !ok {
		return nil
	}
	if err := l.publish(ctx, job, r); err != nil {
		return err
	}
	return l.cfg.Handler.Reported()
}

// pull takes items of one pool, one at a time, until ctx ends. life outlives ctx: an item
// in hand is finished.
func (l *Link) pull(ctx, life context.Context, pool string) {
	var c jetstream.Consumer
	for ctx.Err() == nil {
		if l.waitUndrained(ctx) != nil {
			return
		}
		if c == nil {
			var err error
			if c, err = l.js.Consumer(ctx, wire.WorkStream, pool); err != nil {
				l.cfg.Log.Debug("the pool has no queue yet", "pool", pool, "error", err)
				pause(ctx, time.Second)
				continue
			}
		}
		msg, err := l.next(ctx, c)
		switch {
		case err == nil:
			l.serve(life, pool, msg)
		case errors.Is(err, nats.ErrTimeout), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		default:
			l.cfg.Log.Debug("pull", "pool", pool, "error", err)
			c = nil // the consumer may be gone
			pause(ctx, 500*time.Millisecond)
		}
	}
}

// next is one long poll. A poll that is given up may already have been given an item; it
// is handed back at once.
func (l *Link) next(ctx context.Context, c jetstream.Consumer) (jetstream.Msg, error) {
	wait, heartbeat := l.cfg.PullWait, 15*time.Second
	pull, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(l.untilDrained(pull), cancel)()
	if heartbeat >= wait/2 {
		heartbeat = wait / 3
	}
	batch, err := c.Fetch(1, jetstream.FetchContext(pull), jetstream.FetchHeartbeat(heartbeat))
	if err != nil {
		return nil, err
	}
	for msg := range batch.Messages() {
		if ctx.Err() != nil || l.isDraining() {
			_ = msg.Nak() // the lease would run out by itself
			return nil, nats.ErrTimeout
		}
		return msg, nil
	}
	if err := batch.Error(); err != nil {
		return nil, err
	}
	return nil, nats.ErrTimeout
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
