package bus

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"hone/internal/wire"
	"hone/scheduler"
)

// presence is what agents last said about themselves. An agent that says
// nothing for the bucket's time to live is gone.
type presence struct {
	watch jetstream.KeyWatcher
	done  chan struct{}

	mu   sync.Mutex
	last map[string]said
}

type said struct {
	wire.Presence
	at time.Time
}

// watchPresence sets up the bucket and follows it.
func watchPresence(ctx context.Context, js jetstream.JetStream, ttl time.Duration, log *slog.Logger) (*presence, error) {
	kv, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: wire.PresenceKV, Storage: jetstream.MemoryStorage, History: 1,
		TTL: ttl, LimitMarkerTTL: time.Minute, MaxBytes: 64 << 20})
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", wire.PresenceKV, err)
	}
	w, err := kv.WatchAll(context.WithoutCancel(ctx))
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", wire.PresenceKV, err)
	}
	p := &presence{watch: w, done: make(chan struct{}), last: map[string]said{}}
	go func() {
		defer close(p.done)
		for e := range w.Updates() {
			if e != nil { // nil: the present state is complete
				p.update(e, log)
			}
		}
	}()
	return p, nil
}

func (p *presence) update(e jetstream.KeyValueEntry, log *slog.Logger) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Operation() != jetstream.KeyValuePut {
		delete(p.last, e.Key())
		return
	}
	s := said{at: time.Now()}
	if err := json.Unmarshal(e.Value(), &s.Presence); err != nil || s.Agent != e.Key() {
		log.Warn("an agent's presence cannot be read", "agent", e.Key(), "error", err)
		return
	}
	p.last[e.Key()] = s
}

// stop ends the watch; its channel closes with it.
func (p *presence) stop() {
	if p.watch.Stop() == nil {
		<-p.done
	}
}

// Agents implements scheduler.Bus: those that are alive and speak this
// coordinator's versions.
func (b *Bus) Agents(context.Context) ([]scheduler.Agent, error) {
	p := b.presence
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []scheduler.Agent
	for id, s := range p.last {
		if time.Since(s.at) > b.cfg.PresenceTTL || !speaks(s.Presence) {
			continue
		}
		out = append(out, scheduler.Agent{ID: id, Pools: s.Pools, Draining: s.State == wire.AgentDraining})
	}
	slices.SortFunc(out, func(x, y scheduler.Agent) int { return cmp.Compare(x.ID, y.ID) })
	return out, nil
}

// speaks says whether an agent reads the messages and follows the measuring
// protocol of this build; others are outdated and get no work.
func speaks(p wire.Presence) bool {
	return p.Read[0] <= wire.Version && wire.Version <= p.Read[1] && p.Protos[0] <= wire.Protocol && wire.Protocol <= p.Protos[1]
}

// Presence returns what the agents that are alive last said, outdated ones
// included.
func (b *Bus) Presence() []wire.Presence {
	p := b.presence
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []wire.Presence
	for _, s := range p.last {
		if time.Since(s.at) <= b.cfg.PresenceTTL {
			out = append(out, s.Presence)
		}
	}
	slices.SortFunc(out, func(x, y wire.Presence) int { return cmp.Compare(x.Agent, y.Agent) })
	return out
}
