package mutator

import (
	"hone/compiler/trace"
	"hone/internal/rng"
	"hone/tuner/filter"
)

type categorical struct{}

// Categorical draws another candidate for one choice: the rows or columns of a
// register tile, the lanes of a row reduction, the steps that are unrolled. A
// change that a filter rules out is drawn again.
func Categorical() Mutator { return categorical{} }

func (categorical) Name() string { return "categorical" }

func (categorical) Mutate(c *Context, t trace.Trace, r *rng.Rand) (trace.Trace, bool) {
	pool := sampled(t, "SampleCategorical")
	if len(pool) == 0 {
		return t, false
	}
	limits := filter.Of(t)
	for range 16 {
		i := rng.Pick(r, pool)
		n := len(t.Insts[i].Attrs[0].([]any))
		if n < 2 {
			continue
		}
		old, _ := t.Decisions[i].(int64)
		d := int64(r.Intn(n - 1))
		if d >= old {
			d++
		}
		out := t.WithDecision(i, d)
		if limits.Allow(out.Decisions, c.Target) {
			return out, true
		}
	}
	return t, false
}
