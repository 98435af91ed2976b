// Package task decides which task of a job gets the next batch of trials. It is
// pure: a decision is a function of what was proposed and measured so far. Start
// from Next. It knows neither schedules nor devices.
package task

import "math"

// State is what is known of one task.
type State struct {
	Weight  float64 // how often the model runs it
	Default float64 // ns of candidate zero, 0 when not measured yet
	// History is the best time in ns after each of its batches, candidate zero
	// included; +Inf while nothing was right.
	History []float64
	// Trials is how many trials it was given.
	Trials int
	// Bound is the time in ns that no schedule can beat, from operations at the
	// device's peak; 0 when unknown.
	Bound float64
	// Exhausted says that its space has no more candidates.
	Exhausted bool
}

// Defaults of the policy. alpha, beta-free gradient and window are those of the
// reference system; the others are Hone's.
const (
	alpha      = 0.2
	window     = 3
	minShare   = 0.01 // of the model's time, below which a task waits
	plateau    = 0.005
	boundSlack = 1.03
)

// Batch is how many trials one round gives: enough for every task to get a few
// rounds of the budget, within what a unit of work and a population can use.
func Batch(budget, tasks int) int {
	return min(max(budget/(3*max(tasks, 1)), 4), 64)
}

// Best is the best time so far in ns, +Inf when there is none.
func (s *State) Best() float64 {
	if n := len(s.History); n > 0 {
		return s.History[n-1]
	}
	return math.Inf(1)
}

// Next picks the task for the next batch: -1 when every task is exhausted or at
// its bound. Tasks without a batch of their own come first, by weight × default
// time; tasks below 1 % of the model's time wait until the others plateau; then
// the largest expected gain decides, ties by index.
func Next(tasks []State) int {
	total := 0.0
	for i := range tasks {
		total += tasks[i].share()
	}
	if i := firstBatch(tasks, total); i >= 0 {
		return i
	}
	best, at := 0.0, -1
	for _, small := range []bool{false, true} {
		for i := range tasks {
			t := &tasks[i]
			if t.finished() || t.isSmall(total) != small {
				continue
			}
			if g := t.gain(); at < 0 || g > best {
				best, at = g, i
			}
		}
		if at >= 0 && (small || best > plateau*total) {
			return at
		}
	}
	return at
}

func firstBatch(tasks []State, total float64) int {
	best, at := 0.0, -1
	for i := range tasks {
		t := &tasks[i]
		if len(t.History) > 1 || t.finished() || t.isSmall(total) {
			continue
		}
		if s := t.share(); at < 0 || s > best {
			best, at = s, i
		}
	}
	return at
}

// share is the task's part of the model's time in ns.
func (s *State) share() float64 {
	t := s.Best()
	if math.IsInf(t, 1) {
		t = s.Default
	}
	return s.Weight * t
}

func (s *State) isSmall(total float64) bool { return s.share() < minShare*total }

func (s *State) finished() bool { return s.Exhausted || AtBound(s.Best(), s.Bound) }

// AtBound says that a time is within 3 % of its bound, where there is one: more trials
// would gain less than they are worth.
func AtBound(best, bound float64) bool { return bound > 0 && best <= boundSlack*bound }

// gain is the reference's gradient: a blend of the recent slope and of the mean
// rate so far, bounded by what the roofline leaves.
func (s *State) gain() float64 {
	n := len(s.History)
	last := s.Best()
	if n == 0 || math.IsInf(last, 1) {
		return s.Weight * s.Default
	}
	recent := 0.0
	if n > window && !math.IsInf(s.History[n-1-window], 1) {
		recent = (s.History[n-1-window] - last) / window
	}
	g := float64(alpha*recent) + float64((1-alpha)*last/float64(n))
	if s.Bound > 0 {
		g = math.Min(g, last-s.Bound)
	}
	return g * s.Weight
}
