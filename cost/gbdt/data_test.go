package gbdt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func columnNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("f", i)
	}
	return names
}

// tuningData resembles the features of tuning: small integers, ratios, normal
// values and mostly-zero counts, with a non-linear noisy target. With missing,
// a fifth of the rows lack the first column, on which the target depends. width
// is at least 14.
func tuningData(n, width int, seed uint64, missing bool) (x, y []float64) {
	r := rand.New(rand.NewPCG(seed, 9))
	x, y = make([]float64, n*width), make([]float64, n)
	for i := range n {
		row := x[i*width : (i+1)*width]
		for j := range row {
			switch j % 4 {
			case 0:
				row[j] = float64(r.IntN(12))
			case 1:
				row[j] = float64(r.Float32())
			case 2:
				row[j] = float64(float32(r.NormFloat64()))
			default:
				if r.IntN(3) == 0 {
					row[j] = float64(r.IntN(64))
				}
			}
		}
		y[i] = row[0]*0.3 + math.Sin(3*row[1])*row[4] + math.Max(row[2], 0)*row[8]*0.2 + math.Log1p(row[3]) +
			0.5*row[5]*row[9] - 0.1*math.Abs(row[12]-6)*row[13] + 0.1*r.NormFloat64()
		if missing && r.IntN(5) == 0 {
			row[0] = math.NaN()
		}
	}
	return x, y
}

func mustDataset(t testing.TB, x []float64, width, maxBins int) *Dataset {
	t.Helper()
	d, err := NewDataset(x, columnNames(width), maxBins)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func mustSquared(t testing.TB, y []float64) *SquaredError {
	t.Helper()
	o, err := NewSquaredError(y, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func mustTrain(t testing.TB, d *Dataset, o Objective, p Params) *Model {
	t.Helper()
	m, err := Train(d, o, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func rmse(pred, y []float64) float64 {
	s := 0.0
	for i := range y {
		s += (pred[i] - y[i]) * (pred[i] - y[i])
	}
	return math.Sqrt(s / float64(len(y)))
}

func predictAll(m *Model, x []float64) []float64 {
	out := make([]float64, len(x)/m.Width)
	for i := range out {
		out[i] = m.Predict(x[i*m.Width : (i+1)*m.Width])
	}
	return out
}

// spearman is the rank correlation, with mean ranks for ties.
func spearman(a, b []float64) float64 {
	ra, rb := meanRanks(a), meanRanks(b)
	n := float64(len(a))
	var sa, sb, sab, saa, sbb float64
	for i := range ra {
		sa, sb, sab, saa, sbb = sa+ra[i], sb+rb[i], sab+ra[i]*rb[i], saa+ra[i]*ra[i], sbb+rb[i]*rb[i]
	}
	return (sab - sa*sb/n) / math.Sqrt((saa-sa*sa/n)*(sbb-sb*sb/n))
}

func meanRanks(v []float64) []float64 {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if v[a] < v[b] {
			return -1
		}
		if v[a] > v[b] {
			return 1
		}
		return 0
	})
	ranks := make([]float64, len(v))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && v[order[j]] == v[order[i]] {
			j++
		}
		for k := i; k < j; k++ {
			ranks[order[k]] = float64(i+j-1) / 2
		}
		i = j
	}
	return ranks
}
