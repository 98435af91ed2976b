package gbdt

import (
	"math"
	"slices"
)

// MaxBins is the largest number of bins of a column, the one for NaN included.
const MaxBins = 255

// binning maps the values of one column to small integers: bin i holds the
// values in (upper[i-1], upper[i]], and NaN has the bin after the last.
type binning struct {
	upper  []float64 // ascending; the last is +Inf
	lo, hi float64   // range of the values; lo > hi if all are NaN
	hasNaN bool
}

// bins returns the number of bins in use.
func (b *binning) bins() int {
	if b.hasNaN {
		return len(b.upper) + 1
	}
	return len(b.upper)
}

// nanBin returns the bin of missing values: one past the finite ones.
func (b *binning) nanBin() int { return len(b.upper) }

// of returns the bin of v.
func (b *binning) of(v float64) uint8 {
	if math.IsNaN(v) {
		return uint8(b.nanBin())
	}
	lo, hi := 0, len(b.upper)-1
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); b.upper[mid] < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return uint8(lo)
}

// newBinning chooses at most maxBins bins of roughly equal count. The values are
// sorted in place.
func newBinning(values []float64, maxBins int) binning {
	slices.Sort(values) // NaN first
	first := 0
	for first < len(values) && math.IsNaN(values[first]) {
		first++
	}
	b := binning{hasNaN: first > 0, lo: math.Inf(1), hi: math.Inf(-1)}
	values = values[first:]
	if b.hasNaN {
		maxBins--
	}
	if len(values) > 0 {
		b.lo, b.hi = values[0], values[len(values)-1]
		distinct, counts := runs(values)
		b.upper = cuts(distinct, counts, len(values), maxBins)
	}
	b.upper = append(b.upper, math.Inf(1))
	return b
}

// runs returns the distinct values of a sorted slice and how often each occurs.
func runs(sorted []float64) (distinct []float64, counts []int) {
	for _, v := range sorted {
		if n := len(distinct); n > 0 && distinct[n-1] == v {
			counts[n-1]++
			continue
		}
		distinct, counts = append(distinct, v), append(counts, 1)
	}
	return distinct, counts
}

// cuts returns the thresholds between bins. With few distinct values each has
// its own bin. Otherwise bins are filled greedily up to the mean of what is
// left; a value heavier than that shares its bin with less than half a mean, so that
// it neither swallows its neighbours nor distorts the mean of the rest.
func cuts(distinct []float64, counts []int, total, maxBins int) []float64 {
	var upper []float64
	last := len(distinct) - 1
	if len(distinct) <= maxBins {
		for i := range last {
			upper = append(upper, midpoint(distinct[i], distinct[i+1]))
		}
		return upper
	}
	heavy := func(i int) bool { return counts[i]*maxBins >= total }
	rest, restBins := total, maxBins
	for i := range distinct {
		if heavy(i) {
			rest -= counts[i]
			restBins--
		}
	}
	acc := 0
	for i := range last {
		acc += counts[i]
		mean := 0.0
		if restBins > 0 {
			mean = float64(rest) / float64(restBins)
		}
		full := float64(acc) >= mean
		if !full && !heavy(i) && !(heavy(i+1) && 2*float64(acc) >= mean) {
			continue
		}
		upper = append(upper, midpoint(distinct[i], distinct[i+1]))
		if len(upper) == maxBins-1 {
			break
		}
		if !heavy(i) {
			rest -= acc
			restBins--
		}
		acc = 0
	}
	return upper
}

// midpoint returns a value m with a <= m < z: values up to a compare <= m, values
// from z on do not.
func midpoint(a, z float64) float64 {
	m := a + (z-a)/2
	if m >= z || math.IsInf(m, 0) {
		return a
	}
	return m
}
