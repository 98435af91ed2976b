package store

import (
	"encoding/json"
	"slices"
	"time"
)

// LocalProject owns everything on a machine without a server.
const LocalProject = "default"

// JobState is where a job stands.
type JobState string

// The states of a job.
const (
	JobQueued    JobState = "queued"
	JobRunning   JobState = "running"
	JobPaused    JobState = "paused"
	JobStopping  JobState = "stopping" // the budget is spent; what is out comes in
	JobDone      JobState = "done"
	JobFailed    JobState = "failed"
	JobCancelled JobState = "cancelled"
)

// Unfinished are the states a job can still leave.
var Unfinished = []JobState{JobQueued, JobRunning, JobPaused, JobStopping}

// Ended says whether s is final.
func (s JobState) Ended() bool { return !slices.Contains(Unfinished, s) }

// JobClass orders jobs before their fair share does.
type JobClass string

// The classes, most urgent first.
const (
	Interactive JobClass = "interactive"
	CI          JobClass = "ci"
	Nightly     JobClass = "nightly"
)

// Job is a request to tune a model within a budget.
type Job struct {
	ID      string // ULID
	Project string
	Name    string // for people: the model's file name
	// Key is equal for jobs that continue one another: a digest of model,
	// shapes, target keys and options.
	Key         string
	Idempotency string // the client's own key, or empty
	Class       JobClass
	Weight      int // share of a pool among jobs of one class, at least 1
	State       JobState
	Reason      string // why it ended or paused: a code or a sentence
	Spec        json.RawMessage
	Seed        uint64
	ModelDigest string
	TrialBudget int64         // 0: no limit
	TimeBudget  time.Duration // 0: no limit

	TimeSpent time.Duration // running wall time without pauses
	Proposed  int64         // trials proposed: the highest sequence number
	Closed    int64         // trials closed: the highest order of acceptance
	Charged   int64         // trials that count against TrialBudget
	LastEvent int64         // the highest event number

	CreatedAt, StartedAt, EndedAt time.Time // zero: not yet
}

// NewJob is a job to create. State, counters and times are set by the store;
// an empty ID gets a new ULID.
type NewJob struct {
	Job       Job
	Tasks     []TaskDraft
	Workloads []Workload
	Targets   []Target
	Events    []EventDraft
}

// JobFilter selects jobs; zero fields select all.
type JobFilter struct {
	Project string
	States  []JobState
	Limit   int // 0: 100
}

// JobMove is a guarded change of state.
type JobMove struct {
	From   []JobState
	To     JobState
	Reason string
	Events []EventDraft
}

// Task is a workload of a job on a target.
type Task struct {
	ID       int64
	Project  string
	Job      string
	Index    int    // position in the job, from 0
	Name     string // operator and shapes, for people
	Workload string // hash
	Target   string // key
	Weight   float64
	Variants json.RawMessage // other functions that compute the same, or null
	Spec     json.RawMessage // what the session needs besides, or null

	BuildPool  string // where its trials are built
	DevicePool string // where they are measured
	Threads    int

	Trials    int64   // charged
	DefaultNs float64 // the default schedule's time, 0: not measured
	BestNs    float64 // least time of a record, 0: none; for display
	BestTrial int64
}

// TaskDraft is a task to create; the store sets ID, Project, Job, Index (its
// position in the list) and the results.
type TaskDraft = Task
