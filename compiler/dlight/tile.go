package dlight

import (
	"fmt"

	"hone/compiler/schedule"
	"hone/compiler/target"
)

// Reduction axes: those below maxTaps are taps, those from minTiled on are tiled, into
// inner parts of maxReduce at most.
const (
	maxTaps   = 8
	minTiled  = 16
	maxReduce = 4096
)

// Level is where the epilogue of a tile is computed: after the first or the
// second level of spatial loops.
type Level int

// TileBlock tiles a reduction block that has the roles for it, with the epilogue
// after the second level.
func TileBlock(s *schedule.Schedule, b schedule.BlockRV, t *target.Target, m Mode) (bool, error) {
	return TileBlockAt(s, b, 2, t, m)
}

// TileBlockAt is TileBlock with the epilogue at a given level.
func TileBlockAt(s *schedule.Schedule, b schedule.BlockRV, level Level, t *target.Target, m Mode) (bool, error) {
	if isRoot(s, b) {
		return false, nil
	}
	r, ok := RolesOf(s, b, t)
	if !ok {
		return false, nil
	}
	return true, Tile(s, b, r, level, t, m)
}

// HasEpilogue reports whether a block's only consumer is elementwise in it.
func HasEpilogue(s *schedule.Schedule, b schedule.BlockRV) bool {
	consumers, err := s.GetConsumers(b)
	return err == nil && len(consumers) == 1 && follows(s, b, consumers[0])
}

// Tile makes a register tile of a reduction block, in the order S S R S R S of
// multi-level tiling: the innermost spatial level is rows × columns of vectors,
// applied with imperfect splits; the quotients are tiled perfectly; the outermost
// level is fused and parallel. The block's only consumer, if there is one and it
// can be, moves to the end of the given level. Decisions come from m.
func Tile(s *schedule.Schedule, b schedule.BlockRV, r *Roles, level Level, t *target.Target, m Mode) error {
	x := &tiler{s: s, b: b, r: r, t: t, m: m, level: level}
	steps := []func() error{x.split, x.order, x.epilogue, x.finish}
	for _, f := range steps {
		if err := f(); err != nil {
			return fmt.Errorf("tile: %w", err)
		}
	}
	return nil
}

type tiler struct {
	s     *schedule.Schedule
	b     schedule.BlockRV
	r     *Roles
	t     *target.Target
	m     Mode
	level Level

	rows, cols int64
	others     int64 // chunks for threads without those of the row axis
	panels     int64 // columns of tiles
	longest    int   // reduction axis
	taps       []int // reduction axes of few steps, outside of the others
	channels   []int // reduction axes inside of them
	vector     schedule.LoopRV
	quad       schedule.LoopRV      // the four steps of a dot product
	spatial    [4][]schedule.LoopRV // by level, the last is the register level
	reduce     [2][]schedule.LoopRV
	par        schedule.LoopRV
}

// split cuts every loop into its levels.
func (x *tiler) split() error {
	loops, err := x.s.GetLoops(x.b)
	if err != nil {
		return err
	}
	if err := x.s.Annotate(x.b, schedule.KeyTilingStructure, "SSRSRS"); err != nil {
		return err
	}
	rest := make(map[int]schedule.LoopRV)
	for i, l := range loops {
		rest[i] = l
	}
	if x.r.Dot != nil {
		x.quad = loops[x.r.Dot.Quad]
	}
	vecExtent := x.r.Extents[x.r.Vector]
	x.vector = loops[x.r.Vector]
	quotient := int64(1)
	if vecExtent > x.r.Lanes {
		parts, err := x.s.Split(loops[x.r.Vector], schedule.Open, schedule.Int(x.r.Lanes))
		if err != nil {
			return err
		}
		rest[x.r.Vector], x.vector = parts[0], parts[1]
		quotient = ceilDiv(vecExtent, x.r.Lanes)
	} else {
		delete(rest, x.r.Vector)
	}
	return x.registers(rest, quotient)
}

