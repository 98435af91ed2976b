// Package bench is the measuring procedure as pure functions: which samples a candidate
// gets (the ladder), how they are turned into a score and an interval, which of them are
// thrown away, and when a device is not to be believed. It runs nothing: samples come from
// a Sampler.
//
// It imports the standard library only. Start from Config.Screen and Config.Race.
package bench

import (
	"math"
	"slices"
)

// Median is the middle of the values (the mean of the two middle ones); NaN without any.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(values))
	if n := len(s); n%2 == 0 {
		return s[n/2-1]/2 + s[n/2]/2
	}
	return s[len(s)/2]
}

// Interval is a confidence interval for a median.
type Interval struct {
	Low, High float64
	Coverage  float64 // probability that it holds the median, at least what was asked where the sample allows
}

// MedianInterval is the distribution-free interval between two order statistics: the
// number of values below the median of their distribution is binomial(n, 1/2), so the
// interval from the k-th smallest to the k-th largest covers it with probability
// 1 - 2 P(B <= k-1). The narrowest one that reaches the level is returned, or the whole
// range when there are too few values (fewer than six for 95 %).
func MedianInterval(values []float64, level float64) Interval {
	n := len(values)
	if n == 0 {
		return Interval{Low: math.NaN(), High: math.NaN()}
	}
	s := slices.Sorted(slices.Values(values))
	tail := math.Pow(0.5, float64(n)) // P(B = 0)
	below := tail                     // P(B <= k-1) for k = 1
	best := Interval{s[0], s[n-1], math.Max(0, 1-2*below)}
	for k := 2; k <= n/2; k++ {
		tail *= float64(n-k+2) / float64(k-1) // P(B = k-1)
		below += tail
		if 1-2*below < level {
			break
		}
		best = Interval{s[k-1], s[n-k], 1 - 2*below}
	}
	return best
}

// Paired is the comparison of a candidate with the incumbent over interleaved rounds.
type Paired struct {
	Ratio     float64 // median of candidate / incumbent over the rounds that counted
	Interval          // of that median
	Kept      []int   // undisturbed rounds
	Discarded int
	Steady    bool // enough rounds were undisturbed for the others not to count
}

// Compare pairs two series of the same rounds. A round counts only when each of its two
// samples is within slack times the fastest of its series: a disturbance hits one of the
// two and would enter the ratio. When few rounds are left, the machine changed its speed
// and the fastest samples are the exception: then all count, since the two of a round
// were taken at the same speed, and what hit one of them the median leaves out.
func Compare(candidate, incumbent []float64, slack, level float64) Paired {
	n := min(len(candidate), len(incumbent))
	if n == 0 {
		return Paired{Interval: Interval{Low: math.NaN(), High: math.NaN()}, Ratio: math.NaN()}
	}
	limC, limI := slack*slices.Min(candidate[:n]), slack*slices.Min(incumbent[:n])
	var p Paired
	var all, kept []float64
	for i := range n {
		ratio := candidate[i] / incumbent[i]
		all = append(all, ratio)
		if candidate[i] > limC || incumbent[i] > limI {
			p.Discarded++
			continue
		}
		p.Kept, kept = append(p.Kept, i), append(kept, ratio)
	}
	p.Steady = 2*len(kept) >= n && len(kept) >= min(n, minForLevel)
	if !p.Steady {
		kept = all
	}
	p.Ratio = Median(kept)
	p.Interval = MedianInterval(kept, level)
	return p
}

// settled says whether the ratio rests on enough undisturbed rounds that agree, or that
// leave no doubt that the candidate is slower than the best: how much slower is not worth
// knowing to the percent.
func (p Paired) settled(width, best float64) bool {
	return p.Steady && (p.High-p.Low <= width*p.Ratio || p.Low > best)
}

// open says that the interval is wider than width and comes within width of 1: whether two
// kernels are equal is not known yet, or rests on few rounds. One interval in twenty
// excludes 1 by chance.
func (p Paired) open(width float64) bool {
	return p.Low <= 1+width && p.High >= 1-width && p.High-p.Low > width
}

// minForLevel is the number of values from which an interval can reach 95 %: a race has as
// many rounds at least, since what it promotes rests on its interval.
const minForLevel = 6

// Drift is the largest relative change between two neighbouring times of the reference
// kernel.
func Drift(reference []float64) float64 {
	worst := 0.0
	for i := 1; i < len(reference); i++ {
		a, b := reference[i-1], reference[i]
		if a > 0 && b > 0 {
			worst = max(worst, max(a/b, b/a)-1)
		}
	}
	return worst
}
