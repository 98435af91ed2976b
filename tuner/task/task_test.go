package task

import (
	"math"
	"testing"
)

func TestBatchFitsTheBudget(t *testing.T) {
	for _, c := range []struct{ budget, tasks, want int }{{200, 1, 64}, {300, 30, 4}, {300, 10, 10}, {10, 0, 4}} {
		if got := Batch(c.budget, c.tasks); got != c.want {
			t.Errorf("Batch(%d, %d) = %d, want %d", c.budget, c.tasks, got, c.want)
		}
	}
}

func TestFirstBatchesGoByShareThenTheSlopeDecides(t *testing.T) {
	tasks := []State{
		{Weight: 1, Default: 100, History: []float64{100}},
		{Weight: 4, Default: 50, History: []float64{50}},
		{Weight: 1, Default: 1, History: []float64{1}}, // under 1 %: waits
	}
	var order []int
	for range 4 {
		i := Next(tasks)
		order = append(order, i)
		// Task 0 keeps improving, task 1 stands still.
		last := tasks[i].Best()
		if i == 0 {
			last /= 2
		}
		tasks[i].History = append(tasks[i].History, last)
	}
	if order[0] != 1 || order[1] != 0 {
		t.Fatalf("first batches went to %v, want the larger share first", order)
	}
}

// On landscapes with a known form the policy must beat equal shares.
func TestGradientBeatsRoundRobin(t *testing.T) {
	// latency after n batches
	curve := []func(n int) float64{
		func(n int) float64 { return 100 / float64(1+n) },
		func(n int) float64 { return 30 },
		func(n int) float64 { return 200 * math.Pow(0.9, float64(n)) },
	}
	run := func(pick func([]State, int) int) float64 {
		tasks := make([]State, len(curve))
		for i := range tasks {
			tasks[i] = State{Weight: 1, Default: curve[i](0), History: []float64{curve[i](0)}}
		}
		for k := range 30 {
			i := pick(tasks, k)
			tasks[i].History = append(tasks[i].History, curve[i](len(tasks[i].History)))
		}
		sum := 0.0
		for i := range tasks {
			sum += tasks[i].Best()
		}
		return sum
	}
	gradient := run(func(ts []State, _ int) int { return Next(ts) })
	robin := run(func(ts []State, k int) int { return k % len(ts) })
	if gradient >= robin {
		t.Fatalf("gradient ends at %.1f, round robin at %.1f", gradient, robin)
	}
}

func TestFinishedTasksGetNothing(t *testing.T) {
	tasks := []State{
		{Weight: 1, Default: 10, History: []float64{10, 5}, Bound: 4.9},
		{Weight: 1, Default: 10, History: []float64{10, 9}, Exhausted: true},
	}
	if i := Next(tasks); i != -1 {
		t.Fatalf("task %d got a batch, both are finished", i)
	}
	tasks[1].Exhausted = false
	if i := Next(tasks); i != 1 {
		t.Fatalf("Next = %d, want 1", i)
	}
}
