package trace

import (
	"fmt"
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/tir"
)

// Trace is a list of instructions and, by the same index, their decisions: nil,
// int64 or []int64. Treat both as immutable; traces share them. Handles in it
// are numbers that mean nothing outside the trace.
type Trace struct {
	Insts     []schedule.Instruction
	Decisions []any
}

// Of is the trace of everything done to s so far.
func Of(s *schedule.Schedule) Trace { return Trace{s.Instructions(), s.Decisions()} }

// Len is the number of instructions.
func (t Trace) Len() int { return len(t.Insts) }

// Postproc is the index of the instruction that enters postprocessing, or the
// length of the trace.
func (t Trace) Postproc() int {
	for i := range t.Insts {
		if t.Insts[i].Kind == schedule.EnterPostprocKind() {
			return i
		}
	}
	return len(t.Insts)
}

// WithoutPostproc is the part before postprocessing.
func (t Trace) WithoutPostproc() Trace {
	n := t.Postproc()
	return Trace{t.Insts[:n:n], t.Decisions[:n:n]}
}

// WithDecision is the part before postprocessing with another decision of
// instruction i.
func (t Trace) WithDecision(i int, decision any) Trace {
	out := t.WithoutPostproc()
	out.Decisions = slices.Clone(out.Decisions)
	out.Decisions[i] = decision
	return out
}

// Simplified leaves out pure instructions whose outputs nobody uses, and with
// removePostproc the postprocessing. Uses inside lists count, unlike in
// MetaSchedule, which would leave such a trace unreadable.
func (t Trace) Simplified(removePostproc bool) Trace {
	if removePostproc {
		t = t.WithoutPostproc()
	}
	used := map[any]bool{}
	keep := make([]bool, len(t.Insts))
	count := 0
	for i := len(t.Insts) - 1; i >= 0; i-- {
		inst := &t.Insts[i]
		keep[i] = !inst.Kind.Pure || slices.ContainsFunc(inst.Outputs, func(o any) bool { return isHandle(o) && used[handleOf(o)] })
		if !keep[i] {
			continue
		}
		count++
		eachHandle(inst.Inputs, func(h any) { used[h] = true })
		eachHandle(inst.Attrs, func(h any) { used[h] = true })
	}
	out := Trace{make([]schedule.Instruction, 0, count), make([]any, 0, count)}
	for i, k := range keep {
		if k {
			out.Insts = append(out.Insts, t.Insts[i])
			out.Decisions = append(out.Decisions, t.Decisions[i])
		}
	}
	return out
}

// id is the number of a handle.
func id(v any) (int32, bool) {
	switch h := v.(type) {
	case schedule.BlockRV:
		return int32(h), true
	case schedule.LoopRV:
		return int32(h), true
	case schedule.ExprRV:
		return h.ID(), h.ID() != 0
	}
	return 0, false
}

func isHandle(v any) bool { _, ok := id(v); return ok }

func handleOf(v any) any { n, _ := id(v); return n }

// eachHandle calls f with the number of every handle among vs, lists and index
// maps included.
func eachHandle(vs []any, f func(any)) {
	for _, v := range vs {
		switch x := v.(type) {
		case []any:
			eachHandle(x, f)
		case map[string]any:
			for _, y := range x {
				eachHandle([]any{y}, f)
			}
		case *tir.IndexMap:
			schedule.MapFree(x, func(v *tir.Var) tir.Expr {
				n, _ := schedule.FreeID(v)
				f(n)
				return v
			})
		default:
			if isHandle(v) {
				f(handleOf(v))
			}
		}
	}
}

// Error is an instruction that could not be replayed. It wraps the schedule's
// refusal when there was one.
type Error struct {
	Index int
	Kind  string
	Err   error
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("trace: instruction %d, %s: %v", e.Index, e.Kind, e.Err)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }
