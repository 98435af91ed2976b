package jobrun

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"sync"

	"hone/compiler/trace"
	"hone/db/store"
	"hone/internal/wire"
	"hone/scheduler"
	"hone/scheduler/emit"
	"hone/tuner"
)

// finalists is how many candidates of a task race at the end of a job.
const finalists = 4

// taskRun is one task of the job with what is needed to write its items.
type taskRun struct {
	row      store.Task
	index    int
	emit     *emit.Task
	champion champion // of earlier jobs

	zero     *wire.Kernel  // candidate zero's kernel, once built; without it the naive loops are the reference
	best     *store.Result // fastest right result
	partner  *store.Result // what candidates are paired with
	finished []store.Result
	raced    bool
}

// driver implements scheduler.Driver.
type driver struct {
	spec    Spec
	tasks   []*taskRun
	byTask  map[int64]*taskRun
	session *tuner.Session
	model   Model // nil: the search learns nothing
	lib     Library
	project string
	notes   []string
	turn    Turn
	kept    bool // the model was kept for later jobs

	mu       sync.Mutex    // guards what Item reads beside Observe
	byTrial  map[int64]int // store id to session sequence
	lastSeen int64
	round    int
}

var _ scheduler.Driver = (*driver)(nil)

// Admit implements scheduler.Driver. Trials that one call of Propose made have
// the same Seen, which is how their rounds are told apart.
func (d *driver) Admit(t store.Trial) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	run, ok := d.byTask[t.Task]
	if !ok {
		return fmt.Errorf("it belongs to task %d, which the job does not have", t.Task)
	}
	if t.Kind != store.Measure {
		run.raced = true
		if seq, ok := d.byTrial[t.Of]; ok { // its artifact may be lost: it is built like the trial it is of
			d.byTrial[t.ID] = seq
		}
		return nil
	}
	if d.lastSeen >= 0 && t.Seen != d.lastSeen {
		d.round++
	}
	d.lastSeen = t.Seen
	if t.TraceHash == run.champion.hash {
		run.champion.tried = true
	}
	tr, err := trace.Parse(t.Trace)
	if err != nil {
		return err
	}
	seq := len(d.session.Trials())
	if err := d.session.Admit(tuner.Trial{Seq: seq, Task: run.index, Round: d.round, Trace: tr}); err != nil {
		return err
	}
	d.byTrial[t.ID] = seq
	return nil
}

// Observe implements scheduler.Driver.
func (d *driver) Observe(r store.Result) error {
	if r.Trial.Kind != store.Measure {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	seq, ok := d.byTrial[r.Trial.ID]
	if !ok {
		return fmt.Errorf("it was never admitted")
	}
	run := d.byTask[r.Trial.Task]
	ok = r.Trial.Code == store.CodeOK
	ns := 0.0
	if ok {
		ns = r.Trial.Ns
	}
	if lost := wire.Code(r.Attempt.Code); r.Trial.Code == string(wire.InfraExhausted) && lost == wire.InfraReference {
		run.unmoor()
	}
	if r.Trial.TraceHash == run.champion.hash && wire.Code(r.Trial.Code).Class() == "candidate" {
		run.champion.broken = true
	}
	if ok {
		if err := run.won(r); err != nil {
			return err
		}
	}
	return d.session.Accept(tuner.Outcome{Seq: seq, Charged: r.Trial.Charged, NS: ns})
}

// unmoor gives up what candidates are compared with: agents have lost it, or it does not
// run any more. The naive loops come back as the reference, and the next right candidate
// is the partner.
func (t *taskRun) unmoor() { t.zero, t.partner = nil, nil }

// won remembers a right result.
func (t *taskRun) won(r store.Result) error {
	k, err := kernelOf(r.Trial)
	if err != nil {
		return err
	}
	if r.Trial.Baseline {
		t.zero = &k
	}
	if t.best == nil || r.Trial.Ns < t.best.Trial.Ns {
		t.best = &r
	}
	switch {
	case t.partner == nil:
		t.partner = &r
	case wire.Outgrown(t.partner.Trial.Ns, t.best.Trial.Ns):
		t.partner = t.best
	}
	t.finished = append(t.finished, r)
	return nil
}

func kernelOf(t store.Trial) (wire.Kernel, error) {
	b, err := scheduler.BuiltOf(t)
	if err != nil {
		return wire.Kernel{}, err
	}
	e := b.Entry
	return wire.Kernel{Artifact: e.Artifact, Symbol: e.Symbol, Workspace: e.Workspace, Pack: e.Pack}, nil
}

// Propose implements scheduler.Driver.
func (d *driver) Propose(ctx context.Context, room scheduler.Room) ([]store.TrialDraft, error) {
	if room.Stopping {
		d.keep(ctx)
		return d.races(), nil
	}
	if room.Trials <= 0 {
		return nil, nil
	}
	release, err := d.turn(ctx)
	if err != nil {
		return nil, err
	}
	ts, err := d.session.Propose()
	release()
	if err != nil {
		return nil, err
	}
	var out []store.TrialDraft
	first := len(d.session.Trials()) == 0
	have := map[int]bool{}
	for _, t := range ts[:min(len(ts), room.Trials)] {
		text, err := t.Trace.MarshalJSON()
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		out = append(out, store.TrialDraft{
			Task: d.tasks[t.Task].row.ID, Kind: store.Measure, Baseline: first && !have[t.Task],
			Trace: text, TraceHash: hex.EncodeToString(sum[:]), Origin: t.Origin,
		})
		have[t.Task] = true
	}
	return out, nil
}

// races proposes, for every task, a race of its fastest candidates against what
// builds use now: the champion of earlier jobs where there is one, which this
// job measured again, else the default schedule.
func (d *driver) races() []store.TrialDraft {
	var out []store.TrialDraft
	for _, t := range d.tasks {
		against := t.raceAgainst()
		if t.raced || against == nil {
			continue
		}
		best := append([]store.Result(nil), t.finished...)
		sort.SliceStable(best, func(i, j int) bool { return best[i].Trial.Ns < best[j].Trial.Ns })
		n := 0
		for _, r := range best {
			if n == finalists || r.Trial.ID == against.Trial.ID || r.Trial.Ns > against.Trial.Ns*1.02 {
				continue
			}
			n++
			out = append(out, store.TrialDraft{Task: t.row.ID, Kind: store.Race, Of: r.Trial.ID, Against: t.champion.id, Trace: r.Trial.Trace, TraceHash: r.Trial.TraceHash, Build: r.Trial.Build})
		}
	}
	return out
}

// champion is what builds used when the job was created. Races are run against it
// and promoted over it: one that came since voids them.
type champion struct {
	id     int64 // 0: there was none
	hash   string
	tried  bool // it was proposed
	broken bool // it failed by its own fault
}

// raceAgainst is the result of what finalists have to beat, nil when it was not
// measured. A champion that this build cannot replay, or that is wrong here, is no
// opponent: then they have to beat the default schedule.
func (t *taskRun) raceAgainst() *store.Result {
	zero := t.champion.id == 0 || !t.champion.tried || t.champion.broken
	for i := range t.finished {
		r := &t.finished[i]
		if zero && r.Trial.Baseline || !zero && r.Trial.TraceHash == t.champion.hash {
			return r
		}
	}
	return nil
}

// Notes implements scheduler.Driver.
func (d *driver) Notes() []string { return append(d.notes, d.session.Notes()...) }

// Close implements scheduler.Driver.
func (d *driver) Close() error { return nil }
