package dlight

import "hone/compiler/schedule"

// Mode says where decisions come from.
type Mode bool

// Analytic decisions are computed from the target; Sampled ones are drawn by the
// schedule's own stream.
const (
	Analytic Mode = true
	Sampled  Mode = false
)

// pick issues a SampleCategorical with equal probabilities; want is the
// candidate that analysis prefers.
func (m Mode) pick(s *schedule.Schedule, candidates []int64, want int64) (schedule.ExprRV, error) {
	probs := make([]float64, len(candidates))
	for i := range probs {
		probs[i] = 1 / float64(len(probs))
	}
	at := schedule.Draw
	if m == Analytic {
		at = 0
		for i, c := range candidates {
			if c == want {
				at = i
			}
		}
	}
	return s.SampleCategorical(candidates, probs, at)
}

// tile issues a SamplePerfectTile into the number of factors of want, which
// analysis prefers.
func (m Mode) tile(s *schedule.Schedule, l schedule.LoopRV, maxInner int, want []int64) ([]schedule.ExprRV, error) {
	if m == Analytic {
		return s.SamplePerfectTile(l, len(want), maxInner, want)
	}
	return s.SamplePerfectTile(l, len(want), maxInner, nil)
}
