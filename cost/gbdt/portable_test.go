package gbdt

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestSameBitsEverywhere pins models trained on data made of integers: every
// processor must give these digests. A deliberate change of the trainer changes
// them; a difference between architectures is a fused operation or a library
// function in the training path.
func TestSameBitsEverywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(99, 1))
	const n, width = 600, 6
	x, labels, bits, groups := make([]float64, n*width), make([]float64, n), make([]float64, n), make([]int, n)
	for i := range n {
		row := x[i*width : (i+1)*width]
		for j := range row {
			row[j] = float64(r.IntN(1000)) / 7
		}
		labels[i] = (row[0]/200 + row[1]/300*row[2]/200 + float64(r.IntN(100))/2000) / 2
		groups[i] = i % 5
		if row[3] > row[4] {
			bits[i] = 1
		}
	}
	d := mustDataset(t, x, width, 63)
	rank, err := NewRank(labels, groups, RankOptions{Weight: PairNDCG, Sigma: 3, Pairs: 16, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	blend, err := NewBlend(rank, 0.7, mustSquared(t, labels), 0.3)
	if err != nil {
		t.Fatal(err)
	}
	logistic, err := NewLogistic(bits, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := DefaultParams()
	p.Trees, p.FeatureFraction, p.BaggingFraction = 25, 0.7, 0.8
	for _, c := range []struct {
		name, want string
		objective  Objective
	}{
		{"blend", "01904450db018cb7", blend}, {"logistic", "976cf4e679caf63d", logistic},
	} {
		sum := sha256.Sum256([]byte(text(t, mustTrain(t, d, c.objective, p))))
		if got := fmt.Sprintf("%x", sum[:8]); got != c.want {
			t.Errorf("%s: digest %s, want %s", c.name, got, c.want)
		}
	}
}
