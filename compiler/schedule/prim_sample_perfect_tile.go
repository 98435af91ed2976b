package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/internal/rng"
)

var kindSamplePerfectTile = define(Kind{
	Name: "SamplePerfectTile", Doc: "draws factors whose product is the extent of a loop", Pure: true,
	Params: "loop, n, max_innermost_factor=16, decision=None",
	In:     []Slot{{Name: "loop", Kind: SlotLoop}},
	Attrs:  []Slot{{Name: "n", Kind: SlotInt}, {Name: "max_innermost_factor", Kind: SlotInt}},
	Out:    OutExprs, Decision: IntsDecision,
	Refuses: []Condition{BadDecision},
})

func init() {
	kindSamplePerfectTile.Apply = func(s *Schedule, c Call) error {
		d, _ := c.Decision.([]int64)
		_, err := s.SamplePerfectTile(c.loop(0), c.int(0), c.int(1), d)
		return err
	}
}

// maxTiles bounds the factors of one loop, far above any tile structure.
const maxTiles = 64

// SamplePerfectTile draws n factors, outermost first, whose product is the
// extent of l and whose last is at most maxInnermost (-1: no limit). A decision
// gives the factors instead; where it does not fit the extent it is repaired. A
// loop of unknown extent gives Open and ones.
func (s *Schedule) SamplePerfectTile(l LoopRV, n, maxInnermost int, decision []int64) ([]ExprRV, error) {
	const prim = "sample_perfect_tile"
	st, id, err := s.loop(l)
	if err != nil {
		return nil, err.by(prim)
	}
	switch {
	case n < 1 || n > maxTiles || n < 2 && maxInnermost != -1:
		return nil, refuse(BadArgument, st.where(id), "%d factors asked for, want 2 to %d", n, maxTiles).by(prim)
	case maxInnermost == 0 || maxInnermost < -1:
		return nil, refuse(BadArgument, st.where(id), "max_innermost_factor is %d, want -1 or a positive number", maxInnermost).by(prim)
	case decision != nil && len(decision) != n:
		return nil, refuse(BadDecision, st.where(id), "%d factors decided, want %d", len(decision), n).by(prim)
	}
	extent, static := tir.AsInt(st.at(id).loop.Extent)
	if static && extent < 1 {
		return nil, refuse(BadArgument, st.where(id), "an extent of %d has no factors", extent).by(prim)
	}
	switch {
	case !static:
		decision = onesAfter(-1, n)
	case decision != nil:
		decision = RepairPerfectTile(extent, decision)
	default:
		decision = PerfectTile(s.random(), extent, n, maxInnermost)
	}
	out := make([]ExprRV, n)
	for i, f := range decision {
		if f == -1 {
			out[i] = Open
			continue
		}
		out[i] = s.newExpr(f)
	}
	s.record(kindSamplePerfectTile, []any{l}, []any{int64(n), int64(maxInnermost)}, exprOutputs(out), decision)
	return out, nil
}

func onesAfter(first int64, n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = 1
	}
	out[0] = first
	return out
}

// RepairPerfectTile makes factors fit an extent: from the innermost outwards, a
// factor that does not divide what is left becomes all of it, and the first
// takes the rest.
func RepairPerfectTile(extent int64, factors []int64) []int64 {
	out := slices.Clone(factors)
	left := extent
	for i := len(out) - 1; i > 0; i-- {
		if out[i] < 1 || left%out[i] != 0 {
			out[i] = left
		}
		left /= out[i]
	}
	out[0] = left
	return out
}

// PerfectTile draws n factors of extent. Every prime of it is spread on its
// own, all ways of dividing its exponent being equally likely; draws whose last
// factor exceeds maxInnermost (-1: no limit) are thrown away.
func PerfectTile(r *rng.Rand, extent int64, n, maxInnermost int) []int64 {
	if n == 1 {
		return []int64{extent}
	}
	primes := factorise(extent)
	for {
		out := onesAfter(1, n)
		for _, p := range primes {
			for i, e := range composition(r, p.exponent, n) {
				for ; e > 0; e-- {
					out[i] *= p.prime
				}
			}
		}
		if maxInnermost < 0 || out[n-1] <= int64(maxInnermost) {
			return out
		}
	}
}

type primePower struct {
	prime    int64
	exponent int
}

func factorise(x int64) []primePower {
	var out []primePower
	for p := int64(2); p*p <= x; p++ {
		e := 0
		for x%p == 0 {
			x /= p
			e++
		}
		if e > 0 {
			out = append(out, primePower{p, e})
		}
	}
	if x > 1 {
		out = append(out, primePower{x, 1})
	}
	return out
}

// composition draws one of the ways to write e as a sum of n numbers ≥ 0 in
// order: n-1 bars among e stars.
func composition(r *rng.Rand, e, n int) []int {
	bars := r.Sample(e+n-1, n-1)
	slices.Sort(bars)
	out := make([]int, n)
	last := -1
	for i, b := range bars {
		out[i] = b - last - 1
		last = b
	}
	out[n-1] = e + n - 2 - last
	return out
}
