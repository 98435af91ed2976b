package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/compiler/tir/arith"
)

//	B[i] = f(i); C[i] = g(B[i])   →   C[i] = g(f(i))

var kindComputeInline = define(Kind{
	Name: "ComputeInline", Doc: "puts what a block computes into its readers",
	Params:  "block",
	In:      []Slot{{Name: "block", Kind: SlotBlock}},
	Refuses: []Condition{RootBlock, StagePipeline, HasInit, BodyForm, CompleteBlock, OutputBlock, OnlyLeaf, SingleAccess, IndexForm},
})

func init() {
	kindComputeInline.Apply = func(s *Schedule, c Call) error { return s.ComputeInline(c.block(0)) }
}

// ComputeInline removes b and puts the value that it stores in the place of
// every load of its buffer. The scope must be a stage pipeline; b must be a
// complete block without initialiser that is neither an output nor the only
// block, and store one value at indices that are its iterators in order (0 for
// those of one value) or a bijective affine map of them.
func (s *Schedule) ComputeInline(b BlockRV) error {
	st, id, err := s.block(b)
	if err == nil {
		var p *inlining
		if p, err = st.canInline(id); err == nil {
			st.inline(p)
		}
	}
	if err != nil {
		return err.by("compute_inline")
	}
	s.record(kindComputeInline, []any{b}, nil, nil, nil)
	return nil
}

// inlining is a checked compute_inline.
type inlining struct {
	id, scope, top nid
	buf            *tir.Buffer
	value          tir.Expr
	inverse        func(idx []tir.Expr) map[*tir.Var]tir.Expr // of the store indices
}

func (st *state) canInline(id nid) (*inlining, *Error) {
	if err := st.notRoot(id); err != nil {
		return nil, err
	}
	p := &inlining{id: id, scope: st.scopeOf(id)}
	if err := st.stagePipeline(p.scope); err != nil {
		return nil, err
	}
	b := st.at(id).block
	switch {
	case b.Init != nil:
		return nil, refuse(HasInit, st.where(id), "it has an initialiser")
	case len(b.Writes) != 1:
		return nil, refuse(BodyForm, st.where(id), "it writes %d buffers", len(b.Writes))
	}
	p.buf = b.Writes[0].Buffer
	if err := st.needComplete(id); err != nil {
		return nil, err
	}
	if st.isOutput(id) {
		return nil, refuse(OutputBlock, st.where(id), "it writes %s, an output of its scope", p.buf.Name)
	}
	var err *Error
	if p.top, err = st.removable(id); err != nil {
		return nil, err
	}
	if err := st.needPlain(p.scope, p.buf); err != nil {
		return nil, err
	}
	store, ok := b.Body.(*tir.Store)
	if !ok || len(st.at(id).kids) > 0 || store.Buffer != p.buf {
		return nil, refuse(BodyForm, st.where(id), "its body is not a single store")
	}
	p.value = store.Value
	if p.inverse = storeInverse(b, store.Indices); p.inverse == nil {
		return nil, refuse(IndexForm, st.where(id), "it does not store at its iterators in order or at a bijective affine map of them")
	}
	return p, nil
}

// needPlain refuses a buffer that a scope uses otherwise than by loads and stores:
// by its pointer, or mapped onto another one.
func (st *state) needPlain(scope nid, buf *tir.Buffer) *Error {
	plain := true
	expr := func(e tir.Expr) tir.Expr {
		tir.Walk(e, func(e tir.Expr) bool {
			r, ok := e.(*tir.BufferRef)
			plain = plain && !(ok && r.Buffer == buf)
			return plain
		})
		return e
	}
	body := st.stmt(scope)
	tir.WalkStmt(body, func(s tir.Stmt) bool {
		if r, ok := s.(*tir.BlockRealize); ok {
			for _, m := range r.Block.Matches {
				plain = plain && m.Source.Buffer != buf
			}
		}
		return plain
	})
	w := tir.StmtRewriter{Expr: expr}
	w.Rewrite(body)
	if !plain {
		return refuse(SingleAccess, st.where(scope), "%s is used by its pointer or mapped onto another buffer", buf.Name)
	}
	return nil
}

