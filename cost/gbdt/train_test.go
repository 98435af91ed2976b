package gbdt

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

func text(t testing.TB, m *Model) string {
	t.Helper()
	var b bytes.Buffer
	if err := m.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTrainingIsDeterministic(t *testing.T) {
	x, y := tuningData(1500, 21, 7, true)
	o := mustSquared(t, y)
	p := DefaultParams()
	p.Trees, p.FeatureFraction, p.BaggingFraction, p.Seed = 20, 0.5, 0.7, 42
	want := ""
	for _, procs := range []int{1, 2, 5} {
		old := runtime.GOMAXPROCS(procs)
		got := text(t, mustTrain(t, mustDataset(t, x, 21, MaxBins), o, p))
		runtime.GOMAXPROCS(old)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("another model with GOMAXPROCS=%d", procs)
		}
	}
	p.Threads = 7
	if text(t, mustTrain(t, mustDataset(t, x, 21, MaxBins), o, p)) != want {
		t.Error("another model with 7 threads")
	}
	p.Seed++
	if text(t, mustTrain(t, mustDataset(t, x, 21, MaxBins), o, p)) == want {
		t.Error("the seed has no effect")
	}
}

func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	const n, width = 1200, 14
	x, y := tuningData(n, width, 8, true)
	groups, labels := make([]int, n), make([]float64, n)
	for i := range groups {
		groups[i], labels[i] = i%40, float64(i%11)/10
	}
	px, py := make([]float64, 0, len(x)), make([]float64, n)
	pg, pl := make([]int, n), make([]float64, n)
	for i, j := range rand.New(rand.NewPCG(1, 1)).Perm(n) {
		px = append(px, x[j*width:(j+1)*width]...)
		py[i], pg[i], pl[i] = y[j], groups[j], labels[j]
	}
	p := DefaultParams()
	p.Trees = 30
	a, b := mustDataset(t, x, width, MaxBins), mustDataset(t, px, width, MaxBins)
	if text(t, mustTrain(t, a, mustSquared(t, y), p)) != text(t, mustTrain(t, b, mustSquared(t, py), p)) {
		t.Error("squared error: the models differ")
	}
	rank := func(l []float64, g []int) *Rank {
		o, err := NewRank(l, g, RankOptions{Weight: PairGap})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	if text(t, mustTrain(t, a, rank(labels, groups), p)) != text(t, mustTrain(t, b, rank(pl, pg), p)) {
		t.Error("rank: the models differ")
	}
}

func TestTrainingLossFalls(t *testing.T) {
	x, y := tuningData(1000, 14, 9, true)
	bits := make([]float64, len(y))
	for i, v := range y {
		if v > 6 {
			bits[i] = 1
		}
	}
	logistic, err := NewLogistic(bits, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Objective{mustSquared(t, y), logistic} {
		p := DefaultParams()
		last := o.Loss(constant(len(y), o.Base()))
		first := last
		p.Progress = func(trees int, pred []float64) bool {
			loss := o.Loss(pred)
			if loss > last*(1+1e-12) {
				t.Errorf("%s: tree %d raises the training loss from %v to %v", o.Name(), trees, last, loss)
			}
			last = loss
			return true
		}
		mustTrain(t, mustDataset(t, x, 14, MaxBins), o, p)
		if last > 0.5*first {
			t.Errorf("%s: loss only fell from %v to %v", o.Name(), first, last)
		}
	}
}

func constant(n int, v float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = v
	}
	return s
}

// TestProgressSeesPredictions checks that the running predictions, in and out of
// the bag, are those of the model so far.
func TestProgressSeesPredictions(t *testing.T) {
	x, y := tuningData(600, 14, 10, true)
	p := DefaultParams()
	p.Trees, p.BaggingFraction = 15, 0.5
	var running []float64
	p.Progress = func(trees int, pred []float64) bool {
		running = append(running[:0], pred...)
		return trees < 10
	}
	m := mustTrain(t, mustDataset(t, x, 14, MaxBins), mustSquared(t, y), p)
	if len(m.Trees) != 10 {
		t.Fatalf("%d trees, want 10: Progress must be able to stop", len(m.Trees))
	}
	for i, v := range predictAll(m, x) {
		if d := v - running[i]; d > 1e-12 || d < -1e-12 {
			t.Fatalf("row %d: running prediction %v, model %v", i, running[i], v)
		}
	}
}

// TestWarmStart continues a model: as many trees in two runs as in one give the
// same quality, and the trees of the first are kept.
func TestWarmStart(t *testing.T) {
	x, y := tuningData(1500, 14, 11, true)
	d, o := mustDataset(t, x, 14, MaxBins), mustSquared(t, y)
	p := DefaultParams()
	p.Trees = 60
	whole := mustTrain(t, d, o, p)
	p.Trees = 30
	half := mustTrain(t, d, o, p)
	p.Init = half
	both := mustTrain(t, d, o, p)
	if len(both.Trees) != 60 || len(half.Trees) != 30 {
		t.Fatalf("%d and %d trees", len(half.Trees), len(both.Trees))
	}
	a, b, c := rmse(predictAll(half, x), y), rmse(predictAll(both, x), y), rmse(predictAll(whole, x), y)
	if b > 0.8*a || b > 1.02*c {
		t.Errorf("rmse %v with 30 trees, %v continued, %v with 60", a, b, c)
	}
	p.Init = &Model{Width: 3}
	if _, err := Train(d, o, p); err == nil || !strings.Contains(err.Error(), "Init") {
		t.Errorf("a model of another width: %v", err)
	}
}

func TestNothingToLearn(t *testing.T) {
	d := mustDataset(t, constant(100, 1), 2, MaxBins)
	m := mustTrain(t, d, mustSquared(t, constant(50, 3)), DefaultParams())
	if len(m.Trees) != 1 || m.Predict([]float64{5, 5}) != 3 {
		t.Errorf("%d trees predict %v", len(m.Trees), m.Predict([]float64{5, 5}))
	}
}

func TestTrainRejects(t *testing.T) {
	d := mustDataset(t, []float64{1, 2, 3, 4}, 1, MaxBins)
	o := mustSquared(t, []float64{1, 2, 3, 4})
	for want, change := range map[string]func(*Params){
		"Trees": func(p *Params) { p.Trees = 0 }, "Leaves": func(p *Params) { p.Leaves = 1 },
		"MaxDepth": func(p *Params) { p.MaxDepth = -1 }, "LearningRate": func(p *Params) { p.LearningRate = 0 },
		"Lambda": func(p *Params) { p.Lambda = -1 }, "MinData": func(p *Params) { p.MinData = 0 },
		"FeatureFraction": func(p *Params) { p.FeatureFraction = 1.5 }, "BaggingFraction": func(p *Params) { p.BaggingFraction = 0 },
		"Threads": func(p *Params) { p.Threads = -2 }, "MinGain": func(p *Params) { p.MinGain = -1 },
		"MinHessian": func(p *Params) { p.MinHessian = -1 },
	} {
		p := DefaultParams()
		change(&p)
		if _, err := Train(d, o, p); err == nil || !strings.Contains(err.Error(), "parameter "+want+" ") {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := Train(d, mustSquared(t, []float64{1}), DefaultParams()); err == nil {
		t.Error("an objective of another length is accepted")
	}
}
