package tuner

import (
	"math"
	"testing"

	"hone/tuner/task"
)

// A form that takes much longer than another, by what they do not have in common, gets
// no more trials; what both call goes on, and what is not measured is waited for.
func TestDominatedFormsAreDropped(t *testing.T) {
	s := &Session{spec: Spec{
		Tasks: []Task{{ID: "common"}, {ID: "direct"}, {ID: "in"}, {ID: "product"}},
		Sites: [][]map[string]int{{{"common": 5, "direct": 2}, {"common": 5, "in": 2, "product": 2}}},
	}}
	for _, c := range []struct {
		name string
		best [4]float64
		want [4]bool
	}{
		{"the other form loses", [4]float64{1000, 10, 5, 9}, [4]bool{false, false, true, true}},
		{"the estimated form loses", [4]float64{1000, 10, 1, 2}, [4]bool{false, true, false, false}},
		{"they are close", [4]float64{1000, 10, 5, 6}, [4]bool{}},
		{"not all is measured", [4]float64{1000, 10, math.Inf(1), 90}, [4]bool{}},
	} {
		states := make([]task.State, 4)
		for i, ns := range c.best {
			states[i].History = []float64{ns}
		}
		s.dropDominated(states)
		for i := range states {
			if states[i].Exhausted != c.want[i] {
				t.Errorf("%s: task %s dropped: %v, want %v", c.name, s.spec.Tasks[i].ID, states[i].Exhausted, c.want[i])
			}
		}
	}
}
