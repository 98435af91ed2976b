package api

import (
	"encoding/json"
	"time"
)

// EventQuery asks for a job's events.
type EventQuery struct {
	Job   string
	After int64
	Limit int           // 0: 1000
	Wait  time.Duration // how long to wait for the first event
}

// Event is one step of a job's progress. Everything that shows progress is a
// function of the stream of events.
type Event struct {
	Seq     int64           `json:"seq"`
	At      time.Time       `json:"at"`
	Kind    string          `json:"kind"`
	Version int             `json:"version"`
	Body    json.RawMessage `json:"body"`
}

// The kinds of events, with the types of their bodies.
const (
	EventJobCreated      = "job.created"      // JobCreated
	EventJobState        = "job.state"        // JobState
	EventJobNotes        = "job.notes"        // JobNotes
	EventTrialsProposed  = "trials.proposed"  // TrialsProposed
	EventTrialClosed     = "trial.closed"     // TrialClosed
	EventTrialsWithdrawn = "trials.withdrawn" // TrialsWithdrawn
	EventWorkDone        = "work.done"        // WorkDone
	EventChampion        = "champion"         // NewChampion
	EventNoDevice        = "device.none"      // NoDevice
	EventDevice          = "device.back"      // NoDevice
)

// JobCreated is the body of EventJobCreated.
type JobCreated struct {
	Tasks int `json:"tasks"`
}

// JobState is the body of EventJobState.
type JobState struct {
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
}

// TrialsProposed is the body of EventTrialsProposed.
type TrialsProposed struct {
	First int64 `json:"first"` // sequence numbers
	Last  int64 `json:"last"`
	// SearchMS is the time that finding them took.
	SearchMS float64 `json:"search_ms,omitempty"`
	// Origins counts the trials by how the search came to them: default, seed,
	// transferred, random, evolved, polish.
	Origins map[string]int `json:"origins,omitempty"`
}

// JobNotes is the body of EventJobNotes: what the user should know of how the job
// starts, such as related workloads whose records it tries, or a wish of the model
// that no rule fulfils.
type JobNotes struct {
	Notes []string `json:"notes"`
}

// TrialClosed is the body of EventTrialClosed.
type TrialClosed struct {
	Trial    int64   `json:"trial"` // sequence number
	Task     int     `json:"task"`  // index
	Kind     string  `json:"kind"`
	Baseline bool    `json:"baseline,omitempty"`
	Code     string  `json:"code"`
	Charged  bool    `json:"charged,omitempty"`
	Ns       float64 `json:"ns,omitempty"`
	Ratio    float64 `json:"ratio,omitempty"`
	Device   string  `json:"device,omitempty"`
	Message  string  `json:"message,omitempty"`
}

// TrialsWithdrawn is the body of EventTrialsWithdrawn: trials that were closed
// before anything was known of them, because the job stopped.
type TrialsWithdrawn struct {
	Trials int `json:"trials"`
}

// WorkDone is the body of EventWorkDone: the clocks of a work item that was
// answered, in milliseconds. Those of several items overlap.
type WorkDone struct {
	Kind    string  `json:"kind"` // build, measure, race
	Task    int     `json:"task"` // index
	Trials  int     `json:"trials"`
	Code    string  `json:"code"`
	QueueMS float64 `json:"queue_ms,omitempty"`
	FetchMS float64 `json:"fetch_ms,omitempty"`
	BuildMS float64 `json:"build_ms,omitempty"`
	RunMS   float64 `json:"run_ms,omitempty"`
}

// NewChampion is the body of EventChampion.
type NewChampion struct {
	Task   int     `json:"task"` // index
	Trial  int64   `json:"trial"`
	Record int64   `json:"record"`
	Ns     float64 `json:"ns"`
	Ratio  float64 `json:"ratio"`
	CILow  float64 `json:"ci_low"`
	CIHigh float64 `json:"ci_high"`
}

// NoDevice is the body of EventNoDevice and EventDevice: the pools of the job
// in which no agent is connected.
type NoDevice struct {
	Pools []string `json:"pools"`
}
