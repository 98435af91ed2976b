package gbdt

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestSigmoidAgainstStandardLibrary(t *testing.T) {
	for x := -699.0; x < 800; x += 0.37 {
		if got, want := Sigmoid(x), 1/(1+math.Exp(-x)); math.Abs(got-want) > 1e-14*want {
			t.Fatalf("Sigmoid(%v) = %v, want %v", x, got, want)
		}
	}
	for _, p := range []float64{1e-6, 0.01, 0.5, 0.9, 1 - 1e-6} {
		if got := Sigmoid(logOdds(p)); math.Abs(got-p) > 1e-12 {
			t.Errorf("Sigmoid(logOdds(%v)) = %v", p, got)
		}
	}
}

func TestLogisticLearnsProbabilities(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	const n = 4000
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = float64(i % 4)
		if r.Float64() < 0.1+0.25*x[i] {
			y[i] = 1
		}
	}
	o, err := NewLogistic(y, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := mustTrain(t, mustDataset(t, x, 1, MaxBins), o, DefaultParams())
	for v := range 4 {
		want := 0.1 + 0.25*float64(v)
		if got := Sigmoid(m.Predict([]float64{float64(v)})); math.Abs(got-want) > 0.03 {
			t.Errorf("P(1 | %d) = %v, want about %v", v, got, want)
		}
	}
}
