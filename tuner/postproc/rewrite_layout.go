package postproc

import (
	"hone/compiler/dlight"
	"hone/compiler/schedule"
	"hone/compiler/target"
)

// RewriteLayout packs layout-free parameters in the order the loops read them.
func RewriteLayout() Postproc {
	return fn{"rewrite_layout", func(s *schedule.Schedule, _ *target.Target) error { return dlight.PackWeights(s) }}
}
