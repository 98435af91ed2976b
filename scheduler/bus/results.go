package bus

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"hone/internal/wire"
	"hone/scheduler"
)

// delivery is a result from the inbox.
type delivery struct {
	msg   jetstream.Msg
	agent string
}

// Agent is the token of the subject that only this agent may publish to.
func (d *delivery) Agent() string { return d.agent }

// Data is the message.
func (d *delivery) Data() []byte { return d.msg.Data() }

// Ack removes the result and waits for the broker to say so.
func (d *delivery) Ack(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, call)
	defer cancel()
	if err := d.msg.DoubleAck(ctx); err != nil {
		return fmt.Errorf("broker: acknowledge a result: %w", err)
	}
	return nil
}

// Later gives the result back.
func (d *delivery) Later(_ context.Context, after time.Duration) error {
	if err := d.msg.NakWithDelay(after); err != nil {
		return fmt.Errorf("broker: give a result back: %w", err)
	}
	return nil
}

// openInbox starts to fetch results into memory, a few ahead.
func (b *Bus) openInbox(ctx context.Context) error {
	for shard := range wire.Shards {
		c, err := b.results.CreateOrUpdateConsumer(ctx, shardConsumer(shard))
		if err != nil {
			return fmt.Errorf("inbox %d: %w", shard, err)
		}
		cc, err := c.Consume(b.arrived, jetstream.PullMaxMessages(16), jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
			b.cfg.Log.Debug("inbox", "shard", shard, "error", err)
		}))
		if err != nil {
			return fmt.Errorf("inbox %d: %w", shard, err)
		}
		b.consume = append(b.consume, cc)
	}
	return nil
}

// arrived puts a result where Receive finds it. Sixteen parts of the inbox
// with sixteen messages each fit, so it never waits.
func (b *Bus) arrived(m jetstream.Msg) {
	_, agent, _, _, err := wire.ParseResultSubject(m.Subject())
	if err != nil {
		b.cfg.Log.Warn("a message in the inbox is no result", "subject", m.Subject())
		if err := m.Term(); err != nil {
			b.cfg.Log.Debug("drop a message", "error", err)
		}
		return
	}
	b.inbox <- &delivery{msg: m, agent: agent}
}

// Receive implements scheduler.Bus.
func (b *Bus) Receive(ctx context.Context, most int, wait time.Duration) ([]scheduler.Delivery, error) {
	t := time.NewTimer(wait)
	defer t.Stop()
	var out []scheduler.Delivery
	select {
	case d := <-b.inbox:
		out = append(out, d)
	case <-t.C:
		return nil, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for len(out) < most {
		select {
		case d := <-b.inbox:
			out = append(out, d)
		default:
			return out, nil
		}
	}
	return out, nil
}

// Backlog implements scheduler.Bus.
func (b *Bus) Backlog(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, call)
	defer cancel()
	info, err := b.results.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("broker: inbox: %w", err)
	}
	return int(info.State.Msgs), nil
}
