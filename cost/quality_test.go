package cost

import (
	"math"
	"testing"
)

func TestGrade(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name            string
		scores, seconds []float64
		k               int
		want            Quality
	}{
		{"perfect", []float64{3, 2, 1}, []float64{1, 2, 3}, 1, Quality{3, 1, 1, 1, 1, 0}},
		{"reversed", []float64{1, 2, 3}, []float64{1, 2, 4}, 1, Quality{3, -1, 0, 1, 0, 0.75}},
		{"failures are left out", []float64{9, 3, 2, 9}, []float64{inf, 1, 2, math.NaN()}, 2, Quality{2, 1, 1, 2, 1, 0}},
		{"second is chosen", []float64{1, 2, 0, 0}, []float64{1, 2, 4, 5}, 1, Quality{4, 3.5 / math.Sqrt(22.5), 4.5 / 6, 1, 0, 0.5}},
		{"ties of scores", []float64{1, 1}, []float64{1, 2}, 5, Quality{2, math.NaN(), 0.5, 2, 1, 0}},
	} {
		got := Grade(c.scores, c.seconds, c.k)
		same := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 || math.IsNaN(a) && math.IsNaN(b) }
		if got.Candidates != c.want.Candidates || got.TopK != c.want.TopK || !same(got.Spearman, c.want.Spearman) ||
			!same(got.PairAccuracy, c.want.PairAccuracy) || !same(got.Recall, c.want.Recall) || !same(got.Regret, c.want.Regret) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
	for _, n := range []int{0, 1} {
		if q := Grade(make([]float64, n), []float64{1}[:n], 3); q.Candidates != n || !math.IsNaN(q.Recall) || !math.IsNaN(q.Spearman) {
			t.Errorf("%d candidates: %+v", n, q)
		}
	}
}
