package bench

import "fmt"

// Health watches a device over many items: its reference kernel against its own history,
// and failures that come in a row.
type Health struct {
	history  []float64 // recent reference times, oldest first
	inARow   int
	MaxRatio float64 // of a reference time to the median of its history; 0 means 1.5
	MaxFails int     // different candidates failing in a row; 0 means 16
}

const (
	historySize = 64
	historyMin  = 5
)

// Reference notes a time of the reference kernel and reports a device that left its own
// history. Such a time does not enter the history: a throttled board must not become the
// new normal.
func (h *Health) Reference(ns float64) error {
	limit := h.MaxRatio
	if limit == 0 {
		limit = 1.5
	}
	if m := h.Usual(); m > 0 && ns > limit*m {
		return fmt.Errorf("the reference kernel takes %.0f ns, %.2f times the median of its last %d times", ns, ns/m, len(h.history))
	}
	h.history = append(h.history, ns)
	if len(h.history) > historySize {
		h.history = h.history[1:]
	}
	return nil
}

// Usual is the median of the reference times so far, 0 while there are too few of them.
func (h *Health) Usual() float64 {
	if len(h.history) < historyMin {
		return 0
	}
	return Median(h.history)
}

// Candidate notes whether a candidate ran well here and reports a device on which too many
// different ones in a row did not. The coordinator decides whether others passed them.
func (h *Health) Candidate(ok bool) error {
	if ok {
		h.inARow = 0
		return nil
	}
	h.inARow++
	limit := h.MaxFails
	if limit == 0 {
		limit = 16
	}
	if h.inARow >= limit {
		return fmt.Errorf("%d different candidates in a row failed", h.inARow)
	}
	return nil
}
