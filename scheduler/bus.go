package scheduler

import (
	"context"
	"time"
)

// Bus carries work items to agents and results back. Package bus implements it
// over JetStream, schedtest in memory.
type Bus interface {
	// Claim says which database this bus serves. It fails if another one did
	// so before: their coordinators would take each other's results.
	Claim(ctx context.Context, cluster string) error
	// EnsurePool makes the queue of a pool, if it is not there yet.
	EnsurePool(ctx context.Context, pool string) error
	// Publish sends an item. That it is there already is no error.
	Publish(ctx context.Context, a Address, body []byte) error
	// Has says whether an item is queued or held by an agent.
	Has(ctx context.Context, a Address) (bool, error)
	// Purge removes an item; its holder is not told.
	Purge(ctx context.Context, a Address) error
	// PurgeJob removes all items of a job.
	PurgeJob(ctx context.Context, job string) error
	// CancelJob tells agents to stop what they do for a job. It may be lost.
	CancelJob(ctx context.Context, job string) error
	// Receive returns results that have come in, or none after wait.
	Receive(ctx context.Context, most int, wait time.Duration) ([]Delivery, error)
	// Backlog is the number of results that are not acknowledged.
	Backlog(ctx context.Context) (int, error)
	// Agents returns the agents that are connected.
	Agents(ctx context.Context) ([]Agent, error)
}

// Address is where an item lies.
type Address struct {
	Pool    string
	Job     string
	Work    string
	Attempt int
}

// Delivery is a result on its way in. It comes again unless acknowledged.
type Delivery interface {
	// Agent is who published it, as the broker vouches for.
	Agent() string
	Data() []byte
	Ack(ctx context.Context) error
	// Later gives it back, to come again after a while.
	Later(ctx context.Context, after time.Duration) error
}

// Agent is a live agent.
type Agent struct {
	ID    string
	Pools []string // that it takes items from
	// Draining agents finish what they hold and take nothing more.
	Draining bool
}
