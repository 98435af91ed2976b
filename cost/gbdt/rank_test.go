package gbdt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rankProblem draws groups whose labels depend on the features and on an offset
// of the group that no feature tells: only the order within a group can be
// learnt.
func rankProblem(groups, size int, seed uint64) (x, labels []float64, group []int) {
	r := rand.New(rand.NewPCG(seed, 5))
	for k := range groups {
		offset := r.Float64()
		for range size {
			a, b, c := r.Float64(), r.Float64(), r.Float64()
			x = append(x, a, b, c, r.Float64())
			labels = append(labels, offset/2+0.5*(a*b+0.5*math.Abs(c-0.5))/1.25)
			group = append(group, k)
		}
	}
	return x, labels, group
}

// pairAccuracy is the share of pairs within a group whose order is right.
func pairAccuracy(pred, labels []float64, group []int) float64 {
	right, all := 0, 0
	for i := range pred {
		for j := range i {
			if group[i] == group[j] && labels[i] != labels[j] {
				all++
				if (pred[i] < pred[j]) == (labels[i] < labels[j]) {
					right++
				}
			}
		}
	}
	return float64(right) / float64(all)
}

func TestRankLearnsOrderWithinGroups(t *testing.T) {
	x, y, g := rankProblem(20, 60, 1)
	testX, testY, testG := rankProblem(10, 60, 2)
	d := mustDataset(t, x, 4, MaxBins)
	squared := pairAccuracy(predictAll(mustTrain(t, d, mustSquared(t, y), DefaultParams()), testX), testY, testG)
	for _, opts := range []RankOptions{
		{Weight: PairUniform}, {Weight: PairGap, Sigma: 4}, {Weight: PairNDCG, Sigma: 2}, {Weight: PairUniform, Pairs: 8, Seed: 3},
	} {
		o, err := NewRank(y, g, opts)
		if err != nil {
			t.Fatal(err)
		}
		p := DefaultParams()
		p.MinHessian, p.Lambda = 1e-6, 1e-3
		m := mustTrain(t, d, o, p)
		acc := pairAccuracy(predictAll(m, testX), testY, testG)
		t.Logf("%+v: pair accuracy %.3f, squared error reaches %.3f", opts, acc, squared)
		if acc < 0.88 || acc < squared {
			t.Errorf("%+v: pair accuracy %.3f, squared error reaches %.3f", opts, acc, squared)
		}
	}
}

func TestRankIgnoresGroupsWithoutOrder(t *testing.T) {
	o, err := NewRank([]float64{0, 0, 0.5, 0.5, 1, 0}, []int{0, 0, 1, 1, 2, 2}, RankOptions{})
	if err != nil {
		t.Fatal(err)
	}
	g, h := make([]float64, 6), make([]float64, 6)
	o.Gradients(0, make([]float64, 6), g, h)
	for i, want := range []float64{0, 0, 0, 0, -0.5, 0.5} {
		if math.Abs(g[i]-want) > 1e-9 || (h[i] > 0) != (want != 0) {
			t.Errorf("item %d: gradient %v, hessian %v, want gradient %v", i, g[i], h[i], want)
		}
	}
}

func TestNDCGWeightsPreferTheTop(t *testing.T) {
	labels := []float64{1, 0.9, 0.2, 0.1}
	o, err := NewRank(labels, make([]int, 4), RankOptions{Weight: PairNDCG})
	if err != nil {
		t.Fatal(err)
	}
	g, h := make([]float64, 4), make([]float64, 4)
	o.Gradients(0, []float64{0, 1, 2, 3}, g, h) // predicted in reverse
	if !(g[0] < g[2] && g[3] > g[2]) {
		t.Errorf("gradients %v: the best item must be pushed up most, the falsely first one down", g)
	}
}
