package tvmscript

// slab hands out values from blocks: a text makes thousands of small nodes that
// live and die together, and one allocation for each would be most of the work.
type slab[T any] struct {
	free  []T
	block int
}

// put stores v in the slab.
func (s *slab[T]) put(v T) *T {
	s.reserve(1)
	p := &s.free[0]
	*p = v
	s.free = s.free[1:]
	return p
}

// list stores a copy of vs in the slab; the copy cannot be appended to in place.
func (s *slab[T]) list(vs []T) []T {
	return append(s.room(len(vs)), vs...)
}

// room is an empty list that n values can be appended to.
func (s *slab[T]) room(n int) []T {
	if n == 0 {
		return nil
	}
	s.reserve(n)
	out := s.free[:0:n]
	s.free = s.free[n:]
	return out
}

func (s *slab[T]) reserve(n int) {
	if len(s.free) < n {
		s.block = min(s.block+s.block/2+4, 256)
		s.free = make([]T, max(s.block, n))
	}
}

// pile collects lists that nest in each other: one is begun by remembering
// mark, filled by push and ended by take.
type pile[T any] struct {
	items []T
	slab  slab[T]
}

func (p *pile[T]) mark() int { return len(p.items) }

func (p *pile[T]) push(v T) { p.items = append(p.items, v) }

// take returns what was pushed since mark, nil for nothing.
func (p *pile[T]) take(mark int) []T {
	out := p.slab.list(p.items[mark:])
	clear(p.items[mark:])
	p.items = p.items[:mark]
	return out
}
