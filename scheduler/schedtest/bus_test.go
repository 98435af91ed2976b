package schedtest

import (
	"testing"
	"time"

	"hone/internal/clock"
	"hone/scheduler"
)

// memLink is an agent's side of the bus in memory.
type memLink struct {
	bus   *Bus
	id    string
	pools []string
}

func (l *memLink) Pull(time.Duration) (Held, bool) { return l.bus.pull(l.id, l.pools) }
func (l *memLink) InProgress(h Held) error         { l.bus.touch(l.id, h.Address); return nil }
func (l *memLink) Ack(h Held) error                { l.bus.ackItem(h.Address); return nil }
func (l *memLink) Break()                          { l.bus.leave(l.id) }

func (l *memLink) Result(_ Held, body []byte) error {
	if !l.bus.publishResult(l.id, body) {
		return errDown
	}
	return nil
}

func TestBusConformance(t *testing.T) {
	RunBus(t, func(t *testing.T) Rig {
		clk := clock.NewManual(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
		b := NewBus(clk, 30*time.Second)
		return Rig{Bus: b, AckWait: 30 * time.Second, Pass: clk.Advance, Join: func(_ *testing.T, id string, pools ...string) Link {
			b.join(scheduler.Agent{ID: id, Pools: pools})
			return &memLink{bus: b, id: id, pools: pools}
		}}
	})
}
