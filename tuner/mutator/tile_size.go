package mutator

import (
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/trace"
	"hone/internal/rng"
)

type tileSize struct{}

// TileSize moves a divisor from one factor of a perfect tile to another one, or
// draws another vector length of a cooperative fetch.
func TileSize() Mutator { return tileSize{} }

func (tileSize) Name() string { return "tile_size" }

func (tileSize) Mutate(_ *Context, t trace.Trace, r *rng.Rand) (trace.Trace, bool) {
	var pool []int
	for _, i := range sampled(t, "SamplePerfectTile") {
		if d, ok := t.Decisions[i].([]int64); ok && len(d) >= 2 && product(d) >= 2 {
			pool = append(pool, i)
		}
	}
	for _, a := range annotated(t, schedule.KeyCooperativeFetch) {
		if i, ok := sampledBy(t, t.Insts[a].Inputs[1]); ok && canRedraw(t, i) {
			pool = append(pool, i)
		}
	}
	if len(pool) == 0 {
		return t, false
	}
	i := rng.Pick(r, pool)
	tiles, ok := t.Decisions[i].([]int64)
	if !ok {
		return t.WithDecision(i, redraw(t, i, r)), true
	}
	d, ok := moveDivisor(tiles, t.Insts[i].Attrs[1].(int64), r)
	if !ok {
		return t, false
	}
	return t.WithDecision(i, d), true
}

func product(d []int64) int64 {
	n := int64(1)
	for _, x := range d {
		n *= x
	}
	return n
}

// moveDivisor moves a divisor greater than one from a factor x to a factor y; a
// factor moved to the last place keeps it within limit, when there is one. With
// two factors that may be impossible.
func moveDivisor(tiles []int64, limit int64, r *rng.Rand) ([]int64, bool) {
	var from []int
	for x, n := range tiles {
		if n > 1 {
			from = append(from, x)
		}
	}
	for {
		x := rng.Pick(r, from)
		y := r.Intn(len(tiles) - 1)
		if y >= x {
			y++
		}
		most := tiles[x]
		if y == len(tiles)-1 && limit >= 0 {
			most = min(most, limit/tiles[y])
		}
		if ds := divisors(tiles[x], most); len(ds) > 0 {
			d := rng.Pick(r, ds)
			out := slices.Clone(tiles)
			out[x] /= d
			out[y] *= d
			return out, true
		}
		if len(tiles) == 2 {
			return nil, false
		}
	}
}

// divisors of n from 2 to most, in order.
func divisors(n, most int64) []int64 {
	var out []int64
	for d := int64(2); d <= most; d++ {
		if n%d == 0 {
			out = append(out, d)
		}
	}
	return out
}
