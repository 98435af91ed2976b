package feature

import (
	"hone/compiler/target"
	"hone/compiler/tir"
)

// packed fills how densely operands are laid out in the order of their use: the
// longest and the shortest dense run of the read buffers, and how far one step of
// the innermost reduction loop jumps. Packed weights make long runs.
func (n *nest) packed(row []float32, x *tile) {
	longest, shortest, jump := 0.0, 0.0, 0.0
	for i := range n.regions {
		r := &n.regions[i]
		if r.write {
			continue
		}
		size := float64(n.w.buffers[r.buffer].bytes)
		run := n.run(r) * size
		longest = max(longest, run)
		if shortest == 0 || run < shortest {
			shortest = run
		}
		if x.reduce >= 0 {
			n.each(r, func(a *access) {
				jump = max(jump, float64(n.w.step(a, n.s.loops[x.reduce]))*size)
			})
		}
	}
	row[0], row[1], row[2] = slog(longest), slog(jump), slog(shortest)
}

// run returns the number of elements that a region reads in a row before it
// jumps, skipping loops that it does not depend on.
func (n *nest) run(r *region) float64 {
	length := int64(1)
	for i := len(n.s.loops) - 1; i >= 0; i-- {
		if r.mask>>i&1 == 0 {
			continue
		}
		l := n.s.loops[i]
		dense := true
		n.each(r, func(a *access) { dense = dense && n.w.step(a, l) <= length })
		if !dense {
			break
		}
		length = clampWild(length * l.extent)
	}
	return min(float64(length), r.numel[0])
}

// parallel fills how the iterations of parallel loops spread over the threads.
func (n *nest) parallel(row []float32, t *target.Target) {
	chunks := 1.0
	for _, l := range n.s.loops {
		if l.kind == tir.Parallel {
			chunks *= float64(l.extent)
		}
	}
	threads := float64(max(1, t.Threads))
	rounds := float64(int64((chunks + threads - 1) / threads))
	row[0] = slog(chunks)
	row[1] = float32(chunks / (rounds * threads))
	row[2] = slog(n.s.flop * n.iterations() / chunks)
	row[3] = slog(chunks / threads)
}

// cache fills the footprints: of one pass over the innermost reduction loop
// against L1, of one parallel chunk against L2, and how many operations run
// within the deepest nests that fit.
func (n *nest) cache(row []float32, t *target.Target, x *tile) {
	l1, l2 := float64(max(1, t.L1D)), float64(max(1, t.L2))
	at := len(n.s.loops)
	if x.reduce >= 0 {
		at = x.reduce
	}
	row[0] = slog(n.touched[at] / l1)
	chunk := 0
	for i, l := range n.s.loops {
		if l.kind == tir.Parallel {
			chunk = i + 1
		}
	}
	row[1] = slog(n.touched[chunk] / l2)
	row[2], row[3] = slog(n.opsWithin(l1)), slog(n.opsWithin(l2))
	lines := 0.0
	for i := range n.regions {
		r := &n.regions[i]
		lines += r.numel[at] * float64(n.w.buffers[r.buffer].bytes) / min(cacheLine, n.run(r)*float64(n.w.buffers[r.buffer].bytes))
	}
	inner := 1.0
	for i := at; i < len(n.s.loops); i++ {
		inner *= float64(n.s.loops[i].extent)
	}
	row[4] = slog(lines / inner)
}

// opsWithin returns the executions of the store inside the largest nest whose
// data fits into the given number of bytes.
func (n *nest) opsWithin(bytes float64) float64 {
	ops := 1.0
	for i := len(n.s.loops) - 1; i >= 0 && n.touched[i] <= bytes; i-- {
		ops *= float64(n.s.loops[i].extent)
	}
	return ops
}

// bounds fills how much more runs than the block's domain asks for (imperfect
// tiles, recomputation), as a logarithm, and whether a guard is evaluated.
func (n *nest) bounds(row []float32) {
	if n.s.domain > 0 {
		row[0] = slog(max(0, n.iterations()/n.s.domain-1))
	}
	row[1] = flag(n.s.predicate)
}
