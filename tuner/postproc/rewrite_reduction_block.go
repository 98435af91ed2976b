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
		}, func(b, init schedule.BlockRV, was *tir.Block) error { return moveMark(s, b, init, was) })
	}}
}

// moveMark gives the initialiser of a block that is to become an intrinsic the mark of
// its own, which is empty where it has none, in place of the block's.
func moveMark(s *schedule.Schedule, b, init schedule.BlockRV, was *tir.Block) error {
	if _, marked := was.Ann.Get(schedule.KeyAutoTensorize); !marked {
		return nil
	}
	if err := s.Unannotate(init, schedule.KeyAutoTensorize); err != nil {
		return err
	}
	own, has := was.Ann.Get(schedule.KeyAutoTensorizeInit)
	if !has {
		own = ""
	}
	if err := s.Annotate(init, schedule.KeyAutoTensorize, own); err != nil || !has {
		return err
	}
	if err := s.Unannotate(b, schedule.KeyAutoTensorizeInit); err != nil {
		return err
	}
	return s.Unannotate(init, schedule.KeyAutoTensorizeInit)
}
