// Package space generates the design spaces of a function: the traces, without
// decisions, that a preset's rules lead to. Start from Generate.
package space

import (
	"fmt"
	"slices"

	"hone/compiler/dlight"
	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/trace"
	"hone/internal/rng"
	"hone/tuner/filter"
	"hone/tuner/preset"
	"hone/tuner/rule"
)

// Space is one sketch: a trace up to postprocessing whose decisions are to be
// made, and the limits on them.
type Space struct {
	Sketch trace.Trace
	Limits filter.Limits
}

// Decides reports whether the sketch leaves anything to decide.
func (s Space) Decides() bool {
	return slices.ContainsFunc(s.Sketch.Insts, func(i schedule.Instruction) bool { return i.Kind.Decision != schedule.NoDecision })
}

// Generate applies the rules in order. Each starts from the schedules that the
// one before left and keeps a last-in first-out list of them: the latest one is
// taken, the rule looks at its last block that it did not look at yet, and what
// the rule makes of it goes back on the list. So every rule visits the root first
// and then from the last block back, and reverses the order of the schedules.
// That order is part of a session's identity. The
// notes are what the rules have to say to the user.
func Generate(f *tir.PrimFunc, p preset.Preset, t *target.Target) (spaces []Space, notes []string, err error) {
	s := schedule.NewFunc(f, rng.New(0, "space"))
	blocks, err := dlight.AllBlocks(s)
	if err != nil {
		return nil, nil, fmt.Errorf("design space of %s: %w", f.Name, err)
	}
	ctx := &rule.Context{Target: t}
	all := []*schedule.Schedule{s}
	for _, r := range p.Rules {
		if all, err = apply(r, all, blocks, ctx); err != nil {
			return nil, nil, fmt.Errorf("design space of %s, rule %s: %w", f.Name, r.Name(), err)
		}
	}
	for _, s := range all {
		tr, err := sketchOf(s)
		if err != nil {
			return nil, nil, fmt.Errorf("design space of %s: %w", f.Name, err)
		}
		sp := Space{Sketch: tr, Limits: filter.Of(tr)}
		if !slices.ContainsFunc(spaces, func(o Space) bool { return sameSketch(o.Sketch, sp.Sketch) }) {
			spaces = append(spaces, sp)
		}
	}
	return spaces, ctx.Notes(), nil
}

// sketchOf is the trace of a schedule without decisions and without what nobody
// uses. It is read back from its text, so that results are numbered as those of a
// replay are.
func sketchOf(s *schedule.Schedule) (trace.Trace, error) {
	text, err := trace.Of(s).Simplified(true).MarshalJSON()
	if err != nil {
		return trace.Trace{}, err
	}
	t, err := trace.Parse(text)
	if err != nil {
		return trace.Trace{}, err
	}
	t.Decisions = make([]any, t.Len())
	return t, nil
}

// pending is a schedule with the blocks that a rule has not visited.
type pending struct {
	s    *schedule.Schedule
	rest []schedule.BlockRV
}

// apply runs one rule over all blocks of all schedules.
func apply(r rule.Rule, all []*schedule.Schedule, blocks []schedule.BlockRV, ctx *rule.Context) ([]*schedule.Schedule, error) {
	var list []pending
	for _, s := range all {
		list = append(list, pending{s, blocks})
	}
	var out []*schedule.Schedule
	for len(list) > 0 {
		last := list[len(list)-1]
		list = list[:len(list)-1]
		n := len(last.rest)
		if n == 0 {
			out = append(out, last.s)
			continue
		}
		next, err := visit(r, last.s, last.rest[n-1], ctx)
		if err != nil {
			return nil, err
		}
		for _, s := range next {
			list = append(list, pending{s, last.rest[:n-1]})
		}
	}
	return out, nil
}

// visit applies a rule to a block, unless the block is gone or belongs to a
// custom rule.
func visit(r rule.Rule, s *schedule.Schedule, b schedule.BlockRV, ctx *rule.Context) ([]*schedule.Schedule, error) {
	if !s.Alive(b) {
		return []*schedule.Schedule{s}, nil
	}
	if r.Name() != rule.ApplyCustomRule().Name() {
		if _, custom, err := rule.CustomName(s, b); err != nil || custom {
			return []*schedule.Schedule{s}, err
		}
	}
	return r.Apply(s, b, ctx)
}

func sameSketch(a, b trace.Trace) bool {
	if a.Len() != b.Len() {
		return false
	}
	x, err1 := a.MarshalJSON()
	y, err2 := trace.Trace{Insts: b.Insts, Decisions: a.Decisions}.MarshalJSON()
	return err1 == nil && err2 == nil && string(x) == string(y)
}
