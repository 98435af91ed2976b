// Package mutator holds the ways to change the decisions of a trace. One mutator
// a file; presets weight them. It imports the compiler only. Start from Mutator.
package mutator

import (
	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/trace"
	"hone/internal/rng"
)

// Mutator changes one decision of a trace.
type Mutator interface {
	// Name is the mutator's name in presets and reports, the stem of its file.
	Name() string
	// Mutate returns the trace, without its postprocessing, with a decision
	// changed; ok is false when it has nothing to change.
	Mutate(c *Context, t trace.Trace, r *rng.Rand) (out trace.Trace, ok bool)
}

// Context is what a mutator knows besides the trace.
type Context struct {
	Target *target.Target
	Base   *schedule.Schedule // of the function before anything was done; to be forked
}

// replay performs the part of a trace before postprocessing on a fork of the
// base; decide, unless nil, sees the schedule before each sampling instruction.
func (c *Context) replay(t trace.Trace, before func(s *schedule.Schedule, i int, inst schedule.Instruction)) (*schedule.Schedule, error) {
	s := c.Base.Fork()
	o := trace.Options{StopAtPostproc: true}
	if before != nil {
		o.Decide = func(i int, inst schedule.Instruction, decision any) any {
			before(s, i, inst)
			return decision
		}
	}
	return s, t.Replay(s, o)
}

// sampled lists the instructions before postprocessing of the given kind.
func sampled(t trace.Trace, kind string) []int {
	var out []int
	for i, inst := range t.WithoutPostproc().Insts {
		if inst.Kind.Name == kind {
			out = append(out, i)
		}
	}
	return out
}

// annotated lists the annotations with one of some keys before postprocessing.
func annotated(t trace.Trace, keys ...string) []int {
	var out []int
	for _, i := range sampled(t, "Annotate") {
		for _, k := range keys {
			if t.Insts[i].Attrs[0] == k {
				out = append(out, i)
			}
		}
	}
	return out
}
