package dlight

import (
	"fmt"
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
)

// blockChoices are the vectors of rows that a chain works on at a time.
var blockChoices = []int64{1, 2, 3, 4, 6}

// ChainOf schedules a function in which one product reads what becomes of another,
// as attention does: b is its root. A block of rows goes through all stages before the
// next one starts, so that nothing between the products leaves the nearest caches, and
// the products inside of it are register tiles.
func ChainOf(s *schedule.Schedule, b schedule.BlockRV, t *target.Target, m Mode) (bool, error) {
	if !isRoot(s, b) {
		return false, nil
	}
	x := &chain{s: s, t: t, m: m}
	if ok, err := x.find(); err != nil || !ok {
		return false, err
	}
	for _, step := range []func() error{x.split, x.gather, x.tiles, x.finish} {
		if err := step(); err != nil {
			return false, fmt.Errorf("chain: %w", err)
		}
	}
	return true, nil
}

type chain struct {
	s *schedule.Schedule
	t *target.Target
	m Mode

	stages   []schedule.BlockRV // all but the last product and its epilogue, in order
	products map[schedule.BlockRV]*product
	last     *product

	rows  int64             // of a block
	outer []schedule.LoopRV // of the last epilogue: heads and the like, then blocks of rows
}

// product is a reduction of products and what is done to its result.
type product struct {
	*Roles
	block    schedule.BlockRV
	epilogue schedule.BlockRV // 0 when there is none
}

// find sorts the blocks: two products or more, the last of which, with its epilogue,
// ends the function.
func (x *chain) find() (bool, error) {
	blocks, err := Blocks(x.s)
	if err != nil || len(blocks) < 3 {
		return false, err
	}
	x.products = map[schedule.BlockRV]*product{}
	for i, b := range blocks {
		r, ok := RolesOf(x.s, b, x.t)
		if !ok || r.Row < 0 || len(r.Reduce) != 1 || !isProduct(x.s, b) {
			continue
		}
		p := &product{Roles: r, block: b}
		if i+1 < len(blocks) && x.endsWith(p, blocks[i+1]) {
			p.epilogue = blocks[i+1]
		}
		x.products[b] = p
	}
	n := len(blocks) - 2
	x.stages, x.last = blocks[:n], x.products[blocks[n]]
	return len(x.products) > 1 && x.last != nil && x.last.epilogue != 0, nil
}

// endsWith reports whether e is an elementwise epilogue of a product, over loops that
// are the product's spatial ones.
func (x *chain) endsWith(p *product, e schedule.BlockRV) bool {
	consumers, err := x.s.GetConsumers(p.block)
	if err != nil || len(consumers) != 1 || !follows(x.s, p.block, e) {
		return false
	}
	r, err := x.s.BlockOf(e)
	return err == nil && trivialBinding(x.s, e, r) && len(r.Block.Iters) == len(p.Spatial)
}

// isProduct reports whether a reduction adds up products.
func isProduct(s *schedule.Schedule, b schedule.BlockRV) bool {
	r, err := s.BlockOf(b)
	if err != nil {
		return false
	}
	st, ok := r.Block.Body.(*tir.Store)
	if !ok {
		return false
	}
	sum, ok := st.Value.(*tir.Binary)
	if !ok || sum.Op != tir.OpAdd {
		return false
	}
	term, ok := sum.B.(*tir.Binary)
	return ok && term.Op == tir.OpMul
}

// split takes blocks of rows off the loops of the last epilogue, and tiles what is
// left of them.
func (x *chain) split() error {
	loops, err := x.s.GetLoops(x.last.epilogue)
	if err != nil {
		return err
	}
	var fit []int64
	for _, c := range blockChoices {
		if n := c * x.last.Lanes; c == 1 || n <= x.last.Extents[x.last.Row] {
			fit = append(fit, n)
		}
	}
	rows, err := x.m.pick(x.s, fit, fit[min(2, len(fit)-1)])
	if err != nil {
		return err
	}
	x.rows = rows.Value()
	parts, err := x.s.Split(loops[x.last.Row], schedule.Open, rows)
	if err != nil {
		return err
	}
	for _, i := range x.last.Spatial {
		if i != x.last.Row && i != x.last.Vector {
			x.outer = append(x.outer, loops[i])
		}
	}
	x.outer = append(x.outer, parts[0])
	if err := x.s.Reorder(append(slices.Clone(x.outer), parts[1], loops[x.last.Vector])...); err != nil {
		return err
	}
	return x.tile(x.last, x.rows, x.last.Extents[x.last.Vector], parts[1], loops[x.last.Vector])
}

