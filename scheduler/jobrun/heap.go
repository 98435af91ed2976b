package jobrun

import (
	"os"
	"runtime/debug"
)

// heapGrowth is how far the heap of a process that searches may grow, in per cent of what
// it keeps. Candidates are made and thrown away by the thousand: at Go's default of 100 a
// third of a search goes into collecting them.
const heapGrowth = 400

// RoomyHeap prepares this process for searching, unless GOGC says otherwise.
func RoomyHeap() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
	}
}
