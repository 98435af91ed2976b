package arith

// div divides a sum by c, or takes its remainder. The sum becomes one split
// first; the split's scale and c must divide one another.
func (d *detector) div(s IterSum, c Factor, mod bool) (IterSum, error) {
	if c.c <= 0 || len(s.Args) == 0 {
		return IterSum{}, errNotAffine
	}
	if len(s.Args) > 1 {
		var err error
		if s, err = d.fuse(s); err != nil {
			return IterSum{}, err
		}
	}
	if s.BaseExpr != nil || len(s.Args) == 0 {
		return IterSum{}, errNotAffine
	}
	x := s.Args[0]
	// The scale is a multiple of the divisor.
	if q, ok := x.Scale.div(c); ok && (s.Base == 0 || c.sym == nil && s.Base%c.c == 0) {
		if mod {
			return IterSum{}, nil
		}
		x.Scale = q
		return IterSum{Args: []IterSplit{x}, Base: s.Base / c.c}, nil
	}
	// The divisor is a multiple of the scale.
	c, ok := c.div(x.Scale)
	if !ok || x.Scale.c <= 0 {
		return IterSum{}, errNotAffine
	}
	scale := x.Scale
	x.Scale = oneFactor
	base, err := dividedBase(s.Base, scale, c)
	if err != nil {
		return IterSum{}, err
	}
	r, err := d.divSplit(x, c, mod)
	if err != nil {
		return IterSum{}, err
	}
	if mod {
		return r.times(scale), nil
	}
	r.Base = base
	return r, nil
}

// dividedBase is base / (scale·c), which must be exact.
func dividedBase(base int64, scale, c Factor) (int64, error) {
	switch {
	case base == 0:
		return 0, nil
	case scale.sym != nil || c.sym != nil || base%scale.c != 0:
		return 0, errNotAffine
	case base/scale.c%c.c != 0:
		return 0, errNotDivide
	}
	return base / scale.c / c.c, nil
}

// divSplit divides a split of scale one by c.
func (d *detector) divSplit(x IterSplit, c Factor, mod bool) (IterSum, error) {
	n, nc := x.Extent.Const()
	k, kc := c.Const()
	if nc && kc && k >= n {
		if !mod {
			return IterSum{}, nil
		}
		return IterSum{Args: []IterSplit{x}}, nil
	}
	q, ok := x.Extent.div(c)
	if !ok {
		if !nc || !kc {
			return IterSum{}, errNotDivide
		}
		x = d.pad(x, n, k)
		q = constFactor((n + k - 1) / k)
	}
	if mod {
		x.Extent = c
	} else {
		x.Lower, x.Extent = x.Lower.mul(c), q
	}
	return IterSum{Args: []IterSplit{x}}, nil
}

// pad rounds the extent n of x up to a multiple of k, on an iterator of its own.
func (d *detector) pad(x IterSplit, n, k int64) IterSplit {
	whole := constFactor((n + k - 1) / k * k)
	for _, m := range d.marks {
		if m.padded == n && m.Extent.equal(whole) && m.Sum.Args[0].sameDigit(&x) {
			return IterSplit{m, oneFactor, whole, oneFactor}
		}
	}
	m := d.newMark(IterSum{Args: []IterSplit{x}}, whole)
	m.padded = n
	return IterSplit{m, oneFactor, whole, oneFactor}
}

func (d *detector) newMark(s IterSum, extent Factor) *IterMark {
	m := &IterMark{Sum: s, Extent: extent}
	d.marks = append(d.marks, m)
	return m
}
