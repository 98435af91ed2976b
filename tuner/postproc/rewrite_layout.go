package postproc

import (
	"hone/compiler/dlight"
	"hone/compiler/schedule"
	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// RewriteLayout packs layout-free parameters as the reference system does:
// the last block that reads a parameter decides, by the
// digits of its flattened index.
func RewriteLayout() Postproc {
	return fn{"rewrite_layout", func(s *schedule.Schedule, _ *target.Target) error {
		return dlight.PackWeightsBy(s, flattenedLayout)
	}}
}

func flattenedLayout(readers []dlight.Read) (*dlight.Read, *tir.IndexMap) {
	if len(readers) == 0 {
		return nil, nil
	}
	r := &readers[len(readers)-1]
	loads := r.Loads()
	if len(loads) == 0 {
		return nil, nil
	}
	m, ok := arith.SuggestIndexMap(r.Buffer(), loads[len(loads)-1], r.Loops, r.Realize.Predicate)
	if !ok {
		return nil, nil
	}
	return r, m
}
