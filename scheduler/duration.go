package scheduler

import (
	"sync"
	"time"

	"hone/internal/wire"
)

// firstGuess is the time a trial is expected to take before any was seen.
const firstGuess = 250 * time.Millisecond

// durations remembers how long trials take, for the fair shares of pools: a
// moving average for each task and kind of item. It is an estimate that every
// result corrects, so it is not kept.
type durations struct {
	mu  sync.Mutex
	avg map[durationKey]time.Duration
}

type durationKey struct {
	task int64
	kind wire.Kind
}

// expect is the time expected for an item of n trials.
func (d *durations) expect(task int64, kind wire.Kind, n int) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	each, ok := d.avg[durationKey{task, kind}]
	if !ok {
		each = firstGuess
	}
	return time.Duration(n) * each
}

// saw notes the time that n trials took.
func (d *durations) saw(task int64, kind wire.Kind, n int, took time.Duration) {
	if n == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.avg == nil {
		d.avg = map[durationKey]time.Duration{}
	}
	k := durationKey{task, kind}
	each := took / time.Duration(n)
	if old, ok := d.avg[k]; ok {
		each = (3*old + each) / 4
	}
	d.avg[k] = each
}
