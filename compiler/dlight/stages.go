package dlight

import (
	"fmt"
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
)

// StagesBlock schedules a block at the end of a chain of stages that are not to be
// inlined, as the transforms of Winograd's convolution are: all of them work on one
// tile in registers or the nearest cache, a vector of its channels at a time. Which
// loops make a tile shows in the formulas: an iterator that is compared with
// constants picks one of them, and is spelled out.
func StagesBlock(s *schedule.Schedule, b schedule.BlockRV, t *target.Target, _ Mode) (bool, error) {
	r, err := s.BlockOf(b)
	if err != nil || isRoot(s, b) || staged(r) || r.Block.Init != nil || len(r.Block.Writes) != 1 || !trivialBinding(s, b, r) {
		return false, err
	}
	chain, picks, err := stagesOf(s, b)
	if err != nil || len(chain) == 0 {
		return false, err
	}
	loops, err := s.GetLoops(b)
	if err != nil {
		return false, err
	}
	x := &staging{s: s, lanes: int64(t.Lanes(int(r.Block.Writes[0].Buffer.Type.Bits)))}
	ok, err := x.split(r, loops, picks)
	if err != nil || !ok {
		return false, err
	}
	if err := x.gather(chain); err != nil {
		return false, err
	}
	return true, x.share()
}

type staging struct {
	s           *schedule.Schedule
	lanes       int64
	outer, tile []schedule.LoopRV
	axes        []int // whose iterators the outer loops are
	shared      int   // outer loops that other blocks are in, too
	vector      schedule.LoopRV
}

// split takes the tile and a vector off the loops of a block's iterators, in order. It
// reports whether there is a tile, a vector and something around them.
func (x *staging) split(r *tir.BlockRealize, loops []schedule.LoopRV, picks map[*tir.Var]int64) (bool, error) {
	last := len(loops) - 1
	for i, l := range loops {
		n, ok := tir.AsInt(r.Block.Iters[i].Dom.Extent)
		if !ok {
			return false, nil
		}
		factor, picked := picks[r.Block.Iters[i].Var]
		switch {
		case i == last && (picked || n%x.lanes != 0):
			return false, nil
		case i == last:
			factor = x.lanes
		case !picked:
			x.outer, x.axes = append(x.outer, l), append(x.axes, i)
			continue
		}
		inner := l
		if n != factor {
			parts, err := x.s.Split(l, schedule.Open, schedule.Int(factor))
			if err != nil {
				return false, err
			}
			x.outer, x.axes, inner = append(x.outer, parts[0]), append(x.axes, i), parts[1]
		}
		if i == last {
			x.vector = inner
		} else {
			x.tile = append(x.tile, inner)
		}
	}
	return len(x.outer) > 0 && len(x.tile) > 0, nil
}

// gather moves the stages to the tile and spells all of it out.
func (x *staging) gather(chain []schedule.BlockRV) error {
	if err := x.s.Reorder(slices.Concat(x.outer[x.shared:], x.tile, []schedule.LoopRV{x.vector})...); err != nil {
		return err
	}
	at := x.outer[len(x.outer)-1]
	for _, stage := range chain {
		if err := x.stage(stage, at); err != nil {
			return fmt.Errorf("stages: %w", err)
		}
	}
	return x.spell(x.tile, x.vector)
}

// share divides the tiles among threads.
func (x *staging) share() error {
	par := x.outer[0]
	if n := len(x.outer) - 1; n > 1 {
		var err error
		if par, err = x.s.Fuse(x.outer[:n]...); err != nil {
			return ignoreRefusal(err)
		}
	}
	return ignoreRefusal(x.s.Parallel(par))
}