// storeInverse gives, for indices of the stored buffer, the values of the
// iterators; nil when the store is not of a form that has them.
func storeInverse(b *tir.Block, idx []tir.Expr) func([]tir.Expr) map[*tir.Var]tir.Expr {
	inOrder := len(b.Iters) == len(idx)
	for i := 0; inOrder && i < len(idx); i++ {
		it := b.Iters[i]
		inOrder = idx[i] == it.Var || tir.IsConst(idx[i], 0) && tir.IsConst(it.Dom.Min, 0) && tir.IsConst(it.Dom.Extent, 1)
	}
	if !inOrder {
		inv := affineInverse(b, idx, arith.Bijective)
		if inv == nil {
			return nil
		}
		values := inv(idx)
		for _, it := range b.Iters {
			if values[it.Var] == nil {
				return nil
			}
		}
		return inv
	}
	return func(at []tir.Expr) map[*tir.Var]tir.Expr {
		out := make(map[*tir.Var]tir.Expr, len(at))
		for i, it := range b.Iters {
			out[it.Var] = at[i]
		}
		return out
	}
}

func (st *state) inline(p *inlining) {
	load := func(e tir.Expr) tir.Expr {
		l, ok := e.(*tir.Load)
		if !ok || l.Buffer != p.buf {
			return e
		}
		return replaceVars(p.value, p.inverse(l.Indices))
	}
	w := tir.StmtRewriter{Expr: func(e tir.Expr) tir.Expr { return tir.RewriteExpr(e, load) }}
	st.bury(p.top, p.id, "compute_inline")
	st.at(p.id).gone = "compute_inline"
	st.cut(p.top, "compute_inline")
	named := signature{}
	named.add(st.at(p.id).block)
	named.add(st.at(p.scope).block)
	for _, k := range slices.Clone(st.at(p.scope).kids) {
		st.inlineBelow(k, p.buf, w.Rewrite, named)
	}
	st.removeAlloc(p.scope, p.buf)
}

// inlineBelow rewrites a subtree and computes the regions of its blocks that read
// buf again, those of inner blocks first: outer regions are made of them.
func (st *state) inlineBelow(id nid, buf *tir.Buffer, f func(tir.Stmt) tir.Stmt, named signature) {
	n := st.at(id)
	again := n.kind == kBlock && reads(n.block, buf)
	if n.kind == kBlock {
		named.add(n.block)
	}
	st.mapShell(id, f)
	for _, k := range slices.Clone(n.kids) {
		st.inlineBelow(k, buf, f, named)
	}
	if again {
		st.infer(id, named)
	}
}

// infer computes the regions of a block of the tree again; they hold no buffer
// that no block names.
func (st *state) infer(id nid, named signature) {
	b := *st.at(id).block
	b.Reads, b.Writes = named.regions(st.fullBlock(st.at(id)))
	st.at(id).block = &b
	st.touch(id)
}

// signature is the set of buffers that blocks declare or allocate. Regions that
// are computed again hold no others: what was hidden from everybody stays so.
type signature map[*tir.Buffer]bool

func (s signature) add(b *tir.Block) {
	for _, r := range slices.Concat(b.Reads, b.Writes) {
		s[r.Buffer] = true
	}
	for _, a := range b.Allocs {
		s[a] = true
	}
}

func (s signature) regions(b *tir.Block) (reads, writes []tir.Region) {
	unnamed := func(r tir.Region) bool { return !s[r.Buffer] }
	reads, writes = analysis.BlockRegions(b)
	return slices.DeleteFunc(reads, unnamed), slices.DeleteFunc(writes, unnamed)
}
