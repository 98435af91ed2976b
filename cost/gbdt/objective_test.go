package gbdt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// checkGradients compares the derivatives with finite differences of the loss,
// which is total / the given number of terms.
func checkGradients(t *testing.T, o Objective, total float64, exactHessian bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(13, 14))
	n := o.Len()
	pred, g, h := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range pred {
		pred[i] = r.NormFloat64()
	}
	o.Gradients(0, pred, g, h)
	gUp, hUp := make([]float64, n), make([]float64, n)
	const eps = 1e-5
	for i := range n {
		at := pred[i]
		pred[i] = at + eps
		up := o.Loss(pred)
		o.Gradients(0, pred, gUp, hUp)
		pred[i] = at - eps
		down := o.Loss(pred)
		pred[i] = at
		if want := (up - down) / (2 * eps) * total; math.Abs(g[i]-want) > 1e-5*(1+math.Abs(want)) {
			t.Fatalf("%T: gradient %d is %v, finite difference %v", o, i, g[i], want)
		}
		want := (gUp[i] - g[i]) / eps
		if exactHessian && math.Abs(h[i]-want) > 1e-3*(1+want) || h[i] < want-1e-3*(1+want) {
			t.Fatalf("%T: hessian %d is %v, finite difference %v", o, i, h[i], want)
		}
	}
}

func TestGradients(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	const n = 12
	y, bit, w, unit := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	groups := make([]int, n)
	weights := 0.0
	for i := range n {
		y[i], bit[i], w[i], unit[i], groups[i] = r.NormFloat64(), float64(i%2), 0.5+r.Float64(), r.Float64(), i%3
		weights += w[i]
	}
	squared, err := NewSquaredError(y, w)
	if err != nil {
		t.Fatal(err)
	}
	checkGradients(t, squared, weights, true)
	logistic, err := NewLogistic(bit, w)
	if err != nil {
		t.Fatal(err)
	}
	checkGradients(t, logistic, weights, true)
	for _, weight := range []PairWeight{PairUniform, PairGap} {
		rank, err := NewRank(unit, groups, RankOptions{Weight: weight, Sigma: 2})
		if err != nil {
			t.Fatal(err)
		}
		checkGradients(t, rank, n, true)
		plain := mustSquared(t, unit)
		blend, err := NewBlend(rank, 0.7, plain, 0.3)
		if err != nil {
			t.Fatal(err)
		}
		checkGradients(t, blend, n, true)
		summed, err := NewSummed([]int{1, 2, 3, 1, 1, 2, 2, 1, 4, 1, 1, 3}, blend)
		if err != nil {
			t.Fatal(err)
		}
		checkGradients(t, summed, n, false)
	}
}

func TestObjectivesReject(t *testing.T) {
	nan := math.NaN()
	bad := map[string]func() error{
		"no labels":       func() error { _, err := NewSquaredError(nil, nil); return err },
		"NaN label":       func() error { _, err := NewSquaredError([]float64{nan}, nil); return err },
		"negative weight": func() error { _, err := NewSquaredError([]float64{1}, []float64{-1}); return err },
		"zero weights":    func() error { _, err := NewSquaredError([]float64{1}, []float64{0}); return err },
		"short weights":   func() error { _, err := NewSquaredError([]float64{1, 2}, []float64{1}); return err },
		"logistic label":  func() error { _, err := NewLogistic([]float64{0.5}, nil); return err },
		"rank label":      func() error { _, err := NewRank([]float64{2}, []int{0}, RankOptions{}); return err },
		"rank groups":     func() error { _, err := NewRank([]float64{1}, nil, RankOptions{}); return err },
		"rank sigma":      func() error { _, err := NewRank([]float64{1}, []int{0}, RankOptions{Sigma: -1}); return err },
		"empty item":      func() error { _, err := NewSummed([]int{0}, mustSquared(t, []float64{1})); return err },
		"items":           func() error { _, err := NewSummed([]int{1, 1}, mustSquared(t, []float64{1})); return err },
		"blend lengths": func() error {
			_, err := NewBlend(mustSquared(t, []float64{1}), 1, mustSquared(t, []float64{1, 2}), 1)
			return err
		},
		"blend weights": func() error { o := mustSquared(t, []float64{1}); _, err := NewBlend(o, 0, o, 1); return err },
	}
	for name, f := range bad {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestSampleWeights(t *testing.T) {
	x := []float64{0, 0, 0, 0, 1, 1, 1, 1}
	y, w := []float64{0, 0, 0, 4, 10, 10, 10, 10}, []float64{1, 1, 1, 9, 1, 1, 1, 1}
	o, err := NewSquaredError(y, w)
	if err != nil {
		t.Fatal(err)
	}
	p := DefaultParams()
	p.Trees, p.MinData, p.Lambda, p.LearningRate = 1, 1, 0, 1
	m := mustTrain(t, mustDataset(t, x, 1, MaxBins), o, p)
	if got := m.Predict([]float64{0}); math.Abs(got-3) > 1e-9 {
		t.Errorf("weighted mean %v, want 3", got)
	}
}
