package store

import (
	"encoding/json"
	"time"
)

// WorkItem is one message: trials of one task to build, measure or race.
type WorkItem struct {
	ID      string // ULID
	Project string
	Job     string
	Task    int64
	Kind    Kind
	Pool    string
	Attempt int
	Nonce   string // 128 bits in hex, echoed by the result
	Trials  []int64
	Spec    json.RawMessage // what the sender wants back with the result
	// Cost is the device time expected, as charged to the job's share.
	Cost     time.Duration
	SentAt   time.Time
	Deadline time.Time
	Code     string    // how it ended; empty: it is out
	ClosedAt time.Time // zero: it is out
}

// WorkDraft is a work item to send.
type WorkDraft struct {
	ID     string
	Job    string
	Task   int64
	Kind   Kind
	Pool   string
	Nonce  string
	Trials []TrialRef
	Spec   json.RawMessage
	// Within is the time after which the item is overdue.
	Within time.Duration
	Cost   time.Duration
	// VTime becomes the job's virtual time in the pool.
	VTime float64
	Event *EventDraft
}

// TrialRef names a trial at an attempt.
type TrialRef struct {
	ID      int64
	Attempt int
}

// PoolShare is a correction of a job's virtual time in a pool.
type PoolShare struct {
	Pool  string
	Delta float64
}

// PoolLoad is what a dispatcher of a pool looks at.
type PoolLoad struct {
	Out  int // items out
	Jobs []Backlog
}

// Backlog is a runnable job's claim on a pool.
type Backlog struct {
	Job     string
	Class   JobClass
	Weight  int
	VTime   float64 // device seconds ÷ weight
	Waiting int     // trials
	Out     int     // items
	// Since is when the job was last served, or created.
	Since time.Time
}
