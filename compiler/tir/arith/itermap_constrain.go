package arith

import (
	"slices"

	"hone/compiler/tir"
)

// constrain makes the detector respect a predicate, a conjunction of bounds.
func (d *detector) constrain(pred tir.Expr) error {
	if pred == nil || tir.IsConst(pred, 1) {
		return nil
	}
	var cs []iterBound
	if !d.collect(pred, &cs) {
		return errConstraint
	}
	// Sums with fewer iterators first, since larger ones may contain them.
	slices.SortStableFunc(cs, func(a, b iterBound) int { return a.iters - b.iters })
	for i := range cs {
		if err := d.restrict(&cs[i]); err != nil {
			return err
		}
	}
	return nil
}

// narrowLoops gives loops the ranges that bounds on their variables alone leave.
func narrowLoops(loops []Loop, pred tir.Expr) ([]Loop, error) {
	if pred == nil || tir.IsConst(pred, 1) {
		return loops, nil
	}
	out, empty := loops, false
	conjuncts(pred, func(c tir.Expr) {
		i, y, op := loopBound(c, loops)
		if i < 0 {
			return
		}
		d := out[i].Dom
		lo, hi := d.Min, tir.Add(d.Min, d.Extent)
		one := tir.IntOf(1, y.DType())
		switch op {
		case tir.OpLT:
			hi = tir.Min(hi, y)
		case tir.OpLE:
			hi = tir.Min(hi, tir.Add(y, one))
		case tir.OpGT:
			lo = tir.Max(lo, tir.Add(y, one))
		case tir.OpGE:
			lo = tir.Max(lo, y)
		}
		n := tir.Sub(hi, lo)
		if Same(lo, d.Min) && Same(n, d.Extent) {
			return
		}
		if &out[0] == &loops[0] {
			out = slices.Clone(loops)
		}
		out[i].Dom = tir.Range{Min: lo, Extent: n}
		if k, ok := tir.AsInt(n); ok && k <= 0 {
			empty = true
		}
	})
	if empty {
		return nil, errConstraint
	}
	return out, nil
}

// loopBound reads a condition as loop i op y, where y is free of loops; i is -1
// for anything else.
func loopBound(c tir.Expr, loops []Loop) (i int, y tir.Expr, op tir.BinOp) {
	b, ok := c.(*tir.Binary)
	if !ok || !b.Op.IsCompare() || b.Op == tir.OpEQ || b.Op == tir.OpNE || !isIndex(b.A.DType()) {
		return -1, nil, 0
	}
	x, y, op := b.A, b.B, b.Op
	if !usesAny(x, loops) {
		x, y, op = y, x, flip(op)
	}
	if usesAny(y, loops) {
		return -1, nil, 0
	}
	return slices.IndexFunc(loops, func(l Loop) bool { return tir.Expr(l.Var) == x }), y, op
}

// iterBound is lo <= expr < hi; hasLo and hasHi say which bounds exist. limit,
// when not nil, is a symbolic hi.
type iterBound struct {
	expr         tir.Expr
	lo, hi       int64
	hasLo, hasHi bool
	limit        tir.Expr
	iters        int
}

// newIterBound reads x op y; y is free of iterators.
func newIterBound(x, y tir.Expr, op tir.BinOp) (iterBound, bool) {
	c := iterBound{expr: x}
	k, ok := tir.AsInt(y)
	switch {
	case !ok && op == tir.OpLT:
		c.limit = y
		return c, true
	case !ok:
		return c, false
	}
	switch op {
	case tir.OpLT:
		c.hi, c.hasHi = k, true
	case tir.OpLE:
		c.hi, c.hasHi = k+1, true
	case tir.OpGT:
		c.lo, c.hasLo = k+1, true
	case tir.OpGE:
		c.lo, c.hasLo = k, true
	}
	return c, true
}

