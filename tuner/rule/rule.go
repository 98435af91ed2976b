// Package rule holds the members of design spaces: each looks at one block of a
// schedule and returns the schedules that may replace it. One rule a file,
// registered by name; which rules run, in which order and with which parameters
// is a preset's decision. The package imports the compiler, never search or
// devices. Start from Rule.
package rule

import (
	"hone/compiler/dlight"
	"hone/compiler/schedule"
	"hone/compiler/target"
)

// Rule rewrites a schedule around one block.
type Rule interface {
	// Name is the rule's name in presets and reports.
	Name() string
	// Apply returns the schedules that replace s: s itself when the rule does not
	// apply, several to fork. It must not change s unless it returns it alone.
	Apply(s *schedule.Schedule, b schedule.BlockRV, t *target.Target) ([]*schedule.Schedule, error)
}

// move makes a rule of a move that the default schedule uses too, with its
// decisions sampled.
type move struct{ m dlight.Move }

func (r move) Name() string { return r.m.Name }

func (r move) Apply(s *schedule.Schedule, b schedule.BlockRV, t *target.Target) ([]*schedule.Schedule, error) {
	c, _, err := dlight.Try(s, b, r.m, t, dlight.Sampled)
	if err != nil {
		return nil, err
	}
	return []*schedule.Schedule{c}, nil
}

func dlightMove(name string) Rule {
	for _, m := range dlight.Moves {
		if m.Name == name {
			return move{m}
		}
	}
	panic("BUG: no move " + name)
}
