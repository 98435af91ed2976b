package scheduler

import (
	"context"
	"encoding/json"
	"fmt"

	"hone/db/store"
	"hone/internal/wire"
)

// OpenDriver starts the session of a job from its spec and seed alone. The
// coordinator then tells it what the ledger holds.
type OpenDriver func(ctx context.Context, job store.Job, tasks []store.Task) (Driver, error)

// Driver is one job's tuning. It is a fold: what it proposes is a function of
// the job and of the calls to Admit and Observe so far, in their order, and of
// the room given; calling Propose changes nothing that a later call could
// tell. So a session that is opened again and told the same proposes the same.
//
// Admit, Observe and Propose are never called at once; Item may be called at
// any time, several times at once.
type Driver interface {
	// Admit tells of a trial that is in the ledger: one proposed just now or,
	// when the session is opened again, before.
	Admit(t store.Trial) error
	// Observe tells of a result, in order of acceptance. Its trial was
	// admitted before.
	Observe(r store.Result) error
	// Propose returns what to try next, or nothing. It is called once after
	// each Observe, at the start, and when the job begins to stop. The
	// coordinator sets Seq, Seen and, for races, Build (the artifact of the trial
	// they are of).
	Propose(ctx context.Context, room Room) ([]store.TrialDraft, error)
	// Item writes the message for trials of one task.
	Item(ctx context.Context, r ItemRequest) (Emission, error)
	// Notes are what the user should know of how the session starts.
	Notes() []string
	// Close ends the session.
	Close() error
}

// Room is what a proposal must fit into.
type Room struct {
	// Trials is how many more trials of kind Measure the budget allows.
	Trials int
	// Stopping: the budget is spent; only races may be proposed.
	Stopping bool
}

// ItemRequest asks for the message of one work item.
type ItemRequest struct {
	Job    store.Job
	Task   store.Task
	Kind   wire.Kind
	Trials []store.Trial
	// Build: the trials have no artifacts; the item needs source. With a kind
	// other than build, the agent builds first.
	Build bool
}

// Emission is the part of a work item that the session knows: limits,
// deadline, toolchain, entries (one a trial, named by TrialName), threads,
// seed, arguments, incumbent, expected outputs. For trials with an artifact,
// BuiltOf tells the entry it was built with.
type Emission struct {
	Work wire.Work
	// Source is the translation unit, for items that build.
	Source string
	// Refused names, by id, trials for which no code could be written, and
	// why. They have no entry, and are closed as the candidate's fault.
	Refused map[int64]string
}

// TrialName is a trial's name in messages.
func TrialName(id int64) string { return fmt.Sprint(id) }

// Built is what the ledger keeps of a trial's artifact, in its Build column.
type Built struct {
	Entry     wire.Entry      `json:"entry"` // with its artifact
	Toolchain *wire.Toolchain `json:"toolchain,omitempty"`
}

// BuiltOf reads a trial's Build column.
func BuiltOf(t store.Trial) (Built, error) {
	var b Built
	if err := json.Unmarshal(t.Build, &b); err != nil {
		return b, fmt.Errorf("trial %d: its artifact's description: %w", t.ID, err)
	}
	return b, nil
}
