package schedule

import (
	"hone/compiler/tir"
	"hone/internal/rng"
)

var kindSamplePartitionedTile = define(Kind{
	Name: "SamplePartitionedTile", Doc: "draws factors of a loop's extent whose inner part is a multiple of a number", Pure: true,
	Params: "loop, n, partition_pos=0, innerpart_factor=1, decision=None",
	In:     []Slot{{Name: "loop", Kind: SlotLoop}},
	Attrs: []Slot{{Name: "n", Kind: SlotInt}, {Name: "partition_pos", Kind: SlotInt},
		{Name: "innerpart_factor", Kind: SlotInt}},
	Out: OutExprs, Decision: IntsDecision,
	Refuses: []Condition{BadDecision},
})

func init() {
	kindSamplePartitionedTile.Apply = func(s *Schedule, c Call) error {
		d, _ := c.Decision.([]int64)
		_, err := s.SamplePartitionedTile(c.loop(0), c.int(0), c.int(1), c.int(2), d)
		return err
	}
}

// SamplePartitionedTile draws n factors, outermost first, whose product is the
// extent of l; those from position pos on have a product that inner divides. A
// decision gives the factors instead and is repaired where it does not fit. A loop
// of unknown extent, or of one that inner does not divide, gives -1 and ones, the
// -1 being a number that split refuses.
func (s *Schedule) SamplePartitionedTile(l LoopRV, n, pos, inner int, decision []int64) ([]ExprRV, error) {
	const prim = "sample_partitioned_tile"
	st, id, err := s.loop(l)
	if err != nil {
		return nil, err.by(prim)
	}
	extent, static := tir.AsInt(st.at(id).loop.Extent)
	whole := pos == 0 && inner == 1
	switch {
	case n < 1 || n > maxTiles || n < 2 && !whole:
		err = refuse(BadArgument, st.where(id), "%d factors asked for, want 2 to %d", n, maxTiles)
	case pos < 0 || pos >= n:
		err = refuse(BadArgument, st.where(id), "partition_pos is %d, want 0 to %d", pos, n-1)
	case inner < 1:
		err = refuse(BadArgument, st.where(id), "innerpart_factor is %d, want a positive number", inner)
	case decision != nil && len(decision) != n:
		err = refuse(BadDecision, st.where(id), "%d factors decided, want %d", len(decision), n)
	case static && extent < 1:
		err = refuse(BadArgument, st.where(id), "an extent of %d has no factors", extent)
	}
	if err != nil {
		return nil, err.by(prim)
	}
	switch {
	case !static || extent%int64(inner) != 0:
		decision = onesAfter(-1, n)
	case decision != nil:
		decision = RepairPartitionedTile(extent, pos, int64(inner), decision)
	default:
		decision = PartitionedTile(s.random(), extent, n, pos, int64(inner))
	}
	out := make([]ExprRV, n)
	for i, f := range decision {
		out[i] = s.newExpr(f)
	}
	s.record(kindSamplePartitionedTile, []any{l}, []any{int64(n), int64(pos), int64(inner)}, exprOutputs(out), decision)
	return out, nil
}

// RepairPartitionedTile makes factors fit an extent that inner divides: factors
// whose part from pos on has a product that inner does not divide are replaced by
// inner at pos, what is left in front, and ones; others are repaired like those of
// a perfect tile.
func RepairPartitionedTile(extent int64, pos int, inner int64, factors []int64) []int64 {
	if product(factors[pos:])%inner == 0 {
		return RepairPerfectTile(extent, factors)
	}
	out := onesAfter(extent/inner, len(factors))
	out[pos] = inner
	return out
}

// PartitionedTile draws perfect tiles until inner divides the product of the
// factors from pos on. It has to divide the extent.
func PartitionedTile(r *rng.Rand, extent int64, n, pos int, inner int64) []int64 {
	for {
		out := PerfectTile(r, extent, n, -1)
		if product(out[pos:])%inner == 0 {
			return out
		}
	}
}

func product(fs []int64) int64 {
	p := int64(1)
	for _, f := range fs {
		p *= f
	}
	return p
}
