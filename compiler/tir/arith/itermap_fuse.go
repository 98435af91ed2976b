package arith

import (
	"slices"

	"hone/compiler/tir"
)

// fuse turns a sum into one with at most one split: the splits must form a mixed
// radix number, each scale the product of the extents below it, where sums
// restricted by a predicate count as one digit. Unless the level is Bijective a
// scale may also be smaller, so that neighbouring digits overlap.
func (d *detector) fuse(s IterSum) (IterSum, error) {
	if len(s.Args) == 0 {
		return s, nil
	}
	s = joinDigits(s)
	if len(s.Args) == 1 && !d.constrained(&s.Args[0]) {
		return s, nil
	}
	base := smallest(s.Args)
	if base < 0 {
		return IterSum{}, errNotFused
	}
	unit := s.Args[base].Scale
	digits := make([]IterSplit, 2*len(s.Args))
	n := len(s.Args)
	f := fuser{args: s.Args, expect: unit, unit: unit, flat: digits[:0:n], parts: digits[n:n]}
	if n > len(f.takenBuf) {
		f.taken = make([]bool, n)
	} else {
		f.taken = f.takenBuf[:n]
	}
	for f.used < len(s.Args) {
		i := f.next(d.level)
		if i < 0 {
			return IterSum{}, errNotFused
		}
		if c := d.longestConstraint(&s.Args[i]); c != nil {
			if !f.takeConstraint(c, i) {
				return IterSum{}, errNotFused
			}
			continue
		}
		if !f.take(i) {
			return IterSum{}, errNotFused
		}
	}
	slices.Reverse(f.flat)
	slices.Reverse(f.parts)
	extent, ok := f.expect.div(unit)
	if !ok {
		return IterSum{}, errNotFused
	}
	s.Base += f.offset
	for i := range d.fused {
		if e := &d.fused[i]; sameDigits(e.flat, f.flat) {
			s.Args = []IterSplit{{e.mark, oneFactor, e.mark.Extent, unit}}
			return s, nil
		}
	}
	if len(f.parts) == 1 {
		p := f.parts[0]
		p.Scale = unit
		s.Args = []IterSplit{p}
		return s, nil
	}
	m := d.newMark(IterSum{Args: f.parts}, extent)
	d.fused = append(d.fused, fusedSum{flat: f.flat, mark: m})
	s.Args = []IterSplit{{m, oneFactor, extent, unit}}
	return s, nil
}

// fuser collects the digits of a sum from the innermost outwards. expect is the
// scale that the next digit has when digits do not overlap.
type fuser struct {
	args         []IterSplit
	taken        []bool
	takenBuf     [8]bool
	used         int
	expect, unit Factor
	flat, parts  []IterSplit
	offset       int64
}

// next picks the digit to take: one of the expected scale, extents of one first,
// otherwise the largest smaller one.
func (f *fuser) next(level Level) int {
	best := -1
	for i := range f.args {
		x := &f.args[i]
		if f.taken[i] || !x.Scale.equal(f.expect) {
			continue
		}
		if best < 0 || x.Extent.isOne() || !f.args[best].Extent.isOne() {
			best = i
		}
	}
	if best >= 0 {
		return best
	}
	for i := range f.args {
		x := &f.args[i]
		if f.taken[i] {
			continue
		}
		if x.Extent.isOne() && x.Scale.c > 0 {
			return i
		}
		if level == Bijective || x.Scale.sym != nil || f.expect.sym != nil || x.Scale.c <= 0 || x.Scale.c >= f.expect.c {
			continue
		}
		if best < 0 || f.args[best].Scale.c < x.Scale.c {
			best = i
		}
	}
	return best
}

// take uses digit i on its own.
func (f *fuser) take(i int) bool {
	x := f.args[i]
	f.taken[i] = true
	f.used++
	if !f.grow(x.Scale, x.Extent) {
		return false
	}
	q, ok := x.Scale.div(f.unit)
	if !ok {
		return false
	}
	x.Scale = q
	f.flat = append(f.flat, x)
	f.parts = append(f.parts, x)
	return true
}

// grow extends the covered range by a digit of the given scale and extent.
func (f *fuser) grow(scale, extent Factor) bool {
	switch {
	case extent.isOne():
	case scale.equal(f.expect):
		f.expect = scale.mul(extent)
	default:
		n, ok := extent.Const()
		if !ok {
			return false
		}
		f.expect.c += (n - 1) * scale.c
	}
	return true
}

