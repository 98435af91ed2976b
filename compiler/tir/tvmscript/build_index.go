package tvmscript

import (
	"hone/compiler/dtype"
	"hone/compiler/tir"
)

// evalIndex indexes a buffer, a list or a type.
func (b *builder) evalIndex(n *indexNode) any {
	x := b.eval(n.x)
	switch v := x.(type) {
	case *tir.Buffer:
		return b.bufferIndex(v, n, false)
	case []any:
		if len(n.items) == 1 {
			if sl, ok := n.items[0].(*sliceNode); ok {
				return b.listSlice(v, sl)
			}
			if i, ok := b.eval(n.items[0]).(int64); ok {
				if i < 0 {
					i += int64(len(v))
				}
				if i >= 0 && i < int64(len(v)) {
					return v[i]
				}
				b.fail(n.at(), "index %d of a list of %d", i, len(v))
			}
		}
	}
	b.fail(n.at(), "a %s cannot be indexed like this", describe(x))
	return nil
}

// listSlice is Python's list[lo:hi:step], whose bounds are cut to the list.
func (b *builder) listSlice(list []any, sl *sliceNode) []any {
	plain := func(n node, open int64) int64 {
		if n == nil {
			return open
		}
		i, ok := b.eval(n).(int64)
		if !ok {
			b.fail(n.at(), "the bounds and the step of this slice have to be plain integers")
		}
		return i
	}
	size := int64(len(list))
	first, last, step := int64(0), size, min(max(plain(sl.step, 1), -size-1), size+1) // a longer one takes one element too
	switch {
	case step == 0:
		b.fail(sl.p, "the step of a slice is not 0")
	case step < 0:
		first, last = size-1, -1
	}
	bound := func(n node, open int64) int64 {
		if n == nil {
			return open
		}
		i := plain(n, open)
		if i < 0 {
			i += size
		}
		return min(max(i, min(first, last)), max(first, last))
	}
	lo, hi := bound(sl.lo, first), bound(sl.hi, last)
	if step == 1 {
		hi = max(lo, hi)
		return list[lo:hi:hi]
	}
	out := []any{}
	for i := lo; step > 0 && i < hi || step < 0 && i > hi; i += step {
		out = append(out, list[i])
	}
	return out
}

// indexItems flattens `A[()]` and `A[*idx]`.
func (b *builder) indexItems(n *indexNode) []node {
	if len(n.items) == 1 {
		switch x := n.items[0].(type) {
		case *listNode:
			if x.tuple {
				return x.items
			}
		case *nameNode: // the name of a tuple
			if v, _ := b.lookup(x.id); isList(v) {
				return []node{&starNode{x.p, x}}
			}
		}
	}
	return n.items
}

// bufferIndex is a load when every dimension has a plain index, otherwise a
// region; a slice with a step is a vector load.
func (b *builder) bufferIndex(buf *tir.Buffer, n *indexNode, stores bool) any {
	items := b.indexItems(n)
	idx := b.ir.exprs.room(len(buf.Shape))
	var ranges []tir.Range // from the first slice on
	stepped := false
	add := func(e tir.Expr) {
		idx = append(idx, e)
		if ranges != nil {
			ranges = append(ranges, point(e))
		}
	}
	for _, it := range items {
		if st, ok := it.(*starNode); ok {
			for _, v := range b.spread(st) {
				add(b.indexOf(v, st.p))
			}
			continue
		}
		sl, ok := it.(*sliceNode)
		if !ok {
			add(b.indexOf(b.eval(it), it.at()))
			continue
		}
		if len(idx) >= len(buf.Shape) {
			b.fail(n.at(), "more than the %d indices of buffer %s", len(buf.Shape), buf.Name)
		}
		r, ramp := b.slice(sl, buf.Shape[len(idx)])
		if ramp != nil && !stores && !b.fn.old {
			b.fail(sl.p, "a slice with a step is the target of a store only; give the elements as an index, T.Ramp(…)")
		}
		if ramp != nil {
			stepped = true
			add(ramp)
			continue
		}
		ranges = append(b.points(buf, idx, ranges), r)
		idx = append(idx, r.Min)
	}
	if len(idx) > len(buf.Shape) {
		b.fail(n.at(), "%d indices for the %d dimensions of buffer %s", len(idx), len(buf.Shape), buf.Name)
	}
	if ranges == nil && len(idx) == len(buf.Shape) {
		return b.ir.load(buf, idx)
	}
	if stepped {
		b.fail(n.at(), "a slice with a step needs plain indices beside it")
	}
	ranges = b.points(buf, idx, ranges)
	for _, dim := range buf.Shape[len(ranges):] {
		ranges = append(ranges, tir.Range{Min: tir.IntOf(0, dim.DType()), Extent: dim})
	}
	return tir.Region{Buffer: buf, Ranges: ranges}
}

