package arith

import (
	"errors"
	"slices"

	"hone/compiler/tir"
)

// Division writes an index as Outer·InnerExtent + Inner, where Outer runs over
// [0, OuterExtent) as the outer iterators do and Inner over InnerExtent values
// as the inner ones do. An index that only one side moves has extent 1 and the
// constant 0 on the other.
type Division struct {
	Outer, Inner             tir.Expr
	OuterExtent, InnerExtent tir.Expr
}

// Subspace is the division of a list of indices; the predicates are the conjuncts
// that concern one side.
type Subspace struct {
	Divisions            []Division
	OuterPred, InnerPred tir.Expr
}

var errMixed = errors.New("an index or condition mixes outer and inner iterators")

// SubspaceDivide splits the space of an iteration map into the part of the inner
// variables and the part of all other loops. It fails when some index is not an
// outer index times an extent plus an inner one.
func SubspaceDivide(indices []tir.Expr, loops []Loop, inner []*tir.Var, pred tir.Expr, level Level) (*Subspace, error) {
	d, err := newDetector(loops, level, true)
	if err != nil {
		return nil, err
	}
	if err := d.constrain(pred); err != nil {
		return nil, err
	}
	sums, err := d.detect(indices)
	if err != nil {
		return nil, err
	}
	v := divider{inner: inner}
	out := &Subspace{OuterPred: tir.True, InnerPred: tir.True}
	if err := v.predicate(pred, out); err != nil {
		return nil, err
	}
	for i := range sums {
		p, err := v.sum(&sums[i])
		if err != nil {
			return nil, err
		}
		t := indices[i].DType()
		div := Division{p.outer.Expr(t), p.inner.Expr(t), p.outerExtent.Expr(t), p.innerExtent.Expr(t)}
		// A constant belongs to the side that moves, the inner one first.
		base := sums[i].BaseOf(t)
		if len(p.inner.Args) > 0 || len(p.outer.Args) == 0 {
			div.Inner = tir.Add(div.Inner, base)
		} else {
			div.Outer = tir.Add(div.Outer, base)
		}
		out.Divisions = append(out.Divisions, div)
	}
	return out, nil
}

type divider struct{ inner []*tir.Var }

// halves is a sum as outer·innerExtent + inner.
type halves struct {
	outer, inner             IterSum
	outerExtent, innerExtent Factor
}

func (v *divider) isInner(u *tir.Var) bool { return slices.Contains(v.inner, u) }

func (v *divider) predicate(p tir.Expr, out *Subspace) error {
	if p == nil {
		return nil
	}
	if b := as(tir.OpAnd, p); b != nil {
		if err := v.predicate(b.A, out); err != nil {
			return err
		}
		return v.predicate(b.B, out)
	}
	isOuter := func(u *tir.Var) bool { return !v.isInner(u) }
	switch {
	case !tir.UsesVar(p, v.isInner):
		out.OuterPred = tir.And(out.OuterPred, p)
	case !tir.UsesVar(p, isOuter):
		out.InnerPred = tir.And(out.InnerPred, p)
	default:
		return errMixed
	}
	return nil
}

// sum divides a sum of at most one split.
func (v *divider) sum(s *IterSum) (halves, error) {
	none := halves{outerExtent: oneFactor, innerExtent: oneFactor}
	switch len(s.Args) {
	case 0:
		return none, nil
	case 1:
	default:
		return none, errNotFused
	}
	x := s.Args[0]
	scale := x.Scale
	x.Scale = oneFactor
	h, err := v.split(x)
	if err != nil {
		return none, err
	}
	if scale.isOne() {
		return h, nil
	}
	if len(h.outer.Args) > 0 && len(h.inner.Args) > 0 {
		return none, errMixed
	}
	h.outer, h.inner = h.outer.times(scale), h.inner.times(scale)
	return h, nil
}

// side says whether the variables under a mark are all outer (1), all inner (2)
// or both (3).
func (v *divider) side(m *IterMark) int {
	if m.Var != nil {
		if v.isInner(m.Var) {
			return 2
		}
		return 1
	}
	s := 0
	for i := range m.Sum.Args {
		s |= v.side(m.Sum.Args[i].Mark)
	}
	return s
}

// split divides a split of scale one.
func (v *divider) split(x IterSplit) (halves, error) {
	one := []IterSplit{x}
	switch v.side(x.Mark) {
	case 1:
		return halves{IterSum{Args: one}, IterSum{}, x.Extent, oneFactor}, nil
	case 2:
		return halves{IterSum{}, IterSum{Args: one}, oneFactor, x.Extent}, nil
	}
	m := x.Mark
	if m.padded != 0 || m.Sum.Base != 0 || m.Sum.BaseExpr != nil {
		return halves{}, errMixed
	}
	h := halves{outerExtent: oneFactor, innerExtent: oneFactor}
	expect, end := oneFactor, x.Lower.mul(x.Extent)
	for i := len(m.Sum.Args) - 1; i >= 0; i-- {
		arg := m.Sum.Args[i]
		if !arg.Scale.equal(expect) {
			return halves{}, errMixed
		}
		low := expect
		expect = expect.mul(arg.Extent)
		scale, above := low.div(x.Lower)
		_, below := end.div(expect)
		if !above {
			// The digit lies below the part that x takes.
			if _, ok := x.Lower.div(expect); ok {
				continue
			}
			return halves{}, errMixed
		}
		if !below {
			if _, ok := low.div(end); ok {
				break
			}
			return halves{}, errMixed
		}
		if err := v.place(&h, arg, scale); err != nil {
			return halves{}, err
		}
	}
	if !h.outerExtent.mul(h.innerExtent).equal(x.Extent) {
		return halves{}, errMixed
	}
	slices.Reverse(h.outer.Args)
	slices.Reverse(h.inner.Args)
	return h, nil
}

// place adds one digit, worth scale, to the halves. Inner digits must come before
// all outer ones.
func (v *divider) place(h *halves, arg IterSplit, scale Factor) error {
	arg.Scale = oneFactor
	p, err := v.split(arg)
	if err != nil {
		return err
	}
	if len(p.inner.Args) > 0 {
		if len(h.outer.Args) > 0 {
			return errMixed
		}
		h.inner.Args = append(h.inner.Args, p.inner.times(scale).Args...)
		h.innerExtent = h.innerExtent.mul(p.innerExtent)
	}
	if len(p.outer.Args) > 0 {
		q, ok := scale.mul(p.innerExtent).div(h.innerExtent)
		if !ok {
			return errMixed
		}
		h.outer.Args = append(h.outer.Args, p.outer.times(q).Args...)
		h.outerExtent = h.outerExtent.mul(p.outerExtent)
	}
	return nil
}
