package gbdt

import "testing"

// BenchmarkTrain is the bar of the design: 20,000 rows of 200 features, 100 trees
// of 31 leaves, binning included, within 3 s on two cores.
func BenchmarkTrain(b *testing.B) {
	x, y := tuningData(20000, 200, 1, false)
	o := mustSquared(b, y)
	p := DefaultParams()
	p.MaxDepth = 0
	for b.Loop() {
		mustTrain(b, mustDataset(b, x, 200, MaxBins), o, p)
	}
}

// BenchmarkRetrain is a round of a tuning job: 2,000 rows, 63 bins.
func BenchmarkRetrain(b *testing.B) {
	x, y := tuningData(2000, 200, 1, false)
	o := mustSquared(b, y)
	for b.Loop() {
		mustTrain(b, mustDataset(b, x, 200, 63), o, DefaultParams())
	}
}

func BenchmarkBinning(b *testing.B) {
	x, _ := tuningData(20000, 200, 1, false)
	for b.Loop() {
		mustDataset(b, x, 200, MaxBins)
	}
}

// BenchmarkPredict reports rows a second of one goroutine through leaves, with
// 100 trees of 31 leaves over 200 features; the bar is 130,000. Without a depth
// limit paths are longer.
func BenchmarkPredict(b *testing.B) {
	x, y := tuningData(8000, 200, 1, false)
	d, o := mustDataset(b, x, 200, MaxBins), mustSquared(b, y)
	for name, depth := range map[string]int{"depth=6": 6, "depth=any": 0} {
		p := DefaultParams()
		p.MaxDepth = depth
		pr, err := NewPredictor(mustTrain(b, d, o, p))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			const rows = 4096
			out := make([]float64, rows)
			for b.Loop() {
				if err := pr.Predict(x[:rows*200], out, 1); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*rows/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
