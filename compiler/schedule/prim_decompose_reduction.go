package schedule

import (
	"slices"

	"hone/compiler/tir"
)

//	for i, k: init C[i] at k = 0; C[i] += …   →   for i_init: C[i] = init
//	                                              for i, k: C[i] += …

var kindDecomposeReduction = define(Kind{
	Name: "DecomposeReduction", Doc: "makes a block of its own of a reduction's initialiser",
	Params:  "block, loop",
	In:      []Slot{{Name: "block", Kind: SlotBlock}, {Name: "loop", Kind: SlotLoop}},
	Out:     OutBlock,
	Refuses: []Condition{RootBlock, NotOneScope, LoopPosition, ReductionBlock, Consumers, BodyForm},
})

func init() {
	kindDecomposeReduction.Apply = func(s *Schedule, c Call) error {
		_, err := s.DecomposeReduction(c.block(0), c.loop(1))
		return err
	}
}

// DecomposeReduction moves the initialiser of the reduction block b into a
// block <b>_init right before loop l, which must enclose b and every loop bound
// to its reduce iterators; from l inwards every loop is bound to some iterator.
// b becomes <b>_update and keeps its handle. It returns the new block.
func (s *Schedule) DecomposeReduction(b BlockRV, l LoopRV) (BlockRV, error) {
	const prim = "decompose_reduction"
	st, id, err := s.block(b)
	if err != nil {
		return 0, err.by(prim)
	}
	st2, loop, err := s.loop(l)
	if err == nil {
		if st2 != st {
			err = refuse(NotOneScope, st2.where(loop), "it belongs to another function")
		} else {
			err = st.canDecompose(id, loop)
		}
	}
	if err != nil {
		return 0, err.by(prim)
	}
	out := s.newBlock(st.index, st.decompose(id, loop))
	s.record(kindDecomposeReduction, []any{b, l}, nil, []any{out}, nil)
	return out, nil
}

func (st *state) canDecompose(id, loop nid) *Error {
	if err := st.notRoot(id); err != nil {
		return err
	}
	loops := st.loopsOf(id)
	at := slices.Index(loops, loop)
	if at < 0 {
		return refuse(LoopPosition, st.where(loop), "it does not enclose %s", st.where(id))
	}
	if err := st.needReduction(id); err != nil {
		return err
	}
	if err := st.canSeparate(id, loop); err != nil {
		return err
	}
	n := st.at(id)
	for _, inner := range loops[at:] {
		l := &st.at(inner).loop
		if !tir.IsConst(l.Extent, 1) && !slices.ContainsFunc(n.values, func(e tir.Expr) bool { return usesOne(e, l.Var) }) {
			return refuse(LoopPosition, st.where(loop), "%s would repeat the updates without the initialiser: no iterator is bound to it", st.where(inner))
		}
	}
	for i, it := range n.block.Iters {
		if it.Kind != tir.Reduce {
			continue
		}
		for _, outer := range loops[:at] {
			if usesOne(n.values[i], st.at(outer).loop.Var) {
				return refuse(LoopPosition, st.where(loop), "%s, which is bound to the reduce iterator %s, lies outside of it", st.where(outer), it.Var.Name)
			}
		}
	}
	return nil
}

// canSeparate refuses a block whose initialiser cannot run on its own before a
// loop: it uses buffers of the block, runs under a condition, or some block under
// the loop reads before what it writes.
func (st *state) canSeparate(id, loop nid) *Error {
	for p := id; p != loop; p = st.at(p).parent {
		if st.at(p).kind == kOther {
			return refuse(LoopPosition, st.where(loop), "%s stands under a statement that is no loop", st.where(id))
		}
	}
	b := st.at(id).block
	own := slices.Clone(b.Allocs)
	for _, m := range b.Matches {
		own = append(own, m.Buffer)
	}
	for _, buf := range own {
		if usesBuffer(b.Init, buf) {
			return refuse(BodyForm, st.where(id), "its initialiser uses %s, which belongs to the block", buf.Name)
		}
	}
	for _, o := range st.childBlocks(loop) {
		if o == id {
			break
		}
		for _, w := range b.Writes {
			if reads(st.at(o).block, w.Buffer) {
				return refuse(Consumers, st.where(o), "it reads %s before %s under %s", w.Buffer.Name, st.where(id), st.where(loop))
			}
		}
	}
	return nil
}

