package rule

import (
	"fmt"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

// Reuse says whether a rule adds a cache.
type Reuse int

// The ways to add a cache: never, as one sketch among others, or always.
const (
	NoReuse Reuse = iota
	MayReuse
	MustReuse
)

// WriteReuse is the cache for the results of a tiled block: levels count the
// groups of loops from 1, the copy is computed after the last loop of the group.
type WriteReuse struct {
	Reuse  Reuse
	Levels []int
	Scope  string
}

// TilingOptions are the parameters of MultiLevelTiling.
type TilingOptions struct {
	Structure    string // one letter a group of loops: S spatial, R reduce
	MaxInnermost int    // bound of the innermost factor of a loop
	Write        WriteReuse
}

type multiLevelTiling struct{ o TilingOptions }

// MultiLevelTiling tiles blocks with data reuse: every loop is split into one
// factor for each group of its kind, the groups are put in order, and the result
// may be kept in a cache that is written back at one of some levels. An
// elementwise consumer takes the place of the cache.
func MultiLevelTiling(o TilingOptions) Rule { return multiLevelTiling{o} }

func (multiLevelTiling) Name() string { return "multi_level_tiling" }

func (r multiLevelTiling) Apply(s *schedule.Schedule, b schedule.BlockRV, _ *Context) ([]*schedule.Schedule, error) {
	scope, i, err := s.ScopeOf(b)
	if err != nil || scope == nil || !scope.NeedsMultiLevelTiling(i) {
		return []*schedule.Schedule{s}, err
	}
	if err := s.Annotate(b, schedule.KeyTilingStructure, r.o.Structure); err != nil {
		return nil, err
	}
	groups, err := r.tile(s, b, scope.Children[i].Block())
	if err != nil {
		return nil, err
	}
	return r.writeReuse(s, b, groups)
}

// tile splits the loops of a block and returns them by group.
func (r multiLevelTiling) tile(s *schedule.Schedule, b schedule.BlockRV, blk *tir.Block) ([][]schedule.LoopRV, error) {
	loops, err := s.GetLoops(b)
	if err != nil {
		return nil, err
	}
	groups := make([][]schedule.LoopRV, len(r.o.Structure))
	for k, l := range loops {
		at := r.groupsOf(blk.Iters[k].Kind)
		parts := []schedule.LoopRV{l}
		switch {
		case len(at) == 0:
			continue
		case len(at) > 1:
			factors, err := s.SamplePerfectTile(l, len(at), r.o.MaxInnermost, nil)
			if err != nil {
				return nil, err
			}
			if parts, err = s.Split(l, factors...); err != nil {
				return nil, err
			}
		}
		for j, g := range at {
			groups[g] = append(groups[g], parts[j])
		}
	}
	var order []schedule.LoopRV
	for _, g := range groups {
		order = append(order, g...)
	}
	return groups, s.Reorder(order...)
}

// groupsOf lists the groups that take a part of a loop of one kind.
func (r multiLevelTiling) groupsOf(k tir.IterKind) []int {
	letter := map[tir.IterKind]rune{tir.Spatial: 'S', tir.Reduce: 'R'}[k]
	var out []int
	for g, x := range r.o.Structure {
		if x == letter {
			out = append(out, g)
		}
	}
	return out
}

// writeReuse returns the schedule without a cache and with one per level; when
// a consumer takes the place of the cache, the untouched schedule comes last.
func (r multiLevelTiling) writeReuse(s *schedule.Schedule, b schedule.BlockRV, groups [][]schedule.LoopRV) ([]*schedule.Schedule, error) {
	w, err := r.writeReuseOf(s, b)
	if err != nil || w.Reuse == NoReuse {
		return []*schedule.Schedule{s}, err
	}
	var out []*schedule.Schedule
	if w.Reuse == MayReuse {
		consumers, err := s.GetConsumers(b)
		if err != nil {
			return nil, err
		}
		if len(consumers) == 1 {
			c, err := s.BlockOf(consumers[0])
			if err != nil {
				return nil, err
			}
			if analysis.IsWriteCache(c.Block) {
				out, err := atLevels(s, consumers[0], groups, w.Levels)
				return append(out, s), err
			}
		}
		out = append(out, s.Fork())
	}
	cache, err := s.CacheWrite(b, 0, w.Scope)
	if err != nil {
		return nil, err
	}
	cached, err := atLevels(s, cache, groups, w.Levels)
	return append(out, cached...), err
}

// keyWriteCacheLevel on a block: the levels at which its cache must be written.
const keyWriteCacheLevel = "s_tir.meta_schedule.write_cache_level"

// writeReuseOf is the rule's configuration unless the block has one of its own.
func (r multiLevelTiling) writeReuseOf(s *schedule.Schedule, b schedule.BlockRV) (WriteReuse, error) {
	w := r.o.Write
	x, err := s.BlockOf(b)
	if err != nil {
		return w, err
	}
	v, ok := x.Block.Ann.Get(keyWriteCacheLevel)
	if !ok {
		return w, nil
	}
	w.Reuse, w.Levels = MustReuse, nil
	list, _ := v.([]any)
	for _, l := range list {
		n, ok := l.(int64)
		if !ok || n < 1 || int(n) > len(r.o.Structure) {
			return w, fmt.Errorf("block %s: annotation %s is %v, want levels from 1 to %d", x.Block.Name, keyWriteCacheLevel, v, len(r.o.Structure))
		}
		w.Levels = append(w.Levels, int(n))
	}
	return w, nil
}

// atLevels returns a schedule per level, with a block moved to the end of it.
func atLevels(s *schedule.Schedule, b schedule.BlockRV, groups [][]schedule.LoopRV, levels []int) ([]*schedule.Schedule, error) {
	var out []*schedule.Schedule
	for _, l := range levels {
		group := groups[l-1]
		if len(group) == 0 {
			continue
		}
		c, ok, err := try(s, func(c *schedule.Schedule) error {
			return c.ReverseComputeAt(b, group[len(group)-1], true, -1)
		})
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, c)
		}
	}
	return out, nil
}
