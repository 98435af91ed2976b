package postproc

import (
	"hone/compiler/dlight"
	"hone/compiler/schedule"
	"hone/compiler/target"
)

// PackWeights packs layout-free parameters in the order the loops read them,
// padding what tiles do not divide.
func PackWeights() Postproc {
	return fn{"pack_weights", func(s *schedule.Schedule, _ *target.Target) error { return dlight.PackWeights(s) }}
}
