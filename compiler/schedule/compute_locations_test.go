package schedule_test

import (
	"slices"
	"testing"

	"hone/compiler/schedule"
)

func TestComputeLocations(t *testing.T) {
	s := schedule.NewFunc(conv2d(1, 8, 8, 8, 16, 3), nil)
	b, err := s.GetSBlock("pad")
	if err != nil {
		t.Fatal(err)
	}
	at, err := s.ComputeLocations(b)
	// The batch loop has one iteration; reduction loops come after all spatial
	// ones and are left out.
	if want := []int{schedule.AtInline, schedule.AtRoot, 1, 2, 3}; err != nil || !slices.Equal(at, want) {
		t.Fatalf("%v, %v, want %v", at, err, want)
	}
	seen := map[int64]bool{}
	for range 200 {
		if _, err := s.SampleComputeLocation(b, schedule.Draw); err != nil {
			t.Fatal(err)
		}
		d := s.Decisions()
		seen[d[len(d)-1].(int64)] = true
	}
	if len(seen) != len(at) {
		t.Fatalf("200 draws gave %v", seen)
	}
}
