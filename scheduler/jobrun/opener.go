package jobrun

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/tvmscript"
	"hone/compiler/trace"
	"hone/db/store"
	"hone/scheduler"
	"hone/scheduler/emit"
	"hone/tuner"
)

// Library is what a driver needs of the store: texts of workloads, what earlier
// jobs left, and a place for what this one leaves.
type Library interface {
	Workload(ctx context.Context, hash string) (store.Workload, error)
	Champions(ctx context.Context, project, workload, target string) ([]store.Champion, error)
	ListRecords(ctx context.Context, f store.RecordFilter) ([]store.Record, error)
	Related(ctx context.Context, q store.RelatedQuery) ([]store.Record, error)
	CostModel(ctx context.Context, project, target string, features int, before time.Time) (store.CostModel, error)
	PutCostModel(ctx context.Context, m store.CostModel) error
}

// Spec is the part of a job that only its session reads.
type Spec struct {
	Target target.Target `json:"target"`
	Preset string        `json:"preset,omitempty"`
	CC     string        `json:"cc"`
	Batch  int           `json:"batch,omitempty"`
	// Cold asks for cold weights: the model's constants exceed the last-level
	// cache.
	Cold bool `json:"cold,omitempty"`
	// Sites are parts of the model that can be computed in several forms: for each site
	// and form, how often a model of that form calls each workload.
	Sites [][]map[string]int `json:"sites,omitempty"`
}

// weight is how often the session takes a task to be called: a task that only other
// forms of a site call weighs 0 in the job, and here what they call.
func (s *Spec) weight(t store.Task) float64 {
	if t.Weight > 0 {
		return t.Weight
	}
	most := 0
	for _, forms := range s.Sites {
		for _, calls := range forms {
			most = max(most, calls[t.Workload])
		}
	}
	return float64(most)
}

// TaskSpec is the part of a task that only the session reads.
type TaskSpec struct {
	Bound float64 `json:"bound_ns,omitempty"` // time that no schedule can beat
}

// NewModel makes a model for a target that starts from an earlier one, nil if there
// is none.
type NewModel func(t target.Target, prior []byte) Model

// Turn waits until the machine may be put to work and returns what ends the
// work. Searching takes all processors, and an agent on this machine that times
// parallel kernels meanwhile would time the search.
type Turn func(ctx context.Context) (release func(), err error)

// Opener returns the function that starts or continues the session of a job.
func Opener(lib Library, model NewModel, turn Turn) scheduler.OpenDriver {
	return func(ctx context.Context, job store.Job, tasks []store.Task) (scheduler.Driver, error) {
		d, err := open(ctx, lib, model, job, tasks)
		if err != nil {
			return nil, err
		}
		d.turn = turn
		return d, nil
	}
}

func open(ctx context.Context, lib Library, model NewModel, job store.Job, tasks []store.Task) (*driver, error) {
	var spec Spec
	if err := json.Unmarshal(job.Spec, &spec); err != nil {
		return nil, fmt.Errorf("the job's specification: %w", err)
	}
	d := &driver{spec: spec, lib: lib, project: job.Project, byTask: map[int64]*taskRun{}, byTrial: map[int64]int{}, lastSeen: -1}
	ts := tuner.Spec{Target: spec.Target, Preset: spec.Preset, Seed: job.Seed, Batch: spec.Batch, Trials: int(job.TrialBudget), Sites: spec.Sites}
	if ts.Trials == 0 {
		ts.Trials = unboundedTrials
	}
	for i, t := range tasks {
		run, tt, err := openTask(ctx, lib, job, t, spec)
		if err != nil {
			return nil, err
		}
		if err := d.borrow(ctx, job, t, &tt); err != nil {
			return nil, err
		}
		run.index = i
		d.tasks = append(d.tasks, run)
		d.byTask[t.ID] = run
		ts.Tasks = append(ts.Tasks, tt)
	}
	var m tuner.Model
	if model != nil {
		prior, err := d.earlierModel(ctx, job)
		if err != nil {
			return nil, err
		}
		d.model = model(spec.Target, prior)
		m = d.model
	}
	var err error
	d.session, err = tuner.New(ts, m)
	return d, err
}

// unboundedTrials is the budget of jobs that are bounded by time alone.
const unboundedTrials = 1 << 20

func openTask(ctx context.Context, lib Library, job store.Job, t store.Task, spec Spec) (*taskRun, tuner.Task, error) {
	fail := func(err error) (*taskRun, tuner.Task, error) {
		return nil, tuner.Task{}, fmt.Errorf("task %s: %w", t.Name, err)
	}
	w, err := lib.Workload(ctx, t.Workload)
	if err != nil {
		return fail(err)
	}
	f, err := parseWorkload(w)
	if err != nil {
		return fail(err)
	}
	var ts TaskSpec
	if len(t.Spec) > 0 {
		if err := json.Unmarshal(t.Spec, &ts); err != nil {
			return fail(err)
		}
	}
	tgt := spec.Target
	if t.Threads > 0 {
		tgt = tgt.WithThreads(t.Threads)
	}
	e, err := emit.NewTask(f, tgt, spec.CC)
	if err != nil {
		return fail(err)
	}
	e.Cold = spec.Cold
	ch, record, err := championBefore(ctx, lib, job, t)
	if err != nil {
		return fail(err)
	}
	run := &taskRun{row: t, emit: e, champion: ch}
	return run, tuner.Task{ID: t.Workload, Name: t.Name, Func: f, Weight: spec.weight(t), Bound: ts.Bound, Seeds: seedTraces(record)}, nil
}

// parseWorkload reads a stored text and checks that it is what its hash says.
func parseWorkload(w store.Workload) (*tir.PrimFunc, error) {
	m, err := tvmscript.Parse(w.Hash, w.Text)
	if err != nil {
		return nil, err
	}
	if len(m.Funcs) != 1 {
		return nil, fmt.Errorf("workload %.12s holds %d functions", w.Hash, len(m.Funcs))
	}
	h := tir.Hash(m.Funcs[0])
	if hex.EncodeToString(h[:]) != w.Hash {
		return nil, fmt.Errorf("the text of workload %.12s has another hash", w.Hash)
	}
	return m.Funcs[0], nil
}

// championBefore is the champion when the job was created and its record: the
// session measures it first, so that it can be raced. Later champions do not
// change what the session proposes.
func championBefore(ctx context.Context, lib Library, job store.Job, t store.Task) (champion, *store.Record, error) {
	all, err := lib.Champions(ctx, job.Project, t.Workload, t.Target)
	if errors.Is(err, store.ErrNotFound) {
		return champion{}, nil, nil
	}
	if err != nil {
		return champion{}, nil, err
	}
	var at *store.Champion
	for i := range all {
		if all[i].At.Before(job.CreatedAt) {
			at = &all[i]
		}
	}
	if at == nil {
		return champion{}, nil, nil
	}
	rs, err := lib.ListRecords(ctx, store.RecordFilter{Project: job.Project, Workload: t.Workload, Target: t.Target, Before: at.Record + 1, Limit: 1})
	if err != nil || len(rs) == 0 || rs[0].ID != at.Record {
		return champion{id: at.ID}, nil, err
	}
	return champion{id: at.ID, hash: rs[0].TraceHash}, &rs[0], nil
}

func seedTraces(r *store.Record) []trace.Trace {
	if r == nil {
		return nil
	}
	t, err := trace.Parse(r.Trace)
	if err != nil {
		return nil // a record of another version: the search starts without it
	}
	return []trace.Trace{t}
}
