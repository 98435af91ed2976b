package placement

import (
	"math"
	"time"

	"hone/db/store"
)

// ageStep is the wait after which a job counts as one class more urgent.
const ageStep = 30 * time.Minute

var rank = map[store.JobClass]int{store.Interactive: 0, store.CI: 1, store.Nightly: 2}

// Shares is the turn order of the jobs in one pool. It keeps in memory which
// jobs were runnable and how far the pool has come; after a restart both are
// found again from the virtual times that the store keeps. The zero value is
// ready.
type Shares struct {
	since map[string]float64 // runnable jobs, and where each came in
	floor float64            // virtual time of the job served last
}

// Pick returns the index of the job whose turn it is, and its virtual time
// from which to count; -1 when there is none. A job that was not runnable
// before starts no earlier than the pool has come, so that neither a new job
// nor one that paused can claim the past.
func (s *Shares) Pick(now time.Time, jobs []store.Backlog) (int, float64) {
	starts := s.starts(jobs)
	best := -1
	for i := range jobs {
		if jobs[i].Waiting > 0 && (best < 0 || before(now, jobs[i], starts[i], jobs[best], starts[best])) {
			best = i
		}
	}
	if best < 0 {
		return -1, 0
	}
	return best, starts[best]
}

// starts are the virtual times of jobs, newcomers lifted to the least of those
// that were runnable before; it remembers who is runnable now.
func (s *Shares) starts(jobs []store.Backlog) []float64 {
	least := math.Inf(1)
	for _, b := range jobs {
		if since, ok := s.since[b.Job]; ok && b.Waiting > 0 {
			least = min(least, max(b.VTime, since))
		}
	}
	if math.IsInf(least, 1) {
		least = s.floor
	}
	now := make(map[string]float64, len(jobs))
	out := make([]float64, len(jobs))
	for i, b := range jobs {
		since, ok := s.since[b.Job]
		if !ok && s.since != nil {
			since = least
		}
		out[i] = max(b.VTime, since)
		if b.Waiting > 0 {
			now[b.Job] = since
		}
	}
	s.since = now
	return out
}

// Served notes that a job was served at a virtual time, and returns the time
// it has then: start + cost ÷ weight, in device seconds.
func (s *Shares) Served(start float64, cost time.Duration, weight int) float64 {
	s.floor = max(s.floor, start)
	return start + Delta(cost, weight)
}

// Delta is what device time adds to a job's virtual time.
func Delta(d time.Duration, weight int) float64 { return d.Seconds() / float64(max(weight, 1)) }

// before says whether a goes before b: the more urgent class, age included,
// then the lesser virtual time, then the older job.
func before(now time.Time, a store.Backlog, va float64, b store.Backlog, vb float64) bool {
	ca, cb := class(now, a), class(now, b)
	if ca != cb {
		return ca < cb
	}
	if va != vb {
		return va < vb
	}
	return a.Job < b.Job
}

// class is a job's rank, less one for each half hour it has waited.
func class(now time.Time, b store.Backlog) int {
	return max(0, rank[b.Class]-int(max(0, now.Sub(b.Since))/ageStep))
}
