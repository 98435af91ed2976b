package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"hone/internal/wire"
)

// serve executes one delivered item: do, publish, acknowledge. Whatever goes wrong before
// the acknowledgement has the item delivered again, and a second result is absorbed.
func (l *Link) serve(life context.Context, pool string, msg jetstream.Msg) {
	item, err := l.decode(pool, msg)
	if err != nil {
		l.cfg.Log.Error("an item cannot be read", "subject", msg.Subject(), "error", err)
		l.refuse(life, item, msg, err)
		return
	}
	ctx, cancel := context.WithCancelCause(life)
	defer cancel(nil)
	if !l.hold(item, cancel) {
		_ = msg.NakWithDelay(l.cfg.Heartbeat) // this very item is in hand already: its lease ran out here
		return
	}
	defer l.release(item.Work)
	l.event(item, msg)
	stop := l.keepLease(life, item, msg)
	defer stop()

	r := l.cfg.Handler.Do(ctx, item)
	if md, err := msg.Metadata(); err == nil {
		r.Deliveries = int(md.NumDelivered)
		r.Clocks.Queue = max(0, float64(time.Since(md.Timestamp).Microseconds())/1000-r.Clocks.Fetch-r.Clocks.Build-r.Clocks.Run)
	}
	if err := l.publish(life, item.Job, r); err != nil {
		l.cfg.Log.Error("a result was not published", "work", item.Work, "error", err)
		return
	}
	l.acknowledge(life, msg)
}

// decode reads an item and checks that it is the one its subject promises.
func (l *Link) decode(pool string, msg jetstream.Msg) (wire.Work, error) {
	p, job, work, attempt, err := wire.ParseWorkSubject(msg.Subject())
	if err != nil {
		return wire.Work{}, err
	}
	item, err := wire.DecodeWork(msg.Data())
	if err != nil {
		return item, err
	}
	if p != pool || item.Pool != p || item.Job != job || item.Work != work || item.Attempt != attempt {
		return item, fmt.Errorf("the item is %s/%s attempt %d of pool %s, its subject says otherwise", item.Job, item.Work, item.Attempt, item.Pool)
	}
	return item, nil
}

// refuse answers an item that cannot be executed. When not even its nonce can be read
// there is nobody to answer: the broker drops it, and the coordinator's deadline finds it.
func (l *Link) refuse(ctx context.Context, item wire.Work, msg jetstream.Msg, cause error) {
	if !wire.ValidNonce(item.Nonce) || item.Work == "" || item.Attempt < 1 {
		_ = msg.TermWithReason(cause.Error())
		return
	}
	r := wire.Result{Work: item.Work, Attempt: item.Attempt, Nonce: item.Nonce, Agent: l.cfg.Agent, Code: wire.InfraMessage, Detail: cause.Error()}
	for _, e := range item.Entries {
		r.Entries = append(r.Entries, wire.EntryResult{Trial: e.Trial, Code: wire.InfraMessage})
	}
	if err := l.publish(ctx, item.Job, r); err != nil {
		l.cfg.Log.Error("a refusal was not published", "work", item.Work, "error", err)
		return
	}
	l.acknowledge(ctx, msg)
}

func (l *Link) hold(item wire.Work, cancel context.CancelCauseFunc) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, taken := l.running[item.Work]; taken {
		return false
	}
	l.running[item.Work] = held{job: item.Job, cancel: cancel}
	return true
}

func (l *Link) release(work string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, work)
}

// event tells that an item was begun; it may be lost.
func (l *Link) event(item wire.Work, msg jetstream.Msg) {
	b, err := json.Marshal(wire.Started{V: wire.Version, Work: item.Work, Attempt: item.Attempt, Ack: msg.Reply()})
	if err == nil {
		err = l.nc.Publish(wire.EventSubject(l.cfg.Agent, "started"), b)
	}
	if err != nil {
		l.cfg.Log.Debug("event", "error", err)
	}
}

// keepLease extends the item's lease as long as the work makes progress: a wedged worker
// must lose its item. The item's own deadline caps it all.
func (l *Link) keepLease(ctx context.Context, item wire.Work, msg jetstream.Msg) (stop func()) {
	ctx, cancel := context.WithTimeout(ctx, item.Deadline()+l.cfg.Grace)
	stalled := max(item.Limits.Run(), item.Limits.Build()) + 30*time.Second
	done := make(chan struct{})
	go func() {
		defer close(done)
		t := time.NewTicker(l.cfg.Heartbeat)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
			}
			if l.cfg.Handler.SinceProgress() > stalled {
				l.cfg.Log.Error("no progress: the lease is given up", "work", item.Work)
				return
			}
			if err := msg.InProgress(); err != nil {
				l.cfg.Log.Debug("lease", "work", item.Work, "error", err)
			}
		}
	}()
	return func() { cancel(); <-done }
}

// publish sends a result until the broker has it, or ctx ends. The message id makes
// repetitions harmless.
func (l *Link) publish(ctx context.Context, job string, r wire.Result) error {
	body, err := wire.EncodeResult(r)
	if err != nil {
		return err
	}
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		m := nats.NewMsg(wire.ResultSubject(wire.Shard(job), l.cfg.Agent, r.Work, r.Attempt))
		m.Data = body
		try, cancel := context.WithTimeout(ctx, 5*time.Second)
		_, err := l.js.PublishMsg(try, m, jetstream.WithMsgID(wire.ResultMsgID(r.Work, r.Attempt, l.cfg.Agent)))
		cancel()
		if err == nil {
			return nil
		}
		l.cfg.Log.Debug("publishing a result", "work", r.Work, "error", err)
		if ctx.Err() != nil {
			return fmt.Errorf("link: result of %s: %w", r.Work, errors.Join(err, context.Cause(ctx)))
		}
		pause(ctx, wait)
	}
}

// acknowledge removes the item from the queue and waits for the confirmation. Lost, it is
// delivered again: measured twice, counted once.
func (l *Link) acknowledge(ctx context.Context, msg jetstream.Msg) {
	try, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := msg.DoubleAck(try); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
		l.cfg.Log.Warn("an acknowledgement was not confirmed", "subject", msg.Subject(), "error", err)
	}
}
