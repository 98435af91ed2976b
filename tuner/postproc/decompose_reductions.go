package postproc

import (
	"hone/compiler/dlight"
	"hone/compiler/schedule"
	"hone/compiler/target"
)

// DecomposeReductions splits the initialiser off every reduction block, at the
// outermost loop of its own reduction.
func DecomposeReductions() Postproc {
	return fn{"decompose_reductions", func(s *schedule.Schedule, _ *target.Target) error { return dlight.DecomposeReductions(s) }}
}
