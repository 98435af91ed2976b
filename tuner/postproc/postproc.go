// Package postproc holds the steps that complete a sampled schedule before it is
// measured, or reject it. One step a file; presets order them. It imports the
// compiler only. Start from Postproc.
package postproc

import (
	"hone/compiler/schedule"
	"hone/compiler/target"
)

// Postproc completes a schedule in place. An error rejects the candidate: a
// refusal is an ordinary outcome of search, anything else a fault.
type Postproc interface {
	Name() string
	Apply(s *schedule.Schedule, t *target.Target) error
}

// fn is a postprocessor without parameters.
type fn struct {
	name  string
	apply func(s *schedule.Schedule, t *target.Target) error
}

func (f fn) Name() string                                       { return f.name }
func (f fn) Apply(s *schedule.Schedule, t *target.Target) error { return f.apply(s, t) }
