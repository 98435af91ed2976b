package postproc

import (
	"hone/compiler/dlight"
	"hone/compiler/schedule"
	"hone/compiler/target"
)

// RewriteReductionBlock splits the initialiser off every reduction block.
func RewriteReductionBlock() Postproc {
	return fn{"rewrite_reduction_block", func(s *schedule.Schedule, _ *target.Target) error { return dlight.DecomposeReductions(s) }}
}
