package dlight

import (
	"slices"

	"hone/compiler/target"
)

// Register tile sizes that the samplers offer.
var (
	RowChoices = []int64{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14}
	ColChoices = []int64{1, 2, 3, 4, 6}
	// UnrollChoices are the steps of the innermost reduction loop per iteration.
	// BlockUnrollChoices go on to all channels of a block: a loop of so few steps is
	// often left on a wrong guess.
	UnrollChoices      = []int64{1, 2, 4}
	BlockUnrollChoices = []int64{1, 2, 4, 8}
)

// FitsRegisters reports whether a tile of rows × cols vectors stays in the
// target's registers: accumulators, loaded vectors and one scalar. shared is
// the number of vectors held per step, cols
// for a product of a broadcast and a vector.
func FitsRegisters(rows, cols, shared int64, t *target.Target) bool {
	return rows*cols+shared+1 <= int64(t.RegisterBudget())
}

// choices keeps the candidates that make sense for an extent: none is more than
// one larger step than the extent needs.
func choices(all []int64, extent int64) []int64 {
	var out []int64
	for _, c := range all {
		if c <= extent {
			out = append(out, c)
		}
	}
	return out
}

// divisors keeps the candidates that divide an extent.
func divisors(all []int64, extent int64) []int64 {
	return slices.DeleteFunc(slices.Clone(all), func(c int64) bool { return extent%c != 0 })
}

// bestTile picks the rows and columns with the highest estimated throughput over an
// area of rows × columns of vectors, the smaller tiles at its ends included.
func bestTile(rowExtent, colExtent int64, rows, cols []int64, held int64, t *target.Target) (int64, int64) {
	bestR, bestC, best := int64(1), int64(1), -1.0
	for _, r := range rows {
		for _, c := range cols {
			if !FitsRegisters(r, c, max(held, min(r, c)), t) {
				continue
			}
			k := unrollFor(r, c, t)
			cycles := 0.0
			for _, x := range tilesOf(rowExtent, r) {
				for _, y := range tilesOf(colExtent, c) {
					cycles += float64(x.n*y.n) * stepCycles(x.size, y.size, k)
				}
			}
			score := float64(rowExtent*colExtent) / cycles
			score -= float64(0.05 * float64(c)) // columns stream weights from further away than rows
			score += 1e-4 * float64(r*c)        // of equal throughput, fewer trips
			if score > best {
				bestR, bestC, best = r, c, score
			}
		}
	}
	return bestR, bestC
}

// issue is how many instructions a cycle a core starts while it shares its front end
// with another thread, or half of a wider one.
const issue = 3.5

// stepCycles is how long a tile takes for one step of the reduction: two multiply-adds
// and two loads a cycle, what counts the steps and moves the pointers once in k of
// them, and at least the latency of a multiply-add.
func stepCycles(r, c, k int64) float64 {
	fma, loads := float64(r*c), float64(r+c)
	return max(fma/2, loads/2, (fma+loads+3/float64(k))/issue, 4)
}

// unrollFor is how many steps of a tile follow each other without a jump: two where
// the compiler has a register left to load ahead.
func unrollFor(r, c int64, t *target.Target) int64 {
	if FitsRegisters(r, c, min(r, c)+1, t) {
		return 2
	}
	return 1
}

// tileRun is a number of tiles of one size.
type tileRun struct{ n, size int64 }

// tilesOf are the whole tiles of an extent, and the one at its end.
func tilesOf(extent, tile int64) []tileRun {
	out := []tileRun{{extent / tile, tile}}
	if rest := extent % tile; rest > 0 {
		out = append(out, tileRun{1, rest})
	}
	return out
}

// largestDivisor is the largest divisor of n that does not exceed limit, 1 at
// least.
func largestDivisor(n, limit int64) int64 {
	best := int64(1)
	for d := int64(1); d*d <= n; d++ {
		if n%d != 0 {
			continue
		}
		if d <= limit {
			best = max(best, d)
		}
		if n/d <= limit {
			best = max(best, n/d)
		}
	}
	return best
}

func ceilDiv(a, b int64) int64 { return (a + b - 1) / b }
