package feature

// region is how one store touches one buffer.
type region struct {
	buffer      int32
	read, write bool
	first, last int       // accesses[first:last+1] contains its accesses
	mask        uint64    // depths of the loops its indices depend on
	numel       []float64 // numel[i]: distinct elements under loop i; numel[n]: of one execution
}

// nest is the store at hand with its regions: the input of the groups.
type nest struct {
	w       *walker
	s       *store
	regions []region
	touched []float64 // touched[i]: bytes under loop i; touched[n]: of one execution
	numels  []float64 // arena
}

// load analyses a store.
func (n *nest) load(w *walker, s *store) {
	n.w, n.s = w, s
	n.regions, n.numels = n.regions[:0], n.numels[:0]
	for i := range s.accesses {
		a := &s.accesses[i]
		m := uint64(0)
		for _, x := range a.at {
			m |= w.mask(x)
		}
		m &^= 1<<w.buffers[a.buffer].depth() - 1
		n.join(i, a, m)
	}
	depth := len(s.loops)
	n.touched = append(n.touched[:0], make([]float64, depth+1)...)
	for i := range n.regions {
		r := &n.regions[i]
		n.measure(r, depth)
		bytes := float64(w.buffers[r.buffer].bytes)
		for l, v := range r.numel {
			n.touched[l] += float64(v * bytes)
		}
	}
}

// join adds access i to the region of its buffer. A read of the written buffer
// makes it read and written; its indices are not looked at, as they are the
// store's in a reduction.
func (n *nest) join(i int, a *access, mask uint64) {
	for k := range n.regions {
		r := &n.regions[k]
		if r.buffer != a.buffer {
			continue
		}
		r.read = r.read || !a.write
		if !r.write {
			r.last, r.mask = i, r.mask|mask
		}
		return
	}
	n.regions = append(n.regions, region{buffer: a.buffer, read: !a.write, write: a.write, first: i, last: i, mask: mask})
}

// each calls f for the accesses of a region.
func (n *nest) each(r *region, f func(a *access)) {
	for i := r.first; i <= r.last; i++ {
		if a := &n.s.accesses[i]; a.buffer == r.buffer && a.write == r.write {
			f(a)
		}
	}
}

// measure fills numel from the innermost level outwards; a level whose loop the
// region does not depend on equals the one inside.
func (n *nest) measure(r *region, depth int) {
	from := len(n.numels)
	n.numels = append(n.numels, make([]float64, depth+1)...)
	r.numel = n.numels[from : from+depth+1 : from+depth+1]
	for l := depth; l >= 0; l-- {
		if l < depth && r.mask>>l&1 == 0 {
			r.numel[l] = r.numel[l+1]
			continue
		}
		r.numel[l] = n.count(r, l)
	}
}

// count returns the number of elements in the box around all accesses of a
// region when loops from level inwards run.
func (n *nest) count(r *region, level int) float64 {
	b := &n.w.buffers[r.buffer]
	level = max(level, b.depth())
	numel := 1.0
	for d := range b.to - b.from {
		box, found := interval{}, false
		for i := r.first; i <= r.last; i++ {
			a := &n.s.accesses[i]
			if a.buffer != r.buffer || a.write != r.write || d >= len(a.at) {
				continue
			}
			x := n.w.bounds(a.at[d], level)
			if found {
				x = x.hull(box)
			}
			box, found = x, true
		}
		if found {
			numel *= float64(n.w.shapes[b.from+d].span(box))
		}
	}
	return numel
}

// span returns the number of elements along dimension d under the outermost loop.
func (n *nest) span(r *region, d int) int64 {
	b := &n.w.buffers[r.buffer]
	box, found := interval{}, false
	n.each(r, func(a *access) {
		if d < len(a.at) {
			x := n.w.bounds(a.at[d], b.depth())
			if found {
				x = x.hull(box)
			}
			box, found = x, true
		}
	})
	if !found {
		return 1
	}
	return n.w.shapes[b.from+d].span(box)
}

// remember notes in every enclosing loop how much of each buffer the store
// touches there; later stores under the same loops see it.
func (n *nest) remember() {
	for l, lp := range n.s.loops {
		for i := range n.regions {
			r := &n.regions[i]
			lp.note(r.buffer, r.numel[l])
			lp.total += float64(r.numel[l] * float64(n.w.buffers[r.buffer].bytes))
		}
	}
}

func (l *loop) note(buffer int32, numel float64) {
	for i := range l.touched {
		if t := &l.touched[i]; t.buffer == buffer {
			t.times++
			t.least = min(t.least, numel)
			return
		}
	}
	l.touched = append(l.touched, touch{buffer, 1, numel})
}

func (l *loop) noted(buffer int32) (touch, bool) {
	for _, t := range l.touched {
		if t.buffer == buffer {
			return t, true
		}
	}
	return touch{}, false
}
