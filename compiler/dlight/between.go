package dlight

import (
	"fmt"
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
)

// maxTiles bounds the tiles of a block and the vectors of a part of its channels;
// leastTiles and leastPart are what they have at least, if they can: enough for a
// register tile.
const (
	maxTiles   = 256
	leastTiles = 8
	leastPart  = 2
)

// BetweenOf schedules a function whose one product stands between stages, as that of
// Winograd's convolution does: b is its root. A block of tiles goes through the
// stages before the product, the product and the stages behind it before the next one
// starts, so that what is between them stays in the second-level cache.
func BetweenOf(s *schedule.Schedule, b schedule.BlockRV, t *target.Target, m Mode) (bool, error) {
	if !isRoot(s, b) {
		return false, nil
	}
	x := &between{s: s, t: t, m: m}
	if ok, err := x.find(); err != nil || !ok {
		return false, err
	}
	if ok, err := x.split(); err != nil || !ok {
		return false, err
	}
	for _, step := range []func() error{x.gather, x.multiply, x.before} {
		if err := step(); err != nil {
			return false, fmt.Errorf("between: %w", err)
		}
	}
	return true, s.Parallel(x.block)
}

type between struct {
	s *schedule.Schedule
	t *target.Target
	m Mode

	start, end       schedule.BlockRV // last stage before the product, last block
	product          *product
	intoProduct, out []schedule.BlockRV // stages before start and before end

	block schedule.LoopRV // over blocks of tiles
	part  schedule.LoopRV // over the parts of a block's channels, or block
	depth int             // of the loops up to part
	tiles int64           // of a block
	width int64           // channels of a part
	last  *staging        // of end
}

// find looks for the product, the stages that only it reads, and those that only the
// last block reads and that read only it.
func (x *between) find() (bool, error) {
	blocks, err := Blocks(x.s)
	if err != nil || len(blocks) < 4 {
		return false, err
	}
	x.end = blocks[len(blocks)-1]
	if x.out, _, err = stagesOf(x.s, x.end); err != nil || len(x.out) == 0 {
		return false, err
	}
	p, ok, err := x.only(x.s.GetProducers(x.out[len(x.out)-1]))
	if err != nil || !ok {
		return false, err
	}
	r, ok := RolesOf(x.s, p, x.t)
	if !ok || r.Row < 0 || len(r.Reduce) != 1 || !isProduct(x.s, p) {
		return false, nil
	}
	x.product = &product{Roles: r, block: p}
	into, _, err := stagesOf(x.s, p)
	if err != nil || len(into) == 0 {
		return false, err
	}
	x.start, x.intoProduct = into[0], into[1:]
	return len(x.out)+len(into)+2 == len(blocks), nil
}

// only is the one block of a list.
func (x *between) only(list []schedule.BlockRV, err error) (schedule.BlockRV, bool, error) {
	if err != nil || len(list) != 1 {
		return 0, false, err
	}
	return list[0], true, nil
}

// split takes tiles off the loops of the last block, and blocks of tiles off those: the
// loops around a tile that its channels do not come from. Without such loops there is
// nothing to do.
func (x *between) split() (bool, error) {
	r, err := x.s.BlockOf(x.end)
	if err != nil {
		return false, err
	}
	_, picks, err := stagesOf(x.s, x.end)
	if err != nil {
		return false, err
	}
	loops, err := x.s.GetLoops(x.end)
	if err != nil {
		return false, err
	}
	y := &staging{s: x.s, lanes: x.product.Lanes}
	if ok, err := y.split(r, loops, picks); err != nil || !ok {
		return false, err
	}
	stage, err := x.s.BlockOf(x.out[0])
	if err != nil {
		return false, err
	}
	channels := channelsOf(r, stage.Block.Writes[0].Buffer)
	var tiles, rest []schedule.LoopRV
	for i, l := range y.outer {
		if channels[r.Block.Iters[y.axes[i]].Var] {
			rest = append(rest, l)
		} else {
			tiles = append(tiles, l)
		}
	}
	if len(tiles) == 0 {
		return false, nil
	}
	if y.outer, err = x.blocks(tiles, rest); err != nil {
		return false, err
	}
	return true, y.gather(x.out)
}

