package dlight

import "hone/compiler/schedule"

// PrefetchChoices are the steps of a reduction that weights may be fetched ahead.
var PrefetchChoices = []int64{0, 16, 32, 64}

// prefetch lets weights that come from beyond the second-level cache be fetched ahead.
// The processor's own prefetchers do as well on the machines that were measured, so that
// none is what analysis prefers.
func (x *tiler) prefetch() error {
	if len(x.taps) > 0 || x.r.Vectors > 1 || x.r.Dot != nil || x.weights()*x.panels*x.r.Extents[x.longest] <= x.t.L2 {
		return nil
	}
	n, err := x.m.pick(x.s, PrefetchChoices, 0)
	if err != nil {
		return err
	}
	return x.s.Annotate(x.b, schedule.KeyPrefetch, n)
}
