package rng

import (
	"fmt"
	"math"
	"math/bits"
)

// Uint64n returns a number in [0, n), each equally likely. It panics when n
// is zero.
func (r *Rand) Uint64n(n uint64) uint64 {
	if n == 0 {
		panic("BUG: rng: Uint64n(0)")
	}
	// Lemire 2019: the high half of a 128-bit product is uniform once the low
	// halves below 2^64 mod n are refused.
	hi, lo := bits.Mul64(r.Uint64(), n)
	if lo < n {
		for floor := -n % n; lo < floor; {
			hi, lo = bits.Mul64(r.Uint64(), n)
		}
	}
	return hi
}

// Intn returns a number in [0, n), each equally likely. It panics unless n is
// positive.
func (r *Rand) Intn(n int) int {
	if n <= 0 {
		panic(fmt.Sprintf("BUG: rng: Intn(%d)", n))
	}
	return int(r.Uint64n(uint64(n)))
}

// Float64 returns a number in [0, 1): a multiple of 2^-53.
func (r *Rand) Float64() float64 { return float64(r.Uint64()>>11) * 0x1p-53 }

// Bool returns true with probability p.
func (r *Rand) Bool(p float64) bool { return r.Float64() < p }

// Perm returns a random order of 0 … n-1.
func (r *Rand) Perm(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	Shuffle(r, p)
	return p
}

// Sample returns k different numbers of [0, n) in random order, or all of
// them when k exceeds n.
func (r *Rand) Sample(n, k int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	k = min(k, n)
	for i := range k {
		j := i + r.Intn(n-i)
		p[i], p[j] = p[j], p[i]
	}
	return p[:k]
}

// Weighted returns an index with a probability proportional to its weight.
// Weights that are negative, infinite or not numbers are a bug and panic, as
// does a list whose weights are all zero.
func (r *Rand) Weighted(weights []float64) int {
	total := 0.0
	last := -1
	for i, w := range weights {
		if w < 0 || math.IsNaN(w) || math.IsInf(w, 0) {
			panic(fmt.Sprintf("BUG: rng: weight %d is %v", i, w))
		}
		if w > 0 {
			last = i
		}
		total += w
	}
	if last < 0 || math.IsInf(total, 0) {
		panic(fmt.Sprintf("BUG: rng: weights %v have no usable sum", weights))
	}
	x := float64(r.Float64() * total)
	sum := 0.0
	for i, w := range weights {
		sum += w
		if x < sum {
			return i
		}
	}
	return last // rounding left x at the end
}

// Shuffle puts s in random order.
func Shuffle[T any](r *Rand, s []T) {
	for i := len(s) - 1; i > 0; i-- {
		j := r.Intn(i + 1)
		s[i], s[j] = s[j], s[i]
	}
}

// Pick returns a random element of s, which must not be empty.
func Pick[T any](r *Rand, s []T) T { return s[r.Intn(len(s))] }
