package arith

import "slices"

// fuse turns a sum into one with at most one split: the splits must form a mixed
// radix number, each scale the product of the extents below it, where sums
// restricted by a predicate count as one digit. Levels that ask for less than an
// injection also allow smaller scales, so that neighbouring digits overlap.
func (d *detector) fuse(s IterSum) (IterSum, error) {
	if len(s.Args) == 0 {
		return s, nil
	}
	n := len(s.Args)
	s = joinDigits(s)
	// Digits that join to one iterator are that, whatever restricts it.
	if len(s.Args) == 1 && (n > 1 || !d.constrained(&s.Args[0])) {
		return s, nil
	}
	base := smallest(s.Args)
	if base < 0 {
		return IterSum{}, errNotFused
	}
	unit := s.Args[base].Scale
	f := newFuser(s.Args, unit)
	for f.used < len(s.Args) {
		i := f.next(d.level)
		if i < 0 {
			return IterSum{}, errNotFused
		}
		ok := false
		if c := d.longestConstraint(&s.Args[i]); c != nil {
			ok = f.takeConstraint(c, i)
		} else {
			ok = f.take(i)
		}
		if !ok {
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
	s.Args = []IterSplit{d.fusedSplit(f, extent)}
	return s, nil
}

// fusedSplit is the iterator that stands for the digits of f: a known one, the
// only digit, or a new one.
func (d *detector) fusedSplit(f *fuser, extent Factor) IterSplit {
	for i := range d.fused {
		if e := &d.fused[i]; sameDigits(e.flat, f.flat) {
			return IterSplit{e.mark, oneFactor, e.mark.Extent, f.unit}
		}
	}
	if len(f.parts) == 1 {
		p := f.parts[0]
		p.Scale = f.unit
		return p
	}
	m := d.newMark(IterSum{Args: f.parts}, extent)
	d.fused = append(d.fused, fusedSum{flat: f.flat, mark: m})
	return IterSplit{m, oneFactor, extent, f.unit}
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

func newFuser(args []IterSplit, unit Factor) *fuser {
	n := len(args)
	digits := make([]IterSplit, 2*n)
	f := &fuser{args: args, expect: unit, unit: unit, flat: digits[:0:n], parts: digits[n:n]}
	if n > len(f.takenBuf) {
		f.taken = make([]bool, n)
	} else {
		f.taken = f.takenBuf[:n]
	}
	return f
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
		if level <= Injective || x.Scale.sym != nil || f.expect.sym != nil || x.Scale.c <= 0 || x.Scale.c >= f.expect.c {
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
