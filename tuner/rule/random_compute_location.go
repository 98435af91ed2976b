package rule

import (
	"fmt"

	"hone/compiler/schedule"
)

type randomComputeLocation struct{}

// RandomComputeLocation samples where a block that stands for itself is
// computed: inline, under a loop of its consumers, or where it is. A block that
// rfactor made final passes the question on to its producer as well.
func RandomComputeLocation() Rule { return randomComputeLocation{} }

func (randomComputeLocation) Name() string { return "random_compute_location" }

func (randomComputeLocation) Apply(s *schedule.Schedule, b schedule.BlockRV, _ *Context) ([]*schedule.Schedule, error) {
	ok, factored, err := movable(s, b)
	if err != nil || !ok {
		return []*schedule.Schedule{s}, err
	}
	var producers []schedule.BlockRV
	if factored {
		if producers, err = s.GetProducers(b); err != nil {
			return nil, err
		}
		if len(producers) != 1 {
			return nil, fmt.Errorf("a block made by rfactor has %d producers", len(producers))
		}
		if err := s.Unannotate(b, schedule.KeyRandomCompute); err != nil {
			return nil, err
		}
	}
	for _, x := range append([]schedule.BlockRV{b}, producers...) {
		at, err := s.SampleComputeLocation(x, schedule.Draw)
		if err != nil {
			return nil, err
		}
		if err := s.ComputeAt(x, at, true, -1); err != nil {
			return nil, err
		}
	}
	return only(s)
}

// movable reports whether a block is alone in a nest directly below the root,
// not tiled, and consumed; factored whether rfactor made it.
func movable(s *schedule.Schedule, b schedule.BlockRV) (ok, factored bool, err error) {
	scope, i, err := s.ScopeOf(b)
	if err != nil || scope == nil {
		return false, false, err
	}
	root, _ := s.Func().Root()
	c := &scope.Children[i]
	if scope.Block != root.Block || len(c.Loops) == 0 || len(scope.Consumers(i)) == 0 {
		return false, false, nil
	}
	if _, tiled := c.Block().Ann.Get(schedule.KeyTilingStructure); tiled {
		return false, false, nil
	}
	loops, err := s.GetLoops(b)
	if err != nil {
		return false, false, err
	}
	inside, err := s.GetChildBlocksOfLoop(loops[0])
	if err != nil {
		return false, false, err
	}
	_, factored = c.Block().Ann.Get(schedule.KeyRandomCompute)
	return len(inside) == 1, factored, nil
}
