package feature

import "slices"

// traffic is what the buffer group says of one buffer.
type traffic struct {
	region *region

	bytes, uniqueBytes float64
	lines, uniqueLines float64
	stride             float64
	reuse              reuse
}

// reuseKind says what brings a buffer's elements back.
type reuseKind int

const (
	reuseLoop   reuseKind = iota // a loop that the indices do not depend on
	reuseSerial                  // several stores under one loop
	reuseNone
)

// reuse describes the innermost reuse of a buffer.
type reuse struct {
	kind              reuseKind
	iterations, bytes float64 // distance
	count             float64
}

// buffers fills the most used buffers of the store, by cache lines.
func (n *nest) buffers(row []float32, scratch []traffic) []traffic {
	all := scratch[:0]
	for i := range n.regions {
		all = append(all, n.traffic(&n.regions[i]))
	}
	slices.SortStableFunc(all, func(a, b traffic) int { // ties: in order of access
		if c := compare(b.lines, a.lines); c != 0 {
			return c
		}
		return compare(b.bytes, a.bytes)
	})
	for i := range min(len(all), buffersPerStore) {
		all[i].fill(row[i*bufferColumns : (i+1)*bufferColumns])
	}
	return all
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (n *nest) traffic(r *region) traffic {
	b := &n.w.buffers[r.buffer]
	size := float64(b.bytes)
	t := traffic{region: r, bytes: n.iterations() * size, uniqueBytes: 1, lines: 1, uniqueLines: 1}
	if len(n.s.loops) > 0 {
		t.uniqueBytes = r.numel[0] * size
		stride, skipped, innermost := n.stride(r)
		if innermost {
			t.stride = stride
		}
		t.lines = max(1, n.iterations()/skipped*min(1, stride*size/cacheLine))
		t.uniqueLines = max(1, t.uniqueBytes/min(cacheLine, n.continuous(r)))
	}
	t.reuse = n.reuse(r)
	return t
}

// stride returns the distance in elements that the innermost moving loop makes,
// the product of the loops inside it, and whether it is the innermost of all.
func (n *nest) stride(r *region) (stride, skipped float64, innermost bool) {
	skipped = 1
	for i := len(n.s.loops) - 1; i >= 0; i-- {
		l := n.s.loops[i]
		if r.mask>>i&1 != 0 {
			least := int64(-1)
			n.each(r, func(a *access) {
				if s := n.w.step(a, l); least < 0 || s < least {
					least = s
				}
			})
			if least > 0 {
				return float64(least), skipped, i == len(n.s.loops)-1
			}
		}
		skipped *= float64(l.extent)
	}
	return 0, skipped, false
}

// continuous returns the bytes of the innermost dimension that is covered whole,
// 1 if there is none.
func (n *nest) continuous(r *region) float64 {
	b := &n.w.buffers[r.buffer]
	for d := b.to - b.from - 1; d >= 0; d-- {
		if size := n.w.shapes[b.from+d].size; n.span(r, d) >= size {
			return float64(size * b.bytes)
		}
	}
	return 1
}

// reuse looks for the innermost loop that touches the same elements again,
// through itself or through several stores under it.
func (n *nest) reuse(r *region) reuse {
	inner := 1.0
	for i := len(n.s.loops) - 1; i >= 0; i-- {
		l := n.s.loops[i]
		extent := float64(l.extent)
		if r.mask>>i&1 == 0 {
			return reuse{reuseLoop, inner, n.touched[i+1], extent}
		}
		if t, ok := l.noted(r.buffer); ok && t.times >= 2 {
			return reuse{reuseSerial, t.least / extent, l.total / extent, float64(t.times - 1)}
		}
		inner *= extent
	}
	return reuse{kind: reuseNone}
}

func (t *traffic) fill(row []float32) {
	switch {
	case t.region.read && t.region.write:
		row[2] = 1
	case t.region.write:
		row[1] = 1
	default:
		row[0] = 1
	}
	row[3], row[4], row[5], row[6] = slog(t.bytes), slog(t.uniqueBytes), slog(t.lines), slog(t.uniqueLines)
	row[7+int(t.reuse.kind)] = 1
	row[10], row[11], row[12] = slog(t.reuse.iterations), slog(t.reuse.bytes), slog(t.reuse.count)
	times := t.reuse.count
	if times == 0 {
		times = 0.5
	}
	row[13], row[14] = slog(t.bytes/times), slog(t.uniqueBytes/times)
	row[15], row[16] = slog(t.lines/times), slog(t.uniqueLines/times)
	row[17] = slog(t.stride)
}
