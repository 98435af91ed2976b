package schedule

import (
	"slices"

	"hone/compiler/tir"
)

// Instruction is one performed call. Inputs hold BlockRV, LoopRV, ExprRV,
// int64, float64, bool, string, nil, []any of these, map[string]any and
// *tir.IndexMap; Attrs the plain ones of them; Outputs BlockRV, LoopRV and
// ExprRV, where Open stands for an output without value. Treat it as immutable.
type Instruction struct {
	Kind    *Kind
	Inputs  []any
	Attrs   []any
	Outputs []any
}

// Instructions is the record so far, in order; do not edit it.
func (s *Schedule) Instructions() []Instruction { return s.insts[:len(s.insts):len(s.insts)] }

// Decisions holds the decision of every instruction, nil where it has none.
func (s *Schedule) Decisions() []any { return s.decisions[:len(s.decisions):len(s.decisions)] }

// Grow makes room for n more instructions.
func (s *Schedule) Grow(n int) {
	s.insts = slices.Grow(s.insts, n)
	s.decisions = slices.Grow(s.decisions, n)
	s.refs = slices.Grow(s.refs, 2*n)
}

// Last is the latest instruction.
func (s *Schedule) Last() Instruction { return s.insts[len(s.insts)-1] }

// record appends a performed call.
func (s *Schedule) record(k *Kind, inputs, attrs, outputs []any, decision any) {
	s.insts = append(s.insts, Instruction{k, inputs, attrs, outputs})
	s.decisions = append(s.decisions, decision)
}

// input is the form in which an operand is recorded.
func (e ExprRV) input() any {
	switch {
	case e.open:
		return nil
	case e.id == 0:
		return e.val
	}
	return e
}

func exprInputs(first any, es []ExprRV) []any {
	out := make([]any, 0, len(es)+1)
	out = append(out, first)
	for _, e := range es {
		out = append(out, e.input())
	}
	return out
}

func loopOutputs(ls []LoopRV) []any {
	out := make([]any, len(ls))
	for i, l := range ls {
		out[i] = l
	}
	return out
}

func blockOutputs(bs []BlockRV) []any {
	out := make([]any, len(bs))
	for i, b := range bs {
		out[i] = b
	}
	return out
}

func exprOutputs(es []ExprRV) []any {
	out := make([]any, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

// resolveValue replaces operands by their integers and normalises Go numbers;
// the result is what an annotation stores.
func resolveValue(v any) any { return mapOperands(v, func(e ExprRV) any { return e.val }) }

// plainInput is resolveValue but keeps operands: the recorded form.
func plainInput(v any) any { return mapOperands(v, ExprRV.input) }

// mapOperands applies f to the operands in a value and normalises the rest.
func mapOperands(v any, f func(ExprRV) any) any {
	switch x := v.(type) {
	case ExprRV:
		return f(x)
	case []ExprRV:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = f(e)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = mapOperands(e, f)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(x))
		for k, e := range x {
			out[k] = mapOperands(e, f)
		}
		return out
	}
	return tir.PlainValue(v)
}
