package mutator

import (
	"hone/compiler/schedule"
	"hone/compiler/trace"
	"hone/internal/rng"
)

type computeLocation struct{}

// ComputeLocation computes a block somewhere else: it replays the trace to learn
// which places are legal, and draws one that is not the present one.
func ComputeLocation() Mutator { return computeLocation{} }

func (computeLocation) Name() string { return "compute_location" }

// moves are the places that one sampling instruction could choose instead.
type moves struct {
	inst int
	at   []int
}

func (computeLocation) Mutate(c *Context, t trace.Trace, r *rng.Rand) (trace.Trace, bool) {
	if len(sampled(t, "SampleComputeLocation")) == 0 {
		return t, false
	}
	var pool []moves
	_, err := c.replay(t, func(s *schedule.Schedule, i int, inst schedule.Instruction) {
		if inst.Kind.Name != "SampleComputeLocation" {
			return
		}
		if at := otherPlaces(s, inst.Inputs[0].(schedule.BlockRV), t.Decisions[i]); len(at) > 0 {
			pool = append(pool, moves{i, at})
		}
	})
	if err != nil || len(pool) == 0 {
		return t, false
	}
	m := rng.Pick(r, pool)
	return t.WithDecision(m.inst, int64(rng.Pick(r, m.at))), true
}

func otherPlaces(s *schedule.Schedule, b schedule.BlockRV, decision any) []int {
	all, err := s.ComputeLocations(b)
	if err != nil {
		return nil
	}
	var out []int
	for _, at := range all {
		if decision != any(int64(at)) {
			out = append(out, at)
		}
	}
	return out
}
