package rng

import (
	"math"
	"slices"
	"testing"
)

// chi2 is Pearson's statistic of counts against their expected values.
func chi2(counts []int, expect func(i int) float64) float64 {
	sum := 0.0
	for i, c := range counts {
		d := float64(c) - expect(i)
		sum += d * d / expect(i)
	}
	return sum
}

func TestIntnIsUniform(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 10} {
		r := New(3, "intn", n)
		counts := make([]int, n)
		const draws = 70000
		for range draws {
			counts[r.Intn(n)]++
		}
		// 9 degrees of freedom: the statistic exceeds 34 once in 10,000 runs.
		if x := chi2(counts, func(int) float64 { return draws / float64(n) }); x > 34 {
			t.Errorf("Intn(%d): chi² %.1f, counts %v", n, x, counts)
		}
	}
}

// A bound just above 2^63 makes the refusal of low products matter: without
// it, small numbers would come up twice as often.
func TestUint64nRefusesTheBias(t *testing.T) {
	r := New(4)
	const n = 3 << 62
	low := 0
	for range 30000 {
		if r.Uint64n(n) < n/2 {
			low++
		}
	}
	if low < 14400 || low > 15600 {
		t.Fatalf("%d of 30000 below the middle", low)
	}
}

func TestFloat64RangeAndMean(t *testing.T) {
	r := New(5)
	sum := 0.0
	for range 100000 {
		x := r.Float64()
		if x < 0 || x >= 1 {
			t.Fatalf("Float64 = %v", x)
		}
		sum += x
	}
	if m := sum / 100000; math.Abs(m-0.5) > 0.005 {
		t.Fatalf("mean %v", m)
	}
}

func TestWeightedFollowsItsWeights(t *testing.T) {
	r := New(6)
	w := []float64{0, 1, 0, 3, 6, 0}
	counts := make([]int, len(w))
	for range 10000 {
		counts[r.Weighted(w)]++
	}
	if counts[0]+counts[2]+counts[5] != 0 {
		t.Fatalf("an index of weight zero came up: %v", counts)
	}
	got := []int{counts[1], counts[3], counts[4]}
	if x := chi2(got, func(i int) float64 { return []float64{1000, 3000, 6000}[i] }); x > 20 {
		t.Fatalf("chi² %.1f, counts %v", x, got)
	}
}

func TestWeightedRefusesBadWeights(t *testing.T) {
	for _, w := range [][]float64{nil, {0, 0}, {-1, 2}, {math.NaN()}, {math.Inf(1)}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Weighted(%v) must panic", w)
				}
			}()
			New(1).Weighted(w)
		}()
	}
}

func TestPermAndSampleAreUniform(t *testing.T) {
	r := New(8)
	counts := make([]int, 6)
	index := map[[3]int]int{{0, 1, 2}: 0, {0, 2, 1}: 1, {1, 0, 2}: 2, {1, 2, 0}: 3, {2, 0, 1}: 4, {2, 1, 0}: 5}
	for range 12000 {
		counts[index[[3]int(r.Perm(3))]]++
	}
	if x := chi2(counts, func(int) float64 { return 2000 }); x > 26 {
		t.Fatalf("Perm: chi² %.1f, counts %v", x, counts)
	}
	pairs := make([]int, 5)
	for range 5000 {
		s := r.Sample(5, 2)
		if len(s) != 2 || s[0] == s[1] {
			t.Fatalf("Sample = %v", s)
		}
		pairs[s[0]]++
	}
	if x := chi2(pairs, func(int) float64 { return 1000 }); x > 24 {
		t.Fatalf("Sample: chi² %.1f, counts %v", x, pairs)
	}
	all := r.Sample(3, 9)
	slices.Sort(all)
	if !slices.Equal(all, []int{0, 1, 2}) {
		t.Fatalf("Sample(3, 9) = %v", all)
	}
}

func TestBoolAndPick(t *testing.T) {
	r := New(10)
	yes := 0
	for range 10000 {
		if r.Bool(0.25) {
			yes++
		}
		if x := Pick(r, []int{4}); x != 4 {
			t.Fatalf("Pick = %d", x)
		}
	}
	if yes < 2250 || yes > 2750 {
		t.Fatalf("Bool(0.25) came up %d of 10000", yes)
	}
}
