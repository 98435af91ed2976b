package tuner_test

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/trace"
	"hone/cost/feature"
	"hone/internal/rng"
	"hone/tuner"
	"hone/tuner/preset"
	"hone/tuner/search"
	"hone/tuner/tunertest"
)

// neighbours predicts by the nearest samples in the space of features: no
// training, no randomness, a function of the samples and their order.
type neighbours struct{ x *feature.Extractor }

func (m neighbours) Fit(samples []tuner.Sample) tuner.Predictor {
	if len(samples) == 0 {
		return nil
	}
	p := &nearest{x: m.x}
	for _, s := range samples {
		if s.NS > 0 {
			p.known = append(p.known, point{s.Task, p.features(s.Func), math.Log(s.NS)})
		}
	}
	return p
}

type point struct {
	task string
	at   []float32
	log  float64
}

type nearest struct {
	x     *feature.Extractor
	known []point
}

func (p *nearest) features(f *tir.PrimFunc) []float32 {
	rows, err := p.x.Extract(f)
	if err != nil || len(rows) == 0 {
		return nil
	}
	return rows[0]
}

func (p *nearest) Predict(task string, fs []*tir.PrimFunc) []float64 {
	out := make([]float64, len(fs))
	for i, f := range fs {
		at, sum, weight := p.features(f), 0.0, 0.0
		for _, k := range p.known {
			if k.task != task {
				continue
			}
			d := 1.0
			for j := range min(len(at), len(k.at)) {
				x := float64(at[j] - k.at[j])
				d += float64(x * x)
			}
			w := 1 / (d * d)
			sum += float64(w * k.log)
			weight += w
		}
		if weight > 0 {
			out[i] = -sum / weight
		}
	}
	return out
}

// lab is a job without hardware: two tasks with times in closed form. Some trials
// fail, some are lost and cost nothing, and outcomes come in no order.
type lab struct {
	spec  tuner.Spec
	lands []tunertest.Landscape
}

func newLab(t testing.TB, presetName string, seed uint64, trials int) *lab {
	t.Helper()
	tgt := tunertest.Target(t, "avx2", "2")
	p, err := preset.Lookup(presetName)
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{spec: tuner.Spec{Target: tgt, Preset: presetName, Seed: seed, Trials: trials, Batch: 4}}
	for i, name := range []string{"matmul", "conv_bias"} {
		f := tunertest.Workloads[name]()
		e, err := search.NewEngine(f, p, tgt)
		if err != nil {
			t.Fatal(err)
		}
		best := e.Propose(search.Round{N: 1, Rand: rng.New(77, i)})
		l.lands = append(l.lands, tunertest.Landscape{Best: best[0].Trace})
		l.spec.Tasks = append(l.spec.Tasks, tuner.Task{ID: name, Name: name, Func: f, Weight: float64(1 + i)})
	}
	return l
}

