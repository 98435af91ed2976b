package arith

import (
	"errors"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// Level says how strictly DetectIterMap checks a map.
type Level uint8

// Bijective: every point of the domain has its own index and every index has a
// point. Injective: the same, but padding may give indices that have no point.
// Surjective: the indices are independent and each covers an interval. NoCheck:
// the same, but padding may give indices that have no point.
const (
	Bijective Level = iota
	Injective
	Surjective
	NoCheck
)

// Loop is an iterator and its range.
type Loop struct {
	Var *tir.Var
	Dom tir.Range
}

// IterMark is an iterator over [0, Extent): the variable Var less Min, or, when
// Var is nil, the sum Sum, possibly restricted by a predicate.
type IterMark struct {
	Var    *tir.Var
	Min    tir.Expr
	Sum    IterSum
	Extent Factor
	// padded says that Sum is one iterator with values added on either side, so
	// that Extent divides; before is its extent without them.
	padded bool
	before Factor
}

// IterSplit is ((Mark // Lower) % Extent) * Scale.
type IterSplit struct {
	Mark                 *IterMark
	Lower, Extent, Scale Factor
}

// IterSum is the sum of Args, outermost first, and Base + BaseExpr (may be nil).
type IterSum struct {
	Args     []IterSplit
	Base     int64
	BaseExpr tir.Expr
}

// Reasons why a map is not an iteration map. They are values, not prose for
// users: callers add what they were doing.
var (
	errNotAffine   = errors.New("an index is not affine in the iterators")
	errNotFused    = errors.New("an index does not cover a contiguous range")
	errDependent   = errors.New("the indices are not independent")
	errNotOnto     = errors.New("the indices do not cover all iterators")
	errConstraint  = errors.New("the predicate is not a bound on an iteration sum")
	errNotDivide   = errors.New("a divisor does not divide an iterator")
	errDomainCycle = errors.New("an iterator's range depends on another iterator")
)

// DetectIterMap writes every index as an iteration sum over loops, under a
// predicate (nil or true for none). With trivial set, loops of extent one count
// as constants. Each resulting sum has at most one argument. The error says why
// the indices are no iteration map.
func DetectIterMap(indices []tir.Expr, loops []Loop, pred tir.Expr, level Level, trivial bool) ([]IterSum, error) {
	d, err := newDetector(loops, pred, level, trivial)
	if err != nil {
		return nil, err
	}
	return d.detect(indices)
}

// toSimplify is DetectIterMap for rewriting indices; padded says that it needed
// padding.
func toSimplify(indices []tir.Expr, loops []Loop, pred tir.Expr, level Level, trivial bool) (sums []IterSum, padded bool, err error) {
	d, err := newDetector(loops, pred, level, trivial)
	if err != nil {
		return nil, false, err
	}
	d.asWritten = true
	sums, err = d.detect(indices)
	return sums, d.holes != nil, err
}

// detect rewrites and checks all indices.
func (d *detector) detect(indices []tir.Expr) ([]IterSum, error) {
	d.collecting = d.level != Bijective
	out, err := d.rewrite(indices)
	if d.collecting && d.padding {
		// Now all divisors are known: each iterator is padded once, for all of them.
		d.collecting = false
		out, err = d.rewrite(indices)
	}
	if err == nil {
		err = d.check(out)
	}
	return out, err
}

func (d *detector) rewrite(indices []tir.Expr) ([]IterSum, error) {
	out := make([]IterSum, len(indices))
	for i, e := range indices {
		if _, whole := e.(*tir.Binary); whole && !tir.UsesVar(e, d.isIter) {
			out[i] = IterSum{BaseExpr: e} // as it is written
			continue
		}
		s, err := d.sum(e)
		if err != nil {
			return nil, err
		}
		if out[i], err = d.fuse(s); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// IterMapSimplify rewrites indices by the iteration map they form, for instance
// f//4*4 + f%4 to f. Indices that form none come back as they are, the same
// slice. A predicate that is in the way is left out of the second attempt.
func IterMapSimplify(indices []tir.Expr, loops []Loop, pred tir.Expr, level Level, trivial bool) []tir.Expr {
	if plainBindings(indices, loops, trivial) {
		return indices
	}
	if level == Surjective {
		if out, ok := simplifyDigits(indices, loops, pred, trivial); ok {
			return out
		}
	}
	sums, _, err := toSimplify(indices, loops, pred, level, trivial)
	if err != nil && level != Bijective && pred != nil && !tir.IsConst(pred, 1) {
		var padded bool
		if sums, padded, err = toSimplify(indices, loops, nil, level, trivial); padded {
			return indices
		}
	}
	if err != nil {
		return indices
	}
	out, changed := make([]tir.Expr, len(indices)), false
	for i := range sums {
		out[i] = sums[i].Expr(indices[i].DType())
		if Same(out[i], indices[i]) {
			out[i] = indices[i]
		} else {
			changed = true
		}
	}
	if !changed {
		return indices
	}
	return out
}

// plainBindings reports whether every index is a constant or a loop variable
// that no simplification changes.
func plainBindings(indices []tir.Expr, loops []Loop, trivial bool) bool {
	for _, e := range indices {
		switch x := e.(type) {
		case *tir.IntImm:
		case *tir.Var:
			for i := range loops {
				if loops[i].Var == x && (trivial && tir.IsConst(loops[i].Dom.Extent, 1) || !tir.IsConst(loops[i].Dom.Min, 0)) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// Expr writes the sum as an expression of type t.
func (s *IterSum) Expr(t dtype.DType) tir.Expr {
	var e tir.Expr
	add := func(x tir.Expr) {
		if e == nil {
			e = x
		} else {
			e = tir.Add(e, x)
		}
	}
	for i := range s.Args {
		add(s.Args[i].Expr(t))
	}
	if s.BaseExpr != nil {
		add(s.BaseExpr)
	}
	if e == nil || s.Base != 0 {
		add(tir.IntOf(s.Base, t))
	}
	return e
}

// Expr writes the split as an expression of type t.
func (s *IterSplit) Expr(t dtype.DType) tir.Expr {
	e := s.Mark.Expr(t)
	whole := s.Mark.Extent
	span := s.Lower.mul(s.Extent)
	if !s.Lower.isOne() || !s.Extent.equal(whole) {
		switch {
		case !span.equal(whole):
			e = tir.FloorMod(e, span.Expr(t))
		case s.Extent.isOne():
			return tir.IntOf(0, t)
		}
		e = tir.FloorDiv(e, s.Lower.Expr(t))
	}
	return tir.Mul(e, s.Scale.Expr(t))
}

// Expr writes the iterator as an expression of type t.
func (m *IterMark) Expr(t dtype.DType) tir.Expr {
	if m.Var == nil {
		return m.Sum.Expr(t)
	}
	var e tir.Expr = m.Var
	if m.Var.Type != t {
		e = tir.NewCast(t, e)
	}
	if m.Min == nil {
		return e
	}
	return tir.Sub(e, m.Min)
}

// BaseOf is the sum without its digits, as an expression of type t.
func (s *IterSum) BaseOf(t dtype.DType) tir.Expr {
	b := IterSum{Base: s.Base, BaseExpr: s.BaseExpr}
	return b.Expr(t)
}
