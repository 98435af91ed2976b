package search

import (
	"testing"

	"hone/compiler/schedule"
	"hone/compiler/trace"
)

// Keys differ with every decision and constant, and only then.
func TestTraceKeys(t *testing.T) {
	sample, err := schedule.LookupKind("SampleCategorical")
	if err != nil {
		t.Fatal(err)
	}
	annotate, err := schedule.LookupKind("Annotate")
	if err != nil {
		t.Fatal(err)
	}
	of := func(decision any, constant int64) trace.Trace {
		return trace.Trace{
			Insts: []schedule.Instruction{
				{Kind: sample, Attrs: []any{[]any{int64(1), int64(2)}, []any{0.5, 0.5}}, Outputs: []any{schedule.Int(1)}},
				{Kind: annotate, Inputs: []any{schedule.BlockRV(1), constant}, Attrs: []any{"key"}},
			},
			Decisions: []any{decision, nil},
		}
	}
	key := func(t trace.Trace) [32]byte { k, _ := traceKey(t); return k }
	a := of(int64(0), 7)
	if key(a) != key(of(int64(0), 7)) {
		t.Error("equal traces have different keys")
	}
	if key(a) == key(of(int64(1), 7)) || key(a) == key(of(int64(0), 8)) {
		t.Error("different traces have one key")
	}
	if _, ok := traceKey(of(nil, 7)); ok {
		t.Error("a trace whose decision will be drawn has a key")
	}
	if n := len(a.Insts); n == 2 {
		a.Insts[1].Inputs = []any{schedule.BlockRV(1), map[string]any{"a": int64(1)}}
		if _, ok := traceKey(a); ok {
			t.Error("a dictionary was written")
		}
	}
}