func (l *lab) session(t testing.TB) *tuner.Session {
	t.Helper()
	s, err := tuner.New(l.spec, neighbours{feature.NewExtractor(l.spec.Target)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// outcome is what measuring a trial gives: a function of the trial.
func (l *lab) outcome(x tuner.Trial) tuner.Outcome {
	o := tuner.Outcome{Seq: x.Seq, Charged: true, NS: l.lands[x.Task].NS(x.Trace)}
	switch fate := x.Hash[0]; {
	case x.Seq < len(l.spec.Tasks): // candidates zero are right
	case fate < 16:
		o.NS = 0
	case fate < 24:
		o.Charged, o.NS = false, 0
	}
	return o
}

// event is a line of the ledger: a round of trials, written in one transaction,
// or an outcome.
type event struct {
	round   []tuner.Trial
	outcome *tuner.Outcome
}

// run drives a session to its end. after is called behind every event, and before
// the first one, with the events so far.
func (l *lab) run(t testing.TB, after func(s *tuner.Session, ledger []event)) (*tuner.Session, []event) {
	t.Helper()
	s := l.session(t)
	var ledger []event
	var pending []tuner.Trial
	order := rng.New(l.spec.Seed, "arrival")
	for step := 0; !s.Done(); step++ {
		if step > 10*l.spec.Trials {
			t.Fatal("the session does not end")
		}
		after(s, ledger)
		if s.Ready() && (len(pending) == 0 || order.Bool(0.5)) {
			round, err := s.Propose()
			if err != nil {
				t.Fatal(err)
			}
			if len(round) > 0 {
				for _, x := range round {
					if err := s.Admit(x); err != nil {
						t.Fatal(err)
					}
				}
				pending = append(pending, round...)
				ledger = append(ledger, event{round: round})
				continue
			}
			if len(pending) == 0 {
				break // every space is exhausted
			}
		}
		k := order.Intn(len(pending))
		o := l.outcome(pending[k])
		pending = append(pending[:k], pending[k+1:]...)
		if err := s.Accept(o); err != nil {
			t.Fatal(err)
		}
		ledger = append(ledger, event{outcome: &o})
	}
	after(s, ledger)
	return s, ledger
}

// rebuild makes a session of a ledger as a store keeps it: traces as text, no
// functions, no hashes.
func (l *lab) rebuild(t testing.TB, ledger []event) *tuner.Session {
	t.Helper()
	s := l.session(t)
	for _, e := range ledger {
		if e.outcome != nil {
			if err := s.Accept(*e.outcome); err != nil {
				t.Fatal(err)
			}
		}
		for _, x := range e.round {
			tr, err := trace.Parse(text(t, x))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Admit(tuner.Trial{Seq: x.Seq, Task: x.Task, Round: x.Round, Trace: tr}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

func text(t testing.TB, x tuner.Trial) []byte {
	t.Helper()
	b, err := x.Trace.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// same compares two rounds completely, scores included.
func same(t testing.TB, what string, got, want []tuner.Trial) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d trials, want %d", what, len(got), len(want))
	}
	for i, x := range want {
		y := got[i]
		if y.Seq != x.Seq || y.Task != x.Task || y.Round != x.Round || y.Hash != x.Hash || y.Origin != x.Origin || y.Score != x.Score ||
			!bytes.Equal(text(t, y), text(t, x)) {
			t.Fatalf("%s: trial %d differs: %s of round %d, score %v; want %s of round %d, score %v\n%s\n%s", what, x.Seq,
				y.Origin, y.Round, y.Score, x.Origin, x.Round, x.Score, text(t, y), text(t, x))
		}
	}
}

func nothing(*tuner.Session, []event) {}

// The same seed gives the same trials on any number of processors; another seed
// gives others.
func TestSameSeedSameTrials(t *testing.T) {
	for _, p := range preset.Names() {
		a, _ := newLab(t, p, 1, 42).run(t, nothing)
		old := runtime.GOMAXPROCS(1)
		b, _ := newLab(t, p, 1, 42).run(t, nothing)
		runtime.GOMAXPROCS(old)
		same(t, p, b.Trials(), a.Trials())
		c, _ := newLab(t, p, 2, 8).run(t, nothing)
		differ := false
		for i, x := range c.Trials() {
			differ = differ || x.Hash != a.Trials()[i].Hash
		}
		if !differ {
			t.Errorf("%s: another seed gives the same trials", p)
		}
	}
}

// A process that dies after every k-th event of the ledger and starts again goes
// on as if nothing had happened.
func TestARebuiltSessionProposesTheSame(t *testing.T) {
	for p, k := range map[string]int{"cpu": 1, "cpu-parity": 5} {
		l := newLab(t, p, 3, 42)
		rounds, models := 0, 0
		l.run(t, func(s *tuner.Session, ledger []event) {
			if len(ledger)%k != 0 {
				return
			}
			r := l.rebuild(t, ledger)
			at := fmt.Sprintf("%s after %d events", p, len(ledger))
			if r.Ready() != s.Ready() || r.Done() != s.Done() || r.Charged() != s.Charged() {
				t.Fatalf("%s: ready %v, done %v, charged %d; want %v, %v, %d", at, r.Ready(), r.Done(), r.Charged(), s.Ready(), s.Done(), s.Charged())
			}
			if !s.Ready() {
				return
			}
			want, err1 := s.Propose()
			got, err2 := r.Propose()
			if err1 != nil || err2 != nil {
				t.Fatalf("%s: %v, %v", at, err1, err2)
			}
			same(t, at, got, want)
			rounds++
			for _, x := range want {
				if x.Score != 0 {
					models++
					break
				}
			}
		})
		if rounds < 10/k || models == 0 {
			t.Errorf("%s: %d rounds compared, %d of them with a model", p, rounds, models)
		}
	}
}

// The best time of a task never rises, the budget is kept to the trial, no
// program is measured twice, and the search gets close to the optimum.
func TestTheBestNeverRises(t *testing.T) {
	for _, p := range preset.Names() {
		l := newLab(t, p, 5, 56)
		last := map[string]float64{}
		s, _ := l.run(t, func(s *tuner.Session, _ []event) {
			for _, g := range s.Progress() {
				if old := last[g.Task.ID]; old > 0 && (g.Best > old || g.Best == 0) {
					t.Fatalf("%s: the best of %s rose from %v to %v", p, g.Task.ID, old, g.Best)
				}
				last[g.Task.ID] = g.Best
			}
		})
		if s.Charged() != l.spec.Trials {
			t.Errorf("%s: %d trials were charged, the budget is %d", p, s.Charged(), l.spec.Trials)
		}
		seen := map[string]bool{}
		for _, x := range s.Trials() {
			id := fmt.Sprint(x.Task, x.Hash)
			if seen[id] {
				t.Errorf("%s: trial %d measures a program again", p, x.Seq)
			}
			seen[id] = true
		}
		for _, g := range s.Progress() {
			t.Logf("%s, %s: %v ns at first, %v after %d trials", p, g.Task.ID, g.Default, g.Best, g.Trials)
			if g.Best-tunertest.Base > 0.7*(g.Default-tunertest.Base) {
				t.Errorf("%s, %s: %v ns after %d trials, %v at first, optimum %v", p, g.Task.ID, g.Best, g.Trials, g.Default, tunertest.Base)
			}
		}
	}
}

func TestBadSpecsAndLedgers(t *testing.T) {
	l := newLab(t, "cpu", 1, 8)
	for want, edit := range map[string]func(*tuner.Spec){
		"a session needs a task":                  func(s *tuner.Spec) { s.Tasks = nil },
		"a budget of 0 trials: need one at least": func(s *tuner.Spec) { s.Trials = 0 },
		`unknown preset "x" (known: cpu, cpu-parity, cpu-parity-dotprod, cpu-parity-vnni)`: func(s *tuner.Spec) { s.Preset = "x" },
		"task matmul: needs a function, a positive weight and an id of its own": func(s *tuner.Spec) {
			s.Tasks = append([]tuner.Task{s.Tasks[0]}, s.Tasks...)
		},
	} {
		spec := l.spec
		edit(&spec)
		if _, err := tuner.New(spec, nil); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	s := l.session(t)
	if err := s.Admit(tuner.Trial{Seq: 1}); err == nil {
		t.Error("a gap in the ledger was accepted")
	}
	if err := s.Accept(tuner.Outcome{Seq: 0}); err == nil {
		t.Error("the outcome of an unknown trial was accepted")
	}
}

// What rules have to say reaches the user under the task's name.
func TestNotesNameTheTask(t *testing.T) {
	l := newLab(t, "cpu-parity", 1, 8)
	f := l.spec.Tasks[0].Func
	s := schedule.NewFunc(f, nil)
	b, err := s.GetSBlock("matmul")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Annotate(b, schedule.KeyScheduleRule, "winograd"); err != nil {
		t.Fatal(err)
	}
	l.spec.Tasks[0].Func = s.Func()
	notes := l.session(t).Notes()
	if len(notes) != 1 || !strings.HasPrefix(notes[0], `matmul: block matmul asks for the schedule rule "winograd"`) {
		t.Errorf("%q", notes)
	}
}
