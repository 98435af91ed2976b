package clock

import (
	"sync"
	"time"
)

// Manual is a clock that moves only when told to. Timers fire inside Advance
// and Set, in order of their times and, for equal times, of their creation.
// Make one with [NewManual]; all methods may be called from any goroutine.
type Manual struct {
	mu      sync.Mutex
	changed *sync.Cond
	now     time.Time
	seq     uint64
	waits   []*wait
}

// wait is one timer or ticker of a Manual.
type wait struct {
	at     time.Time
	period time.Duration // 0: fires once
	seq    uint64
	ch     chan time.Time
}

// NewManual returns a manual clock that stands at start.
func NewManual(start time.Time) *Manual {
	m := &Manual{now: start}
	m.changed = sync.NewCond(&m.mu)
	return m
}

// Now returns the time the clock stands at.
func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// After implements [Clock].
func (m *Manual) After(d time.Duration) <-chan time.Time { return m.NewTimer(d).C() }

// NewTimer implements [Clock].
func (m *Manual) NewTimer(d time.Duration) Timer { return manualTimer{m, m.add(d, 0)} }

// NewTicker implements [Clock].
func (m *Manual) NewTicker(d time.Duration) Ticker {
	if d <= 0 {
		panic("BUG: clock: ticker with a period that is not positive")
	}
	return manualTicker{m, m.add(d, d)}
}

// Advance moves the clock forward by d, firing on the way every timer that
// falls due, each at its own time.
func (m *Manual) Advance(d time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.moveTo(m.now.Add(d))
}

// Set moves the clock forward to t; an earlier t leaves it where it is.
func (m *Manual) Set(t time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.moveTo(t)
}

// Next returns the time of the earliest pending timer or tick.
func (m *Manual) Next() (time.Time, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.earliest()
	if w == nil {
		return time.Time{}, false
	}
	return w.at, true
}

// Waiters is the number of pending timers and tickers.
func (m *Manual) Waiters() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.waits)
}

// BlockUntil returns once at least n timers and tickers are pending: the way
// for a test to know that the goroutines it drives have come to rest.
func (m *Manual) BlockUntil(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.waits) < n {
		m.changed.Wait()
	}
}

func (m *Manual) add(d, period time.Duration) *wait {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seq++
	w := &wait{at: m.now.Add(d), period: period, seq: m.seq, ch: make(chan time.Time, 1)}
	if d <= 0 {
		w.ch <- m.now
		return w
	}
	m.waits = append(m.waits, w)
	m.changed.Broadcast()
	return w
}

func (m *Manual) moveTo(t time.Time) {
	for {
		w := m.earliest()
		if w == nil || w.at.After(t) {
			break
		}
		m.now = w.at
		select {
		case w.ch <- m.now:
		default: // an unread tick: this one is dropped
		}
		if w.period > 0 {
			w.at = w.at.Add(w.period)
		} else {
			m.drop(w)
		}
	}
	if t.After(m.now) {
		m.now = t
	}
}

// earliest is the pending wait that fires next; the caller holds the lock.
func (m *Manual) earliest() *wait {
	var first *wait
	for _, w := range m.waits {
		if first == nil || w.at.Before(first.at) || w.at.Equal(first.at) && w.seq < first.seq {
			first = w
		}
	}
	return first
}

// drop removes w and says whether it was pending; the caller holds the lock.
func (m *Manual) drop(w *wait) bool {
	for i, x := range m.waits {
		if x == w {
			m.waits = append(m.waits[:i], m.waits[i+1:]...)
			m.changed.Broadcast()
			return true
		}
	}
	return false
}

type manualTimer struct {
	m *Manual
	w *wait
}

func (t manualTimer) C() <-chan time.Time { return t.w.ch }

func (t manualTimer) Stop() bool {
	t.m.mu.Lock()
	defer t.m.mu.Unlock()
	return t.m.drop(t.w)
}

type manualTicker struct {
	m *Manual
	w *wait
}

func (t manualTicker) C() <-chan time.Time { return t.w.ch }

func (t manualTicker) Stop() {
	t.m.mu.Lock()
	defer t.m.mu.Unlock()
	t.m.drop(t.w)
}
