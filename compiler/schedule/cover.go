package schedule

import (
	"slices"

	"hone/compiler/tir"
)

// isCovered reports whether everything that a block reads of buffers written in
// its scope is written there in full, seen from each loop that encloses both
// the block and writers. Like isAffine it is a fact that is learned when a
// block is loaded or made, and again when a primitive changes who writes what it
// reads; primitives in between keep it. When it is asked for makes no
// difference: a replay that asks less often must not answer otherwise.
func (st *state) isCovered(id nid) bool { return st.at(id).cover == yes }

// learn computes the facts of every block of a function just loaded.
func (st *state) learn() {
	for i, n := range st.nodes {
		if id := nid(i); n.kind == kBlock && id != st.root {
			n.affine = factOf(st.computeAffine(id))
			n.cover = factOf(st.computeCover(id))
		}
	}
}

// computeCover checks what a block reads of bufs, of every buffer when there are
// none.
func (st *state) computeCover(id nid, bufs ...*tir.Buffer) bool {
	for _, rd := range st.at(id).block.Reads {
		if len(bufs) > 0 && !slices.Contains(bufs, rd.Buffer) {
			continue
		}
		writers := st.writersOf(st.scopeOf(id), rd.Buffer)
		writers = slices.DeleteFunc(writers, func(w nid) bool { return w == id })
		for len(writers) > 0 {
			top := st.meet(writers[0], id)
			var same, rest []nid
			for _, w := range writers {
				if st.meet(w, id) == top {
					same = append(same, w)
				} else {
					rest = append(rest, w)
				}
			}
			if !(len(same) == 1 && st.mirrors(same[0], id, rd.Buffer)) && !st.coveredBy(id, rd, same, top) {
				return false
			}
			writers = rest
		}
	}
	return true
}

// meet is the innermost loop or block around both nodes.
func (st *state) meet(a, b nid) nid {
	top := st.lca(a, b)
	for st.at(top).kind != kLoop && st.at(top).kind != kBlock {
		top = st.at(top).parent
	}
	return top
}

// coveredBy compares, below top, what one region of a reader needs with what
// the writers produce together.
func (st *state) coveredBy(id nid, rd tir.Region, writers []nid, top nid) bool {
	made := make([]interval, len(rd.Ranges))
	for i, w := range writers {
		r := st.relaxOver(w, top)
		ins, exact := st.iterIntervals(w, r)
		if !exact {
			return false
		}
		wr := region(st.at(w).block.Writes, rd.Buffer)
		got := st.regionIntervals(w, r, ins, wr.Ranges)
		for d := range got {
			if !got[d].Bounded() {
				return false
			}
			if i > 0 {
				got[d] = r.union(made[d], got[d])
			}
			made[d] = got[d]
		}
	}
	if wholeBuffer(made, rd.Buffer) {
		return true
	}
	r := st.relaxOver(id, top)
	ins, _ := st.iterIntervals(id, r)
	need := st.regionIntervals(id, r, ins, rd.Ranges)
	for d := range need {
		if !r.covers(made[d], need[d], rd.Buffer.Shape[d]) {
			return false
		}
	}
	return true
}

// wholeBuffer reports whether constant intervals include all of a buffer.
func wholeBuffer(made []interval, buf *tir.Buffer) bool {
	for d, in := range made {
		lo, ok1 := tir.AsInt(in.Lo)
		hi, ok2 := tir.AsInt(in.Hi)
		n, ok3 := tir.AsInt(buf.Shape[d])
		if !ok1 || !ok2 || !ok3 || lo > 0 || hi < n-1 {
			return false
		}
	}
	return true
}

// covers proves that one interval includes what another has inside [0, size).
func (r *relaxer) covers(made, need interval, size tir.Expr) bool {
	zero := tir.IntOf(0, size.DType())
	last := tir.Sub(size, tir.IntOf(1, size.DType()))
	le := func(a, b tir.Expr) bool {
		return a != nil && b != nil && r.a.CanProve(tir.CompareFold(tir.OpLE, a, b))
	}
	return (le(made.Lo, need.Lo) || le(made.Lo, zero)) && (le(need.Hi, made.Hi) || le(last, made.Hi))
}

// relearn computes again whether the readers of buffers in a scope are covered,
// and for the first time of blocks that a primitive made; it is the last step of a
// primitive that changes this. Of a block that was covered only the reads of
// these buffers are in question.
func (st *state) relearn(scope nid, bufs ...*tir.Buffer) {
	reads := func(r tir.Region) bool { return slices.Contains(bufs, r.Buffer) }
	for _, b := range st.childBlocks(scope) {
		switch n := st.at(b); {
		case n.cover == yes && slices.ContainsFunc(n.block.Reads, reads):
			n.cover = factOf(st.computeCover(b, bufs...))
		case n.cover == unknown || n.cover == no && slices.ContainsFunc(n.block.Reads, reads):
			n.cover = factOf(st.computeCover(b))
		}
	}
}

// stagePipeline refuses a scope that is no sequence of stages: some block reads
// what is not produced in full, overwrites what an earlier one read, or stands
// under something that is neither loop nor sequence.
func (st *state) stagePipeline(scope nid) *Error {
	blocks := st.childBlocks(scope)
	for i, b := range blocks {
		if !st.isCovered(b) {
			return refuse(StagePipeline, st.where(b), "what it reads is not fully produced in its scope")
		}
		for _, w := range st.at(b).block.Writes {
			for _, o := range blocks[:i] {
				if reads(st.at(o).block, w.Buffer) {
					return refuse(StagePipeline, st.where(b), "it overwrites %s, which %s reads before", w.Buffer.Name, st.where(o))
				}
			}
		}
	}
	for _, b := range blocks {
		for p := st.at(b).parent; p != scope; p = st.at(p).parent {
			if st.at(p).kind == kOther {
				return refuse(StagePipeline, st.where(b), "it stands under a statement that is no loop")
			}
		}
	}
	return nil
}

// inputRegion is what a copy of a buffer that no block of the scope writes has
// to hold: what the scope declares to read of it, or all of it.
func (st *state) inputRegion(scope, reader nid, buf *tir.Buffer) []tir.Range {
	if r := region(st.at(scope).block.Reads, buf); r != nil {
		return r.Ranges
	}
	if scope != st.root && !tir.IsConst(st.at(scope).pred, 1) {
		return st.relaxed(reader, region(st.at(reader).block.Reads, buf).Ranges, scope, buf)
	}
	return fullRegion(buf)
}
