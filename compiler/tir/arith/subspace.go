package arith

import (
	"errors"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// Division writes an index as Outer·InnerExtent + Inner, where Outer runs over
// [0, OuterExtent) as the outer iterators do and Inner over InnerExtent values
// as the inner ones do. A constant is part of Inner, also where only outer
// iterators move the index and InnerExtent is 1.
type Division struct {
	Outer, Inner             tir.Expr
	OuterExtent, InnerExtent tir.Expr
}

// Subspace is the division of a list of indices. OuterPred and InnerPred are the
// conditions on the iterators of one side that restrict an index; Lost says that
// the predicate holds more than these, as a bound on a single iterator, which
// only shrinks its extent.
type Subspace struct {
	Divisions            []Division
	OuterPred, InnerPred tir.Expr
	Lost                 bool
}

var errMixed = errors.New("an index or condition mixes outer and inner iterators")

// SubspaceDivide splits the space of an iteration map into the part of the inner
// variables and the part of all other loops. It fails when some index is not an
// outer index times an extent plus an inner one. With trivial set, loops of
// extent one count as constants.
func SubspaceDivide(indices []tir.Expr, loops []Loop, inner []*tir.Var, pred tir.Expr, level Level, trivial bool) (*Subspace, error) {
	d, err := newDetector(loops, pred, level, trivial)
	if err != nil {
		return nil, err
	}
	sums, err := d.detect(indices)
	if err != nil {
		return nil, err
	}
	v := divider{inner: inner, out: &Subspace{OuterPred: tir.True, InnerPred: tir.True}, splits: map[*IterMark][]IterSplit{}}
	for i := range sums {
		v.collect(&sums[i])
	}
	for i := range sums {
		v.t = indices[i].DType()
		h, err := v.sum(&sums[i], Factor{})
		if err != nil {
			return nil, err
		}
		v.out.Divisions = append(v.out.Divisions, Division{h.outer.Expr(v.t), h.inner.Expr(v.t), h.outerExtent, h.innerExtent})
	}
	bounds := 0
	for i := range d.fused {
		if f := &d.fused[i]; f.constraint {
			bounds++
			v.out.Lost = v.out.Lost || f.offset != 0
		}
	}
	v.out.Lost = v.out.Lost || d.narrowed || bounds > v.conds || d.free(pred)
	return v.out, nil
}

// free reports whether a condition of the predicate names no iterator.
func (d *detector) free(pred tir.Expr) bool {
	if pred == nil || tir.IsConst(pred, 1) {
		return false
	}
	if b := as(tir.OpAnd, pred); b != nil {
		return d.free(b.A) || d.free(b.B)
	}
	return !tir.UsesVar(pred, d.isIter)
}

type divider struct {
	inner  []*tir.Var
	out    *Subspace
	conds  int                       // conditions in the result
	splits map[*IterMark][]IterSplit // what is taken of each iterator
	done   []divided
	t      dtype.DType
}

// divided is a split whose halves are known.
type divided struct {
	x IterSplit
	h halves
}

// halves is an index as outer·innerExtent + inner. side says that one of them
// is the whole.
type halves struct {
	outer, inner             IterSum
	outerExtent, innerExtent tir.Expr
	side                     side
}

type side uint8

const (
	mixedSide side = iota
	innerSide
	outerSide
)

func (v *divider) one() tir.Expr { return tir.IntOf(1, v.t) }

func (v *divider) onlyInner(s IterSum, extent tir.Expr) halves {
	return halves{inner: s, outerExtent: v.one(), innerExtent: extent, side: innerSide}
}

func (v *divider) onlyOuter(s IterSum, extent tir.Expr) halves {
	return halves{outer: s, outerExtent: extent, innerExtent: v.one(), side: outerSide}
}

// collect notes the splits of every iterator below a sum.
func (v *divider) collect(s *IterSum) {
	for _, x := range s.Args {
		if _, seen := v.splits[x.Mark]; !seen && x.Mark.Var == nil {
			v.splits[x.Mark] = nil
			v.collect(&x.Mark.Sum)
		}
		v.splits[x.Mark] = append(v.splits[x.Mark], x)
	}
}

// sum divides a sum that is an iterator over whole values.
func (v *divider) sum(s *IterSum, whole Factor) (halves, error) {
	base := IterSum{Base: s.Base, BaseExpr: s.BaseExpr}
	switch len(s.Args) {
	case 0:
		return halves{inner: base, outerExtent: v.one(), innerExtent: v.one()}, nil
	case 1:
		if !s.Args[0].Scale.isOne() {
			return halves{}, errMixed
		}
		h, err := v.split(s.Args[0])
		h.inner = h.inner.plus(base, 1)
		return h, err
	}
	var inner, outer []IterSplit // innermost first
	product := v.one()
	radix := true // each scale is the product of the extents below it
	for _, x := range slices.Backward(s.Args) {
		h, err := v.split(x)
		if err != nil {
			return halves{}, err
		}
		radix = radix && x.Scale.equal(FactorOf(product))
		switch h.side {
		case innerSide:
			if len(outer) > 0 {
				return halves{}, errMixed
			}
			inner = append(inner, asDigit(h.inner, h.innerExtent))
			product = tir.Mul(product, h.innerExtent)
		case outerSide:
			outer = append(outer, asDigit(h.outer, h.outerExtent))
			product = tir.Mul(product, h.outerExtent)
		default:
			return halves{}, errMixed
		}
	}
	if !radix {
		return halves{}, errMixed
	}
	h := halves{}
	h.outer, h.outerExtent = v.number(outer)
	h.inner, h.innerExtent = v.number(inner)
	h.inner = h.inner.plus(base, 1)
	if FactorOf(product).equal(whole) {
		return h, nil
	}
	return v.restricted(h, whole, len(inner) == 0, len(outer) == 0)
}

// restricted divides a sum that a condition keeps below its span: one side has
// to hold all of it.
func (v *divider) restricted(h halves, whole Factor, isOuter, isInner bool) (halves, error) {
	n := whole.Expr(v.t)
	v.conds++
	switch {
	case isOuter:
		v.out.OuterPred = tir.And(v.out.OuterPred, tir.CompareFold(tir.OpLT, h.outer.Expr(v.t), n))
		return v.onlyOuter(h.outer, n), nil
	case isInner:
		v.out.InnerPred = tir.And(v.out.InnerPred, tir.CompareFold(tir.OpLT, h.inner.Expr(v.t), n))
		return v.onlyInner(h.inner, n), nil
	}
	return halves{}, errMixed
}

// asDigit is a sum as one split.
func asDigit(s IterSum, extent tir.Expr) IterSplit {
	if len(s.Args) == 1 && s.Base == 0 && s.BaseExpr == nil {
		return s.Args[0]
	}
	f := FactorOf(extent)
	return IterSplit{&IterMark{Sum: s, Extent: f}, oneFactor, f, oneFactor}
}

// number makes a mixed radix number of digits, given innermost first.
func (v *divider) number(digits []IterSplit) (IterSum, tir.Expr) {
	extent := v.one()
	var s IterSum
	for _, x := range digits {
		x.Scale = FactorOf(extent)
		extent = tir.Mul(extent, x.Extent.Expr(v.t))
		s.Args = append(s.Args, x)
	}
	slices.Reverse(s.Args)
	return s, extent
}

// split divides a split; its scale does not count. All splits of one iterator
// are divided together.
func (v *divider) split(x IterSplit) (halves, error) {
	x.Scale = oneFactor
	m := x.Mark
	if u, fromZero := m.loop(); u != nil {
		s := IterSum{Args: []IterSplit{x}}
		switch {
		case !fromZero:
			return halves{}, errMixed
		case slices.Contains(v.inner, u):
			return v.onlyInner(s, x.Extent.Expr(v.t)), nil
		}
		return v.onlyOuter(s, x.Extent.Expr(v.t)), nil
	}
	for i := range v.done {
		if v.done[i].x.sameDigit(&x) {
			return v.done[i].h, nil
		}
	}
	whole, err := v.sum(&m.Sum, m.Extent)
	if err != nil {
		return halves{}, err
	}
	if splits := v.splits[m]; len(splits) > 1 {
		return v.digits(x, splits, whole)
	}
	if m.padded || !x.Lower.isOne() || !x.Extent.equal(m.Extent) {
		return halves{}, errMixed
	}
	return whole, nil
}

// loop is the variable that m is, possibly with a bound of its own, and whether
// it starts at zero; nil for a sum.
func (m *IterMark) loop() (v *tir.Var, fromZero bool) {
	if m.Var != nil {
		return m.Var, m.Min == nil
	}
	if s := &m.Sum; !m.padded && len(s.Args) == 1 && s.BaseExpr == nil {
		if x := s.Args[0]; x.Mark.Var != nil && x.Lower.isOne() && x.Extent.equal(x.Mark.Extent) {
			return x.Mark.Var, x.Mark.Min == nil && s.Base == 0
		}
	}
	return nil, false
}

// digits divides the splits of an iterator whose halves are known: some digit
// ends where the inner half does.
func (v *divider) digits(x IterSplit, splits []IterSplit, whole halves) (halves, error) {
	if len(x.Mark.Sum.Args) < 2 {
		return halves{}, errMixed
	}
	outer := &IterMark{Sum: whole.outer, Extent: FactorOf(whole.outerExtent)}
	inner := &IterMark{Sum: whole.inner, Extent: FactorOf(whole.innerExtent)}
	above := whole.side == outerSide
	expect, first := oneFactor, oneFactor
	left := slices.Clone(splits)
	for len(left) > 0 {
		i := slices.IndexFunc(left, func(y IterSplit) bool { return y.Lower.equal(expect) })
		if i < 0 {
			return halves{}, errMixed
		}
		y := left[i]
		left = slices.Delete(left, i, i+1)
		expect = expect.mul(y.Extent)
		part := IterSplit{inner, y.Lower, y.Extent, oneFactor}
		n := y.Extent.Expr(v.t)
		if above {
			part.Mark = outer
			part.Lower, _ = y.Lower.div(first)
			v.done = append(v.done, divided{y, v.onlyOuter(IterSum{Args: []IterSplit{part}}, n)})
			continue
		}
		v.done = append(v.done, divided{y, v.onlyInner(IterSum{Args: []IterSplit{part}}, n)})
		if above = expect.equal(inner.Extent); above {
			first = expect
		}
	}
	if !above {
		return halves{}, errMixed
	}
	i := slices.IndexFunc(v.done, func(d divided) bool { return d.x.sameDigit(&x) })
	return v.done[i].h, nil
}