// registers draws the tile's rows and columns, splits them off and tiles what
// is left.
func (x *tiler) registers(rest map[int]schedule.LoopRV, vectors int64) error {
	colAxis, colExtent := x.r.Col, int64(1)
	if vectors > 1 {
		colAxis, colExtent = x.r.Vector, vectors
	} else if colAxis >= 0 {
		colExtent = x.r.Extents[colAxis]
	}
	if x.r.Vectors > 1 {
		colAxis, colExtent = -1, 1
	}
	rowExtent := int64(1)
	if x.r.Row >= 0 {
		rowExtent = x.r.Extents[x.r.Row]
	}
	x.sortReduce()
	held := int64(1)
	switch {
	case x.r.Dot != nil:
		held = 4 // compilers load words of bytes before they need them
	case x.r.Vectors > 1:
		held = 3
	}
	rows, cols := choices(RowChoices, rowExtent), choices(ColChoices, colExtent)
	if x.r.Dot != nil { // an instruction stands under no condition
		rows, cols = divisors(rows, rowExtent), divisors(cols, colExtent)
	}
	wantR, wantC := bestTile(rowExtent, colExtent, rows, cols, held, x.t)
	factors := map[int]schedule.ExprRV{}
	x.rows, x.cols = 1, 1
	if len(rows) > 1 {
		v, err := x.m.pick(x.s, rows, wantR)
		if err != nil {
			return err
		}
		factors[x.r.Row], x.rows = v, v.Value()
	}
	if len(cols) > 1 {
		v, err := x.m.pick(x.s, cols, wantC)
		if err != nil {
			return err
		}
		factors[colAxis], x.cols = v, v.Value()
	}
	x.panels = ceilDiv(colExtent, x.cols)
	if err := x.s.Annotate(x.b, schedule.KeyRegisterTile, registerTile(factors, x.r.Row, colAxis, held)); err != nil {
		return err
	}
	extents := map[int]int64{}
	for _, i := range x.r.Spatial {
		if _, ok := rest[i]; !ok {
			continue
		}
		if extents[i] = x.r.Extents[i]; i == x.r.Vector {
			extents[i] = vectors
		}
	}
	x.others = x.chunks(extents, factors, colAxis)
	for _, i := range x.r.Spatial {
		l, ok := rest[i]
		if !ok {
			continue
		}
		if err := x.spatialAxis(i, l, extents[i], factors, i == colAxis); err != nil {
			return err
		}
	}
	return x.reduceAxes(rest)
}

// chunks is how many chunks for threads the axes beside that of rows give.
func (x *tiler) chunks(extents map[int]int64, factors map[int]schedule.ExprRV, col int) int64 {
	n := int64(1)
	for i, extent := range extents {
		if f, ok := factors[i]; ok {
			extent = ceilDiv(extent, f.Value())
		}
		if i != x.r.Row {
			n *= x.wantSpatial(i, extent, i == col)[0]
		}
	}
	return n
}

// registerTile is the value of the annotation that names the operands of the
// tile's register budget.
func registerTile(factors map[int]schedule.ExprRV, row, col int, held int64) []any {
	of := func(i int) any {
		if f, ok := factors[i]; ok {
			return f
		}
		return int64(1)
	}
	return []any{of(row), of(col), held}
}

// spatialAxis splits one spatial loop into its register part and three tiles.
func (x *tiler) spatialAxis(i int, l schedule.LoopRV, extent int64, factors map[int]schedule.ExprRV, col bool) error {
	inner := schedule.LoopRV(0)
	if f, ok := factors[i]; ok {
		parts, err := x.s.Split(l, schedule.Open, f)
		if err != nil {
			return err
		}
		l, inner = parts[0], parts[1]
		extent = ceilDiv(extent, f.Value())
	}
	v, err := x.m.tile(x.s, l, 64, x.wantSpatial(i, extent, col))
	if err != nil {
		return err
	}
	parts, err := x.s.Split(l, v...)
	if err != nil {
		return err
	}
	for k := range 3 {
		x.spatial[k] = append(x.spatial[k], parts[k])
	}
	if inner != 0 {
		x.spatial[3] = append(x.spatial[3], inner)
	}
	return nil
}

// wantSpatial is the analytic tiling of a quotient: columns stream, or are cut so that
// their weights stay in half of the second-level cache; rows pass over a part of
// a blocked reduction; the other axes give the chunks that threads share. Rows are
// shared where these are few: every chunk of rows reads all weights.
func (x *tiler) wantSpatial(i int, extent int64, col bool) []int64 {
	switch {
	case col && x.streams():
		d := extent
		if x.t.Threads > 1 {
			d = largestDivisor(extent, ceilDiv(extent, int64(4*x.t.Threads)))
		}
		if x.blocked() {
			return []int64{extent / d, 1, d}
		}
		return []int64{extent / d, d, 1}
	case col:
		fit := max(1, x.t.L2/2/(x.weights()*x.r.Extents[x.longest]))
		if x.t.Threads > 1 && x.r.Row < 0 {
			fit = min(fit, ceilDiv(extent, int64(4*x.t.Threads)))
		}
		d := largestDivisor(extent, fit)
		return []int64{extent / d, d, 1}
	case x.t.Threads > 1 && x.others < int64(4*x.t.Threads) || i != x.r.Row:
		d := largestDivisor(extent, max(1, extent/min(int64(8*x.t.Threads), extent)))
		if i == x.r.Row && x.blocked() {
			return []int64{extent / d, 1, d}
		}
		return []int64{extent / d, d, 1}
	case x.blocked():
		return []int64{1, 1, extent}
	}
	return []int64{1, extent, 1}
}