// points makes ranges of the indices of buf, unless ranges has them already.
func (b *builder) points(buf *tir.Buffer, idx []tir.Expr, ranges []tir.Range) []tir.Range {
	if ranges != nil {
		return ranges
	}
	ranges = b.ir.ranges.room(len(buf.Shape))
	for _, e := range idx {
		ranges = append(ranges, point(e))
	}
	return ranges
}

func isList(v any) bool { _, ok := v.([]any); return ok }

func point(e tir.Expr) tir.Range { return tir.Range{Min: e, Extent: one(e.DType().Element())} }

// one is the extent of a point whose place has type t.
func one(t dtype.DType) tir.Expr { return tir.Const(1, t) }

// slice evaluates lo:hi, or lo:hi:step as a ramp.
func (b *builder) slice(sl *sliceNode, dim tir.Expr) (tir.Range, tir.Expr) {
	lo, hi := tir.Expr(tir.IntOf(0, dim.DType())), dim
	if sl.lo != nil {
		lo = b.indexExpr(b.eval(sl.lo), sl.lo.at())
	}
	if sl.hi != nil {
		hi = b.indexExpr(b.eval(sl.hi), sl.hi.at())
	}
	if lo.DType().Lanes != 1 || hi.DType().Lanes != 1 {
		b.fail(sl.p, "the bounds of a slice are scalars")
	}
	extent := b.extent(lo, hi)
	if sl.step == nil {
		return tir.Range{Min: lo, Extent: extent}, nil
	}
	step := b.indexExpr(b.eval(sl.step), sl.step.at())
	if tir.IsConst(step, 1) && (!b.fn.old || sl.lo == nil && sl.hi == nil) {
		return tir.Range{Min: lo, Extent: extent}, nil
	}
	lanes := b.steppedLanes(sl.p, extent, step)
	if lanes == 1 {
		return tir.Range{Min: lo, Extent: tir.IntOf(1, lo.DType())}, lo
	}
	base, stride := tir.MatchTypes(lo, step)
	return tir.Range{}, &tir.Ramp{Base: base, Stride: stride, Lanes: lanes}
}

// steppedLanes counts the elements of a slice of an extent with a step.
func (b *builder) steppedLanes(at pos, extent, step tir.Expr) int {
	by, ok := tir.AsInt(step)
	n, constant := tir.AsInt(extent)
	if lanes, scalable := lanesOf(b.arith.Simplify(extent)); ok && scalable && !constant && by > 0 {
		if k := dtype.VScale(lanes); k%int(by) == 0 {
			return dtype.Scalable(k / int(by))
		}
	}
	if !ok || !constant || by == 0 {
		b.fail(at, "a slice with a step needs a constant number of elements")
	}
	lanes := -tir.FloorDivInt(-n, by)
	if lanes < 1 || lanes > dtype.MaxLanes {
		b.fail(at, "the slice has %d elements", lanes)
	}
	return int(lanes)
}

// storeIndices are the indices of a store: slices become ramps.
func (b *builder) storeIndices(buf *tir.Buffer, n *indexNode) []tir.Expr {
	switch v := b.bufferIndex(buf, n, true).(type) {
	case *tir.Load:
		return v.Indices
	case tir.Region:
		if len(b.indexItems(n)) != len(buf.Shape) {
			b.fail(n.at(), "%d indices for the %d dimensions of buffer %s", len(b.indexItems(n)), len(buf.Shape), buf.Name)
		}
		return b.regionLoad(v, n.at()).(*tir.Load).Indices
	}
	return nil
}
