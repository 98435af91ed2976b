package tuner

import (
	"math"

	"hone/tuner/task"
)

// dominated is how many times longer than the fastest form of its site a form may take,
// by the best times so far, and still get trials.
const dominated = 1.25

// dropDominated takes tasks out of the choice of which only forms have need that are
// dominated: a site's forms are compared by what they do not have in common, once all
// of that was measured. Nothing is final: the choice is made anew in every round.
func (s *Session) dropDominated(states []task.State) {
	best := map[string]float64{}
	for i, t := range s.spec.Tasks {
		best[t.ID] = states[i].Best()
	}
	drop := map[string]bool{}
	for _, forms := range s.spec.Sites {
		own := apart(forms)
		sums, least := make([]float64, len(own)), math.Inf(1)
		for f, calls := range own {
			for _, t := range s.spec.Tasks { // in order: sums of floats depend on it
				if n := calls[t.ID]; n > 0 {
					sums[f] += float64(float64(n) * best[t.ID])
				}
			}
			least = min(least, sums[f])
		}
		kept := map[string]bool{}
		for f, calls := range own {
			for id := range calls {
				lost := !math.IsInf(sums[f], 1) && sums[f] > dominated*least
				kept[id] = kept[id] || !lost
			}
		}
		for id, keep := range kept {
			drop[id] = drop[id] || !keep
		}
	}
	for i, t := range s.spec.Tasks {
		states[i].Exhausted = states[i].Exhausted || drop[t.ID]
	}
}

// apart subtracts from every form what all forms call.
func apart(forms []map[string]int) []map[string]int {
	out := make([]map[string]int, len(forms))
	for f, calls := range forms {
		out[f] = map[string]int{}
		for id, n := range calls {
			for _, other := range forms {
				n = min(n, other[id])
			}
			if own := calls[id] - n; own > 0 {
				out[f][id] = own
			}
		}
	}
	return out
}
