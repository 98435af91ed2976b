package feature

// alloc fills the allocation of the stored buffer: its size, how much of it is
// allocated over the whole run, the iterations around the allocation and those
// between it and the store.
func (n *nest) alloc(row []float32) {
	b := &n.w.buffers[n.s.buffer]
	outer := 1.0
	if d := len(b.home); d > 0 && !b.param {
		outer = b.home[d-1].outer
	}
	row[0] = slog(b.numel * float64(b.bytes))
	row[1] = slog(b.numel * outer)
	row[2] = slog(outer)
	row[3] = slog(n.iterations() / outer)
}
