package postproc

import (
	"hone/compiler/dlight"
	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

// RewriteReductionBlock splits the initialiser off every reduction block as the
// reference system does: at the outermost loop that feeds
// anything but spatial iterators, of this block or of another one in the loop.
func RewriteReductionBlock() Postproc {
	return fn{"rewrite_reduction_block", func(s *schedule.Schedule, _ *target.Target) error {
		return dlight.DecomposeReductionsAt(s, func(_ *tir.BlockRealize, l schedule.LoopRV) (bool, error) {
			k, err := s.LoopIterKind(l)
			return k != analysis.SpatialLoop, err
		})
	}}
}
