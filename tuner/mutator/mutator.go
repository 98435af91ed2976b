// Package mutator holds the ways to change the decisions of a trace. One mutator
// a file; presets weight them. It imports the compiler only. Start from Mutator.
package mutator

import (
	"hone/compiler/target"
	"hone/compiler/trace"
	"hone/internal/rng"
)

// Mutator changes one decision of a trace.
type Mutator interface {
	Name() string
	// Mutate returns the trace, without its postprocessing, with a decision
	// changed; ok is false when it has nothing to change.
	Mutate(t trace.Trace, tgt *target.Target, r *rng.Rand) (out trace.Trace, ok bool)
}
