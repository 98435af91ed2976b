package arith

import "hone/compiler/tir"

// detector turns expressions over loops into iteration sums. fused remembers the
// sums that became iterators of their own, so that equal sums give one iterator.
type detector struct {
	narrowed bool // the predicate narrows loops
	level    Level
	vars     []varSum
	fused    []fusedSum
	// marks in order of creation: a sum's mark comes after those of its parts.
	marks []*IterMark

	asWritten bool // quotients and remainders of unit loops stay as they are

	pads       []padding
	collecting bool     // the first of two passes, which learns what divides what
	padding    bool     // it met an iterator that needs padding
	holes      tir.Expr // where an iterator has a value that only padding gives it, or nil
}

type varSum struct {
	v     *tir.Var
	split IterSplit
	base  tir.Expr // the loop's minimum, nil when 0
	unit  bool     // counts as the constant base
}

// fusedSum maps the splits flat, outermost first and with scales relative to
// the innermost one, to mark + offset. constraint is set when a predicate
// restricts it.
type fusedSum struct {
	flat       []IterSplit
	mark       *IterMark
	offset     int64
	constraint bool
}

// newDetector makes a detector for loops under a predicate.
func newDetector(loops []Loop, pred tir.Expr, level Level, trivial bool) (*detector, error) {
	whole := loops
	loops, err := narrowLoops(loops, pred)
	if err != nil {
		return nil, err
	}
	d := &detector{level: level, narrowed: len(loops) > 0 && &loops[0] != &whole[0], vars: make([]varSum, len(loops)), marks: make([]*IterMark, 0, 2*len(loops))}
	block := make([]IterMark, len(loops))
	for i, l := range loops {
		if usesAny(l.Dom.Extent, loops) || usesAny(l.Dom.Min, loops) {
			return nil, errDomainCycle
		}
		v := &d.vars[i]
		v.v = l.Var
		m := &block[i]
		m.Var, m.Extent = l.Var, FactorOf(l.Dom.Extent)
		if !tir.IsConst(l.Dom.Min, 0) {
			m.Min, v.base = l.Dom.Min, l.Dom.Min
		}
		v.unit = trivial && m.Extent.isOne()
		v.split = IterSplit{m, oneFactor, m.Extent, oneFactor}
		d.marks = append(d.marks, m)
	}
	return d, d.constrain(pred)
}

func usesAny(e tir.Expr, loops []Loop) bool {
	if _, ok := e.(*tir.IntImm); ok {
		return false
	}
	return tir.UsesVar(e, func(v *tir.Var) bool {
		for i := range loops {
			if loops[i].Var == v {
				return true
			}
		}
		return false
	})
}

func (d *detector) isIter(v *tir.Var) bool { return d.lookup(v) != nil }

func (d *detector) lookup(v *tir.Var) *varSum {
	for i := range d.vars {
		if d.vars[i].v == v {
			return &d.vars[i]
		}
	}
	return nil
}

// sum writes e as an iteration sum.
func (d *detector) sum(e tir.Expr) (IterSum, error) {
	if b, ok := e.(*tir.Binary); ok && b.Op <= tir.OpMul && isIndex(b.T) {
		var s IterSum
		if d.linear(&s, e, 1) {
			return s, nil
		}
	}
	return d.term(e)
}

// linear adds scale·e to s when e is built from loop variables, constants and
// what term understands by sums and constant multiples; s is spoilt otherwise.
func (d *detector) linear(s *IterSum, e tir.Expr, scale int64) bool {
	switch x := e.(type) {
	case *tir.IntImm:
		s.Base += x.Value * scale
		return true
	case *tir.Var:
		v := d.lookup(x)
		if v == nil || v.base != nil {
			return false
		}
		if !v.unit {
			split := v.split
			split.Scale.c = scale
			s.add(split)
		}
		return true
	case *tir.Binary:
		switch x.Op {
		case tir.OpAdd:
			return d.linear(s, x.A, scale) && d.linear(s, x.B, scale)
		case tir.OpSub:
			return d.linear(s, x.A, scale) && d.linear(s, x.B, -scale)
		case tir.OpMul:
			c, ok := tir.AsInt(x.B)
			return ok && c != 0 && d.linear(s, x.A, scale*c)
		}
	}
	t, err := d.term(e)
	if err != nil || t.BaseExpr != nil {
		return false
	}
	s.Base += t.Base * scale
	for _, y := range t.Args {
		y.Scale.c *= scale
		s.add(y)
	}
	return true
}

// term is sum for expressions that are not plainly linear.
func (d *detector) term(e tir.Expr) (IterSum, error) {
	switch x := e.(type) {
	case *tir.IntImm:
		return IterSum{Base: x.Value}, nil
	case *tir.Var:
		return d.varSum(x), nil
	case *tir.Binary:
		return d.binary(x)
	}
	// A conversion of an iterator is no iterator.
	if !tir.UsesVar(e, d.isIter) {
		return IterSum{BaseExpr: e}, nil
	}
	return IterSum{}, errNotAffine
}

func (d *detector) varSum(x *tir.Var) IterSum {
	v := d.lookup(x)
	if v == nil {
		return IterSum{BaseExpr: x}
	}
	var s IterSum
	if !v.unit {
		s.Args = []IterSplit{v.split}
	}
	if c, ok := tir.AsInt(v.base); ok {
		s.Base = c
	} else {
		s.BaseExpr = v.base
	}
	return s
}

