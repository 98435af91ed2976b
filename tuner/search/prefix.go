package search

import (
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/trace"
	"hone/tuner/space"
)

// prefix is the part of a sketch before its first decision, performed once: every
// candidate of the sketch starts from a fork of it.
type prefix struct {
	done  *schedule.Schedule
	insts []schedule.Instruction
}

// prefixesOf performs the undecided parts of all sketches, the longest first.
func prefixesOf(f *tir.PrimFunc, spaces []space.Space) ([]prefix, error) {
	var out []prefix
	for _, sp := range spaces {
		n := slices.IndexFunc(sp.Sketch.Insts, func(x schedule.Instruction) bool { return x.Kind.Decision != schedule.NoDecision })
		if n < 0 {
			n = sp.Sketch.Len()
		}
		part := trace.Trace{Insts: sp.Sketch.Insts[:n], Decisions: sp.Sketch.Decisions[:n]}
		if slices.ContainsFunc(out, func(p prefix) bool { return len(p.insts) == n && p.begins(part) }) {
			continue
		}
		s := schedule.NewFunc(f, nil)
		if err := part.Replay(s, trace.Options{}); err != nil {
			return nil, err
		}
		s.Func() // writes out what forks will share
		out = append(out, prefix{s, s.Instructions()})
	}
	slices.SortStableFunc(out, func(a, b prefix) int { return len(b.insts) - len(a.insts) })
	return out, nil
}

// begins reports whether a trace starts with the instructions of the prefix.
func (p *prefix) begins(t trace.Trace) bool {
	if len(t.Insts) < len(p.insts) {
		return false
	}
	for i := range p.insts {
		a, b := &p.insts[i], &t.Insts[i]
		if a.Kind != b.Kind || !sameValues(a.Inputs, b.Inputs) || !sameValues(a.Attrs, b.Attrs) || !sameValues(a.Outputs, b.Outputs) {
			return false
		}
	}
	return true
}

func sameValues(a, b []any) bool { return slices.EqualFunc(a, b, sameValue) }

func sameValue(a, b any) bool {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		return ok && sameValues(x, y)
	case map[string]any:
		return false
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}

// start is a schedule that has performed the first done instructions of a trace.
func (e *Engine) start(t trace.Trace) (s *schedule.Schedule, done int) {
	for i := range e.prefixes {
		if p := &e.prefixes[i]; p.begins(t) {
			return p.done.Fork(), len(p.insts)
		}
	}
	return e.base.Fork(), 0
}
