package search

import (
	"hone/compiler/trace"
	"hone/tuner/filter"
)

// polish proposes from the neighbourhood of the best measured schedules: every
// other candidate of each choice, and moves of factors. The predictor orders
// them.
func (e *Engine) polish(r Round) []Candidate {
	var traces []trace.Trace
	for k, c := range e.best(r, 3) {
		limits := filter.Of(c.Trace)
		for i, inst := range c.Trace.WithoutPostproc().Insts {
			if inst.Kind.Name != "SampleCategorical" {
				continue
			}
			for d := range len(inst.Attrs[0].([]any)) {
				t := c.Trace.WithDecision(i, int64(d))
				if c.Trace.Decisions[i] != any(int64(d)) && limits.Allow(t.Decisions, &e.Target) {
					traces = append(traces, t)
				}
			}
		}
		for j := range 8 * r.N {
			rs := r.Rand.Split("move", k, j)
			m := e.Preset.Mutators[j%len(e.Preset.Mutators)].Mutator
			if t, ok := m.Mutate(e.mutation(), c.Trace, rs); ok {
				traces = append(traces, t)
			}
		}
	}
	cs := make([]Candidate, len(traces))
	valid := make([]bool, len(traces))
	each(len(traces), func(i int) {
		c, err := e.complete(traces[i], trace.Options{}, r.Rand.Split("polish", i), OriginPolish)
		cs[i], valid[i] = c, err == nil
	})
	cs = keep(cs, valid)
	score(cs, r.Predict)
	found := newShortlist(r.Seen)
	for i := range cs {
		found.add(&cs[i])
	}
	return found.top(r.N)
}
