package schedule

import (
	"math"

	"hone/compiler/tir"
)

// Draw as a decision asks a sampling instruction to draw one.
const Draw = math.MinInt

var kindSampleCategorical = define(Kind{
	Name: "SampleCategorical", Doc: "draws one of several integers with given probabilities", Pure: true,
	Params: "candidates, probs, decision=None",
	Attrs:  []Slot{{Name: "candidates", Kind: SlotInts}, {Name: "probs", Kind: SlotNumbers}},
	Out:    OutExpr, Decision: IntDecision,
	Refuses: []Condition{BadDecision},
})

func init() {
	kindSampleCategorical.Apply = func(s *Schedule, c Call) error {
		cands, probs := c.Attrs[0].([]any), c.Attrs[1].([]any)
		d := Draw
		if n, ok := c.Decision.(int64); ok {
			d = int(n)
		}
		_, err := s.sampleCategorical(cands, probs, d)
		return err
	}
}

// SampleCategorical draws one of candidates, the i-th with probability
// probs[i]. decision is the index to take, or Draw.
func (s *Schedule) SampleCategorical(candidates []int64, probs []float64, decision int) (ExprRV, error) {
	ps := make([]any, len(probs))
	for i, p := range probs {
		ps[i] = p
	}
	return s.sampleCategorical(tir.PlainValue(candidates).([]any), ps, decision)
}

func (s *Schedule) sampleCategorical(cands, probs []any, decision int) (ExprRV, error) {
	const prim = "sample_categorical"
	if len(cands) == 0 || len(cands) != len(probs) {
		return ExprRV{}, refuse(BadArgument, "", "%d candidates with %d probabilities", len(cands), len(probs)).by(prim)
	}
	switch {
	case decision == Draw && len(cands) == 1:
		decision = 0
	case decision == Draw:
		weights, err := toWeights(probs)
		if err != nil {
			return ExprRV{}, err.by(prim)
		}
		decision = s.random().Weighted(weights)
	case decision < 0 || decision >= len(cands):
		return ExprRV{}, refuse(BadDecision, "", "index %d of %d candidates", decision, len(cands)).by(prim)
	}
	v := s.newExpr(cands[decision].(int64))
	s.record(kindSampleCategorical, nil, []any{cands, probs}, []any{v}, int64(decision))
	return v, nil
}

func toWeights(probs []any) ([]float64, *Error) {
	out, sum := make([]float64, len(probs)), 0.0
	for i, p := range probs {
		switch x := p.(type) {
		case float64:
			out[i] = x
		case int64:
			out[i] = float64(x)
		}
		if out[i] < 0 || math.IsNaN(out[i]) || math.IsInf(out[i], 0) {
			return nil, refuse(BadArgument, "", "probability %d is %v", i, p)
		}
		sum += out[i]
	}
	if sum <= 0 || math.IsInf(sum, 0) {
		return nil, refuse(BadArgument, "", "the probabilities have no usable sum")
	}
	return out, nil
}
