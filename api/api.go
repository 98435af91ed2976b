// Package api is the contract between those who ask for tuning and those who
// do it: the command line, in one process or over HTTP, and the coordinator.
// It imports the standard library only; scheduler implements [Service], and
// the client of a server will implement it too, so that there is one path.
//
// Start at [Service].
package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// Service is what a coordinator does for its clients.
type Service interface {
	// CreateJob stores a job, or finds the one it repeats or continues: see
	// NewJob.IdempotencyKey and NewJob.ResumeKey.
	CreateJob(ctx context.Context, n NewJob) (j Job, created bool, err error)
	// Job returns one job.
	Job(ctx context.Context, id string) (Job, error)
	// Jobs lists jobs, newest first.
	Jobs(ctx context.Context, q JobQuery) ([]Job, error)
	// Tasks returns a job's tasks by their index.
	Tasks(ctx context.Context, job string) ([]Task, error)
	// CancelJob ends a job. What is being measured is stopped and its results
	// no longer count. Cancelling a job that has ended changes nothing.
	CancelJob(ctx context.Context, id string) (Job, error)
	// PauseJob stops handing out a job's trials; those that are out come in.
	PauseJob(ctx context.Context, id string) (Job, error)
	// ResumeJob continues a paused job.
	ResumeJob(ctx context.Context, id string) (Job, error)
	// Events returns a job's events after a sequence number, in order. With
	// q.Wait it waits that long for the first.
	Events(ctx context.Context, q EventQuery) ([]Event, error)
	// Lookup answers for all workloads of a module at once.
	Lookup(ctx context.Context, q LookupQuery) (Bundle, error)
	// Records lists records, newest first.
	Records(ctx context.Context, q RecordQuery) ([]Record, error)
	// PutBlob stores content-addressed data and returns its digest. The
	// reader's data must match want, unless want is empty.
	PutBlob(ctx context.Context, project, want string, r io.Reader) (Blob, error)
}

// Causes of errors, told apart with errors.Is.
var (
	ErrNotFound = errors.New("not found")
	ErrInvalid  = errors.New("invalid request")
	ErrConflict = errors.New("conflict")
)

// NewJob is a request to tune some workloads.
type NewJob struct {
	Project     string `json:"project,omitempty"` // empty: "default"
	Name        string `json:"name"`              // for people
	Class       string `json:"class,omitempty"`   // interactive (default), ci, nightly
	Weight      int    `json:"weight,omitempty"`  // share among jobs of a class, default 1
	Seed        uint64 `json:"seed"`
	ModelDigest string `json:"model_digest,omitempty"`
	// TrialBudget and TimeBudgetMS bound the job; 0 is no bound. At least one
	// must be given.
	TrialBudget  int64           `json:"trial_budget,omitempty"`
	TimeBudgetMS int64           `json:"time_budget_ms,omitempty"`
	Spec         json.RawMessage `json:"spec,omitempty"` // for the session, opaque here
	Tasks        []NewTask       `json:"tasks"`
	// IdempotencyKey makes repeating the request harmless: the first job with
	// it is returned.
	IdempotencyKey string `json:"idempotency_key,omitempty"`
	// ResumeKey is equal for requests that continue one another (model,
	// shapes, target, options). The newest unfinished job with it is resumed
	// instead of creating one, unless Fresh is set.
	ResumeKey string `json:"resume_key,omitempty"`
	Fresh     bool   `json:"fresh,omitempty"`
}

// NewTask is one workload to tune on one target.
type NewTask struct {
	Name      string          `json:"name"` // operator and shapes, for people
	Workload  Workload        `json:"workload"`
	Target    Target          `json:"target"`
	Weight    float64         `json:"weight"` // how often the model runs it; 0: only another form of the model would
	Variants  json.RawMessage `json:"variants,omitempty"`
	Spec      json.RawMessage `json:"spec,omitempty"` // for the session, opaque here
	Toolchain Toolchain       `json:"toolchain"`
	// Combined lets one agent build and measure an item without upload.
	Combined bool `json:"combined,omitempty"`
}

// Workload is a tensor function in canonical form.
type Workload struct {
	Hash string `json:"hash"`
	Name string `json:"name"`
	Text string `json:"text"`
	// Structure is a hash that workloads share which differ in extents: their
	// records may help one another.
	Structure string `json:"structure,omitempty"`
}

// Target is what a device is.
type Target struct {
	Key      string          `json:"key"`
	Version  int             `json:"version"` // of the function that builds Key
	Kind     string          `json:"kind"`
	ISA      string          `json:"isa"`
	Features []string        `json:"features,omitempty"`
	UArch    string          `json:"uarch,omitempty"`
	Model    string          `json:"model,omitempty"`
	Threads  int             `json:"threads"`
	Spec     json.RawMessage `json:"spec,omitempty"`
}

// Toolchain chooses the builders.
type Toolchain struct {
	Triple   string `json:"triple"`
	Compiler string `json:"compiler"` // gcc, clang, …
}

// Job is a job as it stands.
type Job struct {
	ID           string          `json:"id"`
	Project      string          `json:"project"`
	Name         string          `json:"name"`
	Class        string          `json:"class"`
	Weight       int             `json:"weight"`
	State        string          `json:"state"`
	Reason       string          `json:"reason,omitempty"`
	Seed         uint64          `json:"seed"`
	ModelDigest  string          `json:"model_digest,omitempty"`
	Spec         json.RawMessage `json:"spec,omitempty"`
	TrialBudget  int64           `json:"trial_budget,omitempty"`
	TrialsSpent  int64           `json:"trials_spent"`
	TrialsOpen   int64           `json:"trials_open"`
	TimeBudgetMS int64           `json:"time_budget_ms,omitempty"`
	TimeSpentMS  int64           `json:"time_spent_ms"`
	LastEvent    int64           `json:"last_event"`
	CreatedAt    time.Time       `json:"created_at"`
	StartedAt    *time.Time      `json:"started_at,omitempty"`
	EndedAt      *time.Time      `json:"ended_at,omitempty"`
}

// Ended says whether the job has reached its last state.
func (j Job) Ended() bool {
	return j.State == "done" || j.State == "failed" || j.State == "cancelled"
}

// JobQuery selects jobs; zero fields select all.
type JobQuery struct {
	Project string
	States  []string
	Limit   int // 0: 100
}

// Task is a task as it stands.
type Task struct {
	ID        int64   `json:"id"`
	Index     int     `json:"index"`
	Name      string  `json:"name"`
	Workload  string  `json:"workload"` // hash
	Target    string  `json:"target"`   // key
	Weight    float64 `json:"weight"`
	Trials    int64   `json:"trials"`
	DefaultNs float64 `json:"default_ns,omitempty"`
	BestNs    float64 `json:"best_ns,omitempty"`
}

// Blob is stored data.
type Blob struct {
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}
