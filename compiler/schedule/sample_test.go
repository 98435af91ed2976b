package schedule_test

import (
	"testing"

	"hone/compiler/schedule"
	"hone/internal/rng"
)

// Every way to spread the primes is equally likely: 12 = 2²·3 over two factors
// has 3·2 ways.
func TestPerfectTileIsUniform(t *testing.T) {
	r := rng.New(7)
	counts := map[int64]int{}
	const draws = 12000
	for range draws {
		f := schedule.PerfectTile(r, 12, 2, -1)
		if f[0]*f[1] != 12 {
			t.Fatalf("%v", f)
		}
		counts[f[0]]++
	}
	chi := 0.0
	for _, d := range []int64{1, 2, 3, 4, 6, 12} {
		x := float64(counts[d]) - draws/6
		chi += x * x / (draws / 6)
	}
	// 5 degrees of freedom: 26 is exceeded once in 10,000 runs.
	if len(counts) != 6 || chi > 26 {
		t.Fatalf("chi² %.1f, counts %v", chi, counts)
	}
}

func TestPerfectTileLimit(t *testing.T) {
	r := rng.New(8)
	for range 2000 {
		f := schedule.PerfectTile(r, 2*2*2*3*5*7, 4, 6)
		if f[0]*f[1]*f[2]*f[3] != 840 || f[3] > 6 {
			t.Fatalf("%v", f)
		}
	}
	if f := schedule.PerfectTile(r, 97, 2, 16); f[0] != 97 || f[1] != 1 {
		t.Fatalf("a prime beyond the limit: %v", f)
	}
}

func TestDrawsFollowTheSeed(t *testing.T) {
	draw := func(seed uint64) [3]int64 {
		s := schedule.NewFunc(chain(), rng.New(seed))
		var out [3]int64
		for i := range out {
			v, err := s.SampleCategorical([]int64{1, 2, 3, 4, 5, 6, 7, 8}, []float64{1, 1, 1, 1, 1, 1, 1, 1}, schedule.Draw)
			if err != nil {
				t.Fatal(err)
			}
			out[i] = v.Value()
		}
		return out
	}
	if draw(1) != draw(1) {
		t.Fatal("the same seed draws other numbers")
	}
	if draw(1) == draw(2) && draw(2) == draw(3) {
		t.Fatal("seeds make no difference")
	}
}

// A handle outlives primitives that keep its loop and fails by the name of the
// one that took it.
func TestHandlesOfForks(t *testing.T) {
	s := schedule.NewFunc(chain(), nil)
	b, err := s.GetSBlock("plus")
	if err != nil {
		t.Fatal(err)
	}
	ls, err := s.GetLoops(b)
	if err != nil {
		t.Fatal(err)
	}
	f := s.Fork()
	if _, err := f.Split(ls[0], schedule.Int(4), schedule.Open); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Split(ls[0], schedule.Int(4), schedule.Open); err == nil || err.(*schedule.Error).Condition != schedule.StaleHandle {
		t.Fatalf("a loop that is gone: %v", err)
	}
	if err := s.Parallel(ls[0]); err != nil {
		t.Fatalf("the original lost its loop: %v", err)
	}
	for _, bad := range []schedule.LoopRV{0, -1, 99, schedule.LoopRV(b)} {
		if err := s.Unroll(bad); err == nil || err.(*schedule.Error).Condition != schedule.BadHandle {
			t.Errorf("handle %d: %v", bad, err)
		}
	}
}
