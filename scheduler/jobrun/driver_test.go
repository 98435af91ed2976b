package jobrun

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"hone/bench/workload"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/db/store"
	"hone/internal/wire"
	"hone/scheduler"
	"hone/scheduler/emit"
)

// library holds workloads in memory, and perhaps a champion of one of them, records
// of related workloads and cost models.
type library struct {
	workloads map[string]store.Workload
	champion  store.Champion
	record    store.Record
	related   []store.Record
	models    []store.CostModel
}

func (l *library) Related(_ context.Context, q store.RelatedQuery) ([]store.Record, error) {
	var out []store.Record
	for _, r := range l.related {
		if l.workloads[r.Workload].Structure == l.workloads[q.Workload].Structure && r.Workload != q.Workload {
			out = append(out, r)
		}
	}
	return out, nil
}

func (l *library) CostModel(context.Context, string, string, int, time.Time) (store.CostModel, error) {
	if len(l.models) == 0 {
		return store.CostModel{}, store.ErrNotFound
	}
	return l.models[len(l.models)-1], nil
}

func (l *library) PutCostModel(_ context.Context, m store.CostModel) error {
	l.models = append(l.models, m)
	return nil
}

func (l *library) Workload(_ context.Context, hash string) (store.Workload, error) {
	return l.workloads[hash], nil
}

func (l *library) Champions(_ context.Context, _, workload, _ string) ([]store.Champion, error) {
	if l.champion.Workload != workload {
		return nil, nil
	}
	return []store.Champion{l.champion}, nil
}

func (l *library) ListRecords(context.Context, store.RecordFilter) ([]store.Record, error) {
	return []store.Record{l.record}, nil
}

// world is a job whose measurements are a function of the candidate.
type world struct {
	t       *testing.T
	lib     *library
	codes   map[string]wire.Code // of traces that end otherwise, by hash
	job     store.Job
	tasks   []store.Task
	trials  []store.Trial
	results []store.Result
	charged int
	turns   int   // taken by drivers
	busy    error // why a turn is refused
}

func (w *world) turn(context.Context) (func(), error) {
	w.turns++
	return func() { w.turns-- }, w.busy
}

func newWorld(t *testing.T, budget int64) *world {
	tgt, err := target.Parse(`{"kind":"cpu","mcpu":"znver3","num-cores":2}`)
	if err != nil {
		t.Fatal(err)
	}
	tgt = tgt.WithThreads(1)
	spec, err := json.Marshal(Spec{Target: tgt, CC: "gcc", Batch: 6})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, lib: &library{workloads: map[string]store.Workload{}}, job: store.Job{ID: "job", Project: "default", Spec: spec, Seed: 7, TrialBudget: budget}}
	for i, f := range []*tir.PrimFunc{workload.Matmul(48, 64, 96), workload.Conv(12, 12, 16, 16, 3, 8)} {
		hash := w.lib.put(f)
		w.tasks = append(w.tasks, store.Task{ID: int64(i + 1), Index: i, Name: fmt.Sprint("task", i), Workload: hash, Target: tgt.Key(), Weight: float64(i + 1), Threads: 1})
	}
	return w
}

// put stores a workload.
func (l *library) put(f *tir.PrimFunc) (hash string) {
	h, s := tir.Hash(f), tir.Structure(f)
	hash = hex.EncodeToString(h[:])
	l.workloads[hash] = store.Workload{Hash: hash, Name: f.Name, Text: tir.Script(f), Structure: hex.EncodeToString(s[:])}
	return hash
}

