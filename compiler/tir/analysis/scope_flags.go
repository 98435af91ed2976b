package analysis

import (
	"strings"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// AffineBinding reports whether the bindings of child i are an iteration map of
// the loops around it.
func (s *Scope) AffineBinding(i int) bool {
	c := &s.Children[i]
	return arith.IsAffineBinding(c.Realize, c.LoopRanges())
}

// StagePipeline reports whether the scope is a sequence of stages: only RAW and
// WAW dependencies, and every child covered. It does not ask for Plain.
func (s *Scope) StagePipeline() bool {
	for i := range s.Children {
		if s.WhyNotStage(i) != "" || !s.RegionCovered(i) {
			return false
		}
	}
	return true
}

// WhyNotStage names what child i writes although an earlier child reads it; ""
// when there is nothing.
func (s *Scope) WhyNotStage(i int) string {
	c := s.Children[i].Block()
	for _, w := range c.Writes {
		for _, r := range s.readers[w.Buffer] {
			if r < i {
				return "block " + c.Name + " overwrites " + w.Buffer.Name + ", which block " + s.Children[r].Block().Name + " reads before"
			}
		}
	}
	return ""
}

// RegionCovered reports whether everything that child i reads of buffers written
// in the scope has been written before, whatever the iteration: at every level
// that it shares with producers, what they write below that level holds what it
// reads there.
func (s *Scope) RegionCovered(i int) bool { return s.WhyNotCovered(i) == "" }

// WhyNotCovered names a buffer that keeps child i from being covered; "" when
// there is none.
func (s *Scope) WhyNotCovered(i int) string {
	reads := s.Children[i].Block().Reads
	for n := len(s.Children[i].Loops); n >= 0; n-- {
		var a *arith.Analyzer
		for _, r := range reads {
			made := s.producers(r.Buffer, i, n)
			if len(made) == 0 {
				continue
			}
			if a == nil {
				a = s.analyzer(i)
			}
			if !s.covers(a, r, i, n, made) {
				return "what it reads of " + r.Buffer.Name + " is not fully written before"
			}
		}
	}
	return ""
}

// producers are the children before i that write buf and share exactly the n
// outermost loops with it.
func (s *Scope) producers(buf *tir.Buffer, i, n int) []int {
	var out []int
	for _, w := range s.writers[buf] {
		if w < i && s.shared(w, i) == n {
			out = append(out, w)
		}
	}
	return out
}

// shared is the number of loops that two children have in common.
func (s *Scope) shared(i, j int) int {
	p, q := s.Children[i].Loops, s.Children[j].Loops
	n := 0
	for n < len(p) && n < len(q) && p[n] == q[n] {
		n++
	}
	return n
}

// analyzer knows the ranges of the loops around child i, up to the function's.
func (s *Scope) analyzer(i int) *arith.Analyzer {
	a := arith.NewAnalyzer()
	for _, loops := range [][]*tir.For{s.Around, s.Children[i].Loops} {
		for _, l := range loops {
			a.Bind(l.Var, tir.Range{Min: l.Min, Extent: l.Extent})
		}
	}
	return a
}

// covers compares what child i reads of r below its n outermost loops with what
// the producers write there, dimension by dimension.
func (s *Scope) covers(a *arith.Analyzer, r tir.Region, i, n int, producers []int) bool {
	written := make([]union, len(r.Ranges))
	for _, w := range producers {
		for _, o := range s.Children[w].Block().Writes {
			if o.Buffer != r.Buffer {
				continue
			}
			low, _ := s.lowerBound(a, o, w, n)
			for d := range low {
				written[d].add(low[d])
			}
		}
	}
	for d, need := range s.upperBound(a, r, i, n) {
		if !written[d].some || !holds(a, written[d].set, need, r.Buffer.Shape[d]) {
			return false
		}
	}
	return true
}

// holds proves that one interval includes what another one has inside [0, size).
func holds(a *arith.Analyzer, made, need arith.Interval, size tir.Expr) bool {
	zero := tir.IntOf(0, size.DType())
	whole := arith.Interval{Lo: zero, Hi: tir.Sub(size, tir.IntOf(1, size.DType()))}
	made, need = a.Intersect(made, whole), a.Intersect(need, whole)
	return a.CanProveGreaterEqual(need.Lo, made.Lo) && a.CanProveGreaterEqual(made.Hi, need.Hi)
}

// union collects intervals into one as long as nothing lies between them.
type union struct {
	set  arith.Interval
	some bool
}

// add takes the hull with t where the two provably overlap or touch, whatever the
// loops around; otherwise what was there stays.
func (u *union) add(t arith.Interval) {
	if !u.some {
		u.set, u.some = t, true
		return
	}
	var a arith.Analyzer // knows nothing: the order holds for all iterations
	next := func(e tir.Expr) tir.Expr { return tir.Add(e, tir.IntOf(1, e.DType())) }
	if a.CanProveGreaterEqual(next(u.set.Hi), t.Lo) && a.CanProveGreaterEqual(next(t.Hi), u.set.Lo) {
		u.set = arith.Interval{Lo: tir.Min(u.set.Lo, t.Lo), Hi: tir.Max(u.set.Hi, t.Hi)}
	}
}

// bound is a region of a child's block with iterators replaced by bindings.
func bound(r tir.Region, c *Child) []tir.Range {
	sub := make(map[*tir.Var]tir.Expr, len(c.Realize.Values))
	for i, it := range c.Block().Iters {
		sub[it.Var] = c.Realize.Values[i]
	}
	out := make([]tir.Range, len(r.Ranges))
	for i, x := range r.Ranges {
		out[i] = tir.Range{Min: tir.Substitute(x.Min, sub), Extent: tir.Substitute(x.Extent, sub)}
	}
	return out
}

// running are the loops whose iterations add up seen from the n-th loop of child
// i: those inside it and, for a buffer that threads share, the loops of these
// threads further out.
func (s *Scope) running(i, n int, buf *tir.Buffer) []arith.Loop {
	c := &s.Children[i]
	loops := LoopRanges(c.Loops[n:])
	for _, outer := range [][]*tir.For{c.Loops[:n], s.Around} {
		for _, l := range outer {
			if l.Kind == tir.ThreadBinding && SharedByThread(buf.Scope, l.Thread.Tag) {
				loops = append(loops, arith.Loop{Var: l.Var, Dom: tir.Range{Min: l.Min, Extent: l.Extent}})
			}
		}
	}
	return loops
}

// SharedByThread reports whether the threads of an axis see one copy of a buffer
// of a storage scope: a block's threads share its shared memory, those of
// threadIdx.x warp memory. What all see, global memory, does not count.
func SharedByThread(scope, tag string) bool {
	switch {
	case strings.HasPrefix(scope, "shared"):
		return !strings.HasPrefix(tag, "blockIdx.")
	case strings.HasPrefix(scope, "warp"):
		return tag == "threadIdx.x"
	}
	return false
}

// upperBound holds all that child i touches of r while its loops from n on run.
func (s *Scope) upperBound(a *arith.Analyzer, r tir.Region, i, n int) []arith.Interval {
	c := &s.Children[i]
	box, _ := a.RegionBounds(bound(r, c), s.running(i, n, r.Buffer), c.Realize.Predicate)
	return simplified(a, box)
}

// lowerBound is a box of which child i certainly touches every element while its
// loops from n on run.
func (s *Scope) lowerBound(a *arith.Analyzer, r tir.Region, i, n int) ([]arith.Interval, bool) {
	c := &s.Children[i]
	box, ok := a.ExactRegion(bound(r, c), s.running(i, n, r.Buffer), c.Realize.Predicate)
	return simplified(a, box), ok
}

func simplified(a *arith.Analyzer, box []arith.Interval) []arith.Interval {
	for i, in := range box {
		if in.Bounded() {
			box[i] = arith.Interval{Lo: a.Simplify(in.Lo), Hi: a.Simplify(in.Hi)}
		}
	}
	return box
}
