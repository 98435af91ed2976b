package schedule

import (
	"slices"
	"strings"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

//	for i: B[i] = A[i - 1] if 1 <= i < 9 else 0   →   for i: B[i] = 0
//	                                                  for i in range(8): B[i + 1] = A[i]

var kindDecomposePadding = define(Kind{
	Name: "DecomposePadding", Doc: "splits a block that pads into one that fills and one that copies",
	Params:  "block, loop",
	In:      []Slot{{Name: "block", Kind: SlotBlock}, {Name: "loop", Kind: SlotLoop}},
	Out:     OutBlock,
	Refuses: []Condition{RootBlock, NotOneScope, CompleteBlock, LoopPosition, SingleChild, BodyForm, PadValue, Predicate, AffineBinding, IndexForm},
})

func init() {
	kindDecomposePadding.Apply = func(s *Schedule, c Call) error {
		_, err := s.DecomposePadding(c.block(0), c.loop(1))
		return err
	}
}

// DecomposePadding splits the complete block b, which stores a value where a
// condition holds and a constant elsewhere. A new block <b>_pad_const, right
// before loop l, stores the constant everywhere; b keeps the places where the
// condition holds, its loops become as short as that allows. It returns the new
// block.
func (s *Schedule) DecomposePadding(b BlockRV, l LoopRV) (BlockRV, error) {
	st, p, err := s.planUnpad(b, l)
	if err != nil {
		return 0, err.by("decompose_padding")
	}
	out := s.newBlock(st.index, st.unpad(p))
	s.record(kindDecomposePadding, []any{b, l}, nil, []any{out}, nil)
	return out, nil
}

// CanDecomposePadding reports whether DecomposePadding would succeed. It records
// nothing.
func (s *Schedule) CanDecomposePadding(b BlockRV, l LoopRV) bool {
	_, _, err := s.planUnpad(b, l)
	return err == nil
}

// unpadding is a checked decompose_padding.
type unpadding struct {
	id    nid
	loops []nid // around the block, innermost first
	fill  int   // of loops: the constant is stored before it
	top   int   // of loops: the last of those around the block alone

	store  *tir.Store
	inside tir.Expr    // where the condition holds, over the loops
	value  tir.Expr    // what is stored there, over the iterators
	pad    tir.Expr    // what is stored elsewhere
	region []tir.Range // the values of the bindings where the condition holds
	an     *arith.Analyzer
}

func (s *Schedule) planUnpad(b BlockRV, l LoopRV) (*state, *unpadding, *Error) {
	st, id, err := s.block(b)
	if err != nil {
		return nil, nil, err
	}
	st2, loop, err := s.loop(l)
	switch {
	case err != nil:
		return nil, nil, err
	case st2 != st:
		return nil, nil, refuse(NotOneScope, st2.where(loop), "it belongs to another function")
	}
	if err := st.notRoot(id); err != nil {
		return nil, nil, err
	}
	if err := st.needComplete(id); err != nil {
		return nil, nil, err
	}
	p := &unpadding{id: id, loops: st.loopsOf(id)}
	slices.Reverse(p.loops)
	if p.fill = slices.Index(p.loops, loop); p.fill < 0 {
		return nil, nil, refuse(LoopPosition, st.where(loop), "it does not enclose %s", st.where(id))
	}
	p.top = -1
	for i, child := 0, id; i <= p.fill && st.at(child).parent == p.loops[i]; i++ {
		p.top, child = i, p.loops[i]
	}
	if p.top < 0 {
		return nil, nil, refuse(SingleChild, st.where(p.loops[0]), "it holds more than %s", st.where(id))
	}
	if err := st.matchPadding(p); err != nil {
		return nil, nil, err
	}
	return st, p, st.insidePadding(p)
}

// matchPadding reads the block as a store of a value or a constant.
func (st *state) matchPadding(p *unpadding) *Error {
	n := st.at(p.id)
	where := st.where(p.id)
	store, ok := n.block.Body.(*tir.Store)
	if !ok || len(n.kids) > 0 || len(n.block.Writes) != 1 {
		return refuse(BodyForm, where, "its body is no single store")
	}
	call, ok := store.Value.(*tir.Call)
	if !ok || call.Op != "if_then_else" {
		return refuse(BodyForm, where, "what it stores is no if_then_else")
	}
	p.store, p.value, p.pad = store, call.Args[1], call.Args[2]
	if !isNumber(p.pad) {
		return refuse(PadValue, where, "what it stores outside of the condition is no constant")
	}
	if hasEffect(p.value) {
		return refuse(BodyForm, where, "what it stores inside of the condition has side effects")
	}
	p.an = st.bindLoops(p.id)
	by := map[*tir.Var]tir.Expr{}
	for i, it := range n.block.Iters {
		by[it.Var] = n.values[i]
	}
	var all tir.Expr = tir.True
	for _, c := range conjuncts(tir.And(replaceVars(call.Args[0], by), n.pred)) {
		if l, ok := c.(*tir.Call); ok && l.Op == "likely" {
			c = l.Args[0]
		}
		all = tir.And(all, c)
	}
	if p.inside = p.an.Simplify(all); tir.IsConst(p.inside, 1) || p.an.CanProve(p.inside) {
		return refuse(Predicate, where, "its condition always holds")
	}
	return nil
}

// insidePadding finds what values the bindings have where the condition holds.
func (st *state) insidePadding(p *unpadding) *Error {
	n := st.at(p.id)
	sums, err := arith.DetectIterMap(n.values, st.loopDomains(p.loops), p.inside, arith.Surjective, true)
	if err != nil {
		return refuse(AffineBinding, st.where(p.id), "its iterators are not independent under the condition: %v", err)
	}
	for i := range sums {
		t := n.values[i].DType()
		r := tir.Range{Min: sums[i].BaseOf(t), Extent: tir.IntOf(1, t)}
		if len(sums[i].Args) > 0 {
			x := &sums[i].Args[0]
			if s, ok := x.Scale.Const(); !ok || s != 1 {
				return refuse(IndexForm, st.where(p.id), "iterator %s takes steps", n.block.Iters[i].Var.Name)
			}
			r.Extent = x.Extent.Expr(t)
		}
		p.region = append(p.region, r)
	}
	return nil
}

func isNumber(e tir.Expr) bool {
	switch x := e.(type) {
	case *tir.IntImm, *tir.FloatImm:
		return true
	case *tir.Broadcast:
		return isNumber(x.Value)
	}
	return false
}

// hasEffect reports whether an expression does more than read.
func hasEffect(e tir.Expr) bool {
	found := false
	tir.Walk(e, func(e tir.Expr) bool {
		if c, ok := e.(*tir.Call); ok && strings.HasPrefix(c.Op, "call_") {
			found = true
		}
		return !found
	})
	return found
}

// unpad performs the split and returns the block that stores the constant.
func (st *state) unpad(p *unpadding) nid {
	consumers := st.consumers(p.id)
	fill, top := st.fillBlock(p)
	st.trim(p)
	st.insertBefore(p.loops[p.fill], top)
	for _, c := range consumers {
		if !st.within(fill, st.lca(c, p.id)) {
			st.at(c).cover, st.at(st.scopeOf(p.id)).stages = no, no
		}
	}
	return fill
}

// fillBlock makes the block that stores the constant, in copies of the loops.
func (st *state) fillBlock(p *unpadding) (id, top nid) {
	n := st.at(p.id)
	by := map[*tir.Var]tir.Expr{}
	expr := func(e tir.Expr) tir.Expr { return p.an.Simplify(replaceVars(e, by)) }
	b := &tir.Block{Name: n.block.Name + "_pad_const", Reads: []tir.Region{}}
	for _, it := range n.block.Iters {
		v := tir.NewVar(it.Var.Name, it.Var.Type)
		b.Iters = append(b.Iters, &tir.IterVar{Var: v, Dom: it.Dom, Kind: tir.Spatial})
		by[it.Var] = v
	}
	b.Writes = []tir.Region{mapRegion(n.block.Writes[0], expr)}
	idx := make([]tir.Expr, len(p.store.Indices))
	for i, e := range p.store.Indices {
		idx[i] = expr(e)
	}
	b.Body = &tir.Store{Buffer: p.store.Buffer, Value: p.pad, Indices: idx}
	var loops []tir.For
	for i := p.fill; i >= 0; i-- {
		l := &st.at(p.loops[i]).loop
		v := tir.NewVar(l.Var.Name, l.Var.Type)
		by[l.Var] = v
		loops = append(loops, tir.For{Var: v, Min: l.Min, Extent: l.Extent})
	}
	values := make([]tir.Expr, len(n.values))
	for i, v := range n.values {
		values[i] = expr(v)
	}
	top, id = st.nest(loops, node{kind: kBlock, block: b, values: values, pred: expr(n.pred), affine: yes, cover: yes})
	return id, top
}

// trim leaves the block the places where the condition holds.
func (st *state) trim(p *unpadding) {
	n := st.at(p.id)
	by := map[*tir.Var]tir.Expr{}
	b := &tir.Block{Name: n.block.Name}
	values := make([]tir.Expr, len(n.values))
	for i, it := range n.block.Iters {
		v := tir.NewVar(it.Var.Name, it.Var.Type)
		r := tir.Range{Min: tir.IntOf(0, v.Type), Extent: p.region[i].Extent}
		b.Iters = append(b.Iters, &tir.IterVar{Var: v, Dom: r, Kind: tir.Spatial})
		by[it.Var] = tir.Add(v, p.region[i].Min)
		at := slices.IndexFunc(p.loops[:p.top+1], func(l nid) bool { return n.values[i] == tir.Expr(st.at(l).loop.Var) })
		if at < 0 {
			values[i] = p.an.Simplify(tir.Sub(n.values[i], p.region[i].Min))
			continue
		}
		l := &st.at(p.loops[at]).loop
		values[i] = l.Var
		l.Min, l.Extent = r.Min, r.Extent
		by[l.Var] = tir.Add(l.Var, p.region[i].Min)
		p.an.Bind(l.Var, r)
		st.touch(p.loops[at])
	}
	expr := func(e tir.Expr) tir.Expr { return p.an.Simplify(replaceVars(e, by)) }
	for _, r := range n.block.Reads {
		b.Reads = append(b.Reads, mapRegion(r, expr))
	}
	b.Writes = []tir.Region{mapRegion(n.block.Writes[0], expr)}
	idx := make([]tir.Expr, len(p.store.Indices))
	for i, e := range p.store.Indices {
		idx[i] = expr(e)
	}
	b.Body = &tir.Store{Buffer: p.store.Buffer, Value: expr(p.value), Indices: idx}
	n.block, n.values, n.pred, n.closed = b, values, expr(p.inside), unknown
	st.touch(p.id)
}
