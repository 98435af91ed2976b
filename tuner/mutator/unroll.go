package mutator

import (
	"hone/compiler/schedule"
	"hone/compiler/trace"
	"hone/internal/rng"
)

type unroll struct{}

// Unroll draws another bound of unrolled bodies, by the probabilities of the
// choices that are left.
func Unroll() Mutator { return unroll{} }

func (unroll) Name() string { return "unroll" }

func (unroll) Mutate(_ *Context, t trace.Trace, r *rng.Rand) (trace.Trace, bool) {
	var pool []int
	for _, a := range annotated(t, schedule.KeyUnrollExplicit, schedule.KeyUnrollImplicit) {
		if i, ok := sampledBy(t, t.Insts[a].Inputs[1]); ok && canRedraw(t, i) {
			pool = append(pool, i)
		}
	}
	if len(pool) == 0 {
		return t, false
	}
	i := rng.Pick(r, pool)
	return t.WithDecision(i, redraw(t, i, r)), true
}
