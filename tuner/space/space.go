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

// Generate applies the rules in order; each visits all blocks, children before
// parents, with a last-in first-out list: the root first, then from the last
// block back (metaschedule.md §2.1). The order of the result is part of a
// workload's identity in a tuning session.
func Generate(f *tir.PrimFunc, p preset.Preset, t *target.Target) ([]Space, error) {
	s := schedule.NewFunc(f, rng.New(0, "space"))
	blocks, err := dlight.AllBlocks(s)
	if err != nil {
		return nil, fmt.Errorf("design space of %s: %w", f.Name, err)
	}
	all := []*schedule.Schedule{s}
	for _, r := range p.Rules {
		var next []*schedule.Schedule
		for _, s := range all {
			out, err := expand(s, r, blocks, t)
			if err != nil {
				return nil, fmt.Errorf("design space of %s, rule %s: %w", f.Name, r.Name(), err)
			}
			next = append(next, out...)
		}
		all = next
	}
	var out []Space
	for _, s := range all {
		tr := trace.Of(s).Simplified(true)
		sp := Space{Sketch: tr, Limits: filter.Of(tr)}
		sp.Sketch.Decisions = make([]any, tr.Len())
		if !slices.ContainsFunc(out, func(o Space) bool { return sameSketch(o.Sketch, sp.Sketch) }) {
			out = append(out, sp)
		}
	}
	return out, nil
}

// expand applies one rule to all blocks of a schedule, and to those of every
// schedule that it forks into.
func expand(s *schedule.Schedule, r rule.Rule, blocks []schedule.BlockRV, t *target.Target) ([]*schedule.Schedule, error) {
	if len(blocks) == 0 {
		return []*schedule.Schedule{s}, nil
	}
	rest, b := blocks[:len(blocks)-1], blocks[len(blocks)-1]
	next := []*schedule.Schedule{s}
	if s.Alive(b) {
		var err error
		if next, err = r.Apply(s, b, t); err != nil {
			return nil, err
		}
	}
	var out []*schedule.Schedule
	for _, n := range next {
		more, err := expand(n, r, rest, t)
		if err != nil {
			return nil, err
		}
		out = append(out, more...)
	}
	return out, nil
}

func sameSketch(a, b trace.Trace) bool {
	if a.Len() != b.Len() {
		return false
	}
	x, err1 := a.MarshalJSON()
	y, err2 := trace.Trace{Insts: b.Insts, Decisions: a.Decisions}.MarshalJSON()
	return err1 == nil && err2 == nil && string(x) == string(y)
}
