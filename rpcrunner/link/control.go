package link

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"hone/internal/wire"
)

// control obeys a command. Commands may be lost, so nothing depends on them but speed.
func (l *Link) control(m *nats.Msg) {
	var c wire.Control
	if err := json.Unmarshal(m.Data, &c); err != nil {
		l.cfg.Log.Warn("a command cannot be read", "subject", m.Subject, "error", err)
		return
	}
	switch c.Cmd {
	case wire.CtlCancel:
		l.cancelJob(c.Job)
	case wire.CtlDrain:
		l.setDraining(true)
	case wire.CtlUndrain:
		l.setDraining(false)
	}
}

func (l *Link) cancelJob(job string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.running {
		if h.job == job {
			h.cancel(l.cfg.Cancelled)
		}
	}
}

func (l *Link) cancelAll(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.running {
		h.cancel(cause)
	}
}

func (l *Link) setDraining(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.draining != on {
		l.draining = on
		close(l.wake)
		l.wake = make(chan struct{})
	}
}

func (l *Link) isDraining() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.draining
}

// untilDrained is a child of ctx that ends when draining starts or stops.
func (l *Link) untilDrained(ctx context.Context) context.Context {
	l.mu.Lock()
	wake := l.wake
	l.mu.Unlock()
	out, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		select {
		case <-wake:
		case <-ctx.Done():
		}
	}()
	return out
}

// waitUndrained blocks while the agent drains; its error is ctx's.
func (l *Link) waitUndrained(ctx context.Context) error {
	for {
		l.mu.Lock()
		draining, wake := l.draining, l.wake
		l.mu.Unlock()
		if !draining {
			return ctx.Err()
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// presence describes the agent at this moment.
func (l *Link) presence() wire.Presence {
	p := wire.Presence{}
	if l.cfg.Describe != nil {
		p = l.cfg.Describe()
	}
	p.V, p.Agent, p.Pools = wire.Version, l.cfg.Agent, nil
	for _, s := range l.cfg.Sources {
		p.Pools = append(p.Pools, s.Pool)
	}
	p.Read, p.Protos = [2]int{wire.MinVersion, wire.Version}, [2]int{wire.Protocol, wire.Protocol}
	l.mu.Lock()
	defer l.mu.Unlock()
	var works []string
	for w := range l.running {
		works = append(works, w)
	}
	p.State = wire.AgentIdle
	if len(works) > 0 {
		slices.Sort(works)
		p.State, p.Work = wire.AgentBusy, works[0]
	}
	if l.draining {
		p.State = wire.AgentDraining
	}
	return p
}

// livesigns puts the agent's presence while it lives. It writes to the bucket's subject:
// an agent is not allowed to look at buckets.
func (l *Link) livesigns(ctx context.Context) {
	t := time.NewTicker(l.cfg.Presence)
	defer t.Stop()
	for {
		if b, err := json.Marshal(l.presence()); err == nil {
			if err := l.nc.Publish("$KV."+wire.PresenceKV+"."+l.cfg.Agent, b); err != nil {
				l.cfg.Log.Debug("presence", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}
