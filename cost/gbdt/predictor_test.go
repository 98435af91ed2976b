package gbdt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPredictorEqualsModel compares leaves with the definition, bit for bit, on
// rows with missing values in columns that had some in training and in columns
// that had none, and on values that equal thresholds.
func TestPredictorEqualsModel(t *testing.T) {
	const width = 18
	x, y := tuningData(3000, width, 30, true)
	m := mustTrain(t, mustDataset(t, x, width, MaxBins), mustSquared(t, y), DefaultParams())
	p, err := NewPredictor(m)
	if err != nil {
		t.Fatal(err)
	}
	rows, _ := tuningData(2000, width, 31, true)
	r := rand.New(rand.NewPCG(32, 33))
	for i := range rows {
		switch r.IntN(12) {
		case 0:
			rows[i] = math.NaN()
		case 1:
			tree := &m.Trees[r.IntN(len(m.Trees))]
			n := tree.Nodes[r.IntN(len(tree.Nodes))]
			rows[i/width*width+n.Feature] = n.Threshold
		}
	}
	want := predictAll(m, rows)
	for _, threads := range []int{1, 3} {
		got := make([]float64, len(want))
		if err := p.Predict(rows, got, threads); err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				t.Fatalf("row %d: leaves predicts %v, the model is %v", i, got[i], want[i])
			}
		}
	}
}

func TestPredictorChecksWidths(t *testing.T) {
	p, err := NewPredictor(smallModel(t))
	if err != nil {
		t.Fatal(err)
	}
	if p.Width() != 14 {
		t.Errorf("width %d", p.Width())
	}
	for _, values := range []int{0, 13, 15, 28} {
		if err := p.Predict(make([]float64, values), make([]float64, 1), 1); err == nil {
			t.Errorf("%d values for one row of 14 are accepted", values)
		}
	}
	if err := p.Predict(nil, nil, 1); err != nil {
		t.Errorf("no rows: %v", err)
	}
}

func TestPredictorOfOneColumnAndOneLeaf(t *testing.T) {
	m := mustTrain(t, mustDataset(t, constant(10, 1), 1, MaxBins), mustSquared(t, constant(10, 2.5)), DefaultParams())
	p, err := NewPredictor(m)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, 1)
	if err := p.Predict([]float64{7}, out, 1); err != nil || out[0] != 2.5 {
		t.Errorf("%v, %v", out, err)
	}
}
