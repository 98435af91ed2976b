package jobrun

import (
	"runtime/debug"
	"testing"
)

func TestRoomyHeapLeavesAChoiceAlone(t *testing.T) {
	before := debug.SetGCPercent(77)
	defer debug.SetGCPercent(before)
	t.Setenv("GOGC", "77")
	RoomyHeap()
	if got := debug.SetGCPercent(77); got != 77 {
		t.Errorf("%d in spite of GOGC", got)
	}
	t.Setenv("GOGC", "")
	RoomyHeap()
	if got := debug.SetGCPercent(77); got != heapGrowth {
		t.Errorf("%d, want %d", got, heapGrowth)
	}
}
