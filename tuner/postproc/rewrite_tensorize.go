package postproc

import (
	"hone/compiler/dlight"
	"hone/compiler/schedule"
	"hone/compiler/target"
)

// RewriteTensorize replaces blocks that a rule has marked by their intrinsics, as the
// reference system does, and, where it is asked to, makes the loop of their
// initialisers vectors. A block that the intrinsic does not fit after all stays as it
// is, without its mark.
func RewriteTensorize(vectorizeInit bool) Postproc {
	return fn{"rewrite_tensorize", func(s *schedule.Schedule, _ *target.Target) error {
		blocks, err := dlight.Blocks(s)
		if err != nil {
			return err
		}
		for _, b := range blocks {
			r, err := s.BlockOf(b)
			if err != nil {
				return err
			}
			v, marked := r.Block.Ann.Get(schedule.KeyAutoTensorize)
			intrin, isName := v.(string)
			if !marked || !isName {
				continue
			}
			if err := tensorize(s, b, intrin, vectorizeInit); err != nil {
				return err
			}
		}
		return nil
	}}
}

func tensorize(s *schedule.Schedule, b schedule.BlockRV, intrin string, vectorizeInit bool) error {
	if err := s.Unannotate(b, schedule.KeyAutoTensorize); err != nil {
		return err
	}
	if intrin != "" {
		if err := s.Tensorize(b, intrin, true); !schedule.IsRefusal(err) {
			return err
		}
		return nil
	}
	if !vectorizeInit {
		return nil
	}
	children, err := s.GetChildBlocks(b)
	if err != nil || len(children) != 1 {
		return err
	}
	loops, err := s.GetLoops(children[0])
	if err != nil || len(loops) != 1 {
		return err
	}
	return s.Vectorize(loops[0])
}
