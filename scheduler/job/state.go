// Package job holds the rules of jobs and trials as functions of values: which
// state follows which, what an outcome does to a trial, when a candidate is
// poison. It decides; the coordinator acts. It imports the types of db/store
// and internal/wire, and nothing that keeps time, talks or stores.
//
// Start at [Allowed] and [Judge].
package job

import (
	"fmt"
	"slices"

	"hone/db/store"
)

// next lists the states that a job may go to from each state:
//
//	queued → running ⇄ paused → stopping → done | failed | cancelled
//
// Only a job that is stopping ends, so that what is out for it is settled
// first; one that never ran has nothing out and may end at once.
var next = map[store.JobState][]store.JobState{
	store.JobQueued:    {store.JobRunning, store.JobPaused, store.JobFailed, store.JobCancelled},
	store.JobRunning:   {store.JobPaused, store.JobStopping},
	store.JobPaused:    {store.JobRunning, store.JobStopping},
	store.JobStopping:  {store.JobDone, store.JobFailed, store.JobCancelled},
	store.JobDone:      nil,
	store.JobFailed:    nil,
	store.JobCancelled: nil,
}

// Allowed says whether a job may go from one state to another.
func Allowed(from, to store.JobState) bool { return slices.Contains(next[from], to) }

// Into returns the states from which a job may go to state to. It panics on a
// state that nothing leads to, which only a mistake can ask for.
func Into(to store.JobState) []store.JobState {
	var out []store.JobState
	for _, from := range store.Unfinished {
		if Allowed(from, to) {
			out = append(out, from)
		}
	}
	if len(out) == 0 {
		panic(fmt.Sprintf("BUG: job: no way into state %q", to))
	}
	return out
}
