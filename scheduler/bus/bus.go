// Package bus carries work items and results over a NATS server with
// JetStream: the queue that agents pull from, and the inbox of what they
// answer. The server is the process's own ([Start]) or one outside.
//
// The queue is no truth: the coordinator's store is, and what the broker loses
// is sent again. Items lie in one work-queue stream with one durable pull
// consumer a pool; an address holds one item, held or not. There is no limit of
// deliveries, because an item that runs into one stays where it is, can neither
// be pulled nor published again, and nobody is told; attempts are counted in
// the store.
//
// It implements scheduler.Bus and imports scheduler, internal/wire and the
// NATS libraries; nothing else under scheduler imports those. Start at [Open].
package bus

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
	"hone/scheduler"
)

// Config says which broker to use, and how.
type Config struct {
	// Server is a broker of one's own, from Start; nil for one at URL.
	Server *Server
	// URL is where a broker outside listens; Seed is the coordinator's nkey
	// there, CredsFile its credentials, CAFile the authority of its
	// certificate; each may be empty.
	URL       string
	Seed      []byte
	CredsFile string
	CAFile    string
	// AckWait is how long an item is lent without a sign of life; 0: 30 s.
	AckWait time.Duration
	// PresenceTTL is after how long a silent agent counts as gone; 0: as agents
	// are told.
	PresenceTTL time.Duration
	// Replicas of the streams on a cluster; 0: 1.
	Replicas int
	// Limits bound the streams; zero: the design's.
	Limits Limits
	Log    *slog.Logger
}

// Bus is a connection to the broker.
type Bus struct {
	cfg      Config
	nc       *nats.Conn
	js       jetstream.JetStream
	tasks    jetstream.Stream
	results  jetstream.Stream
	inbox    chan *delivery
	consume  []jetstream.ConsumeContext
	presence *presence
	closing  sync.Once
}

var _ scheduler.Bus = (*Bus)(nil)

// call bounds one exchange with the broker.
const call = 10 * time.Second

// Open connects, checks the broker's version, and sets up the streams.
func Open(ctx context.Context, cfg Config) (*Bus, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.AckWait == 0 {
		cfg.AckWait = 30 * time.Second
	}
	if cfg.PresenceTTL == 0 {
		cfg.PresenceTTL = wire.PresenceTTL * time.Second
	}
	cfg.Replicas = max(cfg.Replicas, 1)
	if cfg.Limits == (Limits{}) {
		cfg.Limits = Design
		if cfg.Server != nil {
			cfg.Limits = cfg.Server.limits
		}
	}
	nc, err := connect(cfg)
	if err != nil {
		return nil, err
	}
	b := &Bus{cfg: cfg, nc: nc, inbox: make(chan *delivery, 256)}
	if err := b.setUp(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("broker %s: %w", brokerName(cfg), err), b.Close())
	}
	return b, nil
}

func brokerName(cfg Config) string {
	if cfg.Server != nil {
		return "of this process"
	}
	return cfg.URL
}

func connect(cfg Config) (*nats.Conn, error) {
	opts := []nats.Option{nats.Name("hone coordinator"), nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond),
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(3), nats.Timeout(5 * time.Second),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				cfg.Log.Warn("the broker is gone", "error", err)
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { cfg.Log.Warn("broker", "error", err) })}
	url, seed := cfg.URL, cfg.Seed
	if cfg.Server != nil {
		url, seed = "", cfg.Server.seed
		opts = append(opts, nats.InProcessServer(cfg.Server.srv))
	}
	if len(seed) > 0 {
		o, err := keyOption(seed)
		if err != nil {
			return nil, err
		}
		opts = append(opts, o)
	}
	if cfg.CredsFile != "" {
		opts = append(opts, nats.UserCredentials(cfg.CredsFile))
	}
	if cfg.CAFile != "" {
		opts = append(opts, nats.RootCAs(cfg.CAFile))
	}
	nc, err := nats.Connect(url, opts...)
	if err != nil {
		return nil, fmt.Errorf("broker %s: %w", brokerName(cfg), err)
	}
	return nc, nil
}

// keyOption answers the broker's challenge with a key.
func keyOption(seed []byte) (nats.Option, error) {
	kp, err := nkeys.FromSeed(seed)
	if err != nil {
		return nil, fmt.Errorf("broker: key: %w", err)
	}
	pub, err := kp.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("broker: key: %w", err)
	}
	return nats.Nkey(pub, kp.Sign), nil
}

// Close lets go of the results in hand, for another coordinator, and closes
// the connection.
func (b *Bus) Close() error {
	b.closing.Do(func() {
		for _, c := range b.consume {
			c.Stop()
			<-c.Closed()
		}
		for {
			select {
			case d := <-b.inbox:
				if err := d.msg.Nak(); err != nil {
					b.cfg.Log.Debug("give a result back", "error", err)
				}
				continue
			default:
			}
			break
		}
		if b.presence != nil {
			b.presence.stop()
		}
		if err := b.nc.FlushTimeout(time.Second); err != nil {
			b.cfg.Log.Debug("flush", "error", err)
		}
		b.nc.Close()
	})
	return nil
}

// EnsurePool implements scheduler.Bus.
func (b *Bus) EnsurePool(ctx context.Context, pool string) error {
	if !wire.ValidPool(pool) {
		return fmt.Errorf("broker: %q is no pool", pool)
	}
	ctx, cancel := context.WithTimeout(ctx, call)
	defer cancel()
	_, err := b.tasks.CreateOrUpdateConsumer(ctx, poolConsumer(pool, b.cfg.AckWait))
	if err != nil {
		return fmt.Errorf("broker: queue of pool %s: %w", pool, err)
	}
	return nil
}

// alreadyThere is the broker's code for a subject that holds its one message.
const alreadyThere = 10077

// Publish implements scheduler.Bus.
func (b *Bus) Publish(ctx context.Context, a scheduler.Address, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, call)
	defer cancel()
	_, err := b.js.Publish(ctx, subject(a), body, jetstream.WithMsgID(wire.WorkMsgID(a.Work, a.Attempt)))
	var e *jetstream.APIError
	if errors.As(err, &e) && e.ErrorCode == alreadyThere {
		return nil
	}
	if err != nil {
		return fmt.Errorf("broker: send work item %s: %w", a.Work, err)
	}
	return nil
}

func subject(a scheduler.Address) string { return wire.WorkSubject(a.Pool, a.Job, a.Work, a.Attempt) }

// Has implements scheduler.Bus.
func (b *Bus) Has(ctx context.Context, a scheduler.Address) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, call)
	defer cancel()
	_, err := b.tasks.GetLastMsgForSubject(ctx, subject(a))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("broker: look for work item %s: %w", a.Work, err)
	}
	return true, nil
}

// Purge implements scheduler.Bus.
func (b *Bus) Purge(ctx context.Context, a scheduler.Address) error { return b.purge(ctx, subject(a)) }

// PurgeJob implements scheduler.Bus.
func (b *Bus) PurgeJob(ctx context.Context, job string) error {
	if !wire.ValidID(job) {
		return fmt.Errorf("broker: %q is no job", job) // it would become part of a pattern
	}
	return b.purge(ctx, wire.JobFilter(job))
}

func (b *Bus) purge(ctx context.Context, subject string) error {
	ctx, cancel := context.WithTimeout(ctx, call)
	defer cancel()
	if err := b.tasks.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
		return fmt.Errorf("broker: purge %s: %w", subject, err)
	}
	return nil
}

// CancelJob implements scheduler.Bus.
func (b *Bus) CancelJob(_ context.Context, job string) error { return b.command(wire.CtlCancel, job) }
