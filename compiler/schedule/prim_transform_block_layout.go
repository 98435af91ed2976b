package schedule

import (
	"fmt"
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/compiler/tir/arith"
)

//	for i, j: B[vi, vj]   with (i, j) → (i * 8 + j)   →   for ax0: B[v0 // 8, v0 % 8]

var kindTransformBlockLayout = define(Kind{
	Name: "TransformBlockLayout", Doc: "lets a block run over new iterators, given by an index map of the old ones",
	Params:  "block, index_map",
	In:      []Slot{{Name: "block", Kind: SlotBlock}},
	Attrs:   []Slot{{Name: "index_map", Kind: SlotMap}},
	Refuses: []Condition{RootBlock, LoopStart, SingleChild, AffineBinding, IndexForm, IterKind, NotInvertible, Predicate},
})

func init() {
	kindTransformBlockLayout.Apply = func(s *Schedule, c Call) error {
		return s.TransformBlockLayout(c.block(0), c.Attrs[0].(*tir.IndexMap))
	}
}

// TransformBlockLayout gives block b an iterator for every result of m, a
// bijection of its iterators, and loops over these. b must be alone in its loops
// and bound to them one by one.
func (s *Schedule) TransformBlockLayout(b BlockRV, m *tir.IndexMap) error {
	const prim = "transform_block_layout"
	st, id, err := s.block(b)
	var p *blockLayout
	if err == nil {
		p, err = st.planBlockLayout(id, m)
	}
	if err != nil {
		return err.by(prim)
	}
	st.layoutBlock(id, p)
	s.record(kindTransformBlockLayout, []any{b}, []any{m}, nil, nil)
	return nil
}

// blockLayout is a checked transform_block_layout.
type blockLayout struct {
	loops  []nid // the old ones
	nest   []tir.For
	iters  []*tir.IterVar
	values []tir.Expr
	by     map[*tir.Var]tir.Expr // the old iterators by the new ones
}

func (st *state) planBlockLayout(id nid, m *tir.IndexMap) (*blockLayout, *Error) {
	if err := st.notRoot(id); err != nil {
		return nil, err
	}
	p := &blockLayout{loops: st.loopsOf(id)}
	if len(p.loops) == 0 {
		return nil, refuse(SingleChild, st.where(id), "it stands in no loop that new ones could replace")
	}
	if err := st.aloneAndTrivial(id, p.loops); err != nil {
		return nil, err
	}
	b := st.at(id).block
	t := dtype.Int32
	extents, old := make([]tir.Expr, len(b.Iters)), make([]tir.Expr, len(b.Iters))
	for i, it := range b.Iters {
		if !tir.IsConst(it.Dom.Min, 0) {
			return nil, refuse(LoopStart, st.where(id), "iterator %s does not start at 0", it.Var.Name)
		}
		extents[i], old[i], t = it.Dom.Extent, it.Var, it.Var.Type
	}
	typed, why := typedMap(m, len(b.Iters), t)
	if why != "" {
		return nil, refuse(IndexForm, st.where(id), "iterators: %s", why)
	}
	a := st.shapeBounds()
	shape, e := a.MapShape(typed, extents)
	if e != nil {
		return nil, refuse(NotInvertible, st.where(id), "%v", e)
	}
	if err := p.axes(st, id, typed, shape, old, a); err != nil {
		return nil, err
	}
	inv, e := a.Inverse(typed, extents)
	if e != nil {
		return nil, refuse(NotInvertible, st.where(id), "%v", e)
	}
	p.by = map[*tir.Var]tir.Expr{}
	now := make([]tir.Expr, len(p.iters))
	for i, it := range p.iters {
		now[i] = it.Var
	}
	for i, e := range inv.Apply(now) {
		p.by[b.Iters[i].Var] = a.Simplify(e)
	}
	return p, nil
}

// aloneAndTrivial refuses a block that shares its loops, or is not bound to them
// one by one.
func (st *state) aloneAndTrivial(id nid, loops []nid) *Error {
	fors := make([]*tir.For, len(loops))
	for i, l := range loops {
		fors[i] = &st.at(l).loop
		if !tir.IsConst(fors[i].Min, 0) {
			return refuse(LoopStart, st.where(l), "it does not start at 0")
		}
	}
	for n := id; n != loops[0]; {
		if n = st.at(n).parent; st.at(n).kind != kLoop {
			return refuse(SingleChild, st.where(loops[0]), "it holds more than %s", st.where(id))
		}
	}
	n := st.at(id)
	if !analysis.TrivialBinding(&tir.BlockRealize{Values: n.values, Predicate: n.pred, Block: n.block}, fors) {
		return refuse(AffineBinding, st.where(id), "its iterators are not bound to its loops one by one")
	}
	if !tir.IsConst(n.pred, 1) {
		return refuse(Predicate, st.where(id), "its predicate is about loops that would go")
	}
	return nil
}

