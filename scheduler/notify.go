package scheduler

import (
	"context"
	"sync"
	"time"

	"hone/internal/clock"
)

// notifier wakes those who wait for something to happen to a job.
type notifier struct {
	mu    sync.Mutex
	waits map[string]chan struct{}
}

// wait returns a channel that is closed at the next notify for job.
func (n *notifier) wait(job string) <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.waits == nil {
		n.waits = map[string]chan struct{}{}
	}
	c := n.waits[job]
	if c == nil {
		c = make(chan struct{})
		n.waits[job] = c
	}
	return c
}

func (n *notifier) notify(job string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c := n.waits[job]; c != nil {
		close(c)
		delete(n.waits, job)
	}
}

// kicks start a loop's next turn before its time.
type kicks struct {
	dispatch, jobs chan struct{}
}

func newKicks() kicks {
	return kicks{dispatch: make(chan struct{}, 1), jobs: make(chan struct{}, 1)}
}

func kick(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // one is under way
	}
}

// pause waits for a kick, but no longer than d; false when ctx ends.
func pause(ctx context.Context, c clock.Clock, d time.Duration, kicked <-chan struct{}) bool {
	t := c.NewTimer(d)
	defer t.Stop()
	select {
	case <-kicked:
	case <-t.C():
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// changed tells everybody that something happened to a job.
func (c *Coordinator) changed(job string) {
	c.wake.notify(job)
	kick(c.kicks.dispatch)
}
