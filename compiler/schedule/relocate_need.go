package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// solveDomains finds the values that every iterator must cover: those for which
// what the block touches meets what the other side touches under the loop.
func (st *state) solveDomains(p *relocation, producers, consumers []nid, producer bool) *Error {
	blk := st.at(p.id).block
	own, others := blk.Writes, consumers
	if !producer {
		own, others = blk.Reads, producers
	}
	p.a = st.bindLoops(p.loop)
	l := &st.at(p.loop).loop
	p.a.Bind(l.Var, tir.Range{Min: l.Min, Extent: l.Extent})
	st.bindShapes(p.a, 0)
	s := domainSolver{a: p.a, where: st.where(p.id), iters: blk.Iters, doms: make([]iterDomain, len(blk.Iters))}
	// From the last buffer to the first, which shows where ends of several meet:
	// Apache TVM keeps them in a hash table, and its lists grow at the front.
	for i, rg := range slices.Backward(own) {
		if slices.ContainsFunc(own[:i], func(r tir.Region) bool { return r.Buffer == rg.Buffer }) {
			continue
		}
		need, accesses := st.needed(p, rg.Buffer, others, producer)
		if need == nil {
			continue
		}
		var touched []interval
		for _, r := range own[i:] {
			if r.Buffer == rg.Buffer {
				touched = hull(touched, intervalsOf(r))
			}
		}
		if err := s.solve(rg.Buffer, touched, need, accesses); err != nil {
			return err
		}
	}
	for i := range s.doms {
		s.doms[i].settle(p.a, blk.Iters[i].Dom)
	}
	p.doms = s.doms
	return nil
}

func intervalsOf(r tir.Region) []interval {
	out := make([]interval, len(r.Ranges))
	for i, x := range r.Ranges {
		out[i] = arith.RangeInterval(x)
	}
	return out
}

// hull unites two boxes dimension by dimension; the first may be nil.
func hull(p, q []interval) []interval {
	if p == nil {
		return q
	}
	var a arith.Analyzer
	out := make([]interval, len(p))
	for i := range p {
		out[i] = a.Union(p[i], q[i])
	}
	return out
}

// needed is what the other blocks touch of a buffer in one iteration of the loop,
// nil when they do not. A producer whose buffer is shared by threads must cover
// what all of them need.
func (st *state) needed(p *relocation, buf *tir.Buffer, others []nid, producer bool) (out []interval, list []touching) {
	var a arith.Analyzer
	for _, o := range others {
		n := st.at(o)
		theirs := n.block.Reads
		if !producer {
			theirs = n.block.Writes
		}
		var loops []arith.Loop
		var sub map[*tir.Var]tir.Expr
		for _, r := range theirs {
			if r.Buffer != buf {
				continue
			}
			if sub == nil {
				sub = bindings(n)
				loops = st.loopDomains(st.loopsBelow(o, p.loop))
				if producer {
					loops = st.running(o, p.loop, buf)
				}
			}
			ranges := substituteRanges(r.Ranges, sub)
			box := make([]interval, len(ranges))
			for i, x := range ranges {
				box[i] = a.EvalRange(x, arith.LoopDoms(loops))
			}
			out = hull(out, box)
			list = append(list, touching{ranges, loops, n.pred})
		}
	}
	return out, list
}
