package schedule

import (
	"slices"

	"hone/compiler/tir"
)

var kindSampleComputeLocation = define(Kind{
	Name: "SampleComputeLocation", Doc: "draws the loop at which a producer is computed", Pure: true,
	Params: "block, decision=None",
	In:     []Slot{{Name: "block", Kind: SlotBlock}},
	Out:    OutLoop, Decision: IntDecision,
	Refuses: []Condition{RootBlock},
})

func init() {
	kindSampleComputeLocation.Apply = func(s *Schedule, c Call) error {
		d := Draw
		if n, ok := c.Decision.(int64); ok {
			d = int(n)
		}
		_, err := s.SampleComputeLocation(c.block(0), d)
		return err
	}
}

// The decisions of SampleComputeLocation that are no loop index.
const (
	AtInline = -2 // inline into the consumers
	AtRoot   = -1 // leave it where it is
)

// SampleComputeLocation draws where ComputeAt may put b: inline, at the root,
// or one of the loops of its first consumer, each with the same probability. The
// loops are those of more than one iteration, up to the one that holds all
// consumers, spatial ones before the first reduction loop, under which b may be
// computed. decision is AtInline, AtRoot, the index of a loop, or Draw; a loop
// that is no candidate is replaced by the nearest candidate outside of it.
func (s *Schedule) SampleComputeLocation(b BlockRV, decision int) (LoopRV, error) {
	const prim = "sample_compute_location"
	st, id, err := s.block(b)
	if err == nil {
		err = st.notRoot(id)
	}
	if err != nil {
		return 0, err.by(prim)
	}
	var at int
	var loops []nid
	if decision == Draw {
		var all []int
		all, loops = st.computeLocations(id)
		at = all[s.random().Intn(len(all))]
	} else {
		at, loops = st.nearestLocation(id, decision)
	}
	var out LoopRV
	switch at {
	case AtInline:
		out = LoopRV(s.addRef(ref{kind: refInline, fn: st.index}))
	case AtRoot:
		out = LoopRV(s.addRef(ref{kind: refRoot, fn: st.index}))
	default:
		out = s.newLoop(st.index, loops[at])
	}
	s.record(kindSampleComputeLocation, []any{b}, nil, []any{out}, int64(at))
	return out, nil
}

// ComputeLocations lists the decisions that SampleComputeLocation may take for b
// as things are, in order. It records nothing.
func (s *Schedule) ComputeLocations(b BlockRV) ([]int, error) {
	st, id, err := s.block(b)
	if err == nil {
		err = st.notRoot(id)
	}
	if err != nil {
		return nil, err.by("sample_compute_location")
	}
	at, _ := st.computeLocations(id)
	return at, nil
}

// nearestLocation is the greatest candidate not above the decision, else root.
// Only what is asked for is tried.
func (st *state) nearestLocation(id nid, decision int) (at int, loops []nid) {
	if decision < AtRoot {
		if _, err := st.canInline(id); err == nil && decision == AtInline {
			return AtInline, nil
		}
		return AtRoot, nil
	}
	loops, eligible := st.consumerLoops(id)
	for _, i := range slices.Backward(eligible) {
		if i > decision {
			continue
		}
		if _, err := st.relocate(id, loops[i], true, -1); err == nil {
			return i, loops
		}
	}
	return AtRoot, nil
}

// computeLocations lists the candidates in order and the loops of the first
// consumer, which the candidates ≥ 0 index.
func (st *state) computeLocations(id nid) (at []int, loops []nid) {
	if _, err := st.canInline(id); err == nil {
		at = append(at, AtInline)
	}
	at = append(at, AtRoot)
	loops, eligible := st.consumerLoops(id)
	for _, i := range eligible {
		if _, err := st.relocate(id, loops[i], true, -1); err == nil {
			at = append(at, i)
		}
	}
	return at, loops
}

// consumerLoops lists the loops of the first consumer, and the indices of those
// that are worth trying: up to the one around all consumers, of more than one
// iteration, spatial ones before the first reduction loop, none of the reduction
// loops that trail.
func (st *state) consumerLoops(id nid) (loops []nid, eligible []int) {
	consumers := st.consumers(id)
	if len(consumers) == 0 {
		return nil, nil
	}
	boundary := st.at(consumers[0]).parent
	for _, c := range consumers[1:] {
		boundary = st.lca(boundary, c)
	}
	for boundary != none && st.at(boundary).kind == kSeq {
		boundary = st.at(boundary).parent
	}
	loops = st.loopsOf(consumers[0])
	n := slices.Index(loops, boundary) + 1
	spatial := make([]bool, n)
	lastSpatial := -1
	for i, l := range loops[:n] {
		if spatial[i] = st.isSpatialLoop(l); spatial[i] {
			lastSpatial = i
		}
	}
	reduced := false
	for i, l := range loops[:n] {
		switch {
		case tir.IsConst(st.at(l).loop.Extent, 1):
			continue
		case spatial[i] && reduced, !spatial[i] && i > lastSpatial:
			return loops, eligible
		case !spatial[i]:
			reduced = true
		}
		eligible = append(eligible, i)
	}
	return loops, eligible
}

// isSpatialLoop reports whether a loop is bound to no reduce or other iterator
// below it.
func (st *state) isSpatialLoop(id nid) bool {
	return st.boundSpatially(id, st.at(id).loop.Var, false) == nil
}