func (d *detector) collect(p tir.Expr, out *[]iterBound) bool {
	if c, ok := p.(*tir.Call); ok && c.Op == "likely" && len(c.Args) == 1 {
		return d.collect(c.Args[0], out)
	}
	b, ok := p.(*tir.Binary)
	switch {
	case tir.IsConst(p, 1):
		return true
	case !ok:
		return !tir.UsesVar(p, d.isIter)
	case b.Op == tir.OpAnd:
		return d.collect(b.A, out) && d.collect(b.B, out)
	case !tir.UsesVar(p, d.isIter):
		return true
	case !b.Op.IsCompare() || !isIndex(b.A.DType()) || b.Op == tir.OpEQ || b.Op == tir.OpNE:
		return false
	}
	x, y, op := b.A, b.B, b.Op
	if !tir.UsesVar(x, d.isIter) {
		x, y, op = y, x, flip(op)
	}
	if tir.UsesVar(y, d.isIter) {
		x, y = tir.Sub(x, y), tir.IntOf(0, y.DType())
	}
	if v, ok := x.(*tir.Var); ok && d.isIter(v) {
		return true // its loop is narrower for it
	}
	c, ok := newIterBound(x, y, op)
	if !ok {
		return false
	}
	tir.Walk(x, func(e tir.Expr) bool {
		if v, ok := e.(*tir.Var); ok && d.isIter(v) {
			c.iters++
		}
		return true
	})
	for i := range *out {
		if o := &(*out)[i]; Same(o.expr, x) {
			o.meet(c)
			return true
		}
	}
	*out = append(*out, c)
	return true
}

// meet adds the bounds of c.
func (o *iterBound) meet(c iterBound) {
	if c.hasLo && (!o.hasLo || c.lo > o.lo) {
		o.lo, o.hasLo = c.lo, true
	}
	if c.hasHi && (!o.hasHi || c.hi < o.hi) {
		o.hi, o.hasHi = c.hi, true
	}
	if c.limit != nil {
		o.limit = c.limit
	}
}

// restrict narrows the iterator that c.expr is to c's bounds.
func (d *detector) restrict(c *iterBound) error {
	s, err := d.sum(c.expr)
	if err != nil {
		return err
	}
	s = joinDigits(s)
	if len(s.Args) == 0 {
		return errConstraint
	}
	f, err := d.fuse(s)
	if err != nil || !f.Args[0].Scale.isOne() {
		return errConstraint
	}
	x := f.Args[0]
	if c.limit != nil || f.BaseExpr != nil {
		return d.restrictSymbolic(c, &f, len(s.Args) == 1)
	}
	scale, ok1 := x.Scale.Const()
	n, ok2 := x.Extent.Const()
	if !ok1 || !ok2 || scale <= 0 {
		return errConstraint
	}
	lo, hi := int64(0), n
	if c.hasLo {
		lo = max(lo, -tir.FloorDivInt(f.Base-c.lo, scale))
	}
	if c.hasHi {
		hi = min(hi, -tir.FloorDivInt(f.Base-c.hi, scale))
	}
	if lo >= hi {
		return errConstraint
	}
	d.narrow(x, len(s.Args) == 1, lo, constFactor(hi-lo))
	return nil
}

// restrictSymbolic is restrict by an upper bound that is not constant, or of a
// sum with a symbolic base: the extent becomes the smaller of the two.
func (d *detector) restrictSymbolic(c *iterBound, f *IterSum, alone bool) error {
	x := f.Args[0]
	if c.hasLo || c.limit == nil && !c.hasHi || c.limit != nil && c.hasHi || !x.Scale.isOne() {
		return errConstraint
	}
	t := c.expr.DType()
	hi := c.limit
	if hi == nil {
		hi = tir.IntOf(c.hi, t)
	}
	n := tir.Sub(hi, f.BaseOf(t))
	if all := x.Extent.Expr(t); !new(Analyzer).CanProve(tir.CompareFold(tir.OpLE, n, all)) {
		n = tir.Min(n, all)
	}
	ext := FactorOf(n)
	if ext.sym == nil && ext.c <= 0 {
		return errConstraint
	}
	d.narrow(x, alone, 0, ext)
	return nil
}

// narrow makes x, a split of scale one, count as an iterator over extent values
// from lo. A split that stood alone is restricted itself, otherwise the digits of
// which it was made are.
func (d *detector) narrow(x IterSplit, alone bool, lo int64, extent Factor) {
	for i := range d.fused {
		e := &d.fused[i]
		if alone && (len(e.flat) != 1 || !e.flat[0].sameDigit(&x)) || !alone && e.mark != x.Mark {
			continue
		}
		s := e.mark.Sum
		s.Base -= lo
		e.mark = d.newMark(s, extent)
		e.offset += lo
		e.constraint = true
		return
	}
	m := d.newMark(IterSum{Args: []IterSplit{x}, Base: -lo}, extent)
	d.fused = append(d.fused, fusedSum{flat: []IterSplit{x}, mark: m, offset: lo, constraint: true})
}
