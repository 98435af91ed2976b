// Package schedtest simulates a fleet: a bus in memory, agents that crash,
// hang and lie by script, a driver with a closed-form landscape, and a world
// that puts them under a clock moved by hand. It also holds the conformance
// suite that every bus runs. Tests of other packages use it; programs do not.
//
// Start at [World] and [RunBus].
package schedtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"hone/internal/clock"
	"hone/scheduler"
)

// Bus is a bus in memory with the semantics of a work-queue stream: an item
// lies at one address at most, is lent to one agent at a time, and comes back
// when its holder gives no sign of life for AckWait.
type Bus struct {
	clk     clock.Clock
	ackWait time.Duration

	mu      sync.Mutex
	pools   map[string]bool
	items   []*item
	results []*delivery
	agents  map[string]scheduler.Agent
	cancels []string
	cluster string
	seq     uint64

	// Faults, consumed as they strike.
	dropPublish    int // items that vanish on their way in
	dropAcks       int // acknowledgements of items that get lost
	dropResultAcks int // acknowledgements of results that get lost
	down           bool
}

type item struct {
	scheduler.Address
	seq        uint64
	body       []byte
	holder     string
	lease      time.Time
	deliveries int
}

type delivery struct {
	bus   *Bus
	seq   uint64
	agent string
	body  []byte
	until time.Time // lent until then
}

// NewBus returns an empty bus.
func NewBus(clk clock.Clock, ackWait time.Duration) *Bus {
	return &Bus{clk: clk, ackWait: ackWait, pools: map[string]bool{}, agents: map[string]scheduler.Agent{}}
}

var errDown = errors.New("the bus is down")

func (b *Bus) lock() (func(), error) {
	b.mu.Lock()
	if b.down {
		b.mu.Unlock()
		return nil, errDown
	}
	return b.mu.Unlock, nil
}

// Claim implements scheduler.Bus.
func (b *Bus) Claim(_ context.Context, cluster string) error {
	unlock, err := b.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if b.cluster == "" {
		b.cluster = cluster
	}
	if b.cluster != cluster {
		return fmt.Errorf("the bus serves %s", b.cluster)
	}
	return nil
}

// EnsurePool implements scheduler.Bus.
func (b *Bus) EnsurePool(_ context.Context, pool string) error {
	unlock, err := b.lock()
	if err != nil {
		return err
	}
	defer unlock()
	b.pools[pool] = true
	return nil
}

// Publish implements scheduler.Bus.
func (b *Bus) Publish(_ context.Context, a scheduler.Address, body []byte) error {
	unlock, err := b.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if b.find(a) != nil {
		return nil
	}
	if b.dropPublish > 0 {
		b.dropPublish--
		return nil
	}
	b.seq++
	b.items = append(b.items, &item{Address: a, seq: b.seq, body: slices.Clone(body)})
	return nil
}

func (b *Bus) find(a scheduler.Address) *item {
	for _, i := range b.items {
		if i.Address == a {
			return i
		}
	}
	return nil
}

// Has implements scheduler.Bus.
func (b *Bus) Has(_ context.Context, a scheduler.Address) (bool, error) {
	unlock, err := b.lock()
	if err != nil {
		return false, err
	}
	defer unlock()
	return b.find(a) != nil, nil
}

// Purge implements scheduler.Bus.
func (b *Bus) Purge(_ context.Context, a scheduler.Address) error {
	return b.purge(func(i *item) bool { return i.Address == a })
}

// PurgeJob implements scheduler.Bus.
func (b *Bus) PurgeJob(_ context.Context, job string) error {
	return b.purge(func(i *item) bool { return i.Job == job })
}

func (b *Bus) purge(f func(*item) bool) error {
	unlock, err := b.lock()
	if err != nil {
		return err
	}
	defer unlock()
	b.items = slices.DeleteFunc(b.items, f)
	return nil
}

