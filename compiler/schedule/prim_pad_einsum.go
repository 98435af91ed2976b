package schedule

import (
	"fmt"
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

//	for i in range(127): C[i] += A[i, k] * B[k]   →   A_pad = A, zero beyond 127
//	                                                  for i in range(128): C_pad[i] += A_pad[i, k] * B[k]
//	                                                  C = C_pad

var kindPadEinsum = define(Kind{
	Name: "PadEinsum", Doc: "rounds the iterators of a block up and pads the buffers that they index",
	Params:  "block, padding",
	In:      []Slot{{Name: "block", Kind: SlotBlock}},
	Attrs:   []Slot{{Name: "padding", Kind: SlotInts}},
	Refuses: []Condition{RootBlock, StagePipeline, BadArgument, SingleAccess, IndexForm, BodyForm, Reducer, SingleChild, RegionCover},
})

func init() {
	kindPadEinsum.Apply = func(s *Schedule, c Call) error {
		list := c.Attrs[0].([]any)
		padding := make([]int64, len(list))
		for i, v := range list {
			padding[i] = v.(int64)
		}
		return s.PadEinsum(c.block(0), padding)
	}
}

// PadEinsum rounds the extent of every iterator of b up to a multiple of its
// padding. Buffers that rounded iterators index are copied into larger ones, zero
// beyond their end, right before the statement that holds b, and out of them
// right after it. b accesses every buffer at one place, by iterators or zeros.
func (s *Schedule) PadEinsum(b BlockRV, padding []int64) error {
	st, id, err := s.block(b)
	var p *einsum
	if err == nil {
		p, err = st.planEinsum(id, padding)
	}
	if err != nil {
		return err.by("pad_einsum")
	}
	st.padEinsum(p)
	list := make([]any, len(padding))
	for i, n := range padding {
		list[i] = n
	}
	s.record(kindPadEinsum, []any{b}, []any{list}, nil, nil)
	return nil
}

// einsum is a checked pad_einsum.
type einsum struct {
	id, scope, member nid
	extents           map[*tir.Var]tir.Expr // of iterators and loops that are rounded up
	reads, writes     []paddedBuffer
	an                *arith.Analyzer
}

type paddedBuffer struct{ old, new *tir.Buffer }

func (st *state) planEinsum(id nid, padding []int64) (*einsum, *Error) {
	if err := st.notRoot(id); err != nil {
		return nil, err
	}
	p := &einsum{id: id, scope: st.scopeOf(id), extents: map[*tir.Var]tir.Expr{}, an: arith.NewAnalyzer()}
	p.member = st.memberOf(p.scope, id)
	if err := st.stagePipeline(p.scope); err != nil {
		return nil, err
	}
	b := st.at(id).block
	if len(padding) != len(b.Iters) {
		return nil, refuse(BadArgument, st.where(id), "%d paddings given, it has %d iterators", len(padding), len(b.Iters))
	}
	for _, n := range padding {
		if n <= 0 {
			return nil, refuse(BadArgument, st.where(id), "a padding is positive, not %d", n)
		}
	}
	if err := st.readEinsum(id); err != nil {
		return nil, err
	}
	p.roundUp(st, padding)
	p.reads, p.writes = p.buffers(b.Reads), p.buffers(b.Writes)
	if err := st.einsumAlone(p); err != nil {
		return nil, err
	}
	return p, st.einsumKeeps(p)
}

// readEinsum refuses a block that accesses a buffer twice, or by more than
// iterators and constants.
func (st *state) readEinsum(id nid) *Error {
	b := st.at(id).block
	seen := map[*tir.Buffer]bool{}
	for _, rs := range [2][]tir.Region{b.Reads, b.Writes} {
		for _, r := range rs {
			if seen[r.Buffer] {
				return refuse(SingleAccess, st.where(id), "it accesses %s more than once", r.Buffer.Name)
			}
			seen[r.Buffer] = true
			for d, x := range r.Ranges {
				_, isVar := x.Min.(*tir.Var)
				_, isInt := tir.AsInt(x.Min)
				if !tir.IsConst(x.Extent, 1) || !isVar && !isInt {
					return refuse(IndexForm, st.where(id), "its index %d of %s is no iterator", d, r.Buffer.Name)
				}
			}
		}
	}
	return nil
}

func (p *einsum) roundUp(st *state, padding []int64) {
	n := st.at(p.id)
	for i, it := range n.block.Iters {
		k := tir.IntOf(padding[i], it.Dom.Extent.DType())
		up := p.an.Simplify(tir.Mul(tir.CeilDiv(it.Dom.Extent, k), k))
		if p.an.CanProve(tir.CompareFold(tir.OpEQ, up, it.Dom.Extent)) {
			continue
		}
		p.extents[it.Var] = up
		if v, ok := n.values[i].(*tir.Var); ok {
			p.extents[v] = up
		}
	}
}

// buffers makes the larger buffers for regions that rounded iterators index.
func (p *einsum) buffers(rs []tir.Region) []paddedBuffer {
	var out []paddedBuffer
	for _, r := range rs {
		c := *r.Buffer
		c.Name, c.Shape = r.Buffer.Name+"_pad", make([]tir.Expr, len(r.Ranges))
		c.Strides, c.ElemOffset, c.Align, c.OffsetFactor = nil, nil, tir.DefaultAlign, 1
		grows := false
		for d, x := range r.Ranges {
			c.Shape[d] = r.Buffer.Shape[d]
			v, isVar := x.Min.(*tir.Var)
			switch {
			case !isVar:
				c.Shape[d] = tir.IntOf(1, x.Min.DType())
			case p.extents[v] != nil:
				c.Shape[d], grows = p.extents[v], true
			}
		}
		if grows {
			out = append(out, paddedBuffer{r.Buffer, &c})
		}
	}
	return out
}

// einsumAlone refuses other blocks in loops or on buffers that grow.
func (st *state) einsumAlone(p *einsum) *Error {
	b := st.at(p.id).block
	if len(b.Allocs) > 0 || len(b.Matches) > 0 {
		return refuse(BodyForm, st.where(p.id), "it allocates buffers or matches regions")
	}
	for _, o := range st.childBlocks(p.scope) {
		if o == p.id || !st.within(o, p.member) {
			continue
		}
		for l := st.at(o).parent; l != st.at(p.member).parent; l = st.at(l).parent {
			if n := st.at(l); n.kind == kLoop && p.extents[n.loop.Var] != nil {
				return refuse(SingleChild, st.where(l), "it holds %s too, which would run further than it should", st.where(o))
			}
		}
		for _, list := range [2][]paddedBuffer{p.reads, p.writes} {
			for _, x := range list {
				if reads(st.at(o).block, x.old) || writes(st.at(o).block, x.old) {
					return refuse(SingleChild, st.where(o), "it shares a statement with %s and accesses %s", st.where(p.id), x.old.Name)
				}
			}
		}
	}
	return nil
}

// einsumKeeps refuses blocks that compute something else on larger buffers: what
// is written has to be the whole buffer, and rounded reductions sum terms that
// vanish where a buffer is padded.
func (st *state) einsumKeeps(p *einsum) *Error {
	b := st.at(p.id).block
	whole := func(x tir.Range, n tir.Expr) bool {
		for _, it := range b.Iters {
			if tir.Expr(it.Var) == x.Min {
				return p.an.CanProve(tir.CompareFold(tir.OpEQ, it.Dom.Extent, n))
			}
		}
		return tir.IsConst(x.Min, 0) && tir.IsConst(n, 1)
	}
	for _, list := range [2][]paddedBuffer{p.reads, p.writes} {
		for _, x := range list {
			written := region(b.Writes, x.old)
			r := written
			if r == nil {
				r = region(b.Reads, x.old)
			}
			for d, rg := range r.Ranges {
				if _, isInt := tir.AsInt(rg.Min); written != nil && !whole(rg, x.old.Shape[d]) || isInt && !tir.IsConst(rg.Min, 0) {
					return refuse(IndexForm, st.where(p.id), "its iterators do not run over all of dimension %d of %s", d, x.old.Name)
				}
			}
		}
	}
	if len(p.writes) > 0 && !st.runsOverAll(p) {
		return refuse(RegionCover, st.where(p.id), "it may not run over all of its domain, and the copy back would store what it did not")
	}
	for _, it := range b.Iters {
		if p.extents[it.Var] != nil && it.Kind != tir.Reduce {
			if w := repeatedWrite(b, it.Var); w != nil {
				return refuse(IndexForm, st.where(p.id), "iterator %s does not choose where it stores %s, which would be stored from beyond its end too", it.Var.Name, w.Name)
			}
		}
		if it.Kind == tir.Reduce && p.extents[it.Var] != nil && !st.vanishes(b, it, whole) {
			return refuse(Reducer, st.where(p.id), "it does not add up products with a factor that is zero beyond iterator %s", it.Var.Name)
		}
	}
	return nil
}

// runsOverAll reports whether the block runs for all values of its iterators.
func (st *state) runsOverAll(p *einsum) bool {
	n := st.at(p.id)
	sums, err := arith.DetectIterMap(n.values, st.loopDomains(st.loopsOf(p.id)), n.pred, arith.Surjective, false)
	if err != nil {
		return false
	}
	for i, it := range n.block.Iters {
		t := it.Var.Type
		var span tir.Expr = tir.IntOf(1, t)
		if s := sums[i]; len(s.Args) > 0 {
			if k, ok := s.Args[0].Scale.Const(); !ok || k != 1 {
				return false
			}
			span = s.Args[0].Extent.Expr(t)
		}
		same := tir.And(tir.CompareFold(tir.OpEQ, span, it.Dom.Extent), tir.CompareFold(tir.OpEQ, sums[i].BaseOf(t), it.Dom.Min))
		if !p.an.CanProve(same) {
			return false
		}
	}
	return true
}

// repeatedWrite is a buffer where v does not choose the place that is stored at
// although what is stored depends on v, or is stored on top of what was there.
func repeatedWrite(b *tir.Block, v *tir.Var) *tir.Buffer {
	for _, w := range b.Writes {
		chosen := slices.ContainsFunc(w.Ranges, func(r tir.Range) bool { return r.Min == tir.Expr(v) })
		if !chosen && (stmtUses(b.Body, v) || reads(b, w.Buffer)) {
			return w.Buffer
		}
	}
	return nil
}

func stmtUses(s tir.Stmt, v *tir.Var) bool {
	found := false
	tir.WalkStmt(s, func(s tir.Stmt) bool {
		tir.StmtExprs(s, func(e tir.Expr) { found = found || usesOne(e, v) })
		return !found
	})
	return found
}

// vanishes reports whether what a block adds up is a product with a load that
// iterator it chooses.
func (st *state) vanishes(b *tir.Block, it *tir.IterVar, whole func(tir.Range, tir.Expr) bool) bool {
	store, ok := b.Body.(*tir.Store)
	if !ok {
		return false
	}
	sum, ok := store.Value.(*tir.Binary)
	if !ok || sum.Op != tir.OpAdd {
		return false
	}
	own := func(e tir.Expr) bool {
		l, ok := e.(*tir.Load)
		return ok && l.Buffer == store.Buffer
	}
	term := sum.B
	if own(sum.B) {
		term = sum.A
	} else if !own(sum.A) {
		return false
	}
	var factor func(e tir.Expr) bool
	factor = func(e tir.Expr) bool {
		switch x := e.(type) {
		case *tir.Cast:
			return factor(x.Value)
		case *tir.Binary:
			return x.Op == tir.OpMul && (factor(x.A) || factor(x.B))
		case *tir.Load:
			for d, i := range x.Indices {
				if i == tir.Expr(it.Var) && whole(tir.Range{Min: i}, x.Buffer.Shape[d]) {
					return true
				}
			}
		}
		return false
	}
	return factor(term)
}

func (st *state) padEinsum(p *einsum) {
	for _, x := range p.reads {
		st.insertBefore(p.member, st.padCopy(p, x, true))
	}
	for i := len(p.writes) - 1; i >= 0; i-- {
		st.insertAfter(p.member, st.padCopy(p, p.writes[i], false))
	}
	for _, list := range [2][]paddedBuffer{p.reads, p.writes} {
		for _, x := range list {
			st.replaceBuffers(p.member, map[*tir.Buffer]*tir.Buffer{x.old: x.new})
			st.addAlloc(p.scope, x.new)
		}
	}
	n := st.at(p.id)
	b := *n.block
	b.Iters = make([]*tir.IterVar, len(n.block.Iters))
	for i, it := range n.block.Iters {
		c := *it
		if e := p.extents[it.Var]; e != nil {
			c.Dom.Extent = e
		}
		b.Iters[i] = &c
	}
	n.block = &b
	st.touch(p.id)
	for _, l := range st.loopsOf(p.id) {
		if e := p.extents[st.at(l).loop.Var]; e != nil {
			st.at(l).loop.Extent = e
			st.touch(l)
		}
	}
}

// padCopy makes the block that copies a buffer into the larger one, or back.
func (st *state) padCopy(p *einsum, x paddedBuffer, in bool) nid {
	shape := x.old.Shape
	if in {
		shape = x.new.Shape
	}
	b := &tir.Block{Name: x.new.Name}
	var loops []tir.For
	var at, values []tir.Expr
	var inside tir.Expr = tir.True
	for d, n := range shape {
		t := n.DType()
		l, v := tir.NewVar(fmt.Sprintf("i%d", d), t), tir.NewVar(fmt.Sprintf("v%d", d), t)
		dom := tir.Range{Min: tir.IntOf(0, t), Extent: n}
		loops = append(loops, tir.For{Var: l, Min: dom.Min, Extent: n})
		b.Iters = append(b.Iters, &tir.IterVar{Var: v, Dom: dom, Kind: tir.Spatial})
		at, values = append(at, v), append(values, l)
		if !p.an.CanProve(tir.CompareFold(tir.OpEQ, x.old.Shape[d], x.new.Shape[d])) {
			inside = tir.And(inside, tir.CompareFold(tir.OpLT, v, x.old.Shape[d]))
		}
	}
	src, dst := x.old, x.new
	if !in {
		src, dst = dst, src
	}
	var value tir.Expr = &tir.Load{Buffer: src, Indices: at}
	if in {
		value = tir.IfThenElse(inside, value, tir.Const(0, src.Type))
	}
	b.Reads, b.Writes = []tir.Region{pointRegion(src, at)}, []tir.Region{pointRegion(dst, at)}
	b.Body = &tir.Store{Buffer: dst, Value: value, Indices: at}
	top, _ := st.nest(loops, node{kind: kBlock, block: b, values: values, pred: tir.True, affine: yes, cover: yes})
	return top
}
