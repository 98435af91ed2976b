package search

import (
	"errors"
	"math"
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/trace"
	"hone/internal/rng"
	"hone/tuner/space"
)

// ErrNoSketch says that no design space has the instructions of a trace.
var ErrNoSketch = errors.New("no design space has these instructions")

// errLimit says that repaired decisions do not respect a limit of their sketch.
var errLimit = errors.New("the decisions do not fit here")

// Transfer makes the candidate that is nearest to a trace of another function of
// the same structure: the sketch with its instructions, choices of the same values
// or the nearest there are, factors that divide the extents of this function.
func (e *Engine) Transfer(t trace.Trace, r *rng.Rand) (Candidate, error) {
	t = t.WithoutPostproc()
	sp, ok := e.sketchLike(t)
	if !ok {
		return Candidate{}, ErrNoSketch
	}
	decisions := make([]any, t.Len())
	for i, inst := range sp.Sketch.Insts {
		if decisions[i] = t.Decisions[i]; inst.Kind.Name == "SampleCategorical" {
			decisions[i] = nearestChoice(t.Insts[i].Attrs[0].([]any), t.Decisions[i], inst.Attrs[0].([]any))
		}
	}
	if !sp.Limits.Allow(decisions, &e.Target) {
		return Candidate{}, errLimit
	}
	s, done := e.start(sp.Sketch)
	s.Seed(r)
	decide := func(i int, inst schedule.Instruction, _ any) any {
		if want, ok := decisions[i].([]int64); ok && inst.Kind.Name == "SamplePerfectTile" {
			return nearestTile(s, inst, want)
		}
		return decisions[i]
	}
	return e.perform(s, sp.Sketch, trace.Options{Done: done, Decide: decide}, OriginTransferred)
}

// sketchLike is the design space with the same kinds of instructions, the one
// that shares most attributes among several: those of tiles and of places differ
// between sketches, extents between functions.
func (e *Engine) sketchLike(t trace.Trace) (sp space.Space, found bool) {
	most := -1
	for _, s := range e.Spaces {
		n := alike(s.Sketch, t)
		if n > most {
			sp, most = s, n
		}
	}
	return sp, most >= 0
}

// alike counts the instructions of two traces that are equal, -1 when some are of
// different kinds.
func alike(a, b trace.Trace) int {
	if a.Len() != b.Len() {
		return -1
	}
	n := 0
	for i := range a.Insts {
		x, y := &a.Insts[i], &b.Insts[i]
		if x.Kind != y.Kind || len(x.Outputs) != len(y.Outputs) {
			return -1
		}
		if sameValues(x.Inputs, y.Inputs) && sameValues(x.Attrs, y.Attrs) {
			n++
		}
	}
	return n
}

// nearestChoice is the index of the candidate that is nearest to the one chosen
// elsewhere, in octaves; the lesser one of two.
func nearestChoice(from []any, decision any, to []any) any {
	d, ok := decision.(int64)
	if !ok || d < 0 || int(d) >= len(from) {
		return nil
	}
	want, ok := from[d].(int64)
	if !ok {
		return nil
	}
	best, at := math.Inf(1), int64(0)
	for i, v := range to {
		n, ok := v.(int64)
		if dist := distance(n, want); ok && (dist < best || dist == best && n < to[at].(int64)) {
			best, at = dist, int64(i)
		}
	}
	return at
}

// distance of two numbers in octaves; numbers below one lie where zero does.
func distance(a, b int64) float64 {
	place := func(x int64) float64 { return math.Log2(float64(max(x, 0)) + 0.25) }
	return math.Abs(place(a) - place(b))
}

// nearestTile is the perfect tile of the loop at hand that is nearest to factors
// of another extent: from the innermost outwards, whose sizes decide about
// registers and caches, the first takes what is left.
func nearestTile(s *schedule.Schedule, inst schedule.Instruction, want []int64) any {
	loop, err := s.LoopOf(inst.Inputs[0].(schedule.LoopRV))
	if err != nil {
		return want
	}
	left, ok := tir.AsInt(loop.Extent)
	if !ok || left < 1 || len(want) == 0 {
		return want
	}
	out := slices.Clone(want)
	limit, _ := inst.Attrs[1].(int64)
	for i := len(out) - 1; i > 0; i-- {
		most := left
		if i == len(out)-1 && limit > 0 {
			most = min(most, limit)
		}
		out[i] = nearestDivisor(left, most, out[i])
		left /= out[i]
	}
	out[0] = left
	return out
}

// nearestDivisor of n up to most, the lesser one of two.
func nearestDivisor(n, most, want int64) int64 {
	best := int64(1)
	for d := int64(2); d <= most; d++ {
		if n%d == 0 && distance(d, want) < distance(best, want) {
			best = d
		}
	}
	return best
}
