// Package rule holds the members of design spaces: each looks at one block of a
// schedule and returns the schedules that may replace it. One rule a file; which
// rules run, in which order and with which parameters is a preset's decision.
// The package imports the compiler, never search or devices. Start from Rule.
package rule

import (
	"hone/compiler/dlight"
	"hone/compiler/schedule"
)

// Rule rewrites a schedule around one block.
type Rule interface {
	// Name is the rule's name in presets and reports, the stem of its file.
	Name() string
	// Apply returns the schedules that replace s: s itself when the rule does not
	// apply, several to fork. It may change s only when s is among them.
	Apply(s *schedule.Schedule, b schedule.BlockRV, c *Context) ([]*schedule.Schedule, error)
}

// only is the result of a rule that does not fork.
func only(s *schedule.Schedule) ([]*schedule.Schedule, error) { return []*schedule.Schedule{s}, nil }

// try applies primitives to a fork and returns it; ok is false when one of them
// was refused, and s is as it was.
func try(s *schedule.Schedule, f func(c *schedule.Schedule) error) (c *schedule.Schedule, ok bool, err error) {
	c = s.Fork()
	if err = f(c); schedule.IsRefusal(err) {
		return nil, false, nil
	}
	return c, err == nil, err
}

// move makes a rule of a move that the default schedule uses too, with its
// decisions sampled.
type move struct {
	name string
	m    dlight.Move
}

func (r move) Name() string { return r.name }

func (r move) Apply(s *schedule.Schedule, b schedule.BlockRV, c *Context) ([]*schedule.Schedule, error) {
	out, _, err := dlight.Try(s, b, r.m, c.Target, dlight.Sampled)
	if err != nil {
		return nil, err
	}
	return only(out)
}
