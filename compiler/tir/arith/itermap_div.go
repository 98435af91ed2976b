package arith

import "hone/compiler/tir"

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
	if len(s.Args) == 0 {
		return IterSum{}, errNotAffine
	}
	if c.isOne() {
		if mod {
			return IterSum{}, nil
		}
		return s, nil
	}
	x := s.Args[0]
	base, err := s.constBase(c)
	if err != nil {
		return IterSum{}, err
	}
	// The scale is a multiple of the divisor.
	if q, ok := x.Scale.div(c); ok && s.BaseExpr == nil && (base == 0 || c.sym == nil && base%c.c == 0) {
		if mod {
			return IterSum{}, nil
		}
		x.Scale = q
		return IterSum{Args: []IterSplit{x}, Base: base / c.c}, nil
	}
	// The divisor is a multiple of the scale.
	scale := x.Scale
	if c, err = dividedBy(c, scale, &base, s.BaseExpr); err != nil {
		return IterSum{}, err
	}
	x.Scale = oneFactor
	r, err := d.divSplit(x, base, c, mod)
	if err != nil {
		return IterSum{}, err
	}
	if mod {
		return r.times(scale), nil
	}
	if s.BaseExpr != nil {
		t := s.BaseExpr.DType()
		r.BaseExpr = new(Analyzer).Simplify(tir.FloorDiv(tir.Sub(s.BaseOf(t), tir.IntOf(base, t)), c.Expr(t)))
		return r.normal(), nil
	}
	return r, nil
}

// constBase is the base of a sum about to be divided by c: of a symbolic one, its
// remainder, which must be constant.
func (s *IterSum) constBase(c Factor) (int64, error) {
	if s.BaseExpr == nil {
		return s.Base, nil
	}
	t := s.BaseExpr.DType()
	n, ok := tir.AsInt(new(Analyzer).Simplify(tir.FloorMod(s.BaseOf(t), c.Expr(t))))
	if !ok {
		return 0, errNotAffine
	}
	return n, nil
}

// dividedBy takes the scale of a split out of a divisor and of the base.
func dividedBy(c, scale Factor, base *int64, sym tir.Expr) (Factor, error) {
	q, ok := c.div(scale)
	switch {
	case !ok || scale.c <= 0:
		return c, errNotAffine
	case scale.isOne() || *base == 0 && sym == nil:
		return q, nil
	case scale.sym != nil || sym != nil || *base%scale.c != 0:
		return c, errNotAffine
	}
	*base /= scale.c
	return q, nil
}

// divSplit divides x + base, x a split of scale one, by c.
func (d *detector) divSplit(x IterSplit, base int64, c Factor, mod bool) (IterSum, error) {
	left := int64(0)
	if base != 0 {
		k, ok := c.Const()
		if !ok {
			return IterSum{}, errNotAffine
		}
		left = floorMod(base, k)
	}
	if mod && d.wraps(&x) {
		if _, ok := x.Extent.div(c); !ok {
			return IterSum{}, errNotAffine
		}
	}
	x, err := d.pad(x, left, c)
	if err != nil {
		return IterSum{}, err
	}
	if mod {
		x.Extent = c
		return IterSum{Args: []IterSplit{x}}, nil
	}
	if _, ok := x.Extent.div(c); !ok && (!x.Lower.isOne() || !x.Extent.equal(x.Mark.Extent)) && !x.Mark.padded && !d.collecting {
		// A digit that c does not divide counts as an iterator of its own.
		x = IterSplit{d.newMark(IterSum{Args: []IterSplit{x}}, x.Extent), oneFactor, x.Extent, oneFactor}
	}
	n, ok := x.Extent.quotient(c, true)
	if !ok {
		return IterSum{}, errNotDivide
	}
	x.Lower, x.Extent = x.Lower.mul(c), n
	r := IterSum{Args: []IterSplit{x}}
	if base != left {
		r.Base = tir.FloorDivInt(base-left, c.c)
	}
	return r, nil
}

// wraps reports whether a split starts again within its iterator, values that
// only padding behind it has aside.
func (d *detector) wraps(x *IterSplit) bool {
	n := x.Mark.Extent
	if x.Mark.padded && x.Mark.Sum.Base == 0 {
		n = x.Mark.before
	}
	span := x.Lower.mul(x.Extent)
	if n.equal(span) {
		return false
	}
	a, ok1 := n.Const()
	b, ok2 := span.Const()
	return !ok1 || !ok2 || a > b
}

func (d *detector) newMark(s IterSum, extent Factor) *IterMark {
	m := &IterMark{Sum: s, Extent: extent}
	d.marks = append(d.marks, m)
	return m
}
