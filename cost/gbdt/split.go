package gbdt

import "math"

// split is a way to divide a leaf: bins up to bin go left, missing values to the
// side that defaultLeft says.
type split struct {
	gain        float64 // reduction of the regularised objective, > 0
	feature     int     // -1: no split
	bin         int
	defaultLeft bool
}

// finder looks for the best split of one leaf; it is shared by all features. It
// works in the quantiser's units, which differ from those of the objective by
// powers of two: only the gain of the winner is decoded.
type finder struct {
	q       *quantiser
	total   cell
	rows    int64
	minData int64
	minHess int64
	lambda  float64
	own     float64 // score of the undivided leaf
	floor   float64 // a split must exceed this score
	decode  float64 // multiply a score to get a gain
}

func newFinder(p *Params, q *quantiser, total cell) finder {
	encode := q.toG * (q.toG / q.toH)
	f := finder{
		q: q, total: total, rows: q.rows(total), minData: int64(p.MinData),
		minHess: int64(math.Ceil(min(p.MinHessian*q.toH, math.MaxInt64/2))), lambda: p.Lambda * q.toH, decode: 1 / encode,
	}
	g := float64(total.g)
	if d := float64(total.hn>>q.countBits) + f.lambda; d > 0 {
		f.own = g * g / d
	}
	// The relative margin keeps rounding from inventing a gain.
	f.floor = f.own + float64(p.MinGain*encode) + float64(f.own*1e-12)
	return f
}

// best scans the histogram of one feature. A column with missing values is
// scanned twice: with them on the right (including the split that separates all
// values from the missing ones), then with them on the left. The first of equal
// splits wins.
func (f *finder) best(feature int, hist []cell, b *binning) split {
	s := split{feature: -1}
	values := hist[:len(b.upper)]
	if !b.hasNaN {
		f.finish(&s, feature, f.scan(values[:len(values)-1], cell{}, f.floor, &s, false))
		return s
	}
	missing := hist[b.nanBin()]
	score := f.scan(values, cell{}, f.floor, &s, false)
	if f.q.rows(missing) > 0 {
		score = f.scan(values[:len(values)-1], missing, score, &s, true)
	}
	if f.finish(&s, feature, score); f.q.rows(missing) == 0 {
		s.defaultLeft = f.heavierLeft(hist[:s.bin+1])
	}
	return s
}

func (f *finder) finish(s *split, feature int, score float64) {
	if score > f.floor {
		s.feature, s.gain = feature, (score-f.own)*f.decode
	}
}

// heavierLeft reports whether at least half of the rows go left: the side for
// missing values where training saw none.
func (f *finder) heavierLeft(left []cell) bool {
	var n int64
	for _, c := range left {
		n += f.q.rows(c)
	}
	return 2*n >= f.rows
}

// scan moves one bin after the other to the left side, which starts with the
// given cell, and records in s a split whose score exceeds best. It returns the
// best score.
func (f *finder) scan(hist []cell, left cell, best float64, s *split, defaultLeft bool) float64 {
	mask, shift := f.q.countMask, uint(f.q.countBits)&63
	minHess, lambda := f.minHess, f.lambda
	for i, c := range hist {
		if c.hn == 0 {
			continue
		}
		left.g += c.g
		left.hn += c.hn
		n := left.hn & mask
		if n < f.minData {
			continue
		}
		if f.rows-n < f.minData {
			break
		}
		right := f.total.minus(left)
		hl, hr := left.hn>>shift, right.hn>>shift
		if hl < minHess || hr < minHess {
			continue
		}
		gl, gr := float64(left.g), float64(right.g)
		dl, dr := float64(hl)+lambda, float64(hr)+lambda
		// gl²/dl + gr²/dr > best, multiplied out: divisions are slow. A side
		// without hessian and penalty makes den 0 and never passes.
		num := float64(gl*gl*dr) + float64(gr*gr*dl)
		if den := dl * dr; num > best*den && den > 0 {
			if score := num / den; score > best {
				best = score
				s.bin, s.defaultLeft = i, defaultLeft
			}
		}
	}
	return best
}
