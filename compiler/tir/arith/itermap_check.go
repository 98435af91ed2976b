package arith

import (
	"slices"

	"hone/compiler/tir"
)

// check verifies that the sums use every iterator consistently: the splits taken
// from one iterator are disjoint digits of it, and, for a bijection, all of it.
func (d *detector) check(sums []IterSum) error {
	var room [48]IterSplit // schedules ask this thousands of times a second
	all, us := room[:0:40], room[40:40]
	for i := range sums {
		all = append(all, sums[i].Args...)
	}
	// Marks of sums come after their parts, so going backwards all uses of a
	// mark are known when it is reached.
	for i := len(d.marks) - 1; i >= 0; i-- {
		m := d.marks[i]
		us = us[:0]
		for _, x := range all {
			if x.Mark == m {
				us = append(us, x)
			}
		}
		if len(us) == 0 {
			if m.Var != nil && d.level <= Injective && !m.Extent.isOne() {
				return errNotOnto
			}
			continue
		}
		if err := d.tiles(m, us); err != nil {
			return err
		}
		all = append(all, m.Sum.Args...)
	}
	return nil
}

// tiles checks that the splits are disjoint digits of m, from the lowest up.
func (d *detector) tiles(m *IterMark, us []IterSplit) error {
	expect, last, count := oneFactor, IterSplit{}, len(us)
	for len(us) > 0 {
		i := slices.IndexFunc(us, func(x IterSplit) bool { return x.Lower.equal(expect) })
		if i < 0 {
			if d.level <= Injective {
				return errNotOnto
			}
			i = nextDigit(us, expect)
			if i < 0 {
				return errDependent
			}
		}
		expect, last = us[i].Lower.mul(us[i].Extent), us[i]
		us = slices.Delete(us, i, i+1)
	}
	full := expect.equal(m.Extent)
	_, part := m.Extent.div(expect)
	switch {
	case d.level == Bijective && m.padded, d.level <= Injective && !full:
		return errNotOnto
	case !m.padded && !part:
		return errDependent
	case m.padded && d.level == Surjective:
		return tilesPadded(m, count, last, expect, full, part)
	}
	return nil
}

// nextDigit is the split with the smallest lower factor above expect, of which
// all of them must be multiples.
func nextDigit(us []IterSplit, expect Factor) int {
	best := -1
	for i := range us {
		if _, ok := us[i].Lower.div(expect); !ok {
			return -1
		}
		if best >= 0 {
			if _, ok := us[best].Lower.div(us[i].Lower); !ok {
				continue
			}
		}
		best = i
	}
	return best
}

// tilesPadded allows one split of a padded iterator, or splits that the values
// before padding reach all of.
func tilesPadded(m *IterMark, count int, last IterSplit, span Factor, full, part bool) error {
	before, ok1 := m.before.Const()
	n, ok2 := span.Const()
	reached := ok1 && ok2 && before >= n
	switch {
	case full && (count != 1 || last.Extent.equal(span) && !reached):
		return errDependent
	case !full && !(part && reached):
		return errDependent
	}
	return nil
}

// IsAffineBinding reports whether the bindings of r are an iteration map of the
// loops around it, each binding of stride one. Outside of loops they are, and
// inside of some a block without iterators has none.
func IsAffineBinding(r *tir.BlockRealize, loops []Loop) bool {
	if len(loops) == 0 {
		return true
	}
	if len(r.Values) == 0 {
		return false
	}
	var endsBuf [16]int
	if len(r.Values) <= len(endsBuf) && boundsWholes(r.Predicate, r.Values) {
		g := digits{loops: loops}
		if g.collect(r.Values, endsBuf[:len(r.Values)], true) {
			return true
		}
	}
	sums, err := DetectIterMap(r.Values, loops, r.Predicate, Surjective, false)
	if err != nil {
		return false
	}
	for i := range sums {
		if len(sums[i].Args) > 0 && !sums[i].Args[0].Scale.isOne() {
			return false
		}
	}
	return true
}
