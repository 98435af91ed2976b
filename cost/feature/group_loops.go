package feature

import "hone/compiler/tir"

// Positions of annotated loops. The reference only ever tells none from some.
const (
	positionNone  = 0
	positionMixed = 7
)

// annotated fills the vectorised, unrolled and parallel loops around the store:
// how many, their product, the extent of the innermost, where they are.
func (n *nest) annotated(row []float32) {
	for g, kind := range [...]tir.LoopKind{tir.Vectorized, tir.Unrolled, tir.Parallel} {
		part := row[g*loopColumns : (g+1)*loopColumns]
		count, product, last := 0.0, 1.0, 0.0
		for _, l := range n.s.loops {
			if l.kind == kind {
				count++
				product *= float64(l.extent)
				last = float64(l.extent)
			}
		}
		if count == 0 {
			part[3+positionNone] = 1
			continue
		}
		part[0], part[1], part[2] = slog(count), slog(product), slog(last)
		part[3+positionMixed] = 1
	}
}

// gpuTags are the thread tags in the order of their columns.
var gpuTags = [...]string{"blockIdx.x", "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y", "threadIdx.z", "vthread"}

// gpu fills the extents of thread-bound loops, 1 where there is none.
func (n *nest) gpu(row []float32, isGPU bool) {
	if isGPU {
		row[0] = 1
	}
	for i, tag := range gpuTags {
		extent := 1.0
		for _, l := range n.s.loops {
			if l.kind == tir.ThreadBinding && (l.tag == tag || tag == "vthread" && isVThread(l.tag)) {
				extent = float64(l.extent)
				break
			}
		}
		row[1+i] = slog(extent)
	}
}

func isVThread(tag string) bool { return len(tag) >= 7 && tag[:7] == "vthread" }

// outer fills the product and number of all loops and the innermost positive
// limit of automatic unrolling.
func (n *nest) outer(row []float32) {
	row[0] = slog(n.iterations())
	row[1] = slog(float64(len(n.s.loops)))
	for i := len(n.s.loops) - 1; i >= 0; i-- {
		if step := n.s.loops[i].maxStep; step > 0 {
			row[2] = slog(float64(step))
			break
		}
	}
}