func (d *detector) binary(x *tir.Binary) (IterSum, error) {
	if !isIndex(x.T) || x.Op > tir.OpFloorMod {
		if !tir.UsesVar(x, d.isIter) {
			return IterSum{BaseExpr: x}, nil
		}
		return IterSum{}, errNotAffine
	}
	a, err := d.sum(x.A)
	if err != nil {
		return IterSum{}, err
	}
	b, err := d.sum(x.B)
	if err != nil {
		return IterSum{}, err
	}
	switch x.Op {
	case tir.OpAdd:
		return a.plus(b, 1), nil
	case tir.OpSub:
		return a.plus(b, -1), nil
	}
	if len(b.Args) == 0 && b.BaseExpr == nil && b.Base == 1 && (x.Op == tir.OpFloorDiv || x.Op == tir.OpFloorMod) {
		if x.Op == tir.OpFloorMod {
			a = IterSum{}
		}
		return a, nil
	}
	if d.asWritten && len(a.Args) == 0 && x.Op != tir.OpMul && tir.UsesVar(x.A, d.isIter) {
		return IterSum{BaseExpr: x}, nil
	}
	if len(a.Args) == 0 && len(b.Args) == 0 {
		return IterSum{BaseExpr: tir.Rebuild(x.Op, a.BaseOf(x.T), b.BaseOf(x.T))}.normal(), nil
	}
	if len(b.Args) > 0 && x.Op == tir.OpMul {
		a, b = b, a
	}
	if len(b.Args) > 0 {
		return IterSum{}, errNotAffine
	}
	by, ok := b.factor()
	if !ok {
		return IterSum{}, errNotAffine
	}
	switch x.Op {
	case tir.OpMul:
		return a.times(by), nil
	case tir.OpFloorDiv:
		return d.div(a, by, false)
	case tir.OpFloorMod:
		return d.div(a, by, true)
	}
	return IterSum{}, errNotAffine
}

// normal folds a constant BaseExpr into Base.
func (s IterSum) normal() IterSum {
	if s.BaseExpr != nil {
		if c, ok := tir.AsInt(new(Analyzer).Simplify(s.BaseExpr)); ok {
			s.Base, s.BaseExpr = s.Base+c, nil
		}
	}
	return s
}

// factor reads a sum without iterators as a multiplier or divisor.
func (s *IterSum) factor() (Factor, bool) {
	switch {
	case s.BaseExpr == nil:
		return constFactor(s.Base), s.Base != 0
	case s.Base == 0:
		return FactorOf(s.BaseExpr), true
	}
	return Factor{}, false
}

// plus adds sign·t.
func (s IterSum) plus(t IterSum, sign int64) IterSum {
	r := IterSum{Base: s.Base + sign*t.Base, BaseExpr: s.BaseExpr}
	if t.BaseExpr != nil {
		switch {
		case sign < 0 && r.BaseExpr == nil:
			r.BaseExpr = tir.Mul(t.BaseExpr, tir.IntOf(-1, t.BaseExpr.DType()))
		case sign < 0:
			r.BaseExpr = tir.Sub(r.BaseExpr, t.BaseExpr)
		case r.BaseExpr == nil:
			r.BaseExpr = t.BaseExpr
		default:
			r.BaseExpr = tir.Add(r.BaseExpr, t.BaseExpr)
		}
		r = r.normal()
	}
	r.Args = append(make([]IterSplit, 0, len(s.Args)+len(t.Args)), s.Args...)
	for _, x := range t.Args {
		x.Scale.c *= sign
		r.add(x)
	}
	return r
}

// add adds one split, joining it with an equal one.
func (s *IterSum) add(x IterSplit) {
	for i := range s.Args {
		y := &s.Args[i]
		if !y.sameDigit(&x) {
			continue
		}
		if sum, ok := addFactor(y.Scale, x.Scale); ok {
			if sum.c == 0 {
				s.Args = append(s.Args[:i], s.Args[i+1:]...)
			} else {
				y.Scale = sum
			}
			return
		}
	}
	s.Args = append(s.Args, x)
}

func (s *IterSplit) sameDigit(x *IterSplit) bool {
	return s.Mark == x.Mark && s.Lower.equal(x.Lower) && s.Extent.equal(x.Extent)
}

// addFactor adds multiples of one symbol product.
func addFactor(f, g Factor) (Factor, bool) {
	if f.sym == nil && g.sym == nil {
		return Factor{c: f.c + g.c}, true
	}
	if (Factor{1, f.sym}).equal(Factor{1, g.sym}) {
		return Factor{f.c + g.c, f.sym}, true
	}
	return Factor{}, false
}

func (s IterSum) times(f Factor) IterSum {
	r := IterSum{Args: make([]IterSplit, len(s.Args))}
	for i, x := range s.Args {
		x.Scale = x.Scale.mul(f)
		r.Args[i] = x
	}
	if f.sym == nil {
		r.Base = s.Base * f.c
		if s.BaseExpr != nil {
			r.BaseExpr = tir.Mul(s.BaseExpr, f.Expr(s.BaseExpr.DType()))
		}
		return r
	}
	t := f.sym[0].DType()
	if s.BaseExpr != nil || s.Base != 0 {
		e := s.BaseExpr
		if e == nil {
			e = tir.IntOf(s.Base, t)
		} else if s.Base != 0 {
			e = tir.Add(e, tir.IntOf(s.Base, t))
		}
		r.BaseExpr = tir.Mul(e, f.Expr(t))
	}
	return r
}
