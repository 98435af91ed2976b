package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

// scopeOf is the block that holds a node, none for the root block.
func (st *state) scopeOf(id nid) nid {
	for p := st.at(id).parent; p != none; p = st.at(p).parent {
		if st.at(p).kind == kBlock {
			return p
		}
	}
	return none
}

// loopsOf lists the loops around a node up to its scope, outermost first.
func (st *state) loopsOf(id nid) []nid {
	var out []nid
	for p := st.at(id).parent; p != none && st.at(p).kind != kBlock; p = st.at(p).parent {
		if st.at(p).kind == kLoop {
			out = append(out, p)
		}
	}
	slices.Reverse(out)
	return out
}

// loopsUpTo lists the loops around a node up to block scope, those around blocks
// in between too.
func (st *state) loopsUpTo(id, scope nid) []nid {
	out := st.loopsOf(id)
	for b := st.scopeOf(id); b != scope && b != none; b = st.scopeOf(b) {
		out = append(st.loopsOf(b), out...)
	}
	return out
}

// childBlocks lists the blocks below a node in order, none inside another.
func (st *state) childBlocks(id nid) []nid {
	return st.appendBlocks(nil, id)
}

func (st *state) appendBlocks(out []nid, id nid) []nid {
	for _, k := range st.at(id).kids {
		if st.at(k).kind == kBlock {
			out = append(out, k)
		} else {
			out = st.appendBlocks(out, k)
		}
	}
	return out
}

// within reports whether id is top or lies below it.
func (st *state) within(id, top nid) bool {
	for ; id != none; id = st.at(id).parent {
		if id == top {
			return true
		}
	}
	return false
}

// childToward is the kid of top on the way down to id, which lies below top.
func (st *state) childToward(top, id nid) nid {
	for st.at(id).parent != top {
		id = st.at(id).parent
	}
	return id
}

// lca is the lowest node that a and b lie in or are.
func (st *state) lca(a, b nid) nid {
	for !st.within(b, a) {
		a = st.at(a).parent
	}
	return a
}

// free empties the schedule's scratch analyzer, which then knows nothing.
func (st *state) free() *arith.Analyzer {
	if st.scratch == nil {
		st.scratch = arith.NewAnalyzer()
	}
	st.scratch.Reset()
	return st.scratch
}

// bindLoops makes the schedule's scratch analyzer know every loop around a
// node; it forgets what it knew.
func (st *state) bindLoops(id nid) *arith.Analyzer {
	a := st.free()
	var chain [24]nid
	loops := chain[:0]
	for p := st.at(id).parent; p != none; p = st.at(p).parent {
		if st.at(p).kind == kLoop {
			loops = append(loops, p)
		}
	}
	for i := len(loops) - 1; i >= 0; i-- {
		l := &st.at(loops[i]).loop
		a.Bind(l.Var, tir.Range{Min: l.Min, Extent: l.Extent})
	}
	return a
}

// bindShapes says that the variables which are extents of parameters have a least
// value.
func (st *state) bindShapes(a *arith.Analyzer, least int64) {
	for _, b := range st.fn.Buffers() {
		for _, n := range b.Shape {
			if v, ok := n.(*tir.Var); ok {
				a.BindBound(v, arith.Bound{Lo: least, Hi: arith.PosInf})
			}
		}
	}
}

func reads(b *tir.Block, buf *tir.Buffer) bool  { return region(b.Reads, buf) != nil }
func writes(b *tir.Block, buf *tir.Buffer) bool { return region(b.Writes, buf) != nil }

// region finds the region of a buffer.
func region(rs []tir.Region, buf *tir.Buffer) *tir.Region {
	for i := range rs {
		if rs[i].Buffer == buf {
			return &rs[i]
		}
	}
	return nil
}

// producers lists the blocks of the scope whose writes b reads or overwrites:
// blocks before it, in the order of b's regions and then of the scope.
func (st *state) producers(b nid) []nid {
	scope := st.scopeOf(b)
	if scope == none {
		return nil
	}
	sibs := st.childBlocks(scope)
	before := sibs[:slices.Index(sibs, b)]
	var out []nid
	add := func(rs []tir.Region) {
		for _, r := range rs {
			for _, p := range before {
				if writes(st.at(p).block, r.Buffer) && !slices.Contains(out, p) {
					out = append(out, p)
				}
			}
		}
	}
	add(st.at(b).block.Reads)
	add(st.at(b).block.Writes)
	return out
}

// consumers lists the blocks after b that read or overwrite what b writes.
func (st *state) consumers(b nid) []nid {
	scope := st.scopeOf(b)
	if scope == none {
		return nil
	}
	sibs := st.childBlocks(scope)
	var out []nid
	for _, c := range sibs[slices.Index(sibs, b)+1:] {
		for _, w := range st.at(b).block.Writes {
			if cb := st.at(c).block; reads(cb, w.Buffer) || writes(cb, w.Buffer) {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

// isOutput reports whether a block writes a buffer that its scope does not own.
func (st *state) isOutput(b nid) bool {
	scope := st.scopeOf(b)
	return scope == none || st.writesOutput(b, scope)
}

// writesOutput is isOutput for a block that may lie deeper in the scope.
func (st *state) writesOutput(b, scope nid) bool {
	for _, w := range st.at(b).block.Writes {
		if !slices.Contains(st.at(scope).block.Allocs, w.Buffer) {
			return true
		}
	}
	return false
}

// owner finds the block that allocates a buffer.
func (st *state) owner(id nid, buf *tir.Buffer) (nid, bool) {
	for n := id; n != none; n = st.at(n).parent {
		if st.at(n).kind == kBlock && slices.Contains(st.at(n).block.Allocs, buf) {
			return n, true
		}
	}
	return none, false
}
