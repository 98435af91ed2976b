package dlight

import (
	"math"

	"hone/compiler/target"
)

// Register tile sizes that the samplers offer.
var (
	RowChoices = []int64{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14}
	ColChoices = []int64{1, 2, 3, 4, 6}
	// UnrollChoices are the steps of the innermost reduction loop per iteration.
	UnrollChoices = []int64{1, 2, 4}
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

// bestTile picks the rows and columns with the highest estimated throughput: per
// reduction step a tile needs rows·cols multiply-adds at two a cycle, rows +
// cols loads at two a cycle, and at least five cycles of latency and slack; tiles that
// do not divide the extents lose what their tails lose.
func bestTile(rowExtent, colExtent int64, rows, cols []int64, held int64, t *target.Target) (int64, int64) {
	bestR, bestC, best := int64(1), int64(1), -1.0
	for _, r := range rows {
		for _, c := range cols {
			shared := max(held, min(r, c))
			if !FitsRegisters(r, c, shared, t) {
				continue
			}
			fma := float64(r * c)
			cycles := math.Max(fma/2, math.Max(float64(r+c)/2, 5))
			score := fma / cycles * fill(rowExtent, r) * fill(colExtent, c)
			score -= float64(0.05 * float64(c)) // columns stream weights from further away than rows
			score += 1e-4 * fma                 // of equal throughput, fewer trips
			if score > best {
				bestR, bestC, best = r, c, score
			}
		}
	}
	return bestR, bestC
}

// fill is the share of a row of tiles that is not idle in the last one.
func fill(extent, tile int64) float64 {
	n := (extent + tile - 1) / tile
	return math.Sqrt(float64(extent) / float64(n*tile))
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
