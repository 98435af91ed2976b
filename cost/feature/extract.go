package feature

import (
	"fmt"

	"hone/compiler/target"
	"hone/compiler/tir"
)

// Extractor computes features for one target. It keeps its buffers between
// calls, so it must not be used by two goroutines at once; results are the
// caller's.
type Extractor struct {
	target  target.Target
	walker  walker
	nest    nest
	rows    map[int32]int // buffer → row
	traffic []traffic
	curve   []levelPoint
}

// NewExtractor makes an extractor for functions scheduled for t.
func NewExtractor(t target.Target) *Extractor {
	return &Extractor{target: t, rows: map[int32]int{}}
}

// Extract returns one row of Width columns for each buffer that f stores
// something other than a constant to, in the order of the first such store. Of
// several stores to a buffer the last one counts. A function that stores nothing
// has no rows. The error tells of a nest deeper than 64 loops.
func (x *Extractor) Extract(f *tir.PrimFunc) ([][]float32, error) {
	w := &x.walker
	w.reset()
	for _, p := range f.Params {
		if b, ok := p.(*tir.Buffer); ok {
			w.buffers[w.bufferOf(b)].param = true
		}
	}
	w.stmt(f.Body)
	if w.err != nil {
		return nil, fmt.Errorf("function %s: %w", f.Name, w.err)
	}
	w.place()
	return x.fill(), nil
}

func (x *Extractor) fill() [][]float32 {
	clear(x.rows)
	for i := range x.walker.stores {
		if s := &x.walker.stores[i]; !s.initial {
			if _, ok := x.rows[s.buffer]; !ok {
				x.rows[s.buffer] = len(x.rows)
			}
		}
	}
	values := make([]float32, len(x.rows)*Width)
	out := make([][]float32, len(x.rows))
	for i := range out {
		out[i] = values[i*Width : (i+1)*Width : (i+1)*Width]
	}
	for i := range x.walker.stores {
		if s := &x.walker.stores[i]; !s.initial {
			row := out[x.rows[s.buffer]]
			clear(row)
			x.row(s, row)
		}
	}
	return out
}

// row fills all groups of one store.
func (x *Extractor) row(s *store, row []float32) {
	n := &x.nest
	x.walker.countIndices(s)
	n.load(&x.walker, s)
	n.remember()
	n.arith(row[colArith:])
	n.annotated(row[colLoops:])
	n.gpu(row[colGPU:], x.target.Kind != "cpu")
	x.traffic = n.buffers(row[colBuffers:], x.traffic)
	x.curve = n.intensity(row[colIntensity:], row[colCurve:], x.curve)
	n.alloc(row[colAlloc:])
	n.outer(row[colOuter:])
	t := n.tile(&x.target)
	n.tileColumns(row[colTile:], &t)
	n.vector(row[colVector:], &t)
	n.packed(row[colPacked:], &t)
	n.parallel(row[colParallel:], &x.target)
	n.cache(row[colCache:], &x.target, &t)
	n.bounds(row[colBounds:])
}