// gather computes the stages, from the last one back, where a block of rows is done.
func (x *chain) gather() error {
	for _, b := range slices.Backward(x.stages) {
		if err := x.s.ComputeAt(b, x.outer[len(x.outer)-1], true, -1); err != nil {
			return err
		}
	}
	return nil
}

// tiles makes register tiles of the other products, whose vectors run along the rows
// of the block, and vectors of the other stages.
func (x *chain) tiles() error {
	done := map[schedule.BlockRV]bool{}
	for _, b := range x.stages {
		if done[b] {
			continue
		}
		p, ok := x.products[b]
		if !ok {
			if err := x.vectors(b); err != nil {
				return err
			}
			continue
		}
		at := p.block
		if p.epilogue != 0 {
			at = p.epilogue
			done[at] = true
		}
		own, err := x.own(at)
		if err != nil {
			return err
		}
		if err := x.tile(p, p.Extents[p.Row], x.rows, own[p.Row], own[p.Vector]); err != nil {
			return err
		}
	}
	return nil
}

// own are the loops of a block inside of those that all stages share.
func (x *chain) own(b schedule.BlockRV) ([]schedule.LoopRV, error) {
	loops, err := x.s.GetLoops(b)
	if err != nil {
		return nil, err
	}
	return loops[len(x.outer):], nil
}

// tile makes a register tile of a product: rows × columns of vectors, which are
// those of its epilogue, inside of which the product is computed. row and vector are
// loops of the epilogue, or of the product when it has none, of the given extents here;
// what a trace may choose from does not depend on them, which it may change, too.
func (x *chain) tile(p *product, rowExtent, vecExtent int64, row, vector schedule.LoopRV) error {
	vectors := ceilDiv(vecExtent, p.Lanes)
	rows, cols := choices(RowChoices, p.Extents[p.Row]), choices(ColChoices, ceilDiv(p.Extents[p.Vector], p.Lanes))
	wantR, wantC := bestTile(rowExtent, vectors, rows, cols, 1, x.t)
	fr, err := x.m.pick(x.s, rows, wantR)
	if err != nil {
		return err
	}
	fc, err := x.m.pick(x.s, cols, wantC)
	if err != nil {
		return err
	}
	if err := x.s.Annotate(p.block, schedule.KeyRegisterTile, []any{fr, fc, int64(1)}); err != nil {
		return err
	}
	rp, err := x.s.Split(row, schedule.Open, fr)
	if err != nil {
		return err
	}
	vp, err := x.s.Split(vector, schedule.Open, fc, schedule.Int(p.Lanes))
	if err != nil {
		return err
	}
	order := []schedule.LoopRV{vp[0], rp[0], rp[1], vp[1], vp[2]}
	if p.epilogue != 0 {
		if err := x.s.Reorder(order...); err != nil {
			return err
		}
		return x.inside(p, rp[0], vp[2])
	}
	loops, err := x.s.GetLoops(p.block)
	if err != nil {
		return err
	}
	if err := x.s.Reorder(slices.Insert(order, 2, loops[len(loops)-1])...); err != nil {
		return err
	}
	return x.s.Vectorize(vp[2])
}

// inside computes a product where a tile of its epilogue is, whose vectors are done.
func (x *chain) inside(p *product, at, vector schedule.LoopRV) error {
	if err := x.s.Vectorize(vector); err != nil {
		return err
	}
	if err := x.s.ComputeAt(p.block, at, true, -1); err != nil {
		return err
	}
	loops, err := x.s.GetLoops(p.block)
	if err != nil {
		return err
	}
	own := loops[len(loops)-len(p.Extents):]
	vp, err := x.s.Split(own[p.Vector], schedule.Open, schedule.Int(p.Lanes))
	if err != nil {
		return err
	}
	if err := x.s.Reorder(own[p.Reduce[0]], own[p.Row], vp[0], vp[1]); err != nil {
		return err
	}
	return x.s.Vectorize(vp[1])
}

// vectors runs a stage's vectors along the rows of the block: the innermost loop of
// a spatial stage, which a reduction puts inside of its own.
func (x *chain) vectors(b schedule.BlockRV) error {
	r, err := x.s.BlockOf(b)
	if err != nil {
		return err
	}
	own, err := x.own(b)
	if err != nil {
		return err
	}
	if r.Block.Init == nil {
		return x.s.Vectorize(own[len(own)-1])
	}
	rows, reduce := own[len(own)-2], own[len(own)-1]
	if err := x.s.Reorder(reduce, rows); err != nil {
		return err
	}
	return x.s.Vectorize(rows)
}

// finish shares the blocks among threads.
func (x *chain) finish() error {
	par := x.outer[0]
	if len(x.outer) > 1 {
		var err error
		if par, err = x.s.Fuse(x.outer...); err != nil {
			return err
		}
	}
	return x.s.Parallel(par)
}
