package search_test

import (
	"reflect"
	"runtime"
	"testing"

	"hone/bench/workload"
	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/trace"
	"hone/internal/rng"
	"hone/tuner/filter"
	"hone/tuner/preset"
	"hone/tuner/search"
	"hone/tuner/tunertest"
)

func engine(t testing.TB, name, presetName string) *search.Engine {
	t.Helper()
	return engineOf(t, tunertest.Workloads[name](), presetName)
}

func engineOf(t testing.TB, f *tir.PrimFunc, presetName string) *search.Engine {
	t.Helper()
	p, err := preset.Lookup(presetName)
	if err != nil {
		t.Fatal(err)
	}
	e, err := search.NewEngine(f, p, tunertest.Target(t, "avx2", "2"))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// landscape has its optimum at a candidate drawn from the engine's spaces.
func landscape(t testing.TB, e *search.Engine, seed uint64) tunertest.Landscape {
	t.Helper()
	cs := e.Samples(1, rng.New(seed, "optimum"))
	if len(cs) == 0 {
		t.Fatal("nothing could be drawn")
	}
	return tunertest.Landscape{Best: cs[0].Trace}
}

// predict scores by the landscape itself.
func predict(l tunertest.Landscape) func([]*search.Candidate) []float64 {
	return func(cs []*search.Candidate) []float64 {
		out := make([]float64, len(cs))
		for i, c := range cs {
			out[i] = l.Score(c.Trace)
		}
		return out
	}
}

func best(l tunertest.Landscape, cs []search.Candidate) float64 {
	b := l.NS(cs[0].Trace)
	for _, c := range cs {
		b = min(b, l.NS(c.Trace))
	}
	return b
}

func measured(l tunertest.Landscape, cs []search.Candidate) []search.Measured {
	var out []search.Measured
	for _, c := range cs {
		out = append(out, search.Measured{Trace: c.Trace, Hash: c.Hash, NS: l.NS(c.Trace)})
	}
	return out
}

// Proposals are a function of the round: neither the number of processors nor
// what was proposed before changes them.
func TestProposalsDependOnTheRoundAlone(t *testing.T) {
	for _, p := range preset.Names() {
		e := engine(t, "matmul", p)
		l := landscape(t, e, 4)
		first := e.Propose(search.Round{N: 4, Rand: rng.New(1)})
		r := search.Round{N: 4, Rand: rng.New(2), Measured: measured(l, first), Predict: predict(l)}
		want := e.Propose(r)
		old := runtime.GOMAXPROCS(1)
		got := engine(t, "matmul", p).Propose(r)
		runtime.GOMAXPROCS(old)
		if len(want) == 0 || len(want) != len(got) {
			t.Fatalf("%s: %d and %d proposals", p, len(want), len(got))
		}
		for i := range want {
			if want[i].Hash != got[i].Hash || want[i].Origin != got[i].Origin || want[i].Score != got[i].Score {
				t.Errorf("%s: proposal %d differs", p, i)
			}
		}
		r.Rand = rng.New(3)
		if other := e.Propose(r); reflect.DeepEqual(hashes(other), hashes(want)) {
			t.Errorf("%s: another stream gives the same proposals", p)
		}
	}
}

func hashes(cs []search.Candidate) [][32]byte {
	var out [][32]byte
	for _, c := range cs {
		out = append(out, c.Hash)
	}
	return out
}

// Evolution with a good predictor finds much better schedules than drawing does.
func TestEvolutionClimbs(t *testing.T) {
	for _, p := range preset.Names() {
		for seed := range uint64(2) {
			e := engineOf(t, workload.Matmul(512, 512, 512), p)
			l := landscape(t, e, seed)
			drawn := e.Propose(search.Round{N: 32, Rand: rng.New(seed, "draw")})
			evolved := e.Propose(search.Round{N: 4, Rand: rng.New(seed, "evolve"), Measured: measured(l, drawn), Predict: predict(l)})
			if a, b := best(l, drawn)-tunertest.Base, best(l, evolved)-tunertest.Base; b > 0.5*a {
				t.Errorf("%s, seed %d: evolution is %.0f ns from the optimum, drawing was %.0f", p, seed, b, a)
			}
		}
	}
}

// Nothing is proposed twice, whether it was seen before or in the same round.
func TestNothingIsProposedTwice(t *testing.T) {
	for _, p := range preset.Names() {
		e := engine(t, "matmul_odd", p)
		l := landscape(t, e, 1)
		seen := map[[32]byte]bool{}
		var all []search.Candidate
		for round := range 5 {
			r := search.Round{N: 6, Rand: rng.New(5, round), Seen: func(h [32]byte) bool { return seen[h] }}
			if round > 1 {
				r.Measured, r.Predict = measured(l, all), predict(l)
			}
			r.Polish = round == 4
			cs := e.Propose(r)
			if len(cs) == 0 || len(cs) > 6 {
				t.Errorf("%s, round %d: %d proposals", p, round, len(cs))
			}
			for _, c := range cs {
				if seen[c.Hash] {
					t.Errorf("%s, round %d: %s was proposed before", p, round, c.Origin)
				}
				seen[c.Hash] = true
			}
			all = append(all, cs...)
		}
	}
}

// A space that is exhausted gives what is left, then nothing.
func TestSmallSpacesRunDry(t *testing.T) {
	e := engine(t, "elementwise", "cpu-parity")
	seen := map[[32]byte]bool{}
	total := 0
	for round := range 4 {
		cs := e.Propose(search.Round{N: 8, Rand: rng.New(1, round), Seen: func(h [32]byte) bool { return seen[h] }})
		for _, c := range cs {
			seen[c.Hash] = true
		}
		if total += len(cs); round > 0 && len(cs) > 0 {
			t.Errorf("round %d still gives %d candidates", round, len(cs))
		}
	}
	if total != 1 {
		t.Errorf("%d candidates, want the only one", total)
	}
}

// Draws and their neighbours respect the limits of register tiles.
// A space without decisions is one program, drawn once.
func TestNothingToDecideIsOneCandidate(t *testing.T) {
	b := tir.NewBuilder("main")
	x, y := b.Param("X", dtype.Float32, 3), b.Param("Y", dtype.Float32, 3)
	b.Compute("copy", y, func(i []tir.Expr) tir.Expr { return workload.Load(x, i...) })
	e := engineOf(t, workload.Finish(b), "cpu")
	for _, s := range e.Spaces {
		if s.Decides() {
			t.Fatalf("the sketch decides:\n%v", s.Sketch)
		}
	}
	first := e.Propose(search.Round{N: 4, Rand: rng.New(1)})
	if len(first) != 1 {
		t.Fatalf("%d candidates of a space without decisions", len(first))
	}
	seen := func(h [32]byte) bool { return h == first[0].Hash }
	if again := e.Propose(search.Round{N: 4, Rand: rng.New(2), Seen: seen}); len(again) != 0 {
		t.Errorf("proposed again: %d", len(again))
	}
}

func TestCandidatesRespectTheLimits(t *testing.T) {
	e := engine(t, "matmul", "cpu")
	l := landscape(t, e, 2)
	cs := e.Propose(search.Round{N: 32, Rand: rng.New(1)})
	cs = append(cs, e.Propose(search.Round{N: 8, Rand: rng.New(2), Measured: measured(l, cs), Predict: predict(l)})...)
	for _, c := range cs {
		if !filter.Of(c.Trace).Allow(c.Trace.Decisions, &e.Target) {
			t.Errorf("%s breaks a limit: %v", c.Origin, c.Trace.Decisions)
		}
	}
}

// Polishing tries every other candidate of each choice: one that is a single step
// away comes first.
func TestPolishFindsTheNeighbour(t *testing.T) {
	e := engine(t, "matmul", "cpu")
	zero, err := e.Default()
	if err != nil {
		t.Fatal(err)
	}
	choice := -1
	for i, inst := range zero.Trace.WithoutPostproc().Insts {
		if inst.Kind.Name == "SampleCategorical" {
			choice = i // the last one: how far reduction loops are unrolled
		}
	}
	want := int64(2)
	if zero.Trace.Decisions[choice] == any(want) {
		t.Fatal("the default is what the test looks for")
	}
	steps := func(cs []*search.Candidate) []float64 {
		out := make([]float64, len(cs))
		for i, c := range cs {
			for k, d := range zero.Trace.WithoutPostproc().Decisions {
				x := d
				if k == choice {
					x = want
				}
				if !reflect.DeepEqual(c.Trace.Decisions[k], x) {
					out[i]--
				}
			}
		}
		return out
	}
	r := search.Round{N: 4, Rand: rng.New(1), Polish: true, Predict: steps, Measured: []search.Measured{{Trace: zero.Trace, Hash: zero.Hash, NS: 1}}}
	cs := e.Propose(r)
	if len(cs) == 0 || cs[0].Origin != search.OriginPolish || cs[0].Score != 0 {
		t.Fatalf("the neighbour was not found: %+v", cs)
	}
}

// A candidate's trace rebuilds it, also after a round trip through text.
func TestCandidatesReplay(t *testing.T) {
	for _, p := range preset.Names() {
		e := engine(t, "conv_bias", p)
		for _, c := range e.Propose(search.Round{N: 8, Rand: rng.New(6)}) {
			text, err := c.Trace.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			tr, err := trace.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			again, err := e.Replay(tr)
			if err != nil || again.Hash != c.Hash {
				t.Errorf("%s: the stored trace gives another candidate (%v)", p, err)
			}
		}
	}
}

// The default schedule is a point of the first sketch of the space cpu: the same
// instructions with decisions that analysis made.
func TestDefaultIsThePresetsFirstSketch(t *testing.T) {
	for _, f := range []string{"matmul", "matmul_odd", "matmul_relu", "conv", "conv_bias", "depthwise", "softmax", "elementwise", "row_sum"} {
		e := engine(t, f, "cpu")
		zero, err := e.Default()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := kinds(zero.Trace), kinds(e.Spaces[0].Sketch); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the default schedule is\n%s\nthe first sketch\n%s", f, tunertest.Lines(t, zero.Trace.Simplified(true)), tunertest.Lines(t, e.Spaces[0].Sketch))
		}
	}
}

func kinds(t trace.Trace) []string {
	var out []string
	for _, inst := range t.Simplified(true).Insts {
		out = append(out, inst.Kind.Name)
	}
	return out
}

func TestUnknownPreset(t *testing.T) {
	if _, err := preset.Lookup("gpu"); err == nil || err.Error() != `unknown preset "gpu" (known: cpu, cpu-parity, cpu-parity-dotprod, cpu-parity-vnni)` {
		t.Errorf("%v", err)
	}
	if _, err := search.NewEngine(workload.Matmul(4, 4, 4), preset.Preset{}, tunertest.Target(t, "avx2", "1")); err != nil {
		t.Errorf("a preset without rules has one space, the function itself: %v", err)
	}
}
