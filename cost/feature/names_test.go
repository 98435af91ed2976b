package feature

import (
	"math"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	got := Names()
	if len(got) != Width || got[163] != "outer.unroll_max_step" || got[57] != "buffer0.read" || got[147] != "intensity.1" {
		t.Errorf("%d columns; 57, 147, 163 are %s, %s, %s", len(got), got[57], got[147], got[163])
	}
	seen := map[string]bool{}
	for _, n := range got {
		if seen[n] || n == "" || strings.ContainsAny(n, " =:") {
			t.Errorf("column name %q", n)
		}
		seen[n] = true
	}
	got[0] = "changed"
	if Names()[0] != "arith.float_mad" {
		t.Error("Names hands out its own slice")
	}
}

func TestSchemaIsPinned(t *testing.T) {
	// When this fails the columns changed: raise Version if their meaning
	// did, and write the new identifier here.
	const want = "hone-features-1-198-a9a5a9c8cf43"
	if got := Schema(); got != want {
		t.Errorf("Schema() = %q, want %q", got, want)
	}
}

func TestSlog(t *testing.T) {
	for _, x := range []float64{0, 1, 3, 4096, 4097, 1e18, 0.5, 1.0 / 3} {
		if got, want := slog(x), math.Log2(x+1); math.Abs(float64(got)-want) > 1e-6*max(1, want) || slog(-x) != got {
			t.Errorf("slog(%v) = %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{math.Inf(1), math.NaN(), math.MaxFloat64} {
		if got := float64(slog(x)); math.IsNaN(got) || math.IsInf(got, 0) {
			t.Errorf("slog(%v) = %v", x, got)
		}
	}
}
