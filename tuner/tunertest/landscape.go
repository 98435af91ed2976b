package tunertest

import (
	"math"
	"math/bits"

	"hone/compiler/trace"
)

// Landscape is a task whose times are known in closed form: every decision costs
// the square of its distance from that of Best, in octaves for factors, and a
// trace of another sketch pays for each instruction that it has more or less. No
// hardware is involved.
type Landscape struct{ Best trace.Trace }

// Base is the time of the optimum in ns.
const Base = 1000

// NS is the time of a schedule.
func (l Landscape) NS(t trace.Trace) float64 {
	n, m := t.Postproc(), l.Best.Postproc()
	cost := math.Abs(float64(n - m))
	for i := range min(n, m) {
		switch want := l.Best.Decisions[i].(type) {
		case int64:
			d, _ := t.Decisions[i].(int64)
			cost += square(float64(d - want))
		case []int64:
			d, _ := t.Decisions[i].([]int64)
			for k := range min(len(d), len(want)) {
				cost += 0.5 * square(octave(d[k])-octave(want[k]))
			}
		}
	}
	return Base * (1 + cost/8)
}

func square(x float64) float64 { return x * x }
func octave(x int64) float64   { return float64(bits.Len64(uint64(x))) }

// Score ranks schedules perfectly: higher is faster.
func (l Landscape) Score(t trace.Trace) float64 { return -math.Log(l.NS(t)) }
