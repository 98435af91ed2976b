package job

import (
	"strings"

	"hone/db/store"
	"hone/internal/wire"
)

// A stopping job ends in the state that its reason stands for, so that whoever
// finds it, after a crash too, ends it the same way.

// Cancelled is the reason of a job that somebody cancelled.
const Cancelled = string(wire.InfraCancelled)

const failure = "failed: "

// Failure is the reason of a job that cannot go on.
func Failure(why string) string { return failure + why }

// Final is the state in which a job that stops for a reason ends.
func Final(reason string) store.JobState {
	switch {
	case reason == Cancelled:
		return store.JobCancelled
	case strings.HasPrefix(reason, failure):
		return store.JobFailed
	}
	return store.JobDone
}
