package schedtest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"hone/db/store"
	"hone/internal/rng"
	"hone/internal/wire"
	"hone/scheduler"
)

// Spec is the spec of a simulated job.
type Spec struct {
	Batch int `json:"batch"` // trials open at a time; 0: 4
	// Space is how many candidates each task has; 0: no end.
	Space int `json:"space,omitempty"`
	// Fail makes the session fail at its n-th proposal.
	Fail int64 `json:"fail,omitempty"`
}

// Candidate is the trace of a simulated trial: a point, whose time is known in
// closed form.
type Candidate struct {
	X int `json:"x"`
}

// Ns is the time of a candidate of a task: a valley with its bottom at 700.
func (c Candidate) Ns() float64 { return 1000 + math.Abs(float64(c.X-700)) }

// sourceLine is the source of one candidate.
const sourceLine = "/* %s x=%d */\n"

// driver is a session over points: half of what it tries is new, half lies
// near the best it knows. It is a fold, as a driver must be.
type driver struct {
	job   store.Job
	spec  Spec
	tasks []*landscape
	byID  map[int64]*landscape

	proposed, results int64
	open              int
}

type landscape struct {
	task  store.Task
	n     int // trials admitted
	best  Candidate
	trial int64 // of the best, 0: none
	ns    float64
	raced int64 // the best when it was last raced
}

// OpenDriver is a scheduler.OpenDriver.
func OpenDriver(_ context.Context, job store.Job, tasks []store.Task) (scheduler.Driver, error) {
	d := &driver{job: job, byID: map[int64]*landscape{}}
	if err := json.Unmarshal(job.Spec, &d.spec); err != nil {
		return nil, fmt.Errorf("spec of job %s: %w", job.ID, err)
	}
	if d.spec.Batch == 0 {
		d.spec.Batch = 4
	}
	for _, t := range tasks {
		l := &landscape{task: t}
		d.tasks = append(d.tasks, l)
		d.byID[t.ID] = l
	}
	return d, nil
}

func (d *driver) Admit(t store.Trial) error {
	d.proposed++
	d.open++
	l := d.byID[t.Task]
	if t.Kind == store.Race {
		l.raced = t.Of
		return nil
	}
	l.n++
	return nil
}

func (d *driver) Observe(r store.Result) error {
	d.results++
	d.open--
	l := d.byID[r.Trial.Task]
	if r.Trial.Kind == store.Race || r.Trial.Code != store.CodeOK {
		return nil
	}
	if l.trial == 0 || r.Trial.Ns < l.ns {
		l.trial, l.ns = r.Trial.ID, r.Trial.Ns
		return json.Unmarshal(r.Trial.Trace, &l.best)
	}
	return nil
}

func (d *driver) Propose(_ context.Context, room scheduler.Room) ([]store.TrialDraft, error) {
	if room.Stopping {
		return d.finals(), nil
	}
	if d.spec.Fail > 0 && d.proposed >= d.spec.Fail {
		return nil, fmt.Errorf("made to fail after %d trials", d.proposed)
	}
	var out []store.TrialDraft
	more := make([]int, len(d.tasks))
	for n := min(room.Trials, d.spec.Batch-d.open); len(out) < n; {
		i := int(d.proposed+int64(len(out))) % len(d.tasks)
		l := d.tasks[i]
		index := l.n + more[i]
		if d.spec.Space > 0 && index >= d.spec.Space {
			break
		}
		more[i]++
		c := d.pick(l, index)
		out = append(out, store.TrialDraft{Task: l.task.ID, Kind: store.Measure, Baseline: index == 0, Trace: mustJSON(c), TraceHash: fmt.Sprint(c.X)})
	}
	return out, nil
}

// pick is the candidate at an index of a task, given what is known.
func (d *driver) pick(l *landscape, index int) Candidate {
	r := rng.New(d.job.Seed, "task", l.task.Index, "trial", index)
	if l.trial != 0 && r.Bool(0.5) {
		return Candidate{X: l.best.X + r.Intn(201) - 100}
	}
	return Candidate{X: r.Intn(1000)}
}

// finals races each task's best, once.
func (d *driver) finals() []store.TrialDraft {
	var out []store.TrialDraft
	for _, l := range d.tasks {
		if l.trial != 0 && l.raced != l.trial {
			out = append(out, store.TrialDraft{Task: l.task.ID, Kind: store.Race, Of: l.trial, Trace: mustJSON(l.best)})
		}
	}
	return out
}

func (d *driver) Item(_ context.Context, r scheduler.ItemRequest) (scheduler.Emission, error) {
	em := scheduler.Emission{Refused: map[int64]string{}, Work: wire.Work{Threads: 1, Seed: d.job.Seed, DeadlineMS: 20_000,
		Args:   []wire.Arg{{DType: "float32", Shape: []int64{4}, Role: wire.RoleOut, Generator: wire.Const(0)}},
		Expect: &wire.Expect{OutputsSHA256: strings.Repeat("0", 64), Rule: wire.RuleExact}}}
	var src strings.Builder
	for _, t := range r.Trials {
		var c Candidate
		if err := json.Unmarshal(t.Trace, &c); err != nil {
			return em, err
		}
		if c.X%50 == 13 { // the emitter has no code for these
			em.Refused[t.ID] = fmt.Sprintf("no code for x=%d", c.X)
			continue
		}
		e := wire.Entry{Trial: scheduler.TrialName(t.ID), Symbol: fmt.Sprint("f", t.ID)}
		if !r.Build && len(t.Build) > 0 {
			b, err := scheduler.BuiltOf(t)
			if err != nil {
				return em, err
			}
			b.Entry.Trial = e.Trial
			e = b.Entry
		}
		em.Work.Entries = append(em.Work.Entries, e)
		fmt.Fprintf(&src, sourceLine, e.Symbol, c.X)
	}
	if r.Build {
		em.Source = src.String()
		em.Work.Toolchain = &wire.Toolchain{CC: "gcc", Version: "12"}
	}
	if r.Kind == wire.KindRace {
		em.Work.Incumbent = &wire.Incumbent{Kernel: wire.Kernel{Symbol: "incumbent"}, NS: 2000}
		if !r.Build {
			em.Work.Incumbent.Artifact = em.Work.Entries[0].Artifact
		}
	}
	return em, nil
}

// Notes implements scheduler.Driver.
func (d *driver) Notes() []string { return nil }

func (d *driver) Close() error { return nil }

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("BUG: schedtest: " + err.Error()) // plain values marshal
	}
	return b
}
