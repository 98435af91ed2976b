package mutator

import (
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/trace"
	"hone/internal/rng"
)

type tileSize struct{}

// TileSize moves a divisor from one factor of a perfect tile to another one
// (metaschedule.md §4).
func TileSize() Mutator { return tileSize{} }

func (tileSize) Name() string { return "tile_size" }

func (tileSize) Mutate(t trace.Trace, _ *target.Target, r *rng.Rand) (trace.Trace, bool) {
	var pool []int
	for i := range t.WithoutPostproc().Insts {
		if d, ok := t.Decisions[i].([]int64); ok && t.Insts[i].Kind.Name == "SamplePerfectTile" && len(d) >= 2 && product(d) >= 2 {
			pool = append(pool, i)
		}
	}
	if len(pool) == 0 {
		return t, false
	}
	i := rng.Pick(r, pool)
	limit := t.Insts[i].Attrs[1].(int64)
	d, ok := moveDivisor(t.Decisions[i].([]int64), limit, r)
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
// factor moved to the last place keeps it within limit, when there is one.
func moveDivisor(tiles []int64, limit int64, r *rng.Rand) ([]int64, bool) {
	for range 16 {
		x := r.Intn(len(tiles))
		if tiles[x] < 2 {
			continue
		}
		y := r.Intn(len(tiles) - 1)
		if y >= x {
			y++
		}
		var divisors []int64
		for d := int64(2); d <= tiles[x]; d++ {
			if tiles[x]%d == 0 && (y != len(tiles)-1 || limit < 0 || d*tiles[y] <= limit) {
				divisors = append(divisors, d)
			}
		}
		if len(divisors) == 0 {
			continue
		}
		d := rng.Pick(r, divisors)
		out := slices.Clone(tiles)
		out[x] /= d
		out[y] *= d
		return out, true
	}
	return nil, false
}

// sampled lists the instructions before postprocessing of the given kind.
func sampled(t trace.Trace, kind string) []int {
	var out []int
	for i, inst := range t.WithoutPostproc().Insts {
		if inst.Kind.Name == kind {
			out = append(out, i)
		}
	}
	return out
}

// outputID is the number of an instruction's only result.
func outputID(inst schedule.Instruction) int32 {
	if e, ok := inst.Outputs[0].(schedule.ExprRV); ok {
		return e.ID()
	}
	return 0
}
