package rule

import (
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/tir/analysis"
)

type addRFactor struct {
	jobsPerCore  int64
	maxInnermost int
}

// AddRFactor gives parallelism to reductions that lack spatial loops: it splits
// the fused reduction loop and returns a sketch for each of the two parts made
// an output dimension, and the schedule as it was. Cores × jobsPerCore is the
// parallelism that a target can use, maxInnermost bounds the inner part.
func AddRFactor(jobsPerCore int64, maxInnermost int) Rule {
	return addRFactor{jobsPerCore, maxInnermost}
}

func (addRFactor) Name() string { return "add_rfactor" }

func (r addRFactor) Apply(s *schedule.Schedule, b schedule.BlockRV, c *Context) ([]*schedule.Schedule, error) {
	scope, i, err := s.ScopeOf(b)
	if err != nil || scope == nil || !scope.NeedsRFactor(i, r.jobsPerCore*int64(c.Target.NumCores)) {
		return []*schedule.Schedule{s}, err
	}
	split := s.Fork()
	spatial, fused, err := reduceInnermost(split, b, scope.Children[i])
	if err != nil {
		return nil, err
	}
	factors, err := split.SamplePerfectTile(fused, 2, r.maxInnermost, nil)
	if err != nil {
		return nil, err
	}
	parts, err := split.Split(fused, factors...)
	if err != nil {
		return nil, err
	}
	var out []*schedule.Schedule
	for _, l := range parts {
		f, ok, err := try(split, func(x *schedule.Schedule) error {
			if _, err := x.RFactor(l, spatial); err != nil {
				return err
			}
			return x.Annotate(b, schedule.KeyRandomCompute, int64(1))
		})
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, f)
		}
	}
	return append(out, s), nil
}

// reduceInnermost moves the reduction loops of a block inside the spatial ones
// and makes one loop of them. It returns the number of spatial loops.
func reduceInnermost(s *schedule.Schedule, b schedule.BlockRV, child analysis.Child) (spatial int, fused schedule.LoopRV, err error) {
	loops, err := s.GetLoops(b)
	if err != nil {
		return 0, 0, err
	}
	var order, reduce []schedule.LoopRV
	for k, l := range loops {
		if analysis.LoopIterKind(child.Loops[k]) == analysis.ReduceLoop {
			reduce = append(reduce, l)
		} else {
			order = append(order, l)
		}
	}
	spatial = len(order)
	if order = append(order, reduce...); !slices.Equal(order, loops) {
		if err := s.Reorder(order...); err != nil {
			return 0, 0, err
		}
	}
	if len(reduce) == 1 {
		return spatial, reduce[0], nil
	}
	fused, err = s.Fuse(reduce...)
	return spatial, fused, err
}
