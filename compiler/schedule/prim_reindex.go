package schedule

import (
	"fmt"
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/compiler/tir/arith"
)

//	C[i, j] += A[i + k] * …   →   A_reindex[i, k] = A[i + k]
//	                              C[i, j] += A_reindex[i, k] * …

var kindReIndex = define(Kind{
	Name: "ReIndex", Doc: "copies a buffer into a layout indexed by the iterators of a block",
	Params: "block, buffer",
	In:     []Slot{{Name: "block", Kind: SlotBlock}},
	Attrs:  []Slot{{Name: "buffer_index", Kind: SlotInt}, {Name: "buffer_index_type", Kind: SlotFlag}}, Out: OutBlock,
	Refuses: []Condition{BadArgument, RootBlock, StagePipeline, BodyForm, SingleAccess, SingleChild, LoopPosition, Producers, Consumers, IndexForm, SingleWriter},
})

func init() {
	kindReIndex.Apply = func(s *Schedule, c Call) error {
		_, err := s.ReIndex(c.block(0), c.int(0), c.flag(1))
		return err
	}
}

// ReIndex adds a stage that copies the buffer which b reads (or, with write,
// writes) as its index-th from (to) a new buffer with one dimension per iterator
// of b that its indices use, and makes b access that. b must access the buffer
// at one place only; the scope must be a stage pipeline. It returns the copy
// block.
func (s *Schedule) ReIndex(b BlockRV, index int, write bool) (BlockRV, error) {
	const prim = "reindex"
	st, id, err := s.block(b)
	var n nid
	if err == nil {
		n, err = st.reindex(id, index, write)
	}
	if err != nil {
		return 0, err.by(prim)
	}
	out := s.newBlock(st.index, n)
	s.record(kindReIndex, []any{b}, []any{int64(index), flag(write)}, []any{out}, nil)
	return out, nil
}

// onlyAccess returns the indices of all loads and stores of a buffer in a block
// when they are the same. An initialiser alone does not count.
func (st *state) onlyAccess(id nid, buf *tir.Buffer) ([]tir.Expr, *Error) {
	var idx []tir.Expr
	same, opaque := true, false
	see := func(at []tir.Expr) {
		if idx == nil {
			idx = at
		}
		for i := range at {
			same = same && arith.Same(idx[i], at[i])
		}
	}
	load := func(e tir.Expr) bool {
		switch x := e.(type) {
		case *tir.Load:
			if x.Buffer == buf {
				see(x.Indices)
			}
		case *tir.BufferRef:
			opaque = opaque || x.Buffer == buf
		}
		return true
	}
	visit := func(s tir.Stmt) bool {
		if x, ok := s.(*tir.Store); ok && x.Buffer == buf {
			see(x.Indices)
		}
		tir.StmtExprs(s, func(e tir.Expr) { tir.Walk(e, load) })
		return true
	}
	n := st.at(id)
	tir.WalkStmt(n.block.Body, visit)
	absent := idx == nil
	tir.WalkStmt(n.block.Init, visit)
	switch {
	case len(n.kids) > 0:
		return nil, refuse(BodyForm, st.where(id), "it has blocks inside")
	case opaque:
		return nil, refuse(SingleAccess, st.where(id), "it takes a pointer to %s", buf.Name)
	case absent:
		return nil, refuse(SingleAccess, st.where(id), "it does not access %s itself", buf.Name)
	case !same:
		return nil, refuse(SingleAccess, st.where(id), "it accesses %s at several places", buf.Name)
	}
	return idx, nil
}