// sortReduce tells taps from channels. The weights of a dot product are packed in the
// order of the axes.
func (x *tiler) sortReduce() {
	x.longest = x.r.Reduce[0]
	for _, i := range x.r.Reduce {
		if x.r.Extents[i] > x.r.Extents[x.longest] {
			x.longest = i
		}
	}
	for _, i := range x.r.Reduce {
		if n := x.r.Extents[i]; n < maxTaps && x.r.Dot == nil {
			x.taps = append(x.taps, i)
		} else {
			x.channels = append(x.channels, i)
		}
	}
}

// reduceAxes tiles the longest reduction axis in two and leaves the others whole, the
// taps of a kernel outside.
func (x *tiler) reduceAxes(rest map[int]schedule.LoopRV) error {
	for _, i := range x.taps {
		x.reduce[1] = append(x.reduce[1], rest[i])
	}
	for _, i := range x.channels {
		l, n := rest[i], x.r.Extents[i]
		if i != x.longest || n < minTiled {
			x.reduce[1] = append(x.reduce[1], l)
			continue
		}
		d := x.panelPart()
		v, err := x.m.tile(x.s, l, maxReduce, []int64{n / d, d})
		if err != nil {
			return err
		}
		parts, err := x.s.Split(l, v...)
		if err != nil {
			return err
		}
		x.reduce[0] = append(x.reduce[0], parts[0])
		x.reduce[1] = append(x.reduce[1], parts[1])
	}
	return nil
}

// order puts the loops in tile order and makes the outermost level parallel.
func (x *tiler) order() error {
	var all []schedule.LoopRV
	all = append(all, x.spatial[0]...)
	all = append(all, x.spatial[1]...)
	all = append(all, x.reduce[0]...)
	all = append(all, x.spatial[2]...)
	all = append(all, x.reduce[1]...)
	all = append(all, x.spatial[3]...)
	all = append(all, x.vector)
	if x.r.Dot != nil {
		all = append(all, x.quad)
	}
	if err := x.s.Reorder(all...); err != nil {
		return err
	}
	if len(x.spatial[0]) == 0 {
		return nil
	}
	x.par = x.spatial[0][0]
	if len(x.spatial[0]) > 1 {
		var err error
		if x.par, err = x.s.Fuse(x.spatial[0]...); err != nil {
			return err
		}
	}
	return nil
}

// epilogue moves the only consumer into the tile, where it reads accumulators.
func (x *tiler) epilogue() error {
	consumers, err := x.s.GetConsumers(x.b)
	if err != nil || len(consumers) != 1 || x.par == 0 || !follows(x.s, x.b, consumers[0]) {
		return err
	}
	at := x.par
	if n := len(x.spatial[1]); x.level > 1 && n > 0 {
		at = x.spatial[1][n-1]
	}
	if err := x.s.ReverseComputeAt(consumers[0], at, true, -1); err != nil {
		return err
	}
	loops, err := x.s.GetLoops(consumers[0])
	if err != nil || len(loops) == 0 {
		return err
	}
	return x.s.Vectorize(loops[len(loops)-1])
}

// finish sets loop kinds and the unrolling of the innermost reduction loop.
func (x *tiler) finish() error {
	if x.par != 0 {
		if err := x.s.Parallel(x.par); err != nil {
			return err
		}
	}
	inner := x.s.Vectorize
	if x.r.Dot != nil {
		inner = func(schedule.LoopRV) error { return x.tensorize() }
	}
	if err := inner(x.vector); err != nil {
		return err
	}
	choices := UnrollChoices
	if x.pointwise() {
		choices = BlockUnrollChoices
	}
	k, err := x.m.pick(x.s, choices, x.wantUnroll())
	if err != nil {
		return err
	}
	if err := x.s.AnnotateLoop(x.reduce[1][len(x.reduce[1])-1], schedule.KeyUnrollK, k); err != nil {
		return err
	}
	return x.prefetch()
}

// pointwise reports whether the reduction is over channels in blocks, without taps.
func (x *tiler) pointwise() bool {
	return len(x.taps) == 0 && len(x.channels) > 1 && x.r.Vectors < 2 && x.r.Dot == nil
}

// wantUnroll unrolls the taps of a depthwise kernel, whose loads the steps share, and
// the channels of a block where no taps multiply the code.
func (x *tiler) wantUnroll() int64 {
	switch {
	case x.r.Vectors > 1:
		return 4
	case x.pointwise():
		return 8
	case len(x.channels) > 0:
		return unrollFor(x.rows, x.cols, x.t)
	}
	return 1
}
