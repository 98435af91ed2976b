// Package store says what Hone keeps: jobs and their ledger of trials, records
// and champions, workloads and targets, events, cost models and leases; and
// the verbs that change them. It holds no SQL and imports none of ours:
// sqlitestore and pgstore implement it, dbtest is the suite that both pass.
//
// The ledger is the truth of a job. A job's session can be rebuilt at any time
// from its spec, its seed, its trials by sequence and its results by order of
// acceptance, so every verb here is one transaction, guarded so that doing it
// twice or too late changes nothing:
//
//	job:   queued → running ⇄ paused → stopping → done | failed | cancelled
//	trial: queued → building → built → measuring → closed(code)
//
// Start at [Store].
package store

import (
	"context"
	"time"
)

// Store is everything a coordinator needs of a database. Implementations are
// safe for concurrent use. Times come from the database's own clock.
type Store interface {
	Jobs
	Ledger
	Dispatch
	Events
	Records
	Library
	Leases
	// Fenced returns a view of the store each of whose writes first locks l's
	// row and fails with ErrFenced, changing nothing, unless l is still held
	// at its epoch.
	Fenced(l Lease) Store
	// Close releases the database. Views from Fenced need no closing.
	Close() error
}

// Jobs creates jobs and moves them through their states.
type Jobs interface {
	// CreateJob stores a job with its tasks, and the workloads and targets
	// they name. A second call with the same non-empty idempotency key returns
	// the first job and created = false.
	CreateJob(ctx context.Context, n NewJob) (j Job, created bool, err error)
	// Job returns one job, or ErrNotFound.
	Job(ctx context.Context, id string) (Job, error)
	// ListJobs returns the jobs that match f, newest first.
	ListJobs(ctx context.Context, f JobFilter) ([]Job, error)
	// UnfinishedJob returns the newest job of the project with this key that
	// has not ended, or ErrNotFound.
	UnfinishedJob(ctx context.Context, project, key string) (Job, error)
	// MoveJob takes a job to state m.To if it is in one of m.From, else
	// returns ErrConflict, naming the state it is in.
	MoveJob(ctx context.Context, id string, m JobMove) (Job, error)
	// SpendTime adds running wall time to a job.
	SpendTime(ctx context.Context, id string, d time.Duration) error
	// Tasks returns a job's tasks by their index.
	Tasks(ctx context.Context, job string) ([]Task, error)
}

// Ledger holds the trials of a job and what came of them.
type Ledger interface {
	// Propose appends trials to a job. Sequence numbers continue those already
	// stored; a draft whose number is stored already is skipped, so repeating
	// a proposal is harmless. It fails with ErrBudget, storing nothing, if
	// charged and open measure trials would exceed the job's trial budget, and
	// with ErrConflict unless the job is running or, for races, stopping.
	Propose(ctx context.Context, job string, drafts []TrialDraft, events ...EventDraft) ([]Trial, error)
	// Trials returns a job's trials with a sequence number above after.
	Trials(ctx context.Context, job string, after int64, limit int) ([]Trial, error)
	// OpenTrials returns the trials that are not closed, by sequence.
	OpenTrials(ctx context.Context, job string) ([]Trial, error)
	// Trial returns one trial, or ErrNotFound.
	Trial(ctx context.Context, id int64) (Trial, error)
	// Results returns the accepted results with an order above after, by order.
	Results(ctx context.Context, job string, after int64, limit int) ([]Result, error)
	// Attempts returns everything that was tried for a trial, oldest first.
	Attempts(ctx context.Context, trial int64) ([]Attempt, error)
	// Apply stores what came of some trials of one job, together with records,
	// charges and events, and says for each outcome whether it took effect.
	// The first result of a trial wins; later ones are kept as attempts.
	Apply(ctx context.Context, b Batch) ([]Applied, error)
	// Abandon closes open trials of a job with an uncharged code: those that
	// wait to be measured, or all; then its work items end, too. It returns how
	// many trials it closed.
	Abandon(ctx context.Context, job, code string, all bool) (int, error)
}