func (st *state) reindex(id nid, index int, write bool) (nid, *Error) {
	buf, err := st.accessed(id, index, write)
	if err == nil {
		err = st.notRoot(id)
	}
	if err != nil {
		return none, err
	}
	scope := st.scopeOf(id)
	if err := st.stagePipeline(scope); err != nil {
		return none, err
	}
	idx, err := st.onlyAccess(id, buf)
	if err != nil {
		return none, err
	}
	for _, f := range []func() *Error{
		func() *Error { return st.needOneWay(id, buf, idx, write) },
		func() *Error { return st.needChain(id) },
		func() *Error { return st.wholeAround(scope, id, buf, write) },
		func() *Error { return st.knownOutside(id, buf, idx) },
		func() *Error { return st.readyIndices(scope, id, idx, st.beside(scope, id)) },
	} {
		if err := f(); err != nil {
			return none, err
		}
	}
	r := &reindexing{old: buf, write: write, sub: map[*tir.Var]tir.Expr{}}
	a := arith.NewAnalyzer()
	for _, it := range st.at(id).block.Iters {
		a.Bind(it.Var, it.Dom)
	}
	for _, e := range idx {
		if s := a.Simplify(e); !isConstant(s) {
			e = s
		}
		r.target = append(r.target, e)
	}
	if err := st.insideBuffer(id, buf, r.target, st.at(id).pred); err != nil {
		return none, err
	}
	top, out := r.build(st, st.at(id).block)
	declared := st.at(id).block
	st.mapShell(id, r.redirect)
	b := *st.at(id).block // loads in the regions of other buffers stay as they were
	b.Reads, b.Writes, b.Matches = r.swap(declared.Reads), r.swap(declared.Writes), r.swapMatches(declared.Matches)
	st.at(id).block = &b
	member := st.memberOf(scope, id)
	if write {
		st.insertAfter(member, top)
	} else {
		st.insertBefore(member, top)
	}
	st.addAlloc(scope, r.new)
	return out, nil
}

// needOneWay refuses a block for which one copy does not do: it reads and writes
// the buffer, or writes less than the copy.
func (st *state) needOneWay(id nid, buf *tir.Buffer, idx []tir.Expr, write bool) *Error {
	if write {
		if err := st.needFreshWrite(id, buf); err != nil {
			return err
		}
		return st.fillsDomain(st.scopeOf(id), id, buf, idx)
	}
	if writes(st.at(id).block, buf) {
		return refuse(SingleAccess, st.where(id), "it reads and writes %s", buf.Name)
	}
	return nil
}

// isConstant reports an integer literal: what an iterator of extent one becomes,
// which the copy shall keep.
func isConstant(e tir.Expr) bool {
	_, ok := tir.AsInt(e)
	return ok
}

// needChain refuses a block whose loops have more in them than the next loop, and
// one without loops.
func (st *state) needChain(id nid) *Error {
	loops := st.loopsOf(id)
	if len(loops) == 0 {
		return refuse(LoopPosition, st.where(id), "no loop stands around it")
	}
	for i, l := range loops[1:] {
		if st.at(l).parent != loops[i] {
			return refuse(SingleChild, st.where(loops[i]), "it holds more than %s", st.where(l))
		}
	}
	return nil
}

// insideBuffer refuses indices that may leave the buffer where the block accesses
// it under a condition, pred or one inside, that the copy does not have.
func (st *state) insideBuffer(id nid, buf *tir.Buffer, idx []tir.Expr, pred tir.Expr) *Error {
	n := st.at(id)
	if !analysis.HasIfThenElse(&tir.BlockRealize{Predicate: pred, Block: n.block}) {
		return nil
	}
	r := relaxer{a: st.bindOuter(st.scopeOf(id))}
	for _, it := range n.block.Iters {
		r.add(it.Var, arith.RangeInterval(it.Dom))
	}
	for d, e := range idx {
		in, size := r.eval(e), buf.Shape[d]
		if !in.Bounded() || !r.a.CanProve(tir.CompareFold(tir.OpGE, in.Lo, tir.IntOf(0, in.Lo.DType()))) || !r.a.CanProve(tir.CompareFold(tir.OpLT, in.Hi, size)) {
			return refuse(IndexForm, st.where(id), "its index %d of %s may lie outside of the buffer", d, buf.Name)
		}
	}
	return nil
}

// wholeAround refuses a stage that would copy a whole buffer outside of the
// statement in which parts of it are made and used.
func (st *state) wholeAround(scope, id nid, buf *tir.Buffer, write bool) *Error {
	others, cond := st.writersOf(scope, buf), Producers
	if write {
		others, cond = append(others, st.readersOf(scope, buf)...), Consumers
		for _, l := range st.loopsAround(scope) {
			if slices.ContainsFunc(st.at(id).values, func(e tir.Expr) bool { return usesOne(e, l.Var) }) {
				return refuse(LoopPosition, st.where(id), "loop %s, outside of its scope, chooses a part of %s for it", l.Var.Name, buf.Name)
			}
		}
	}
	for _, o := range others {
		if o != id && st.memberOf(scope, o) == st.memberOf(scope, id) {
			return refuse(cond, st.where(o), "it shares a loop with %s, so %s is not whole outside of it", st.where(id), buf.Name)
		}
	}
	return nil
}

