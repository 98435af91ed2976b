package gbdt

// split is a way to divide a leaf: bins up to bin go left, missing values to the
// side that defaultLeft says.
type split struct {
	gain        float64 // reduction of the regularised objective, > 0
	feature     int     // -1: no split
	bin         int
	defaultLeft bool
}

// finder looks for the best split of one leaf; it is shared by all features.
type finder struct {
	p     *Params
	q     *quantiser
	total cell
	rows  int64
	own   float64 // score of the undivided leaf
	floor float64 // a split must exceed this score
}

func newFinder(p *Params, q *quantiser, total cell) finder {
	f := finder{p: p, q: q, total: total, rows: q.rows(total)}
	g := q.grad(total)
	if d := q.hess(total) + p.Lambda; d > 0 {
		f.own = g * g / d
	}
	// The relative margin keeps rounding from inventing a gain.
	f.floor = f.own + p.MinGain + float64(f.own*1e-12)
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
		s.feature, s.gain = feature, score-f.own
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
	minData, lambda, minHess, q := int64(f.p.MinData), f.p.Lambda, f.p.MinHessian, f.q
	for i, c := range hist {
		if c.hn == 0 {
			continue
		}
		left.g += c.g
		left.hn += c.hn
		n := q.rows(left)
		if n < minData {
			continue
		}
		if f.rows-n < minData {
			break
		}
		right := f.total.minus(left)
		gl, hl, gr, hr := q.grad(left), q.hess(left), q.grad(right), q.hess(right)
		dl, dr := hl+lambda, hr+lambda
		if hl < minHess || hr < minHess || dl <= 0 || dr <= 0 {
			continue
		}
		// gl²/dl + gr²/dr > best, multiplied out: divisions are slow.
		num := float64(gl*gl*dr) + float64(gr*gr*dl)
		if den := dl * dr; num > best*den {
			if score := num / den; score > best {
				best = score
				s.bin, s.defaultLeft = i, defaultLeft
			}
		}
	}
	return best
}
