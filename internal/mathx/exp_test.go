package mathx

import (
	"math"
	"math/rand/v2"
	"testing"
)

// ulps returns how many float64 steps lie between a and b.
func ulps(a, b float64) int64 {
	if a == b || math.IsNaN(a) && math.IsNaN(b) {
		return 0
	}
	x, y := int64(math.Float64bits(a)), int64(math.Float64bits(b))
	if (x < 0) != (y < 0) {
		return math.MaxInt64
	}
	return max(x-y, y-x)
}

func TestExpAgainstStandardLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var worst int64
	for range 200000 {
		x := (r.Float64() - 0.5) * 1400
		if r.IntN(2) == 0 {
			x = (r.Float64() - 0.5) * 4
		}
		if d := ulps(Exp(x), math.Exp(x)); d > worst {
			worst = d
			if d > 2 {
				t.Fatalf("Exp(%v) = %v, math.Exp gives %v: %d ulps apart", x, Exp(x), math.Exp(x), d)
			}
		}
	}
	t.Logf("worst distance %d ulps", worst)
}

func TestExpEdges(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{0, 1}, {math.Inf(1), math.Inf(1)}, {math.Inf(-1), 0}, {math.NaN(), math.NaN()},
		{710, math.Inf(1)}, {-746, 0},
	} {
		if got := Exp(c.x); ulps(got, c.want) > 0 {
			t.Errorf("Exp(%v) = %v, want %v", c.x, got, c.want)
		}
	}
	if got := Exp(1); ulps(got, math.E) > 1 {
		t.Errorf("Exp(1) = %v, want %v", got, math.E)
	}
	for _, x := range []float64{709.7, -708.5, -730, -745} {
		if got, want := Exp(x), math.Exp(x); math.Abs(got-want) > 1e-15*want+5e-324 {
			t.Errorf("Exp(%v) = %v, want %v", x, got, want)
		}
	}
}

func BenchmarkExp(b *testing.B) {
	x := -3.0
	for b.Loop() {
		x = Exp(x) - 3
	}
}
