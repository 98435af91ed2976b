package feature

import (
	"math/bits"

	"hone/compiler/target"
	"hone/compiler/tir"
)

// maxAccumulators is how many accumulators the code generator keeps in registers
// at all; beyond, the tile stays in memory.
const maxAccumulators = 64

// tile is the register tile of a store: the loops inside its innermost reduction
// loop, or, without reduction, its trailing unrolled and vectorised loops.
type tile struct {
	from     int   // loops[from:] are the tile
	vector   int   // the vectorised loop, -1 if none
	reduce   int   // the innermost reduction loop, -1 if none
	lanes    int64 // elements of a vector register
	accums   float64
	loaded   float64 // vectors of operands
	scalars  float64
	perTile  float64 // executions of the store in one pass over the tile
	pressure float64 // registers needed / registers there are
}

func (n *nest) tile(t *target.Target) tile {
	loops := n.s.loops
	x := tile{vector: -1, reduce: bits.Len64(n.s.reduce) - 1, perTile: 1}
	x.lanes = int64(t.Lanes(int(n.w.buffers[n.s.buffer].bytes) * 8))
	for x.from = len(loops); x.from > 0; x.from-- {
		l := loops[x.from-1]
		if x.reduce >= 0 && x.from-1 == x.reduce || x.reduce < 0 && l.kind != tir.Unrolled && l.kind != tir.Vectorized {
			break
		}
	}
	for i := x.from; i < len(loops); i++ {
		if loops[i].kind == tir.Vectorized {
			x.vector = i
		}
		x.perTile *= float64(loops[i].extent)
	}
	for i := range n.regions {
		r := &n.regions[i]
		elements, vectors := n.tileVectors(r, &x)
		switch {
		case r.write:
			x.accums = vectors
		case elements < 0:
			x.scalars += vectors
		default:
			x.loaded += vectors
		}
	}
	x.pressure = (x.accums + x.loaded + 1) / float64(max(1, t.RegisterBudget()))
	return x
}

// tileVectors returns how many registers hold what the tile touches of a region.
// elements is -1 if the region does not move along the vector loop: its elements
// are broadcast one at a time.
func (n *nest) tileVectors(r *region, x *tile) (elements, vectors float64) {
	elements = 1
	for i := x.from; i < len(n.s.loops); i++ {
		if i != x.vector && r.mask>>i&1 != 0 {
			elements *= float64(n.s.loops[i].extent)
		}
	}
	if x.vector < 0 || r.mask>>x.vector&1 == 0 {
		return -1, min(elements, r.numel[x.from])
	}
	extent := n.s.loops[x.vector].extent
	return elements, min(elements, r.numel[x.from]) * float64((extent+x.lanes-1)/x.lanes)
}

// unitStride reports whether every access of a region moves by one element along
// loop i.
func (n *nest) unitStride(r *region, i int) bool {
	all := true
	n.each(r, func(a *access) { all = all && n.w.step(a, n.s.loops[i]) == 1 })
	return all
}

// tileColumns fills the register tile.
func (n *nest) tileColumns(row []float32, x *tile) {
	row[0], row[1] = slog(x.accums), slog(x.loaded)
	row[2] = float32(min(x.pressure, 8))
	row[3], row[4] = flag(x.pressure > 1), flag(x.accums > maxAccumulators)
	vectorOps := x.accums // each accumulator takes one operation a step
	row[5] = slog(vectorOps / max(1, x.loaded+x.scalars))
	innermost, total := 1.0, 1.0
	for i, l := range n.s.loops {
		if n.s.reduce>>i&1 != 0 {
			innermost = float64(l.extent)
			total *= innermost
		}
	}
	row[6], row[7] = slog(innermost), slog(total)
	for _, l := range n.s.loops {
		if l.unrollK > 0 {
			row[8] = slog(float64(l.unrollK))
		}
	}
	row[9] = slog(float64(n.s.prefetch))
	row[10] = slog(x.perTile)
}

// vector fills how well the lanes of vector registers are used.
func (n *nest) vector(row []float32, x *tile) {
	row[0] = float32(1 / float64(x.lanes))
	row[1] = 1
	if x.vector < 0 {
		return
	}
	extent := n.s.loops[x.vector].extent
	registers := (extent + x.lanes - 1) / x.lanes
	row[0] = float32(float64(extent) / float64(registers*x.lanes))
	moving, contiguous := 0.0, 0.0
	for i := range n.regions {
		if r := &n.regions[i]; r.mask>>x.vector&1 != 0 {
			moving++
			if n.unitStride(r, x.vector) {
				contiguous++
			}
		}
	}
	if moving > 0 {
		row[1] = float32(contiguous / moving)
	}
	row[2] = slog(moving - contiguous)
	row[3] = slog(float64(registers))
}

func flag(b bool) float32 {
	if b {
		return 1
	}
	return 0
}
