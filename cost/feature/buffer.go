package feature

import "math/bits"

// buffer is what is known of a buffer after the walk.
type buffer struct {
	bytes    int64 // of an element
	param    bool
	seen     bool
	home     []*loop // loops around its allocation: common to all its accesses
	from, to int     // its dimensions in walker.shapes
	numel    float64 // of the allocation
}

// dim is one dimension of a buffer.
type dim struct {
	declared int64 // wild if not constant
	size     int64 // after shrinking to what its home uses
	stride   int64 // row-major, in elements
	used     interval
	touched  bool
}

// narrow restricts the home of a buffer to the loops it shares with one more
// access. A reduction's result outlives the loops that it reduces over.
func (b *buffer) narrow(s *store, write bool) {
	path := s.loops
	if write && s.reduce != 0 {
		path = path[:min(len(path), bits.TrailingZeros64(s.reduce))]
	}
	if !b.seen {
		b.seen, b.home = true, path
		return
	}
	n := 0
	for n < len(path) && n < len(b.home) && path[n] == b.home[n] {
		n++
	}
	b.home = b.home[:n]
}

// place shrinks every allocated buffer to the region used inside its home, as
// buffer compaction does, and lays it out. From then on the loops around its home
// do not move it: it is allocated anew, or its memory reused, in each iteration.
func (w *walker) place() {
	for i := range w.stores {
		for _, a := range w.stores[i].accesses {
			b := &w.buffers[a.buffer]
			for d, x := range a.at {
				if b.from+d >= b.to {
					break
				}
				dm := &w.shapes[b.from+d]
				r := w.bounds(x, b.depth())
				if dm.touched {
					r = r.hull(dm.used)
				}
				dm.used, dm.touched = r, true
			}
		}
	}
	for i := range w.buffers {
		b := &w.buffers[i]
		stride, numel := int64(1), 1.0
		for d := b.to - 1; d >= b.from; d-- {
			dm := &w.shapes[d]
			dm.size = dm.declared
			if !b.param && dm.touched {
				dm.size = dm.span(dm.used)
			}
			if dm.size >= wild {
				dm.size = 1 // a run-time dimension
			}
			dm.stride = stride
			stride = clampWild(stride * dm.size)
			numel *= float64(dm.size)
		}
		b.numel = numel
	}
}

// span returns how many elements of the dimension a range covers. Guarded accesses
// may reach beyond the buffer; their range is not cut at its border, because the
// loops outside stand for all their iterations, most of which are not at a border.
func (d *dim) span(r interval) int64 { return min(d.declared, r.span()) }

// depth returns how many loops are around the allocation.
func (b *buffer) depth() int {
	if b.param {
		return 0
	}
	return len(b.home)
}

// mask returns the depths of the loops that x depends on, as bits.
func (f *forms) mask(x linear) uint64 {
	m := uint64(0)
	for _, t := range x.terms {
		bits, _ := f.atomMask(t.atom)
		m |= bits
	}
	return m
}

// atomMask is mask of one atom; fixed is false if it depends on more than loops.
func (f *forms) atomMask(id int32) (mask uint64, fixed bool) {
	a := &f.atoms[id]
	switch a.kind {
	case atomLoop:
		return 1 << f.depth[a.loop], true
	case atomLane, atomWild:
		return 0, false
	}
	fixed = true
	for _, x := range [...]linear{a.a, a.b} {
		for _, t := range x.terms {
			m, ok := f.atomMask(t.atom)
			mask, fixed = mask|m, fixed && ok
		}
	}
	return mask, fixed
}

// step returns by how many elements one iteration of the loop moves the access,
// without sign.
func (w *walker) step(a *access, l *loop) int64 {
	b := &w.buffers[a.buffer]
	sum := int64(0)
	for d, x := range a.at {
		if b.from+d < b.to {
			sum = clampWild(sum + clampWild(w.coef(x, l.id)*w.shapes[b.from+d].stride))
		}
	}
	return sum
}