// Dispatch hands waiting trials out as work items.
type Dispatch interface {
	// Pools returns, sorted, the pools for which running jobs have waiting
	// trials or items out.
	Pools(ctx context.Context) ([]string, error)
	// PoolLoad returns a pool's items out and its runnable jobs.
	PoolLoad(ctx context.Context, pool string) (PoolLoad, error)
	// Waiting returns up to limit trials of a job that wait for a pool, by
	// sequence.
	Waiting(ctx context.Context, pool, job string, limit int) ([]Trial, error)
	// Send stores a work item and marks its trials as out. Trials that are no
	// longer waiting at the attempt given are left alone; the item returned
	// holds those that were taken, and ErrConflict means that none was.
	Send(ctx context.Context, d WorkDraft) (WorkItem, error)
	// WorkItem returns one item, closed or not, or ErrNotFound.
	WorkItem(ctx context.Context, id string) (WorkItem, error)
	// OpenItems returns the items out, oldest first, of one job or, with an
	// empty name, of all.
	OpenItems(ctx context.Context, job string) ([]WorkItem, error)
	// Overdue returns items out whose deadline passed more than grace ago.
	Overdue(ctx context.Context, grace time.Duration) ([]WorkItem, error)
}

// Events is the progress of jobs, in rows.
type Events interface {
	// AppendEvents adds events to a job and returns the last sequence number.
	AppendEvents(ctx context.Context, job string, events ...EventDraft) (int64, error)
	// EventsAfter returns events with a sequence number above after, in order.
	EventsAfter(ctx context.Context, job string, after int64, limit int) ([]Event, error)
}

// Records is what tuning found.
type Records interface {
	// Lookup answers for all workloads of a module in one query.
	Lookup(ctx context.Context, q LookupQuery) (Bundle, error)
	// ListRecords returns the records that match f, newest first.
	ListRecords(ctx context.Context, f RecordFilter) ([]Record, error)
	// Related returns the fastest records of other workloads of one structure, those
	// of one workload together and the fastest first.
	Related(ctx context.Context, q RelatedQuery) ([]Record, error)
	// Champion returns the current champion, or ErrNotFound.
	Champion(ctx context.Context, project, workload, target string) (Champion, error)
	// Champions returns all champions there have been, oldest first.
	Champions(ctx context.Context, project, workload, target string) ([]Champion, error)
	// Promote makes a record the champion if p.Against still is (0: if there
	// is none), else fails with ErrStale.
	Promote(ctx context.Context, p Promotion) (Champion, error)
}

// Library is what jobs share: functions, devices, predictors.
type Library interface {
	// PutProject adds an owner of jobs if it is not there yet.
	PutProject(ctx context.Context, id, name string) error
	// PutWorkloads stores workloads that are not there yet. Hashes ignore names:
	// the first text of a hash stays, because traces find blocks by its names. A
	// structure is added where it was missing.
	PutWorkloads(ctx context.Context, ws ...Workload) error
	// Workload returns one workload, or ErrNotFound.
	Workload(ctx context.Context, hash string) (Workload, error)
	// PutTargets stores targets that are not there yet.
	PutTargets(ctx context.Context, ts ...Target) error
	// Setting returns what is kept under a name, which is first if nothing was:
	// whoever asks first decides.
	Setting(ctx context.Context, name, first string) (string, error)
	// Targets returns all targets by key.
	Targets(ctx context.Context) ([]Target, error)
	// PutCostModel stores a trained model beside earlier ones.
	PutCostModel(ctx context.Context, m CostModel) error
	// CostModel returns the newest model for a target key and feature version that
	// was stored before a time, ErrNotFound, or ErrCorrupt when its text does not
	// match its checksum.
	CostModel(ctx context.Context, project, target string, features int, before time.Time) (CostModel, error)
}

// Leases make one owner at a time responsible for a job, a pool or a shard.
type Leases interface {
	// Acquire takes the named lease for ttl if it is free, has run out, or is
	// owner's own already; else it fails with ErrHeld. A new owner, and an
	// owner whose lease ran out, gets the next epoch.
	Acquire(ctx context.Context, name, owner string, ttl time.Duration) (Lease, error)
	// Renew extends a lease that is still held at its epoch, else ErrFenced.
	Renew(ctx context.Context, l Lease, ttl time.Duration) (Lease, error)
	// Release frees a lease; releasing a lost one does nothing.
	Release(ctx context.Context, l Lease) error
}