// stage moves one stage, and spells its loops out, those that pick formulas innermost:
// the formulas of a column share what they load.
func (x *staging) stage(b schedule.BlockRV, at schedule.LoopRV) error {
	r, err := x.s.BlockOf(b)
	if err != nil {
		return err
	}
	_, picks, err := stagesOf(x.s, b)
	if err != nil {
		return err
	}
	if err := x.s.ComputeAt(b, at, true, -1); err != nil {
		return err
	}
	loops, err := x.s.GetLoops(b)
	if err != nil {
		return err
	}
	own, last := loops[len(x.outer):len(loops)-1], loops[len(loops)-1]
	var plain, picked []schedule.LoopRV
	for i, l := range own {
		if picks[r.Block.Iters[i].Var] > 0 {
			picked = append(picked, l)
		} else {
			plain = append(plain, l)
		}
	}
	if len(plain) > 0 && len(picked) > 0 {
		if err := x.s.Reorder(append(slices.Clone(plain), picked...)...); err != nil {
			return err
		}
	}
	return x.spell(append(plain, picked...), last)
}

func (x *staging) spell(tile []schedule.LoopRV, vector schedule.LoopRV) error {
	for _, l := range tile {
		if err := x.s.Unroll(l); err != nil {
			return err
		}
	}
	return x.s.Vectorize(vector)
}

// staged reports whether a block is not to be inlined.
func staged(r *tir.BlockRealize) bool {
	v, ok := r.Block.Ann.Get(schedule.KeyInlineRule)
	return ok && v == "disable"
}

// stagesOf lists the stages that only b, or a stage before it, reads, the nearest
// first, and the iterators of b that pick formulas, with the number they pick from.
func stagesOf(s *schedule.Schedule, b schedule.BlockRV) ([]schedule.BlockRV, map[*tir.Var]int64, error) {
	r, err := s.BlockOf(b)
	if err != nil {
		return nil, nil, err
	}
	producers, err := s.GetProducers(b)
	if err != nil {
		return nil, nil, err
	}
	var chain []schedule.BlockRV
	dims := map[*tir.Buffer][]int64{} // of stages: what their dimensions pick from
	for _, p := range producers {
		pr, err := s.BlockOf(p)
		if err != nil {
			return nil, nil, err
		}
		readers, err := s.GetConsumers(p)
		if err != nil {
			return nil, nil, err
		}
		if !staged(pr) || len(readers) != 1 || len(pr.Block.Writes) != 1 {
			continue
		}
		more, picks, err := stagesOf(s, p)
		if err != nil {
			return nil, nil, err
		}
		chain = append(append(chain, p), more...)
		dims[pr.Block.Writes[0].Buffer] = dimensions(pr, picks)
	}
	return chain, picksOf(r, dims), nil
}

// dimensions are, for every dimension that a stage stores to by an iterator, the
// number of formulas that it picks from, 0 for none.
func dimensions(r *tir.BlockRealize, picks map[*tir.Var]int64) []int64 {
	st, ok := r.Block.Body.(*tir.Store)
	if !ok {
		return nil
	}
	out := make([]int64, len(st.Indices))
	for d, e := range st.Indices {
		if v, ok := e.(*tir.Var); ok {
			out[d] = picks[v]
		}
	}
	return out
}

// picksOf finds the iterators of a block that are compared with constants, or index a
// dimension of a stage that picks, alone or as remainders.
func picksOf(r *tir.BlockRealize, dims map[*tir.Buffer][]int64) map[*tir.Var]int64 {
	picks := map[*tir.Var]int64{}
	extents := map[*tir.Var]int64{}
	for _, it := range r.Block.Iters {
		extents[it.Var], _ = tir.AsInt(it.Dom.Extent)
	}
	pick := func(e tir.Expr) {
		switch x := e.(type) {
		case *tir.Var:
			if n := extents[x]; n > 1 {
				picks[x] = n
			}
		case *tir.Binary:
			v, isVar := x.A.(*tir.Var)
			if n, ok := tir.AsInt(x.B); ok && isVar && x.Op == tir.OpFloorMod && extents[v] > 1 {
				picks[v] = n
			}
		}
	}
	tir.WalkExprs(r.Block.Body, func(e tir.Expr) bool {
		switch x := e.(type) {
		case *tir.Select:
			if c, ok := x.Cond.(*tir.Binary); ok && c.Op == tir.OpEQ {
				pick(c.A)
			}
		case *tir.Load:
			for d, n := range dims[x.Buffer] {
				if n > 0 && d < len(x.Indices) {
					pick(x.Indices[d])
				}
			}
		}
		return true
	})
	return picks
}
