// Package clock is the time that Hone's state machines see: the machine's own
// clock in a running program, one moved by hand in tests and simulations.
//
// It imports the standard library only. Start at [Clock]; [Real] and [Manual]
// implement it.
package clock

import (
	"context"
	"time"
)

// Clock tells the time and waits for it to pass.
type Clock interface {
	// Now returns the current time.
	Now() time.Time
	// After returns a channel that receives the time once d has passed. A
	// duration of zero or less fires at once. The channel has room for its
	// one value, so an abandoned wait blocks nobody.
	After(d time.Duration) <-chan time.Time
	// NewTimer is After with a way to give up early.
	NewTimer(d time.Duration) Timer
	// NewTicker fires every d until stopped. It panics when d is not positive.
	// Ticks that nobody has read are dropped, as with time.Ticker.
	NewTicker(d time.Duration) Ticker
}

// Timer is a single wait.
type Timer interface {
	// C receives the time when the timer fires.
	C() <-chan time.Time
	// Stop gives the wait up; false means that it had already ended.
	Stop() bool
}

// Ticker is a repeated wait.
type Ticker interface {
	// C receives the time of each tick.
	C() <-chan time.Time
	// Stop ends the ticks. It does not close the channel.
	Stop()
}

// Sleep waits for d on c, or until ctx ends, whose error it then returns.
func Sleep(ctx context.Context, c Clock, d time.Duration) error {
	t := c.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Since is the time that has passed on c since t.
func Since(c Clock, t time.Time) time.Duration { return c.Now().Sub(t) }
