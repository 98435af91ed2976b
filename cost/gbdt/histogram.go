package gbdt

import (
	"math"
	"math/bits"
)

// cell is one bin of a histogram, or the totals of a leaf, in fixed point. The
// hessians' sum and the number of rows share a word (they are never negative),
// which makes accumulation two additions a row instead of three; see quantiser.
type cell struct{ g, hn int64 }

// quantiser turns gradients into fixed-point numbers. The scales are powers of
// two, chosen so that the sum over all rows fits 62 bits, of which the hessian
// gives the lowest few to the count: with 20,000 rows that leaves 47 bits to the
// largest gradient and 32 to the largest hessian.
type quantiser struct {
	toG, toH     float64 // multiply to encode
	fromG, fromH float64 // multiply to decode
	countBits    int
	countMask    int64
}

func newQuantiser(g, h []float64) quantiser {
	maxG, maxH := 0.0, 0.0
	for i := range g {
		maxG = max(maxG, math.Abs(g[i]))
		maxH = max(maxH, h[i])
	}
	n := bits.Len(uint(len(g)))
	kg, kh := shift(maxG, 62-n), shift(maxH, 62-2*n)
	return quantiser{
		toG: math.Ldexp(1, kg), fromG: math.Ldexp(1, -kg),
		toH: math.Ldexp(1, kh), fromH: math.Ldexp(1, -kh),
		countBits: n, countMask: 1<<n - 1,
	}
}

// shift returns the largest k (at most 300) with top·2**k <= 2**width.
func shift(top float64, width int) int {
	if top == 0 {
		return 0
	}
	_, e := math.Frexp(top) // top < 2**e
	return min(width-e, 300)
}

// round encodes; ties go away from zero, the same for both signs.
func round(v, scale float64) int64 { return int64(math.Round(v * scale)) }

// encode returns the cell of one row.
func (q *quantiser) encode(g, h float64) cell {
	return cell{round(g, q.toG), round(h, q.toH)<<q.countBits | 1}
}

func (q *quantiser) grad(c cell) float64 { return float64(float64(c.g) * q.fromG) }
func (q *quantiser) hess(c cell) float64 { return float64(float64(c.hn>>q.countBits) * q.fromH) }
func (q *quantiser) rows(c cell) int64   { return c.hn & q.countMask }

func (c cell) minus(d cell) cell { return cell{c.g - d.g, c.hn - d.hn} }

// window is a view of one feature's histogram with a fixed size, which spares a
// bounds check a row. It may overlap the next features' histograms, but only
// the feature's own bins occur in its column.
type window = [MaxBins + 1]cell

// accumulate adds rows to the histograms of two columns, sharing the loads of
// row numbers and gradients (which are in the order of rows). Inlined, its loop
// counter would live on the stack.
//
//go:noinline
func accumulate(a, b *window, columnA, columnB []uint8, rows []int32, gh []cell) {
	gh = gh[:len(rows)]
	columnB = columnB[:len(columnA)]
	for i, r := range rows {
		v := gh[i]
		c := &a[columnA[r]]
		c.g += v.g
		c.hn += v.hn
		c = &b[columnB[r]]
		c.g += v.g
		c.hn += v.hn
	}
}

// subtract turns the histogram of a parent into that of its other child.
func subtract(parent, child []cell) {
	child = child[:len(parent)]
	for i := range parent {
		parent[i].g -= child[i].g
		parent[i].hn -= child[i].hn
	}
}
