package cost

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

// TestHeldOutWorkload is the bar of the design: 256 results of other workloads,
// then a workload never seen, half random candidates and half good ones.
func TestHeldOutWorkload(t *testing.T) {
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := newModel(t, nil)
		for i, e := range [][3]int64{{512, 512, 512}, {256, 1024, 512}} {
			for range 8 {
				f, s := simulate(t, r, 16, e)
				update(t, m, string(rune('a'+i)), f, s)
			}
		}
		if err := m.Train(); err != nil {
			t.Fatal(err)
		}
		f, s := simulate(t, r, 1024, [3]int64{384, 768, 768})
		random := Grade(m.Predict(f[:128]), s[:128], 32)
		var good [][][]float32
		var goodSeconds []float64
		for _, i := range descending(negated(s))[:128] {
			good, goodSeconds = append(good, f[i]), append(goodSeconds, s[i])
		}
		evolved := Grade(m.Predict(good), goodSeconds, 32)
		both := Grade(m.Predict(append(good, f[:128]...)), append(goodSeconds, s[:128]...), 32)
		t.Logf("seed %d: random %+v, evolved %+v, together %+v", seed, random, evolved, both)
		if random.Recall < 0.6 || random.PairAccuracy < 0.85 || both.Recall < 0.6 || both.PairAccuracy < 0.85 || both.Regret > 0.1 {
			t.Errorf("seed %d: below the bar", seed)
		}
	}
}

func negated(v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = -v[i]
	}
	return out
}

func TestReadyAfterWarmup(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	m := newModel(t, nil)
	f, s := simulate(t, r, 40, [3]int64{512, 512, 512})
	if rep := update(t, m, "w", f[:31], s[:31]); m.Ready() || rep.Trained || rep.Samples != 31 || rep.Before.Candidates != 0 {
		t.Errorf("ready=%v after 31 results: %+v", m.Ready(), rep)
	}
	for _, v := range m.Predict(f) {
		if v != 0 {
			t.Fatal("an untrained model tells candidates apart")
		}
	}
	if rep := update(t, m, "w", f[31:32], s[31:32]); !m.Ready() || !rep.Trained || rep.Trees == 0 || rep.History != 32 {
		t.Errorf("not ready after 32 results: %+v", rep)
	}
	if rep := update(t, m, "w", f[32:38], s[32:38]); rep.Trained || rep.Before.Candidates == 0 {
		t.Errorf("6 more results: %+v", rep)
	}
	if rep := update(t, m, "w", f[38:39], s[38:39]); !rep.Trained || rep.History != 39 {
		t.Errorf("a fifth more results: %+v", rep)
	}
}

// TestFailuresAreAvoided: candidates that need twice the registers mostly fail.
func TestFailuresAreAvoided(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	m := newModel(t, nil)
	f, s := simulate(t, r, 300, [3]int64{512, 512, 512})
	rep := update(t, m, "w", f, s)
	if rep.Failures < 20 || m.ready.Load().validator == nil {
		t.Fatalf("%+v", rep)
	}
	f, s = simulate(t, r, 300, [3]int64{512, 512, 512})
	failed := func(of []int) (n int) {
		for _, i := range of {
			if math.IsInf(s[i], 1) {
				n++
			}
		}
		return n
	}
	order := descending(m.Predict(f))
	if top, bottom := failed(order[:100]), failed(order[200:]); top > 2 || bottom < 20 {
		t.Errorf("%d failures among the best 100 scores, %d among the worst", top, bottom)
	}
}

// TestOnlyFailures must neither train a score nor break.
func TestOnlyFailures(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	m := newModel(t, nil)
	f, s := simulate(t, r, 64, [3]int64{512, 512, 512})
	for i := range s {
		s[i] = []float64{math.Inf(1), math.NaN(), 0, -1}[i%4]
	}
	if rep := update(t, m, "w", f, s); m.Ready() || rep.Trained || rep.Failures != 64 {
		t.Errorf("%+v", rep)
	}
	lone, _ := simulate(t, r, 1, [3]int64{512, 512, 512})
	if rep := update(t, m, "other", lone, []float64{1}); m.Ready() || rep.Trained {
		t.Errorf("one result of a workload: %+v", rep)
	}
}

func TestSameResultsSameModel(t *testing.T) {
	build := func(threads int) []byte {
		r := rand.New(rand.NewPCG(8, 1))
		m := newModel(t, func(o *Options) { o.Params.Threads = threads })
		for i := range 6 {
			f, s := simulate(t, r, 16, [3]int64{512, 512, 512})
			update(t, m, string(rune('a'+i%2)), f, s)
		}
		return saved(t, m)
	}
	old := runtime.GOMAXPROCS(1)
	want := build(0)
	runtime.GOMAXPROCS(old)
	if !bytes.Equal(build(0), want) || !bytes.Equal(build(3), want) {
		t.Error("the model depends on the number of threads")
	}
}

func TestPredictWhileUpdating(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	m := newModel(t, func(o *Options) { o.Params.Trees = 10 })
	f, s := simulate(t, r, 160, [3]int64{512, 512, 512})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; i < 160; i += 32 {
			if err := m.Update("w", f[i:i+32], s[i:i+32]); err != nil {
				t.Error(err)
			}
		}
	})
	for range 20 {
		if got := m.Predict(f[:8]); len(got) != 8 {
			t.Error("scores are missing")
		}
	}
	wg.Wait()
	if rep := m.Report(); rep.Samples != 160 || !m.Ready() {
		t.Errorf("%+v", rep)
	}
}

func TestUpdateRejects(t *testing.T) {
	m := newModel(t, nil)
	if err := m.Update("w", make([][][]float32, 2), []float64{1}); err == nil {
		t.Error("two candidates with one result are accepted")
	}
	if err := m.Update("w", [][][]float32{{{1, 2}}}, []float64{1}); err == nil {
		t.Error("a row of two columns is accepted")
	}
	if err := m.Update("w", [][][]float32{nil}, []float64{1}); err != nil || m.Report().Samples != 0 {
		t.Errorf("a candidate without rows: %v, %+v", err, m.Report())
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"names": func(o *Options) { o.Names = nil }, "schema": func(o *Options) { o.Schema = "" },
		"warmup": func(o *Options) { o.Warmup = 1 }, "growth": func(o *Options) { o.Growth = math.NaN() },
		"trees": func(o *Options) { o.MaxTrees = 5 }, "rank": func(o *Options) { o.Rank = 0 },
	} {
		o := DefaultOptions()
		change(&o)
		if _, err := NewModel(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// BenchmarkPredict is a generation of 2,048 candidates of one row each.
func BenchmarkPredict(b *testing.B) {
	r := rand.New(rand.NewPCG(10, 1))
	m := newModel(b, nil)
	f, s := simulate(b, r, 512, [3]int64{512, 512, 512})
	if err := m.Update("w", f, s); err != nil {
		b.Fatal(err)
	}
	f, _ = simulate(b, r, 2048, [3]int64{512, 512, 512})
	for b.Loop() {
		m.Predict(f)
	}
	b.ReportMetric(float64(b.N)*2048/b.Elapsed().Seconds(), "candidates/s")
}

// BenchmarkTrain is a training on 512 results.
func BenchmarkTrain(b *testing.B) {
	r := rand.New(rand.NewPCG(11, 1))
	m := newModel(b, nil)
	f, s := simulate(b, r, 512, [3]int64{512, 512, 512})
	if err := m.Update("w", f, s); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := m.Train(); err != nil {
			b.Fatal(err)
		}
	}
}
