package schedule

import (
	"slices"

	"hone/compiler/tir"
)

var kindAnnotateBufferAccess = define(Kind{
	Name: "AnnotateBufferAccess", Doc: "declares a region that a block accesses",
	Params: "block, buffer_index, buf_type, gen_new_ranges",
	In: []Slot{{Name: "block", Kind: SlotBlock, Handle: true}, {Name: "buffer_index", Kind: SlotInt},
		{Name: "buf_type", Kind: SlotInt}, {Name: "gen_new_ranges", Kind: SlotMap}},
	Refuses: []Condition{BadArgument, IndexForm},
})

func init() {
	kindAnnotateBufferAccess.Apply = func(s *Schedule, c Call) error {
		i, what := c.expr(1).Value(), c.expr(2).Value()
		if int64(int32(i)) != i || what != 0 && what != 1 {
			return refuse(BadArgument, "", "buffer %d of kind %d, want a small index and 0 or 1", i, what).by("annotate_buffer_access")
		}
		return s.AnnotateBufferAccess(c.block(0), int(i), what == 1, c.Inputs[3].(*tir.IndexMap))
	}
}

// AnnotateBufferAccess sets the region of the i-th buffer that b reads or writes.
// ranges gives begin and end of every dimension over b's iterators, of which there
// are as many as dimensions. Blocks inside get the same region as their i-th, which
// they must have. The blocks are marked, so that the storage of the buffer is planned
// for the declared region and not for the accesses found in their bodies.
func (s *Schedule) AnnotateBufferAccess(b BlockRV, i int, write bool, ranges *tir.IndexMap) error {
	st, id, err := s.block(b)
	if err == nil {
		err = st.declare(id, i, write, ranges)
	}
	if err != nil {
		return err.by("annotate_buffer_access")
	}
	s.record(kindAnnotateBufferAccess, []any{b, int64(i), flag(write), ranges}, nil, nil, nil)
	return nil
}

func (st *state) declare(id nid, i int, write bool, ranges *tir.IndexMap) *Error {
	buf, err := st.accessed(id, i, write)
	if err != nil {
		return err
	}
	b := *st.at(id).block
	switch {
	case len(ranges.Initial) != len(b.Iters):
		return refuse(IndexForm, st.where(id), "the ranges are of %d iterators, it has %d", len(ranges.Initial), len(b.Iters))
	case len(ranges.Final) != 2*len(buf.Shape) || len(buf.Shape) != len(b.Iters):
		return refuse(IndexForm, st.where(id), "%d ends of ranges given, %s has %d dimensions", len(ranges.Final), buf.Name, len(buf.Shape))
	case slices.ContainsFunc(ranges.Final, func(e tir.Expr) bool {
		return tir.UsesVar(e, func(v *tir.Var) bool { return !slices.Contains(ranges.Initial, v) })
	}):
		return refuse(IndexForm, st.where(id), "the ranges use variables that are not their own")
	}
	vars := make([]tir.Expr, len(b.Iters))
	for k, it := range b.Iters {
		vars[k] = it.Var
	}
	a := st.free()
	ends := ranges.Apply(vars)
	declared := tir.Region{Buffer: buf, Ranges: make([]tir.Range, len(buf.Shape))}
	for d := range declared.Ranges {
		lo, hi := a.Simplify(ends[2*d]), a.Simplify(ends[2*d+1])
		declared.Ranges[d] = tir.Range{Min: lo, Extent: a.Simplify(tir.Sub(hi, lo))}
	}
	return st.declareAll(id, i, write, declared)
}

// declareAll gives a region to a block and to all blocks inside, as their i-th.
func (st *state) declareAll(id nid, i int, write bool, r tir.Region) *Error {
	var err *Error
	set := func(s tir.Stmt) tir.Stmt {
		x, ok := s.(*tir.BlockRealize)
		if !ok {
			return s
		}
		b := *x.Block
		regions, key := &b.Reads, KeyExplicitReads
		if write {
			regions, key = &b.Writes, KeyExplicitWrites
		}
		if i >= len(*regions) {
			err = refuse(IndexForm, st.where(id), "block %s inside has no region %d to declare too", b.Name, i)
			return s
		}
		*regions = slices.Clone(*regions)
		(*regions)[i] = r
		if b.Ann, ok = withIndex(b.Ann, key, int64(i)); !ok {
			err = refuse(BadArgument, st.where(id), "annotation %s of block %s is no list of integers", key, b.Name)
		}
		return &tir.BlockRealize{Values: x.Values, Predicate: x.Predicate, Block: &b}
	}
	w := tir.StmtRewriter{Stmt: set}
	if w.Rewrite(st.stmt(id)); err == nil { // tried on a copy first
		st.eachShell(id, func(k nid) { st.mapShell(k, w.Rewrite) })
	}
	return err
}

// withIndex adds an index to a list of them; false where there is something else.
func withIndex(ann tir.Annotations, key string, i int64) (tir.Annotations, bool) {
	v, there := ann.Get(key)
	list, ok := v.([]any)
	ok = ok || !there
	for _, x := range list {
		_, isInt := x.(int64)
		ok = ok && isInt
	}
	if slices.Contains(list, any(i)) {
		return ann, ok
	}
	return ann.With(key, append(slices.Clip(list), i)), ok
}