// CancelJob implements scheduler.Bus.
func (b *Bus) CancelJob(_ context.Context, job string) error {
	unlock, err := b.lock()
	if err != nil {
		return err
	}
	defer unlock()
	b.cancels = append(b.cancels, job)
	return nil
}

// Receive implements scheduler.Bus. It does not wait: a simulation's time
// stands still meanwhile.
func (b *Bus) Receive(_ context.Context, most int, _ time.Duration) ([]scheduler.Delivery, error) {
	unlock, err := b.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	now := b.clk.Now()
	var out []scheduler.Delivery
	for _, d := range b.results {
		if len(out) < most && !now.Before(d.until) {
			d.until = now.Add(2 * b.ackWait)
			out = append(out, d)
		}
	}
	return out, nil
}

// Backlog implements scheduler.Bus.
func (b *Bus) Backlog(context.Context) (int, error) {
	unlock, err := b.lock()
	if err != nil {
		return 0, err
	}
	defer unlock()
	return len(b.results), nil
}

// Agents implements scheduler.Bus.
func (b *Bus) Agents(context.Context) ([]scheduler.Agent, error) {
	unlock, err := b.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	return slices.SortedFunc(maps.Values(b.agents), func(x, y scheduler.Agent) int { return cmp.Compare(x.ID, y.ID) }), nil
}

func (d *delivery) Agent() string { return d.agent }
func (d *delivery) Data() []byte  { return d.body }

func (d *delivery) Ack(context.Context) error {
	unlock, err := d.bus.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if d.bus.dropResultAcks > 0 {
		d.bus.dropResultAcks--
		return nil
	}
	d.bus.results = slices.DeleteFunc(d.bus.results, func(x *delivery) bool { return x == d })
	return nil
}

func (d *delivery) Later(_ context.Context, after time.Duration) error {
	unlock, err := d.bus.lock()
	if err != nil {
		return err
	}
	defer unlock()
	d.until = d.bus.clk.Now().Add(after)
	return nil
}

// Wipe loses everything, as a broker does whose disk was replaced.
func (b *Bus) Wipe() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items, b.results = nil, nil
}

// Held is an item in an agent's hands.
type Held struct {
	scheduler.Address
	Body       []byte
	Deliveries int
}

// join makes an agent known.
func (b *Bus) join(a scheduler.Agent) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.agents[a.ID] = a
}

// leave forgets an agent; what it holds comes back after AckWait.
func (b *Bus) leave(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.agents, id)
}

// pull lends the oldest item of an agent's pools, or none.
func (b *Bus) pull(agent string, pools []string) (Held, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clk.Now()
	for _, i := range b.items {
		free := i.holder == "" || !now.Before(i.lease)
		if b.down || !free || !b.pools[i.Pool] || !slices.Contains(pools, i.Pool) {
			continue
		}
		i.holder, i.lease = agent, now.Add(b.ackWait)
		i.deliveries++
		return Held{Address: i.Address, Body: i.body, Deliveries: i.deliveries}, true
	}
	return Held{}, false
}

// touch extends the lease of an item.
func (b *Bus) touch(agent string, a scheduler.Address) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := b.find(a); i != nil && i.holder == agent {
		i.lease = b.clk.Now().Add(b.ackWait)
	}
}

// publishResult puts a result in; false while the bus is down.
func (b *Bus) publishResult(agent string, body []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down {
		return false
	}
	b.seq++
	b.results = append(b.results, &delivery{bus: b, seq: b.seq, agent: agent, body: slices.Clone(body)})
	return true
}

// ackItem removes an item, whoever holds it by now.
func (b *Bus) ackItem(a scheduler.Address) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dropAcks > 0 {
		b.dropAcks--
		return
	}
	b.items = slices.DeleteFunc(b.items, func(i *item) bool { return i.Address == a })
}

// String lists what lies where.
func (b *Bus) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return fmt.Sprintf("%d items, %d results", len(b.items), len(b.results))
}
