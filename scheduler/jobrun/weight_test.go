package jobrun

import (
	"testing"

	"hone/db/store"
)

// A task of another form than the model's weighs what that form calls of it.
func TestWeightOfFormsTasks(t *testing.T) {
	s := Spec{Sites: [][]map[string]int{{{"a": 3}, {"b": 2, "c": 5}}, {{"a": 3}, {"b": 4}}}}
	for workload, want := range map[string]float64{"b": 4, "c": 5} {
		if got := s.weight(store.Task{Workload: workload}); got != want {
			t.Errorf("%s weighs %g, want %g", workload, got, want)
		}
	}
	if got := s.weight(store.Task{Workload: "a", Weight: 3}); got != 3 {
		t.Errorf("the model's own task weighs %g, want 3", got)
	}
}