// memberOf is the statement of a scope's body that holds a block.
func (st *state) memberOf(scope, id nid) nid {
	body := st.at(scope).kids[0]
	if st.at(body).kind == kSeq {
		return st.childToward(body, id)
	}
	return body
}

// beside is the place before the statement of a scope's body that holds a block.
func (st *state) beside(scope, id nid) place {
	return place{scope, slices.Index(st.members(st.at(scope).kids[0]), st.memberOf(scope, id))}
}

// reindexing is the stage of one reindex.
type reindexing struct {
	old, new *tir.Buffer
	write    bool
	target   []tir.Expr // indices of the old buffer, over the block's iterators
	kept     []tir.Expr // the block's iterators that they use
	sub      map[*tir.Var]tir.Expr
}

func (r *reindexing) build(st *state, b *tir.Block) (top, id nid) {
	var loops []tir.For
	var values, shape, own []tir.Expr
	var iters []*tir.IterVar
	for _, it := range b.Iters {
		if !slices.ContainsFunc(r.target, func(e tir.Expr) bool { return usesOne(e, it.Var) }) {
			continue
		}
		t := it.Var.Type
		l := tir.NewVar(fmt.Sprintf("ax%d", len(loops)), t)
		v := tir.NewVar(fmt.Sprintf("v%d", len(loops)), t)
		loops = append(loops, tir.For{Var: l, Min: it.Dom.Min, Extent: it.Dom.Extent})
		iters = append(iters, &tir.IterVar{Var: v, Dom: it.Dom, Kind: tir.Spatial})
		values, own = append(values, l), append(own, v)
		shape = append(shape, tir.Add(it.Dom.Min, it.Dom.Extent))
		r.kept = append(r.kept, it.Var)
		r.sub[it.Var] = v
	}
	c := *r.old
	c.Name, c.Strides = r.old.Name+"_reindex", nil
	reshape(&c, shape)
	r.new = &c
	far := tir.SubstituteAll(r.target, r.sub)
	src, dst, from, to := r.old, r.new, far, own
	name := r.new.Name + "_reindex"
	if r.write {
		src, dst, from, to = r.new, r.old, own, far
		name = r.new.Name
	}
	return st.nest(loops, node{kind: kBlock, block: copyBlock(name, iters, src, from, dst, to), values: values, pred: tir.True, affine: yes})
}

// redirect makes every access of a block one to the new buffer.
func (r *reindexing) redirect(s tir.Stmt) tir.Stmt {
	load := func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.Load); ok && l.Buffer == r.old {
			return &tir.Load{Buffer: r.new, Indices: r.kept}
		}
		return e
	}
	w := tir.StmtRewriter{
		Expr: func(e tir.Expr) tir.Expr { return tir.RewriteExpr(e, load) },
		Stmt: func(s tir.Stmt) tir.Stmt {
			switch x := s.(type) {
			case *tir.Store:
				if x.Buffer == r.old {
					return &tir.Store{Buffer: r.new, Value: x.Value, Indices: r.kept}
				}
			case *tir.BlockRealize:
				b := *x.Block
				b.Reads, b.Writes, b.Matches = r.swap(b.Reads), r.swap(b.Writes), r.swapMatches(b.Matches)
				return &tir.BlockRealize{Values: x.Values, Predicate: x.Predicate, Block: &b}
			}
			return s
		},
	}
	return w.Rewrite(s)
}

// swap puts the new buffer into the regions of the old one.
func (r *reindexing) swap(rs []tir.Region) []tir.Region {
	out := slices.Clone(rs)
	for i := range out {
		if out[i].Buffer == r.old {
			out[i] = pointRegion(r.new, r.kept)
		}
	}
	return out
}

func (r *reindexing) swapMatches(ms []tir.MatchRegion) []tir.MatchRegion {
	out := slices.Clone(ms)
	for i, m := range out {
		out[i].Source = r.swap([]tir.Region{m.Source})[0]
	}
	return out
}