// axes makes the new loops and iterators.
func (p *blockLayout) axes(st *state, id nid, m *tir.IndexMap, shape, old []tir.Expr, a *arith.Analyzer) *Error {
	iters := st.at(id).block.Iters
	for i, e := range m.Apply(old) {
		e = a.Simplify(e)
		kind, ok := tir.Spatial, true
		if !tir.IsConst(shape[i], 1) {
			kind, ok = iterKindOf(e, iters)
		}
		if !ok {
			return refuse(IterKind, st.where(id), "new iterator %d is of iterators of different kinds, or of none", i)
		}
		t := e.DType()
		v, l := tir.NewVar(fmt.Sprintf("v%d", i), t), tir.NewVar(fmt.Sprintf("ax%d", i), t)
		n := tir.NewCast(t, shape[i])
		p.iters = append(p.iters, &tir.IterVar{Var: v, Dom: tir.Range{Min: tir.IntOf(0, t), Extent: n}, Kind: kind})
		p.nest = append(p.nest, tir.For{Var: l, Min: tir.IntOf(0, t), Extent: n})
		p.values = append(p.values, l)
	}
	return nil
}

// iterKindOf is the kind that all iterators in an expression have.
func iterKindOf(e tir.Expr, iters []*tir.IterVar) (kind tir.IterKind, ok bool) {
	mixed := false
	tir.Walk(e, func(e tir.Expr) bool {
		i := slices.IndexFunc(iters, func(it *tir.IterVar) bool { return tir.Expr(it.Var) == e })
		switch {
		case i < 0:
		case !ok:
			kind, ok = iters[i].Kind, true
		case kind != iters[i].Kind:
			mixed = true
		}
		return true
	})
	return kind, ok && !mixed && (kind == tir.Spatial || kind == tir.Reduce)
}

func (st *state) layoutBlock(id nid, p *blockLayout) {
	const prim = "transform_block_layout"
	n := st.at(id)
	w := tir.StmtRewriter{Expr: func(e tir.Expr) tir.Expr { return replaceVars(e, p.by) }}
	whole := w.Rewrite(&tir.BlockRealize{Predicate: tir.True, Block: st.fullBlock(n)}).(*tir.BlockRealize)
	b := *whole.Block
	b.Iters = p.iters
	b = *simplifyAccesses(&b)
	for _, k := range n.kids {
		st.eachShell(k, func(x nid) { st.at(x).gone = prim })
	}
	n.block, n.values, n.kids, n.closed = &b, p.values, nil, unknown
	if hasBlocks(b.Body) {
		st.setKids(id, st.load(b.Body))
		st.learnScope(id, nil)
	}
	st.touch(id)
	top := id
	for i := len(p.nest) - 1; i >= 0; i-- {
		top = st.add(node{kind: kLoop, loop: p.nest[i], kids: []nid{top}})
	}
	st.replace(p.loops[0], top)
	for _, l := range p.loops {
		st.at(l).gone = prim
	}
	st.touch(id)
}

// replaceVars replaces variables and folds nothing.
func replaceVars(e tir.Expr, by map[*tir.Var]tir.Expr) tir.Expr {
	return tir.RewriteExpr(e, func(e tir.Expr) tir.Expr {
		if v, ok := e.(*tir.Var); ok && by[v] != nil {
			return by[v]
		}
		return e
	})
}

// simplifyAccesses brings the indices and regions in a block to normal form.
func simplifyAccesses(b *tir.Block) *tir.Block {
	r := accessContext{}
	s := &tir.BlockRealize{Predicate: tir.True, Block: b}
	r.noteStmt(s, nil)
	a := arith.NewAnalyzer()
	load := func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.Load); ok {
			return &tir.Load{Buffer: l.Buffer, Indices: r.simplify(l.Indices, r.around(l.Indices))}
		}
		return e
	}
	regions := func(rs []tir.Region) []tir.Region {
		out := make([]tir.Region, len(rs))
		for i, rg := range rs {
			out[i] = tir.Region{Buffer: rg.Buffer, Ranges: slices.Clone(rg.Ranges)}
			mins := make([]tir.Expr, len(rg.Ranges))
			for d, x := range rg.Ranges {
				mins[d] = x.Min
			}
			for d, e := range r.simplify(mins, nil) {
				out[i].Ranges[d] = tir.Range{Min: e, Extent: a.Simplify(rg.Ranges[d].Extent)}
			}
		}
		return out
	}
	w := tir.StmtRewriter{
		Expr: func(e tir.Expr) tir.Expr { return tir.RewriteExpr(e, load) },
		Stmt: func(s tir.Stmt) tir.Stmt {
			switch x := s.(type) {
			case *tir.Store:
				return &tir.Store{Buffer: x.Buffer, Value: x.Value, Indices: r.simplify(x.Indices, r.around(x.Indices))}
			case *tir.BlockRealize:
				c := *x.Block
				c.Reads, c.Writes = regions(c.Reads), regions(c.Writes)
				return &tir.BlockRealize{Values: x.Values, Predicate: x.Predicate, Block: &c}
			}
			return s
		},
	}
	return w.Rewrite(s).(*tir.BlockRealize).Block
}
