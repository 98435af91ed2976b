package arith

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// An iterator that is divided by what does not divide its extent is padded: values
// are added in front of the first one and after the last. All uses of an iterator
// share one padding, a multiple of all divisors.
type padding struct {
	mark   *IterMark
	factor int64 // the padded extent is a multiple of it
	left   int64 // values in front
	padded *IterMark
}

func (d *detector) paddingOf(m *IterMark) *padding {
	for i := range d.pads {
		if d.pads[i].mark == m {
			return &d.pads[i]
		}
	}
	return nil
}

// pad makes a split divide by c after left values in front of it.
func (d *detector) pad(x IterSplit, left int64, c Factor) (IterSplit, error) {
	switch {
	case d.level == Bijective && left != 0:
		return x, errNotDivide
	case d.level == Bijective:
		if _, ok := x.Extent.div(c); !ok {
			return x, errNotOnto
		}
		return x, nil
	case d.collecting:
		return d.needPadding(x, left, c)
	}
	p := d.paddingOf(x.Mark)
	if p == nil {
		return x, nil
	}
	if _, ok := x.Mark.Extent.div(constFactor(p.factor)); ok && p.left == 0 {
		return x, nil
	}
	lower, ok1 := x.Lower.Const()
	k, ok2 := c.Const()
	if !ok1 || !ok2 || p.factor%lower != 0 || p.factor%k != 0 || p.left != left*lower {
		return x, errNotDivide
	}
	if p.padded == nil {
		d.padMark(p)
	}
	x.Mark = p.padded
	x.Extent, _ = p.padded.Extent.quotient(x.Lower, true)
	return x, nil
}

// needPadding notes in the first pass what x is divided by.
func (d *detector) needPadding(x IterSplit, left int64, c Factor) (IterSplit, error) {
	_, whole := x.Extent.div(c)
	k, ok1 := c.Const()
	lower, ok2 := x.Lower.Const()
	if !ok1 || !ok2 {
		if !whole || left != 0 {
			return x, errNotDivide
		}
		return x, nil
	}
	p := d.paddingOf(x.Mark)
	if p == nil {
		d.pads = append(d.pads, padding{mark: x.Mark, factor: 1})
		p = &d.pads[len(d.pads)-1]
	}
	p.factor = p.factor / gcd(p.factor, k*lower) * (k * lower)
	if left == 0 && whole {
		return x, nil
	}
	d.padding = true
	p.left = max(p.left, left*lower)
	x.Extent, _ = roundedUp(x.Extent, left, k, x.Mark.dtype())
	return x, nil
}

// padMark makes the padded iterator and notes where it has values that the
// iterator itself does not have.
func (d *detector) padMark(p *padding) {
	m := p.mark
	t := m.dtype()
	one := IterSplit{m, oneFactor, m.Extent, oneFactor}
	extent, more := roundedUp(m.Extent, p.left, p.factor, t)
	p.padded = d.newMark(IterSum{Args: []IterSplit{one}, Base: p.left}, extent)
	p.padded.padded, p.padded.before = true, m.Extent

	src, k := p.padded.Sum.Expr(t), tir.IntOf(p.factor, t)
	zero, front := tir.IntOf(0, t), tir.IntOf(p.left, t)
	end := tir.Add(front, m.Extent.Expr(t))
	before := tir.And(tir.CompareFold(tir.OpNE, front, zero),
		tir.And(tir.CompareFold(tir.OpEQ, tir.FloorDiv(src, k), zero), tir.CompareFold(tir.OpLT, tir.FloorMod(src, k), front)))
	after := tir.And(tir.CompareFold(tir.OpNE, more, zero),
		tir.And(tir.CompareFold(tir.OpEQ, tir.FloorDiv(src, k), tir.FloorDiv(end, k)), tir.CompareFold(tir.OpGE, tir.FloorMod(src, k), tir.FloorMod(end, k))))
	holes := tir.Or(before, after)
	if d.holes != nil {
		holes = tir.Or(d.holes, holes)
	}
	d.holes = holes
}

// roundedUp is left + n rounded up to a multiple of k, and what that adds.
func roundedUp(n Factor, left, k int64, t dtype.DType) (whole Factor, more tir.Expr) {
	if c, ok := n.Const(); ok {
		add := floorMod(-(left + c), k)
		return constFactor(left + c + add), tir.IntOf(add, t)
	}
	if _, ok := n.div(constFactor(k)); ok && left%k == 0 {
		return FactorOf(new(Analyzer).Simplify(tir.Add(tir.IntOf(left, t), n.Expr(t)))), tir.IntOf(0, t)
	}
	end := tir.Add(tir.IntOf(left, t), n.Expr(t))
	more = tir.FloorMod(tir.Mul(end, tir.IntOf(-1, t)), tir.IntOf(k, t))
	return FactorOf(new(Analyzer).Simplify(tir.FloorDiv(new(Analyzer).Simplify(tir.Add(end, more)), tir.IntOf(k, t)))).mul(constFactor(k)), more
}

// quotient is f/g. A symbolic f that is known to be a multiple of the constant g
// need not show it.
func (f Factor) quotient(g Factor, multiple bool) (Factor, bool) {
	q, ok := f.div(g)
	if ok || !multiple || f.sym == nil || g.sym != nil {
		return q, ok
	}
	t := f.sym[0].DType()
	return FactorOf(new(Analyzer).Simplify(tir.FloorDiv(f.Expr(t), g.Expr(t)))), true
}

// dtype is the type of the loop variables that an iterator consists of.
func (m *IterMark) dtype() dtype.DType {
	for m.Var == nil {
		m = m.Sum.Args[0].Mark
	}
	return m.Var.Type
}
