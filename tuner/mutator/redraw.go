package mutator

import (
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/trace"
	"hone/internal/rng"
)

// sampledBy finds the SampleCategorical that an operand comes from.
func sampledBy(t trace.Trace, operand any) (int, bool) {
	e, ok := operand.(schedule.ExprRV)
	if !ok || e.ID() == 0 {
		return 0, false
	}
	for _, i := range sampled(t, "SampleCategorical") {
		if o, ok := t.Insts[i].Outputs[0].(schedule.ExprRV); ok && o.ID() == e.ID() {
			return i, true
		}
	}
	return 0, false
}

// others are the probabilities of the candidates of a SampleCategorical that are
// not the decided one, whose index is old.
func others(t trace.Trace, i int) (weights []float64, old int, ok bool) {
	probs := t.Insts[i].Attrs[1].([]any)
	d, ok := t.Decisions[i].(int64)
	if !ok || d < 0 || int(d) >= len(probs) {
		return nil, 0, false
	}
	for k, p := range probs {
		w, _ := p.(float64)
		if n, isInt := p.(int64); isInt {
			w = float64(n)
		}
		if k != int(d) {
			weights = append(weights, w)
		}
	}
	return weights, int(d), true
}

// canRedraw reports whether a SampleCategorical could have been decided
// otherwise.
func canRedraw(t trace.Trace, i int) bool {
	weights, _, ok := others(t, i)
	return ok && slices.ContainsFunc(weights, func(w float64) bool { return w > 0 })
}

// redraw draws one of the other candidates by their probabilities.
func redraw(t trace.Trace, i int, r *rng.Rand) int64 {
	weights, old, _ := others(t, i)
	d := r.Weighted(weights)
	if d >= old {
		d++
	}
	return int64(d)
}
