package gbdt

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomColumn draws values of one of several shapes: few distinct, heavy zeros,
// continuous, missing.
func randomColumn(r *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	kind, miss := r.IntN(4), r.IntN(3) == 0
	for i := range v {
		switch kind {
		case 0:
			v[i] = float64(r.IntN(20))
		case 1:
			if v[i] = 0; r.IntN(4) == 0 {
				v[i] = r.ExpFloat64()
			}
		case 2:
			v[i] = r.NormFloat64() * math.Pow(10, float64(r.IntN(40)-20))
		default:
			v[i] = float64(float32(r.Float64()))
		}
		if miss && r.IntN(5) == 0 {
			v[i] = math.NaN()
		}
	}
	return v
}

func TestBinningAgreesWithThresholds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 400 {
		v := randomColumn(r, 1+r.IntN(800))
		maxBins := 2 + r.IntN(MaxBins-1)
		b := newBinning(slices.Clone(v), maxBins)
		if b.bins() > maxBins {
			t.Fatalf("%d bins of %d", b.bins(), maxBins)
		}
		if !slices.IsSorted(b.upper) || !math.IsInf(b.upper[len(b.upper)-1], 1) {
			t.Fatalf("upper bounds %v", b.upper)
		}
		for _, x := range v {
			bin := int(b.of(x))
			if math.IsNaN(x) {
				if !b.hasNaN || bin != b.nanBin() {
					t.Fatalf("NaN in bin %d of %d", bin, b.bins())
				}
				continue
			}
			if x > b.upper[bin] || bin > 0 && x <= b.upper[bin-1] {
				t.Fatalf("%v in bin %d of %v", x, bin, b.upper)
			}
		}
	}
}

func TestBinningUsesEveryDistinctValue(t *testing.T) {
	b := newBinning([]float64{3, 1, 2, 2, math.NaN()}, 10)
	if want := []float64{1.5, 2.5, math.Inf(1)}; !slices.Equal(b.upper, want) || !b.hasNaN {
		t.Errorf("upper bounds %v, want %v", b.upper, want)
	}
}

func TestBinningBalancesCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	const n, bins = 10000, 50
	v := make([]float64, n)
	for i := range v {
		if v[i] = r.NormFloat64(); i%2 == 0 {
			v[i] = 0.25 // half of the rows share one value, which gets its own bin
		}
	}
	b := newBinning(slices.Clone(v), bins)
	counts := make([]int, b.bins())
	for _, x := range v {
		counts[b.of(x)]++
	}
	heavy := int(b.of(0.25))
	mean := n / 2 / (bins - 1)
	if others := counts[heavy] - n/2; others > mean/2 {
		t.Errorf("the heavy value shares its bin with %d others", others)
	}
	for i, c := range counts {
		if i != heavy && c > 2*mean {
			t.Errorf("bin %d holds %d rows, mean %d", i, c, mean)
		}
	}
	if len(counts) < bins-2 {
		t.Errorf("%d bins of %d used", len(counts), bins)
	}
}

func TestMidpointSeparates(t *testing.T) {
	pairs := [][2]float64{{1, 2}, {1, math.Nextafter(1, 2)}, {-maxValue, maxValue}, {0, 5e-324}, {-5e-324, 0}, {-3, -2.5}}
	for _, p := range pairs {
		if m := midpoint(p[0], p[1]); !(p[0] <= m && m < p[1]) {
			t.Errorf("midpoint(%v, %v) = %v", p[0], p[1], m)
		}
	}
}
