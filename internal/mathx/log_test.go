package mathx

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLogAgainstStandardLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var worst int64
	for range 200000 {
		x := math.Float64frombits(r.Uint64() &^ (1 << 63))
		if r.IntN(2) == 0 {
			x = 1 + (r.Float64()-0.5)*1.2
		}
		if math.IsNaN(x) || math.IsInf(x, 0) || x < 0x1p-1022 {
			continue // the standard library's amd64 code is wrong on subnormal numbers
		}
		got, want := Log(x), math.Log(x)
		if d := ulps(got, want); d > worst {
			worst = d
			if d > 3 {
				t.Fatalf("Log(%v) = %v, math.Log gives %v: %d ulps apart", x, got, want, d)
			}
		}
		if got, want := Log2(x), math.Log2(x); math.Abs(got-want) > 4e-16*max(1, math.Abs(want)) {
			t.Fatalf("Log2(%v) = %v, want %v", x, got, want)
		}
	}
	t.Logf("worst distance %d ulps", worst)
}

func TestLogEdges(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{1, 0}, {0, math.Inf(-1)}, {-1, math.NaN()}, {math.NaN(), math.NaN()}, {math.Inf(1), math.Inf(1)},
	} {
		if got := Log(c.x); ulps(got, c.want) > 0 {
			t.Errorf("Log(%v) = %v, want %v", c.x, got, c.want)
		}
		if got := Log2(c.x); ulps(got, c.want) > 0 {
			t.Errorf("Log2(%v) = %v, want %v", c.x, got, c.want)
		}
	}
	if got, want := Log(0x1.8p-1060), Log(0x1.8p-60)-1000*math.Ln2; ulps(got, want) > 2 {
		t.Errorf("Log of a subnormal number: %v, want %v", got, want)
	}
	for k := -1074; k < 1024; k++ {
		if got := Log2(math.Ldexp(1, k)); got != float64(k) {
			t.Fatalf("Log2(2**%d) = %v", k, got)
		}
	}
}

func BenchmarkLog2(b *testing.B) {
	x := 3.0
	for b.Loop() {
		x = Log2(x) + 3
	}
}
