package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

//	for i0, i1: B[i0*16 + i1]   →   for i0: block B_o at vi_o = i0:
//	                                    for i1: B[vi_o*16 + i1]

var kindBlockize = define(Kind{
	Name: "Blockize", Doc: "makes a block of what a loop, or a list of blocks, does",
	Params:  "target, preserve_unit_iters=True",
	In:      []Slot{{Name: "target", Kind: SlotGroup}},
	Attrs:   []Slot{{Name: "preserve_unit_iters", Kind: SlotBool}},
	Out:     OutBlock,
	Refuses: []Condition{SingleChild, AffineBinding, Predicate, NotOneScope, RootBlock, LoopPosition, HasInit, BadArgument},
})

func init() {
	kindBlockize.Apply = func(s *Schedule, c Call) error {
		units := c.Attrs[0].(bool)
		if l, ok := c.Inputs[0].(LoopRV); ok {
			_, err := s.Blockize(l, units)
			return err
		}
		_, err := s.BlockizeBlocks(c.blocks(0), units)
		return err
	}
}

// Blockize makes a block <block>_o of loop l and everything below it, which is
// one block. Each iterator of the block becomes an outer one, bound by the loops
// above l, and an inner one, bound by l and the loops below; its binding has to
// divide so. An initialiser becomes one of the outer block: a block
// <block>_init in a copy of the inner loops. Iterators of extent 1 stay iterators
// if preserveUnitIters is set. The handle of the block is the inner one; the
// outer one is returned.
func (s *Schedule) Blockize(l LoopRV, preserveUnitIters bool) (BlockRV, error) {
	const prim = "blockize"
	st, loop, err := s.loop(l)
	var p *blockizing
	if err == nil {
		p, err = st.canBlockize(loop, preserveUnitIters)
	}
	if err != nil {
		return 0, err.by(prim)
	}
	outer := st.blockize(p)
	st.relearn(st.scopeOf(outer))
	out := s.newBlock(st.index, outer)
	s.record(kindBlockize, []any{l}, []any{preserveUnitIters}, []any{out}, nil)
	return out, nil
}

// blockizing is a checked blockize: a block, its loops that become inner ones,
// from it outwards, and how its iterators divide.
type blockizing struct {
	id    nid
	loops []nid
	*division
}

func (st *state) canBlockize(loop nid, units bool) (*blockizing, *Error) {
	blocks := st.childBlocks(loop)
	if len(blocks) != 1 {
		return nil, refuse(SingleChild, st.where(loop), "%d blocks lie under it", len(blocks))
	}
	p := &blockizing{id: blocks[0]}
	for n := p.id; n != loop; {
		n = st.at(n).parent
		if st.at(n).kind != kLoop {
			return nil, refuse(SingleChild, st.where(loop), "it holds more than loops around %s", st.where(p.id))
		}
		p.loops = append(p.loops, n)
	}
	var err *Error
	if p.division, err = st.divide(p.id, p.loops, units); err != nil {
		return nil, err
	}
	if st.at(p.id).block.Init != nil && st.lacksLoops(p) {
		return nil, refuse(Predicate, st.where(p.id), "the initialiser would depend on the loops of a reduction")
	}
	return p, nil
}

// lacksLoops reports whether the inner predicate needs a loop that the copy of
// the initialiser does not have, as no spatial iterator is bound to it.
func (st *state) lacksLoops(p *blockizing) bool {
	for _, l := range p.loops {
		v := st.at(l).loop.Var
		bound := slices.ContainsFunc(p.inner.pairs(), func(x iterPair) bool {
			return x.iter.Kind == tir.Spatial && usesOne(x.value, v)
		})
		if !bound && usesOne(p.inner.pred, v) {
			return true
		}
	}
	return false
}

// blockize performs it and returns the outer block.
func (st *state) blockize(p *blockizing) nid {
	top := p.loops[len(p.loops)-1]
	outer := &tir.Block{Name: st.at(p.id).block.Name + "_o", Iters: p.outer.iters}
	outer.Reads, outer.Writes, outer.Init = st.enterInner(p)
	outer.Body = st.stmt(top)
	parent := st.at(top).parent
	id := st.add(node{kind: kBlock, block: outer, values: p.outer.values, pred: p.outer.pred, parent: parent})
	st.replace(top, id)
	st.setKids(id, top)
	return id
}

// enterInner rewrites the block to its inner iterators. It returns what the
// outer one reads and writes, and its initialiser.
func (st *state) enterInner(p *blockizing) (reads, writes []tir.Region, init tir.Stmt) {
	a := arith.NewAnalyzer()
	dom := make([]arith.Dom, len(p.inner.iters))
	for i, it := range p.inner.iters {
		a.Bind(it.Var, it.Dom)
		dom[i] = arith.Dom{Var: it.Var, Set: arith.RangeInterval(it.Dom)}
	}
	st.mapBelow(p.id, func(e tir.Expr) tir.Expr {
		if out := tir.Substitute(e, p.sub); out != e {
			return a.Simplify(out)
		}
		return e
	})
	n := st.at(p.id)
	fresh := arith.NewAnalyzer()
	for _, r := range n.block.Reads {
		reads = append(reads, fresh.RelaxRegion(r, dom))
	}
	for _, w := range n.block.Writes {
		writes = append(writes, fresh.RelaxRegion(w, dom))
	}
	b := *n.block
	b.Iters, b.Init = p.inner.iters, nil
	if n.block.Init != nil {
		init = st.outerInit(p, n.block)
		if slices.ContainsFunc(p.outer.iters, func(it *tir.IterVar) bool { return it.Kind == tir.Reduce }) {
			b.Reads = slices.Concat(b.Writes, b.Reads)
		}
	}
	n.values, n.pred = p.inner.values, p.inner.pred
	st.setBlock(p.id, &b)
	return reads, writes, init
}

// outerInit is the initialiser of the inner block in a block of its own, over
// the spatial iterators that it uses, in copies of the loops that these use.
func (st *state) outerInit(p *blockizing, inner *tir.Block) tir.Stmt {
	b := &tir.Block{Name: inner.Name + "_init", Reads: []tir.Region{}, Writes: inner.Writes, Body: inner.Init}
	used := map[*tir.Var]bool{}
	tir.WalkExprs(inner.Init, func(e tir.Expr) bool {
		if v, ok := e.(*tir.Var); ok {
			used[v] = true
		}
		return true
	})
	sub := map[*tir.Var]tir.Expr{}
	var values []tir.Expr
	for _, x := range p.inner.pairs() {
		if old := x.iter; old.Kind == tir.Spatial && used[old.Var] {
			v := tir.NewVar(old.Var.Name+"_init", old.Var.Type)
			sub[old.Var] = v
			b.Iters = append(b.Iters, &tir.IterVar{Var: v, Dom: old.Dom, Kind: old.Kind, Tag: old.Tag})
			values = append(values, x.value)
		}
	}
	var out tir.Stmt = &tir.BlockRealize{Values: values, Predicate: p.inner.pred, Block: b}
	for _, l := range p.loops {
		f := st.at(l).loop
		if slices.ContainsFunc(values, func(e tir.Expr) bool { return usesOne(e, f.Var) }) {
			v := tir.NewVar(f.Var.Name, f.Var.Type)
			sub[f.Var] = v
			f.Var, f.Body = v, out
			out = &f
		}
	}
	return tir.SubstituteStmt(out, sub)
}
