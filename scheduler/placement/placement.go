// Package placement decides which work goes out next, as functions of values:
// how much a pool may have out, whose turn it is, what travels together. It
// imports the types of db/store and internal/wire alone.
//
// The window of a pool is shallow (about two items an agent), so that a more
// urgent job waits for little. Since credit for it then comes back one item at
// a time, ranking the backlog anew at each pick would starve all but the
// heaviest job; each job carries its virtual time in each pool instead, and
// the one that is furthest behind goes next.
//
// Start at [Shares].
package placement

import (
	"strings"

	"hone/db/store"
	"hone/internal/wire"
)

// PerAgent is how many items of a pool may be out for each live agent: one
// that runs and one that waits.
const PerAgent = 2

// Credit is how many more items may go out to a pool. Without agents none may:
// they would only grow old.
func Credit(agents, out int) int { return max(0, PerAgent*agents-out) }

// DevicePool is the queue of devices that are alike apart from their threads.
func DevicePool(g store.Target) string {
	return "d-" + token(g.Kind) + "-" + token(g.ISA) + "-" + token(g.UArch) + "-" + token(g.Model)
}

// BuildPool is the queue of builders that have a compiler for a triple.
func BuildPool(triple, compiler string) string {
	return "b-" + token(triple) + "-" + token(compiler)
}

// token makes a part of a pool's name: it becomes a token of a subject.
func token(s string) string {
	if s == "" {
		return "any"
	}
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' {
			b.WriteRune(r)
		} else if !strings.HasSuffix(b.String(), "_") {
			b.WriteByte('_')
		}
	}
	t := strings.Trim(b.String(), "_")
	if t == "" {
		return "any"
	}
	return t[:min(len(t), 24)]
}

// company is how many trials travel together at first. A unit of eight costs a compiler's
// start a tenth of its time, and two of them keep a device busy where one of sixteen would
// have it wait.
const company = wire.MaxEntries / 2

// maxItem is how many trials travel together, by attempt: each failure halves the company a
// trial travels in, so that a culprit is soon alone.
func maxItem(attempt int) int { return max(1, company>>max(attempt-1, 0)) }

// Batch chooses what travels together from trials that wait for one pool, in
// their order: the first trial and those of the same task, kind, stage, variant
// and attempt, as many as their attempts allow and as spread over the pool's
// agents. Trials that travel alone do.
func Batch(waiting []store.Trial, agents int) []store.Trial {
	if len(waiting) == 0 {
		return nil
	}
	first := waiting[0]
	if first.Solo {
		return waiting[:1:1]
	}
	var group []store.Trial
	for _, t := range waiting {
		if together(first, t) && len(group) < maxItem(first.Attempt) {
			group = append(group, t)
		}
	}
	if first.Kind != store.Race { // finalists race each other, on one device
		share := (len(group) + max(agents, 1) - 1) / max(agents, 1)
		group = group[:min(len(group), max(share, 1))]
	}
	return group
}

func together(a, b store.Trial) bool {
	return a.Task == b.Task && a.Kind == b.Kind && a.State == b.State && a.Variant == b.Variant && a.Attempt == b.Attempt && a.Against == b.Against && !b.Solo
}