// usesBuffer reports whether a statement stores to a buffer or loads from it.
func usesBuffer(s tir.Stmt, buf *tir.Buffer) bool {
	found := false
	w := tir.StmtRewriter{
		Expr: func(e tir.Expr) tir.Expr {
			found = found || tir.LoadsFrom(e, buf)
			return e
		},
		Buffer: func(b *tir.Buffer) *tir.Buffer {
			found = found || b == buf
			return b
		},
	}
	w.Rewrite(s)
	return found
}

func (st *state) decompose(id, loop nid) nid {
	n := st.at(id)
	old := n.block
	init := node{kind: kBlock, affine: yes}
	blk := &tir.Block{Name: old.Name + "_init", Ann: old.Ann, Reads: []tir.Region{}}
	iters := map[*tir.Var]tir.Expr{}
	for i, it := range old.Iters {
		if it.Kind != tir.Spatial {
			continue
		}
		v := tir.NewVar(it.Var.Name, it.Var.Type)
		iters[it.Var] = v
		blk.Iters = append(blk.Iters, &tir.IterVar{Var: v, Dom: it.Dom, Kind: it.Kind})
		init.values = append(init.values, n.values[i])
	}
	loops, vars, starts := st.initLoops(id, loop, init.values)
	for i, v := range init.values {
		init.values[i] = tir.Substitute(v, vars)
	}
	init.pred = tir.True
	a := st.bindLoops(id)
	st.bindShapes(a, 1)
	for _, p := range conjuncts(n.pred) {
		// The initialiser ran where the loops left out are at their start.
		if q := tir.Substitute(p, starts); q == p || !a.CanProve(q) {
			init.pred = tir.And(init.pred, tir.Substitute(q, vars))
		}
	}
	sub := func(e tir.Expr) tir.Expr { return tir.Substitute(e, iters) }
	for _, w := range old.Writes {
		blk.Writes = append(blk.Writes, mapRegion(w, sub))
	}
	w := tir.StmtRewriter{Expr: func(e tir.Expr) tir.Expr { return tir.Substitute(sub(e), vars) }}
	blk.Body = w.Rewrite(old.Init)
	init.block = blk
	if hasBlocks(blk.Body) {
		init.kids = []nid{st.load(blk.Body)}
	}
	top, out := st.nest(loops, init)

	upd := *old
	upd.Name, upd.Init = old.Name+"_update", nil
	upd.Reads = nil
	for _, w := range old.Writes {
		if !reads(old, w.Buffer) {
			upd.Reads = append(upd.Reads, w)
		}
	}
	upd.Reads = append(upd.Reads, old.Reads...)
	st.setBlock(id, &upd)
	st.insertBefore(loop, top)
	st.learnScope(out, st.forsAround(out))
	for _, b := range st.childBlocks(st.scopeOf(id)) {
		st.at(b).cover = yes // the initialisers are new producers
	}
	return out
}

// initLoops copies the loops from top inwards that occur in values. It returns
// their new variables and where those left out start.
func (st *state) initLoops(id, top nid, values []tir.Expr) (loops []tir.For, vars, starts map[*tir.Var]tir.Expr) {
	vars, starts = map[*tir.Var]tir.Expr{}, map[*tir.Var]tir.Expr{}
	around := st.loopsOf(id)
	for _, n := range around[slices.Index(around, top):] {
		l := st.at(n).loop
		used := slices.ContainsFunc(values, func(e tir.Expr) bool { return usesOne(e, l.Var) })
		if !used {
			starts[l.Var] = l.Min
			continue
		}
		v := tir.NewVar(l.Var.Name+"_init", l.Var.Type)
		vars[l.Var] = v
		l.Min, l.Extent = tir.Substitute(l.Min, vars), tir.Substitute(l.Extent, vars)
		l.Var = v
		loops = append(loops, l)
	}
	return loops, vars, starts
}

// conjuncts splits a condition at its conjunctions, left to right.
func conjuncts(e tir.Expr) []tir.Expr {
	if b, ok := e.(*tir.Binary); ok && b.Op == tir.OpAnd {
		return append(conjuncts(b.A), conjuncts(b.B)...)
	}
	if tir.IsConst(e, 1) {
		return nil
	}
	return []tir.Expr{e}
}

func mapRegion(r tir.Region, f func(tir.Expr) tir.Expr) tir.Region {
	out := tir.Region{Buffer: r.Buffer, Ranges: make([]tir.Range, len(r.Ranges))}
	for i, x := range r.Ranges {
		out.Ranges[i] = tir.Range{Min: f(x.Min), Extent: f(x.Extent)}
	}
	return out
}