// takeConstraint uses the digits of a restricted sum whose innermost digit is i.
func (f *fuser) takeConstraint(c *fusedSum, i int) bool {
	scale := f.args[i].Scale
	q, ok := scale.div(f.unit)
	if !ok {
		return false
	}
	for j := len(c.flat) - 1; j >= 0; j-- {
		want := c.flat[j].Scale.mul(scale)
		k := slices.IndexFunc(f.args, func(x IterSplit) bool { return x.sameDigit(&c.flat[j]) && x.Scale.equal(want) })
		if k < 0 || f.taken[k] {
			return false
		}
		f.taken[k] = true
		f.used++
		x := f.args[k]
		if x.Scale, ok = x.Scale.div(f.unit); !ok {
			return false
		}
		f.flat = append(f.flat, x)
	}
	if c.offset != 0 && scale.sym != nil {
		return false
	}
	f.parts = append(f.parts, IterSplit{c.mark, oneFactor, c.mark.Extent, q})
	f.offset += c.offset * scale.c
	return f.grow(scale, c.mark.Extent)
}

func (d *detector) constrained(x *IterSplit) bool { return d.longestConstraint(x) != nil }

// longestConstraint is the restricted sum with the most digits whose innermost
// digit is x.
func (d *detector) longestConstraint(x *IterSplit) *fusedSum {
	var best *fusedSum
	for i := range d.fused {
		c := &d.fused[i]
		if c.constraint && c.flat[len(c.flat)-1].sameDigit(x) && (best == nil || len(best.flat) < len(c.flat)) {
			best = c
		}
	}
	return best
}

// smallest finds the split of the smallest positive scale, extents of one first, then
// later ones; -1 when one of several scales is not positive.
func smallest(args []IterSplit) int {
	best := -1
	for i := range args {
		if args[i].Scale.c <= 0 {
			if len(args) == 1 {
				return 0
			}
			return -1
		}
		switch {
		case best < 0 || args[i].Scale.less(args[best].Scale):
			best = i
		case args[i].Scale.equal(args[best].Scale) && (args[i].Extent.isOne() || !args[best].Extent.isOne()):
			best = i
		}
	}
	return best
}

func sameDigits(x, y []IterSplit) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !x[i].sameDigit(&y[i]) || !x[i].Scale.equal(y[i].Scale) {
			return false
		}
	}
	return true
}

// joinDigits merges neighbouring digits of one iterator:
// i//(l·e)%g·(s·e) + i//l%e·s = i//l%(e·g)·s.
func joinDigits(s IterSum) IterSum {
	for again := true; again; {
		again = false
		for i := range s.Args {
			for j := range s.Args {
				x, y := &s.Args[i], &s.Args[j]
				if i == j || x.Mark != y.Mark || !x.Lower.equal(y.Lower.mul(y.Extent)) || !x.Scale.equal(y.Scale.mul(y.Extent)) {
					continue
				}
				z := IterSplit{y.Mark, y.Lower, y.Extent.mul(x.Extent), y.Scale}
				args := slices.Clone(s.Args)
				args[i] = z
				s.Args = slices.Delete(args, j, j+1)
				again = true
				break
			}
			if again {
				break
			}
		}
	}
	return s
}

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
		return nil
	}
	f, err := d.fuse(s)
	if err != nil {
		return errConstraint
	}
	x := f.Args[0]
	if c.limit != nil || f.BaseExpr != nil {
		return d.restrictSymbolic(c, &f)
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
	if lo == 0 && hi == n {
		return nil
	}
	if lo >= hi {
		return errConstraint
	}
	x.Scale = oneFactor
	d.narrow(x, lo, constFactor(hi-lo))
	return nil
}

// restrictSymbolic is restrict by an upper bound that is not constant, or of a
// sum with a symbolic base: the extent becomes the smaller of the two.
func (d *detector) restrictSymbolic(c *iterBound, f *IterSum) error {
	x := f.Args[0]
	if c.hasLo || c.limit == nil && !c.hasHi || c.limit != nil && c.hasHi || !x.Scale.isOne() {
		return errConstraint
	}
	t := c.expr.DType()
	hi := c.limit
	if hi == nil {
		hi = tir.IntOf(c.hi, t)
	}
	left := tir.Sub(hi, f.BaseOf(t))
	n := new(Analyzer).Simplify(tir.Min(x.Extent.Expr(t), left))
	ext := FactorOf(n)
	if ext.sym == nil && ext.c <= 0 {
		return errConstraint
	}
	if !ext.equal(x.Extent) {
		d.narrow(x, 0, ext)
	}
	return nil
}

// narrow makes x, a split of scale one, count as an iterator over extent values
// from lo.
func (d *detector) narrow(x IterSplit, lo int64, extent Factor) {
	for i := range d.fused {
		e := &d.fused[i]
		if e.mark != x.Mark || !x.Lower.isOne() || !x.Extent.equal(x.Mark.Extent) {
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
