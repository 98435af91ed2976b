package store

import (
	"encoding/json"
	"time"
)

// TrialState is where a trial stands.
type TrialState string

// The states of a trial.
const (
	TrialQueued    TrialState = "queued"
	TrialBuilding  TrialState = "building"
	TrialBuilt     TrialState = "built"
	TrialMeasuring TrialState = "measuring"
	TrialClosed    TrialState = "closed"
)

// Kind is what a trial or a work item is for.
type Kind string

// The kinds. A trial is to be measured, or to be raced against the incumbent;
// only the first is charged. Its items build, measure or race it.
const (
	Build    Kind = "build"
	Measure  Kind = "measure"
	Race     Kind = "race"
	SelfTest Kind = "selftest"
)

// CodeOK is the code of a trial that was built, measured and found correct.
const CodeOK = "ok"

// Trial is one candidate of a task on its way through the fleet.
type Trial struct {
	ID      int64
	Project string
	Job     string
	Task    int64
	Seq     int64 // position among the job's trials, from 1
	Kind    Kind  // Measure or Race
	Of      int64 // for a race, the trial that runs in it
	Against int64 // for a race, the champion it runs against; 0: the default schedule
	// Baseline marks candidate zero, the default schedule.
	Baseline bool
	Variant  string // which of the task's functions it schedules; empty: the workload itself
	// Trace is the candidate: instructions and decisions. Its text is kept
	// byte for byte.
	Trace     json.RawMessage
	TraceHash string
	// Seen is how many results the session had folded when it proposed the
	// trial. With it a resumed session interleaves both exactly as before.
	Seen int64

	State   TrialState
	Attempt int    // 1 for the first
	Pool    string // where it waits or is out
	Work    string // the item it is out with, or the last one
	Solo    bool   // it is suspected of killing agents: it travels alone
	// Build describes the artifact once there is one: digest, size, symbol,
	// workspace, packing functions.
	Build json.RawMessage

	Code     string // why it is closed
	Order    int64  // position among the job's results, from 1; 0: open
	Charged  bool
	Ns       float64 // the accepted time, 0: none
	Record   int64   // its record, 0: none
	Accepted int64   // the attempt that closed it

	CreatedAt, ClosedAt time.Time
}

// TrialDraft is a proposal. The store sets State (built when Build is given,
// else queued), Attempt, Pool and everything about the result.
type TrialDraft struct {
	Task      int64
	Seq       int64
	Kind      Kind
	Of        int64
	Against   int64
	Baseline  bool
	Variant   string
	Trace     json.RawMessage
	TraceHash string
	Seen      int64
	Build     json.RawMessage
	// Origin is how the search came to it, for events; the ledger does not keep it.
	Origin string
}

// Attempt is one try at building, measuring or racing a trial.
type Attempt struct {
	ID         int64
	Trial      int64
	Work       string
	Attempt    int
	Kind       Kind
	Agent      string
	Device     string
	Boot       string
	BuildID    string // of the agent
	Deliveries int
	Code       string
	Stage      string
	Ns         float64 // score as a time
	Ratio      float64 // paired ratio to the incumbent, below 1 is faster; 0: none
	CILow      float64 // 95 % interval of Ratio
	CIHigh     float64
	MaxErr     float64
	Samples    []float64 // ns
	Incumbent  []float64 // ns, of the same rounds
	Conditions json.RawMessage
	Clocks     json.RawMessage // queue, fetch, build and run times
	Log        string          // digest of the log
	Message    string          // one line for people
	Accepted   bool            // it closed its trial
	At         time.Time
}

// Result is a closed trial with the attempt that closed it.
type Result struct {
	Trial   Trial
	Attempt Attempt
}

// Move is what an outcome does to its trial.
type Move int

// The moves and the guards under which they take effect.
const (
	// MoveKeep only stores the attempt.
	MoveKeep Move = iota
	// MoveBuilt takes a trial that is queued or building to built.
	MoveBuilt
	// MoveClose closes a trial that is open.
	MoveClose
	// MoveRequeue returns a trial that is out with the outcome's item at its
	// attempt to queued, with attempt + 1.
	MoveRequeue
	// MoveRebuilt is the same, back to built; it needs an artifact, of now or
	// of before.
	MoveRebuilt
)

// Outcome is what came of one trial.
type Outcome struct {
	Trial   int64
	Move    Move
	Code    string // for MoveClose
	Charged bool   // for MoveClose
	Ns      float64
	Solo    bool // from now on the trial travels alone
	// Held limits MoveClose, as the requeues are, to a trial that is out with
	// the attempt's item: for endings that say nothing about the candidate.
	Held bool
	// Build is what was built: needed by MoveBuilt, kept by every other move
	// but MoveRequeue, which forgets the artifact.
	Build  json.RawMessage
	Record *RecordDraft // for MoveClose with CodeOK
	// Attempt is stored in any case; for the requeues its Work and Attempt are
	// the guard.
	Attempt Attempt
	Event   *EventDraft // stored if the move takes effect
}

// Batch is what came of some trials of one job.
type Batch struct {
	Job      string
	Outcomes []Outcome
	// CloseItem ends this work item, if it is still out.
	CloseItem string
	// ItemCode says how it ended.
	ItemCode string
	// Correct adds device time to the job's share of pools.
	Correct []PoolShare
	Events  []EventDraft
}

// Applied is what became of one outcome.
type Applied struct {
	Took    bool  // the move took effect
	Attempt int64 // the attempt's id
	Order   int64 // for a trial that was closed
	Record  int64
}