func (w *world) open() scheduler.Driver {
	d, err := Opener(w.lib, NewLearner, w.turn)(context.Background(), w.job, w.tasks)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// propose asks a driver and appends what it answers to the ledger.
func (w *world) propose(d scheduler.Driver) {
	open := len(w.trials) - len(w.results)
	room := scheduler.Room{Trials: int(w.job.TrialBudget) - w.charged - open}
	drafts, err := d.Propose(context.Background(), room)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(drafts) > room.Trials {
		w.t.Fatalf("%d trials proposed with room for %d", len(drafts), room.Trials)
	}
	for _, x := range drafts {
		n := int64(len(w.trials) + 1)
		tr := store.Trial{ID: n, Seq: n, Task: x.Task, Kind: x.Kind, Baseline: x.Baseline, Trace: x.Trace, TraceHash: x.TraceHash, Seen: int64(len(w.results))}
		w.trials = append(w.trials, tr)
		if err := d.Admit(tr); err != nil {
			w.t.Fatal(err)
		}
	}
}

// finish closes the oldest open trial; the default schedule is slow, every seventh
// hash fails, every eleventh is the device's fault and not charged.
func (w *world) finish(d scheduler.Driver) {
	tr := w.trials[len(w.results)]
	sum, err := hex.DecodeString(tr.TraceHash)
	if err != nil {
		w.t.Fatal(err)
	}
	x := binary.LittleEndian.Uint32(sum)
	tr.Code, tr.Charged, tr.Ns = store.CodeOK, true, 1000+float64(x%5000)
	switch {
	case tr.Baseline:
		tr.Ns = 6000
	case x%7 == 0:
		tr.Code, tr.Ns = string(wire.CandidateCrash), 0
	case x%11 == 0:
		tr.Code, tr.Ns, tr.Charged = string(wire.InfraExhausted), 0, false
	}
	if code, ok := w.codes[tr.TraceHash]; ok {
		tr.Code, tr.Ns, tr.Charged = string(code), 0, code.Info().Charged
	}
	tr.Build = built(w.t)
	if tr.Charged {
		w.charged++
	}
	r := store.Result{Trial: tr}
	w.results = append(w.results, r)
	if err := d.Observe(r); err != nil {
		w.t.Fatal(err)
	}
}

// built describes some artifact.
func built(t *testing.T) json.RawMessage {
	b, err := json.Marshal(scheduler.Built{Entry: wire.Entry{Symbol: "s", Artifact: &wire.Blob{SHA256: strings.Repeat("0", 64), Size: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// retell tells a new driver the ledger as the coordinator does.
func (w *world) retell() scheduler.Driver {
	d := w.open()
	told := 0
	for _, tr := range w.trials {
		for int64(told) < tr.Seen {
			if err := d.Observe(w.results[told]); err != nil {
				w.t.Fatal(err)
			}
			told++
		}
		if err := d.Admit(tr); err != nil {
			w.t.Fatal(err)
		}
	}
	for ; told < len(w.results); told++ {
		if err := d.Observe(w.results[told]); err != nil {
			w.t.Fatal(err)
		}
	}
	return d
}

// run plays a job to its end; kill after every k-th result, 0 never.
func (w *world) run(kill int) []string {
	d := w.open()
	w.propose(d)
	for len(w.results) < len(w.trials) {
		w.finish(d)
		if kill > 0 && len(w.results)%kill == 0 {
			d = w.retell()
		}
		w.propose(d)
	}
	var out []string
	for _, tr := range w.trials {
		out = append(out, fmt.Sprintf("%d %s", tr.Task, tr.TraceHash))
	}
	return out
}

// search plays a job until its trials are spent, and returns the races proposed then.
func (w *world) search() (scheduler.Driver, []store.TrialDraft) {
	w.t.Helper()
	d := w.open()
	w.propose(d)
	for len(w.results) < len(w.trials) {
		w.finish(d)
		w.propose(d)
	}
	races, err := d.Propose(w.t.Context(), scheduler.Room{Stopping: true})
	if err != nil {
		w.t.Fatal(err)
	}
	return d, races
}

// A job that is killed after every k-th result proposes what the uninterrupted
// one proposes, and spends its budget exactly.
func TestKilledJobsProposeTheSame(t *testing.T) {
	whole := newWorld(t, 40)
	want := whole.run(0)
	if whole.charged != 40 {
		t.Fatalf("%d trials charged, the budget is 40", whole.charged)
	}
	for _, k := range []int{1, 5} {
		w := newWorld(t, 40)
		got := w.run(k)
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("killed after every %d results: %d trials, want %d; they differ", k, len(got), len(want))
		}
	}
}

func TestEveryTaskStartsWithTheDefaultSchedule(t *testing.T) {
	w := newWorld(t, 12)
	d := w.open()
	w.propose(d)
	if len(w.trials) != 2 || !w.trials[0].Baseline || !w.trials[1].Baseline || w.trials[0].Task == w.trials[1].Task {
		t.Fatalf("first proposals: %+v", w.trials)
	}
	em, err := d.Item(context.Background(), scheduler.ItemRequest{Task: w.tasks[0], Kind: wire.KindMeasure, Trials: w.trials[:1], Build: true})
	if err != nil {
		t.Fatal(err)
	}
	if em.Work.Expect == nil || em.Work.Expect.Reference.Symbol != "naive" || !strings.Contains(em.Source, "naive") {
		t.Error("candidate zero is not compared with the naive loops of its own unit")
	}
}

func TestSearchWaitsItsTurn(t *testing.T) {
	w := newWorld(t, 30)
	d := w.open()
	w.propose(d)
	if w.turns != 0 || len(w.trials) == 0 {
		t.Errorf("%d trials, %d turns still held", len(w.trials), w.turns)
	}
	w.busy = context.Canceled
	if drafts, err := d.Propose(t.Context(), scheduler.Room{Trials: 9}); err != context.Canceled || len(drafts) > 0 {
		t.Errorf("without a turn: %d drafts, %v", len(drafts), err)
	}
}

// At the end the fastest race against the default schedule, and only those that
// are not slower.
func TestFinalistsRace(t *testing.T) {
	w := newWorld(t, 30)
	_, races := w.search()
	zero := map[int64]float64{}
	for _, r := range w.results {
		if r.Trial.Baseline {
			zero[r.Trial.Task] = r.Trial.Ns
		}
	}
	n := map[int64]int{}
	for _, x := range races {
		of := w.results[x.Of-1].Trial
		n[x.Task]++
		if x.Kind != store.Race || of.Baseline || of.Code != store.CodeOK || of.Ns > 1.02*zero[x.Task] {
			t.Errorf("trial %d (%v ns, default %v) races", x.Of, of.Ns, zero[x.Task])
		}
	}
	for task, k := range n {
		if k > finalists {
			t.Errorf("task %d: %d finalists", task, k)
		}
	}
	if len(races) == 0 {
		t.Error("nobody races")
	}
}

// crowned is a world with a champion, which an earlier job found for the first task.
func crowned(t *testing.T) (w *world, hash string) {
	before := newWorld(t, 20)
	before.run(0)
	w = newWorld(t, 20)
	w.job.CreatedAt = time.Unix(2000, 0)
	slow := store.Trial{} // so that others race it
	for _, r := range before.results {
		if tr := r.Trial; tr.Task == 1 && tr.Code == store.CodeOK && !tr.Baseline && tr.Ns > slow.Ns {
			slow = tr
		}
	}
	w.lib.champion = store.Champion{ID: 9, Workload: w.tasks[0].Workload, Record: 5, At: time.Unix(1000, 0)}
	w.lib.record = store.Record{ID: 5, Trace: slow.Trace, TraceHash: slow.TraceHash}
	return w, slow.TraceHash
}

// Races run against the champion that the job started with and may replace no other;
// one that is wrong here is no opponent.
func TestRacesMeetTheChampion(t *testing.T) {
	for _, broken := range []bool{false, true} {
		w, hash := crowned(t)
		if broken {
			w.codes = map[string]wire.Code{hash: wire.CandidateMismatch}
		}
		d, races := w.search()
		if i := slices.IndexFunc(w.trials, func(tr store.Trial) bool { return tr.TraceHash == hash }); i < 0 || w.trials[i].Seen != 0 {
			t.Fatal("the champion is not measured first")
		}
		raced := false
		for _, x := range races {
			if want := map[int64]int64{1: 9}[x.Task]; x.Against != want {
				t.Errorf("broken %v: a race of task %d is against %d, want %d", broken, x.Task, x.Against, want)
			}
			tr := store.Trial{ID: int64(len(w.trials)) + 1, Task: x.Task, Kind: store.Race, Of: x.Of, Against: x.Against, Trace: x.Trace, TraceHash: x.TraceHash}
			if err := d.Admit(tr); err != nil {
				t.Fatal(err)
			}
			raced = raced || x.Task == 1
			rival := w.results[0].Trial // candidate zero
			for _, r := range w.results {
				if !broken && x.Task == 1 && r.Trial.TraceHash == hash || (broken || x.Task != 1) && r.Trial.Task == x.Task && r.Trial.Baseline {
					rival = r.Trial
				}
			}
			// An artifact that was lost is built again on the way to the race.
			for _, build := range []bool{false, true} {
				if tr.Build = built(t); build {
					tr.Build = nil
				}
				em, err := d.Item(t.Context(), scheduler.ItemRequest{Task: w.tasks[x.Task-1], Kind: wire.KindRace, Trials: []store.Trial{tr}, Build: build})
				if err != nil {
					t.Fatal(err)
				}
				if inc := em.Work.Incumbent; inc == nil || inc.Trial != scheduler.TrialName(rival.ID) || em.Work.Seed != 2 || (em.Source != "") != build {
					t.Errorf("broken %v, build %v: incumbent %+v, want trial %d; seed %d, %d bytes of source", broken, build, inc, rival.ID, em.Work.Seed, len(em.Source))
				}
			}
		}
		if !raced {
			t.Error("nobody races the champion")
		}
	}
}

// When agents have lost what candidates are compared with, the naive loops take over.
func TestALostReferenceIsGivenUp(t *testing.T) {
	w := newWorld(t, 12)
	d := w.open()
	w.propose(d)
	w.finish(d)
	zero := w.trials[0]
	item := func() scheduler.Emission {
		em, err := d.Item(t.Context(), scheduler.ItemRequest{Task: w.tasks[zero.Task-1], Kind: wire.KindMeasure, Trials: []store.Trial{zero}, Build: true})
		if err != nil {
			t.Fatal(err)
		}
		return em
	}
	if em := item(); em.Work.Incumbent == nil || em.Work.Expect.Reference.Symbol == emit.NaiveSymbol {
		t.Fatalf("beside candidate zero: %+v", em.Work.Expect)
	}
	lost := store.Result{Trial: zero, Attempt: store.Attempt{Code: string(wire.InfraReference)}}
	lost.Trial.Code = string(wire.InfraExhausted)
	if err := d.Observe(lost); err != nil {
		t.Fatal(err)
	}
	if em := item(); em.Work.Incumbent != nil || em.Work.Expect.Reference.Symbol != emit.NaiveSymbol {
		t.Errorf("after it was lost: %+v beside %+v", em.Work.Expect, em.Work.Incumbent)
	}
}

// Candidates are timed as ratios, which have noise: the least of many is a little too
// good, once, however many there are and however far the true times fall.
func TestTimesDoNotDrift(t *testing.T) {
	for _, c := range []struct {
		name  string
		truth func(i int) float64
	}{
		{"all the same", func(int) float64 { return 1000 }},
		{"ten times faster", func(i int) float64 { return 1000 * math.Pow(0.1, min(1, float64(i)/200)) }},
	} {
		run := &taskRun{}
		rnd := rand.New(rand.NewPCG(1, 2))
		truth := map[int64]float64{1: 1000}
		next := store.Trial{ID: 1, Baseline: true, Ns: 1000, Build: built(t)}
		for i := range 400 {
			if err := run.won(store.Result{Trial: next}); err != nil {
				t.Fatal(err)
			}
			if p := run.partner.Trial.Ns; p > 2*run.best.Trial.Ns {
				t.Fatalf("%s: the partner takes %g, the best %g", c.name, p, run.best.Trial.Ns)
			}
			id := int64(i + 2)
			truth[id] = c.truth(i)
			ratio := truth[id] / truth[run.partner.Trial.ID] * (1 + 0.03*rnd.NormFloat64())
			next = store.Trial{ID: id, Ns: ratio * run.partner.Trial.Ns, Build: built(t)}
		}
		if shown, is := run.best.Trial.Ns, truth[run.best.Trial.ID]; shown < 0.75*is || shown > is {
			t.Errorf("%s: shown as %g, in truth %g", c.name, shown, is)
		}
	}
}