// channelsOf are the iterators in the last index of a block's loads of a buffer.
func channelsOf(r *tir.BlockRealize, buf *tir.Buffer) map[*tir.Var]bool {
	out := map[*tir.Var]bool{}
	tir.WalkExprs(r.Block.Body, func(e tir.Expr) bool {
		if ld, ok := e.(*tir.Load); ok && ld.Buffer == buf && len(ld.Indices) > 0 {
			tir.Walk(ld.Indices[len(ld.Indices)-1], func(e tir.Expr) bool {
				if v, ok := e.(*tir.Var); ok {
					out[v] = true
				}
				return true
			})
		}
		return true
	})
	return out
}

// blocks makes one loop of those over tiles and cuts it into blocks, of which what the
// product reads fills half of the second-level cache, and which are four for every
// thread where that leaves enough for each; then the channels into parts, of which what the product writes fills a
// quarter. It returns the loops around a tile.
func (x *between) blocks(tiles, channels []schedule.LoopRV) ([]schedule.LoopRV, error) {
	if err := x.s.Reorder(slices.Concat(tiles, channels)...); err != nil {
		return nil, err
	}
	p := x.product
	n, places := p.Extents[p.Row], int64(1)
	for _, i := range p.Spatial {
		if i != p.Row && i != p.Vector {
			places *= p.Extents[i]
		}
	}
	fit := x.t.L2 / 2 / (4 * places * p.Extents[p.Reduce[0]])
	if x.t.Threads > 1 {
		fit = min(fit, max(n/int64(4*x.t.Threads), leastTiles))
	}
	block, err := x.cut(tiles, n, maxTiles, fit)
	if err != nil {
		return nil, err
	}
	x.block, x.part, x.depth, x.tiles, x.width = block.loops[0], block.loops[0], 1, block.inner, p.Extents[p.Vector]
	if len(channels) == 0 {
		return block.loops, x.s.Reorder(block.loops...)
	}
	fit = max(x.t.L2/4/(4*places*x.tiles*p.Lanes), leastPart)
	part, err := x.cut(channels, x.width/p.Lanes, maxTiles, fit)
	if err != nil {
		return nil, err
	}
	x.part, x.depth, x.width = part.loops[0], 2, part.inner*p.Lanes
	outer := []schedule.LoopRV{x.block, x.part, block.loops[1], part.loops[1]}
	return outer, x.s.Reorder(outer...)
}

// cutLoop is a loop in two, and the extent of the inner one.
type cutLoop struct {
	loops []schedule.LoopRV
	inner int64
}

// cut fuses loops of n steps in all and splits them perfectly, inside the largest
// divisor that fits.
func (x *between) cut(loops []schedule.LoopRV, n int64, most int, fit int64) (c cutLoop, err error) {
	all := loops[0]
	if len(loops) > 1 {
		if all, err = x.s.Fuse(loops...); err != nil {
			return c, err
		}
	}
	want := largestDivisor(n, max(fit, 1))
	factors, err := x.m.tile(x.s, all, most, []int64{n / want, want})
	if err != nil {
		return c, err
	}
	c.loops, err = x.s.Split(all, factors...)
	c.inner = factors[1].Value()
	return c, err
}

// gather computes the product for a part of a block, and what it reads for a block.
func (x *between) gather() error {
	if err := x.s.ComputeAt(x.product.block, x.part, true, -1); err != nil {
		return err
	}
	return x.s.ComputeAt(x.start, x.block, true, -1)
}

// multiply makes register tiles of the product.
func (x *between) multiply() error {
	p := x.product
	loops, err := x.s.GetLoops(p.block)
	if err != nil {
		return err
	}
	own := loops[x.depth:]
	c := &chain{s: x.s, t: x.t, m: x.m}
	return c.tile(p, x.tiles, x.width, own[p.Row], own[p.Vector])
}

// before takes one tile and a vector of channels at a time through the stages before
// the product.
func (x *between) before() error {
	r, err := x.s.BlockOf(x.start)
	if err != nil {
		return err
	}
	_, picks, err := stagesOf(x.s, x.start)
	if err != nil {
		return err
	}
	loops, err := x.s.GetLoops(x.start)
	if err != nil {
		return err
	}
	y := &staging{s: x.s, lanes: x.product.Lanes}
	if ok, err := y.split(r, loops[1:], picks); err != nil || !ok {
		return err
	}
	y.outer, y.shared = append([]schedule.LoopRV{x.block}, y.outer...), 1
	return y.gather(x.intoProduct)
}
