package simulate_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hone/bench/simulate"
	"hone/bench/workload"
	"hone/internal/rng"
	"hone/tuner"
	"hone/tuner/preset"
	"hone/tuner/search"
	"hone/tuner/tunertest"
)

// lab has times in closed form, and records what it answers.
type lab struct {
	land tunertest.Landscape
	log  *simulate.Log
}

func newLab(t *testing.T) (*lab, tuner.Spec) {
	t.Helper()
	f, tgt := workload.Matmul(48, 64, 96), tunertest.Target(t, "avx2", "1")
	p, err := preset.Lookup("cpu")
	if err != nil {
		t.Fatal(err)
	}
	e, err := search.NewEngine(f, p, tgt)
	if err != nil {
		t.Fatal(err)
	}
	best := e.Propose(search.Round{N: 1, Rand: rng.New(3, "optimum")})
	l := &lab{tunertest.Landscape{Best: best[0].Trace}, simulate.NewLog("matmul", f, tgt, "gcc")}
	return l, tuner.Spec{Tasks: []tuner.Task{{ID: "m", Name: "m", Func: f, Weight: 1}}, Target: tgt, Seed: 1, Trials: 60, Batch: 6}
}

// Measure implements simulate.Fleet: some candidates fail.
func (l *lab) Measure(t tuner.Trial) (tuner.Outcome, error) {
	e := simulate.Entry{Preset: "cpu", Half: simulate.EvolvedHalf, Code: "ok", NS: l.land.NS(t.Trace)}
	if t.Hash[0] < 16 && t.Seq > 0 {
		e.Code, e.NS = "candidate.crash", 0
	}
	return tuner.Outcome{Seq: t.Seq, Charged: true, NS: e.NS}, l.log.Add(e, t.Trace, t.Hash)
}

func run(t *testing.T, spec tuner.Spec, f simulate.Fleet) simulate.Curve {
	t.Helper()
	c, err := simulate.Run(spec, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// stored writes and reads a log.
func stored(t *testing.T, l *simulate.Log) *simulate.Log {
	t.Helper()
	var b bytes.Buffer
	if err := l.Write(&b); err != nil {
		t.Fatal(err)
	}
	back, err := simulate.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// TestExact: a stored log leads the same search to the same trials, and another
// search to a candidate that it does not hold.
func TestExact(t *testing.T) {
	lab, spec := newLab(t)
	want := run(t, spec, lab)
	if len(want.Hashes) != 60 || want.To(want.Best[59]) == 0 || want.To(1) != 0 {
		t.Fatalf("%d trials, best %v", len(want.Hashes), want.Best)
	}
	exact := simulate.NewExact(stored(t, lab.log))
	if got := run(t, spec, exact); !reflect.DeepEqual(got, want) {
		t.Error("the log leads to other trials")
	}
	spec.Seed++
	_, err := simulate.Run(spec, nil, exact)
	var unknown *simulate.UnknownError
	if !errors.As(err, &unknown) || !strings.Contains(err.Error(), "was never measured in log matmul") {
		t.Errorf("another seed: %v", err)
	}
}

// TestSurrogate answers what the log holds from the log and the rest by a model, whose
// order is near the truth, never faster than the reference, and counts both.
func TestSurrogate(t *testing.T) {
	lab, spec := newLab(t)
	spec.Trials, spec.Random = 300, true
	run(t, spec, lab)
	l := stored(t, lab.log)
	cs, stale, err := simulate.Candidates(l)
	if err != nil || stale > 0 || len(cs) != len(l.Entries) {
		t.Fatalf("%d candidates of %d entries, %d stale, %v", len(cs), len(l.Entries), stale, err)
	}
	s, err := simulate.NewSurrogate(l, cs)
	if err != nil {
		t.Fatal(err)
	}
	if got := run(t, spec, s); s.Guessed != 0 || s.Known != 300 || got.Best[299] != l.Reference() {
		t.Errorf("the same search: %d known, %d guessed", s.Known, s.Guessed)
	}
	spec.Seed++
	right, pairs := 0, 0
	spec.Trials = 100
	truth := &watch{fleet: s, lab: lab}
	run(t, spec, truth)
	for i := range truth.said {
		for k := range i {
			if truth.said[i] == truth.said[k] {
				continue
			}
			pairs++
			if (truth.said[i] < truth.said[k]) == (truth.is[i] < truth.is[k]) {
				right++
			}
		}
	}
	if s.Guessed < 50 || slices.Min(truth.said) < l.Reference() || float64(right) < 0.75*float64(pairs) {
		t.Errorf("%d guesses, %d of %d pairs in order, least %v, reference %v", s.Guessed, right, pairs, slices.Min(truth.said), l.Reference())
	}
}

// watch compares what a fleet says with the truth, failures aside.
type watch struct {
	fleet    simulate.Fleet
	lab      *lab
	said, is []float64
}

func (w *watch) Measure(t tuner.Trial) (tuner.Outcome, error) {
	o, err := w.fleet.Measure(t)
	if o.NS > 0 {
		w.said, w.is = append(w.said, o.NS), append(w.is, w.lab.land.NS(t.Trace))
	}
	return o, err
}

// TestReference is the raced time, unless no entry is as fast.
func TestReference(t *testing.T) {
	l := &simulate.Log{Raced: 10, Entries: []simulate.Entry{{NS: 0}, {NS: 9}, {NS: 12}}}
	if got := l.Reference(); got != 10 {
		t.Errorf("a lucky entry: %v", got)
	}
	if l.Raced = 5; l.Reference() != 9 {
		t.Errorf("a lucky race: %v", l.Reference())
	}
}

// TestBadLogs are refused with what is wrong.
func TestBadLogs(t *testing.T) {
	if _, err := simulate.Read(strings.NewReader("no gzip")); err == nil {
		t.Error("noise is read")
	}
	other := simulate.Log{Format: "something/9"}
	var b bytes.Buffer
	if err := other.Write(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := simulate.Read(&b); err == nil || !strings.Contains(err.Error(), "something/9") {
		t.Errorf("another format: %v", err)
	}
	lab, spec := newLab(t)
	spec.Trials = 1
	run(t, spec, lab)
	for what, change := range map[string]func(*simulate.Entry){
		"sketch 7":           func(e *simulate.Entry) { e.Sketch = 7 },
		"is no decision":     func(e *simulate.Entry) { e.Decisions[0] = "x" },
		"its sketch more":    func(e *simulate.Entry) { e.Decisions = e.Decisions[:1] },
		"\"no such preset\"": func(e *simulate.Entry) { e.Preset = "no such preset" },
	} {
		l := stored(t, lab.log)
		change(&l.Entries[0])
		if _, _, err := simulate.Candidates(l); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	l := stored(t, lab.log)
	l.Entries[0].Hash = "0000000000000000"
	if cs, stale, err := simulate.Candidates(l); err != nil || len(cs) != 0 || stale != 1 {
		t.Errorf("another program: %d candidates, %d stale, %v", len(cs), stale, err)
	}
	if _, err := simulate.NewSurrogate(l, nil); err == nil {
		t.Error("a surrogate of nothing")
	}
}
