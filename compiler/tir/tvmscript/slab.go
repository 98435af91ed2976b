package tvmscript

// slab hands out values from blocks: a text makes thousands of small nodes that
// live and die together, and one allocation for each would be most of the work.
type slab[T any] struct {
	free   []T
	blocks [][]T // all there are
	used   int   // of them, free's included
	most   int   // of them ever used since reset
}

// put stores v in the slab.
func (s *slab[T]) put(v T) *T {
	if len(s.free) == 0 {
		s.grow(1)
	}
	p := &s.free[0]
	*p = v
	s.free = s.free[1:]
	return p
}

// list stores a copy of vs in the slab; the copy cannot be appended to in place.
func (s *slab[T]) list(vs []T) []T {
	return append(s.room(len(vs)), vs...)
}

// Values in a block. Lists longer than the greatest are no part of the slab, so
// that one long text does not make it large for good.
const (
	minBlock = 4
	maxBlock = 256
)

// room is an empty list, never nil, that n values can be appended to.
func (s *slab[T]) room(n int) []T {
	if n == 0 || n > maxBlock {
		return make([]T, 0, n)
	}
	if len(s.free) < n {
		s.grow(n)
	}
	out := s.free[:0:n]
	s.free = s.free[n:]
	return out
}

// grow begins a block with room for n values.
func (s *slab[T]) grow(n int) {
	for s.used < len(s.blocks) {
		s.free = s.blocks[s.used]
		s.used++
		s.most = max(s.most, s.used)
		if len(s.free) >= n {
			return
		}
	}
	size := minBlock
	if s.used > 0 {
		size = min(3*len(s.blocks[s.used-1])/2+minBlock, maxBlock)
	}
	s.free = make([]T, max(size, n))
	s.blocks = append(s.blocks, s.free)
	s.used++
	s.most = s.used
}

// reuse takes everything back.
func (s *slab[T]) reuse() { s.free, s.used = nil, 0 }

// reset is reuse, and lets go of what the values pointed to.
func (s *slab[T]) reset() {
	for _, b := range s.blocks[:s.most] {
		clear(b)
	}
	s.reuse()
	s.most = 0
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
	if len(p.items) == mark {
		return nil
	}
	out := p.slab.list(p.items[mark:])
	p.items = p.items[:mark]
	return out
}

// reuse takes everything back, lists that a fault left open included.
func (p *pile[T]) reuse() {
	p.items = p.items[:0]
	p.slab.reuse()
}

// reset is reuse, and lets go of what the items pointed to.
func (p *pile[T]) reset() {
	clear(p.items[:cap(p.items)])
	if p.items = p.items[:0]; cap(p.items) > 16*maxBlock {
		p.items = nil
	}
	p.slab.reset()
}
