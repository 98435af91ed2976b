package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// Merging nests runs iterations of one before iterations of another that came
// after them. That is harmless when no two of them touch one element of which
// one writes; it is decided by the declared regions, with the loops inside the
// nests running.

// mergeKeepsOrder refuses a merge that would exchange two accesses of one
// element, one of them a write.
func (st *state) mergeKeepsOrder(nests []nest) *Error {
	seq := st.at(nests[0].top()).parent
	place := func(n nest) int { return slices.Index(st.at(seq).kids, n.top()) }
	target := place(nests[len(nests)-1])
	for i, x := range nests {
		for _, y := range nests[i+1:] {
			first, second, swapped := x, y, false
			if place(y) < place(x) {
				first, second, swapped = y, x, true
			}
			if b := st.exchanged(first, second, swapped); b != nil {
				return refuse(Dependence, st.where(second.inner()), "merged with %s, it would touch %s at another iteration than before", st.where(first.inner()), b.Name)
			}
		}
		lo, hi := place(x), target
		if lo > hi {
			lo, hi = hi, lo
		}
		for _, k := range st.at(seq).kids[lo:hi] {
			if slices.ContainsFunc(nests, func(n nest) bool { return n.top() == k }) {
				continue
			}
			if b := st.clash(st.blocksFrom(x.top()), st.blocksFrom(k), st.newPair(seq)); b != nil {
				return refuse(Dependence, st.where(x.top()), "moved past a statement in between, it would touch %s in another order", b.Name)
			}
		}
	}
	return nil
}

// blocksFrom lists the child blocks of a node, or the node when it is a block.
func (st *state) blocksFrom(id nid) []nid {
	if st.at(id).kind == kBlock {
		return []nid{id}
	}
	return st.childBlocks(id)
}

// exchanged finds a buffer that keeps nest second, whose iterations all came
// after those of nest first, from running iteration by iteration beside it: an
// iteration of second before a greater one of first and, when swapped, before the
// equal one. For each depth d it looks at the iterations that are equal in the
// loops outside of d and greater at d.
func (st *state) exchanged(first, second nest, swapped bool) *tir.Buffer {
	a, b := st.childBlocks(first.inner()), st.childBlocks(second.inner())
	for d := range first {
		if tir.IsConst(st.at(first[d]).loop.Extent, 1) {
			continue
		}
		p := st.newPair(st.at(first.top()).parent)
		p.equate(st, first, second, d)
		l := &st.at(first[d]).loop
		step := tir.NewVar("step", l.Var.Type)
		one := tir.IntOf(1, l.Var.Type)
		p.a.Bind(step, tir.Range{Min: one, Extent: tir.Sub(l.Extent, one)})
		p.tied.add(l.Var, arith.Point(tir.Add(p.fix(st, second[d]), step)))
		if buf := st.clash(a, b, p); buf != nil {
			return buf
		}
	}
	if !swapped {
		return nil
	}
	p := st.newPair(st.at(first.top()).parent)
	p.equate(st, first, second, len(first))
	return st.clash(a, b, p)
}

// pair says of the loops around two statements of a sequence which are constants,
// those of the second, and which depend on these, those of the first. The others
// below the sequence run.
type pair struct {
	seq   nid
	a     *arith.Analyzer
	fixed []*tir.Var
	tied  relaxer
}

func (st *state) newPair(seq nid) *pair {
	a := arith.NewAnalyzer()
	p := &pair{seq: seq, a: a, tied: relaxer{a: a}}
	for n := st.at(seq).parent; n != none; n = st.at(n).parent {
		if st.at(n).kind == kLoop {
			p.fix(st, n)
		}
	}
	return p
}

// fix makes a loop a constant in its range.
func (p *pair) fix(st *state, id nid) *tir.Var {
	l := &st.at(id).loop
	p.a.Bind(l.Var, tir.Range{Min: l.Min, Extent: l.Extent})
	p.fixed = append(p.fixed, l.Var)
	return l.Var
}

// equate makes the loops of the first nest outside of depth d equal to those of
// the second, which are constants.
func (p *pair) equate(st *state, first, second nest, d int) {
	for i := range d {
		p.tied.add(st.at(first[i]).loop.Var, arith.Point(p.fix(st, second[i])))
	}
}

// relaxer lets the other loops around a block run.
func (p *pair) relaxer(st *state, id nid) *relaxer {
	r := &relaxer{a: p.a, dom: slices.Clone(p.tied.dom)}
	var rest []nid
	for _, l := range st.loopsOf(id) {
		if v := st.at(l).loop.Var; r.find(v) < 0 && !slices.Contains(p.fixed, v) {
			rest = append(rest, l)
		}
	}
	st.run(r, rest)
	return r
}

// clash finds a buffer of which two blocks, one of each list, may touch one
// element, one of them writing.
func (st *state) clash(xs, ys []nid, p *pair) *tir.Buffer {
	for _, x := range xs {
		for _, y := range ys {
			bx, by := st.at(x).block, st.at(y).block
			for _, w := range bx.Writes {
				if st.mayMeet(x, y, w, by.Reads, p) || st.mayMeet(x, y, w, by.Writes, p) {
					return w.Buffer
				}
			}
			for _, r := range bx.Reads {
				if st.mayMeet(x, y, r, by.Writes, p) {
					return r.Buffer
				}
			}
		}
	}
	return nil
}

// mayMeet reports whether region r of block x and one of block y's regions of the
// same buffer are not proved to be apart.
func (st *state) mayMeet(x, y nid, r tir.Region, theirs []tir.Region, p *pair) bool {
	t := region(theirs, r.Buffer)
	if t == nil {
		return false
	}
	mine := st.boundIntervals(x, p.relaxer(st, x), r.Ranges)
	other := st.boundIntervals(y, p.relaxer(st, y), t.Ranges)
	less := func(a, b tir.Expr) bool {
		return a != nil && b != nil && p.a.CanProve(tir.CompareFold(tir.OpLT, a, b))
	}
	for d := range mine {
		if less(mine[d].Hi, other[d].Lo) || less(other[d].Hi, mine[d].Lo) {
			return false
		}
	}
	return true
}

func (r *relaxer) find(v *tir.Var) int {
	return slices.IndexFunc(r.dom, func(d arith.Dom) bool { return d.Var == v })
}

// run lets loops, outermost first, run.
func (st *state) run(r *relaxer, loops []nid) {
	for _, id := range loops {
		l := &st.at(id).loop
		// Bounds may use outer loops that run as well.
		lo, hi := r.eval(l.Min), r.eval(arith.RangeInterval(tir.Range{Min: l.Min, Extent: l.Extent}).Hi)
		if !tir.IsConst(l.Extent, 1) {
			lo = span(lo.Lo, hi.Hi)
		}
		r.add(l.Var, lo)
	}
}

// boundIntervals evaluates a region of block id with its bindings put in.
func (st *state) boundIntervals(id nid, r *relaxer, ranges []tir.Range) []interval {
	n := st.at(id)
	sub := make(map[*tir.Var]tir.Expr, len(n.values))
	for i, it := range n.block.Iters {
		sub[it.Var] = n.values[i]
	}
	out := make([]interval, len(ranges))
	for i, x := range ranges {
		in := arith.RangeInterval(x)
		lo := r.eval(tir.Substitute(in.Lo, sub))
		if !in.IsPoint() {
			lo.Hi = r.eval(tir.Substitute(in.Hi, sub)).Hi
		}
		out[i] = lo
	}
	return out
}
