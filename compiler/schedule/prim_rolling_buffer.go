package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/compiler/tir/arith"
)

//	for t: for i in range(6): B[t * 4 + i] = …   →   for t: for i in range(6):
//	       use B[t * 4 : t * 4 + 6]                      where t < 1 or 2 <= i: B[(t * 4 + i) % 6] = …
//	                                                     use B modulo 6

var kindRollingBuffer = define(Kind{
	Name: "RollingBuffer", Doc: "keeps what neighbouring tiles share in a buffer that wraps around",
	Params:  "block, write_buffer_index",
	In:      []Slot{{Name: "block", Kind: SlotBlock}},
	Attrs:   []Slot{{Name: "write_buffer_index", Kind: SlotInt}},
	Refuses: []Condition{BadArgument, RootBlock, OutputBlock, StagePipeline, LoopPosition, DynamicExtent, IndexForm},
})

func init() {
	kindRollingBuffer.Apply = func(s *Schedule, c Call) error { return s.RollingBuffer(c.block(0), c.int(0)) }
}

// RollingBuffer shrinks the buffer that b writes as its index-th to what one tile
// of it needs, along the outermost loop whose tiles overlap. Places repeat after
// the extent of a tile, and b computes only what earlier tiles have not. b and
// all readers must lie under one loop.
func (s *Schedule) RollingBuffer(b BlockRV, index int) error {
	st, id, err := s.block(b)
	var p *rolling
	if err == nil {
		p, err = st.planRolling(id, index)
	}
	if err != nil {
		return err.by("rolling_buffer")
	}
	st.roll(p)
	s.record(kindRollingBuffer, []any{b}, []any{int64(index)}, nil, nil)
	return nil
}

// rolling is a checked rolling_buffer.
type rolling struct {
	id, scope nid
	old, new  *tir.Buffer
	axis      int
	extent    tir.Expr
	overlaps  []overlap // of each dimension
}

// overlap says that the tiles of consecutive values of a loop share n places; v
// is nil when they share none.
type overlap struct {
	v *tir.Var
	n int64
}

func (st *state) planRolling(id nid, index int) (*rolling, *Error) {
	buf, err := st.accessed(id, index, true)
	if err != nil {
		return nil, err
	}
	if err := st.notRoot(id); err != nil {
		return nil, err
	}
	p := &rolling{id: id, scope: st.scopeOf(id), old: buf}
	if st.isOutput(id) {
		return nil, refuse(OutputBlock, st.where(id), "it writes an output of its scope")
	}
	if err := st.readAfterWriteOnly(id); err != nil {
		return nil, err
	}
	top := id
	for _, c := range st.consumers(id) {
		top = st.lca(top, c)
	}
	for k := st.at(top).kind; k != kLoop && k != kBlock; k = st.at(top).kind {
		top = st.at(top).parent
	}
	if st.at(top).kind != kLoop {
		return nil, refuse(LoopPosition, st.where(id), "no loop holds it and every reader of %s", buf.Name)
	}
	tile := st.tileOf(id, top, st.at(id).block.Writes[index])
	if err := p.match(st, tile); err != nil {
		return nil, err
	}
	return p, st.rollsByIters(p, index)
}

// readAfterWriteOnly refuses a block that depends on others, or they on it, in
// any other way than by reading what was written.
func (st *state) readAfterWriteOnly(id nid) *Error {
	b := st.at(id).block
	before := true
	for _, o := range st.childBlocks(st.scopeOf(id)) {
		if o == id {
			before = false
			continue
		}
		ob := st.at(o).block
		touches := func(rs []tir.Region, x *tir.Block) bool {
			return slices.ContainsFunc(rs, func(r tir.Region) bool { return writes(x, r.Buffer) })
		}
		if touches(ob.Writes, b) || before && touches(ob.Reads, b) || !before && touches(b.Reads, ob) {
			return refuse(StagePipeline, st.where(id), "it and %s do more than read what the other wrote", st.where(o))
		}
	}
	return nil
}

// tileOf is the region that a block writes while the loops below top run.
func (st *state) tileOf(id, top nid, r tir.Region) tir.Region {
	n := st.at(id)
	by := map[*tir.Var]tir.Expr{}
	for i, it := range n.block.Iters {
		by[it.Var] = n.values[i]
	}
	var inner []nid
	for _, l := range st.loopsOf(id) {
		if l != top && st.within(l, top) {
			inner = append(inner, l)
		}
	}
	r = mapRegion(r, func(e tir.Expr) tir.Expr { return tir.Substitute(e, by) })
	return arith.NewAnalyzer().RelaxRegion(r, arith.LoopDoms(st.loopDomains(inner)))
}

// match finds the overlaps of the tile and the axis to roll along.
func (p *rolling) match(st *state, tile tir.Region) *Error {
	p.overlaps = make([]overlap, len(tile.Ranges))
	for d, r := range tile.Ranges {
		v, step, ok := tileStep(r.Min)
		if !ok {
			return refuse(IndexForm, st.where(p.id), "its tile of dimension %d of %s does not start at a multiple of a loop", d, p.old.Name)
		}
		if v == nil {
			continue
		}
		n, ok := tir.AsInt(r.Extent)
		if !ok {
			return refuse(DynamicExtent, st.where(p.id), "its tile of dimension %d of %s has no constant extent", d, p.old.Name)
		}
		if n > step {
			p.overlaps[d] = overlap{v, n - step}
		}
	}
	for _, l := range st.loopsOf(p.id) {
		p.axis = slices.IndexFunc(p.overlaps, func(o overlap) bool { return o.v == st.at(l).loop.Var })
		if p.axis >= 0 {
			break
		}
	}
	if len(p.overlaps) == 0 || p.axis < 0 || p.overlaps[p.axis].v == nil {
		return refuse(IndexForm, st.where(p.id), "no loop around it has tiles of %s that overlap", p.old.Name)
	}
	c := *p.old
	c.Shape = slices.Clone(p.old.Shape)
	c.Shape[p.axis] = tile.Ranges[p.axis].Extent
	p.new, p.extent = &c, c.Shape[p.axis]
	return nil
}

// tileStep reads the start of a tile: a loop variable times a step, perhaps
// divided, or a constant.
func tileStep(e tir.Expr) (v *tir.Var, step int64, ok bool) {
	switch x := e.(type) {
	case *tir.IntImm:
		return nil, 0, true
	case *tir.Var:
		return x, 1, true
	case *tir.Binary:
		c, ok := tir.AsInt(x.B)
		if !ok {
			break
		}
		if v, isVar := x.A.(*tir.Var); isVar && x.Op == tir.OpMul {
			return v, c, true
		}
		m, isMul := x.A.(*tir.Binary)
		if isMul && x.Op == tir.OpFloorDiv && m.Op == tir.OpMul && c > 0 {
			if v, step, ok := tileStep(m); ok && v != nil {
				return v, -tir.FloorDivInt(-step, c), true
			}
		}
	}
	return nil, 0, false
}

// rollsByIters refuses a block whose iterators are not the dimensions of the
// buffer: by them it is known what earlier tiles computed.
func (st *state) rollsByIters(p *rolling, index int) *Error {
	b := st.at(p.id).block
	for d, o := range p.overlaps {
		if o.v == nil {
			continue
		}
		r := b.Writes[index].Ranges[d]
		if d >= len(b.Iters) || r.Min != tir.Expr(b.Iters[d].Var) {
			return refuse(IndexForm, st.where(p.id), "iterator %d is not its index %d of %s", d, d, p.old.Name)
		}
		if !tir.IsConst(r.Extent, 1) {
			return refuse(IndexForm, st.where(p.id), "it writes more than one place of dimension %d of %s at once", d, p.old.Name)
		}
	}
	return nil
}

func (st *state) roll(p *rolling) {
	wrap := func(idx []tir.Expr) []tir.Expr {
		out := slices.Clone(idx)
		out[p.axis] = tir.NewBinary(tir.OpFloorMod, out[p.axis], p.extent)
		return out
	}
	load := func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.Load); ok && l.Buffer == p.old {
			return &tir.Load{Buffer: p.new, Indices: wrap(l.Indices)}
		}
		return e
	}
	w := tir.StmtRewriter{
		Expr: func(e tir.Expr) tir.Expr { return tir.RewriteExpr(e, load) },
		Stmt: func(s tir.Stmt) tir.Stmt {
			if x, ok := s.(*tir.Store); ok && x.Buffer == p.old {
				return &tir.Store{Buffer: p.new, Value: x.Value, Indices: wrap(x.Indices)}
			}
			return s
		},
	}
	st.eachShell(p.scope, func(id nid) {
		if st.at(id).kind != kBlock && st.mentions(id, p.old) || st.at(id).kind == kBlock && id != p.scope {
			st.mapShell(id, w.Rewrite)
		}
	})
	st.rollPredicate(p)
	st.rollBlocks(p, p.scope)
	c := *st.at(p.scope).block
	c.Allocs = slices.Clone(c.Allocs)
	c.Allocs[slices.Index(c.Allocs, p.old)] = p.new
	st.at(p.scope).block = &c
	st.touch(p.scope)
	st.learnScope(p.scope, st.forsAround(p.scope))
}

// rollPredicate lets the writer compute in the first tile everything, later only
// what the tile before did not.
func (st *state) rollPredicate(p *rolling) {
	n := st.at(p.id)
	a := arith.NewAnalyzer()
	for d, o := range p.overlaps {
		if o.v == nil {
			continue
		}
		t := o.v.Type
		zero := map[*tir.Var]tir.Expr{o.v: tir.IntOf(0, t)}
		start := a.Simplify(tir.Substitute(n.values[d], zero))
		first := tir.Compare(tir.OpLT, o.v, tir.IntOf(1, t))
		fresh := tir.Compare(tir.OpGE, start, tir.IntOf(o.n, start.DType()))
		n.pred = a.Simplify(tir.And(n.pred, tir.Or(first, fresh)))
	}
	st.touch(p.id)
}

// rollBlocks gives every block below a node its regions.
func (st *state) rollBlocks(p *rolling, id nid) {
	for _, k := range st.at(id).kids {
		st.rollBlocks(p, k)
	}
	n := st.at(id)
	if n.kind != kBlock || id == p.scope {
		return
	}
	b := *n.block
	b.Init = p.rollInit(b.Init)
	n.block = &b
	p.rollBlock(&b, st.fullBlock(n))
	st.touch(id)
}

// rollInit is rollBlocks for the blocks in an initialiser, which the tree does
// not hold.
func (p *rolling) rollInit(init tir.Stmt) tir.Stmt {
	w := tir.StmtRewriter{Stmt: func(s tir.Stmt) tir.Stmt {
		r, ok := s.(*tir.BlockRealize)
		if !ok {
			return s
		}
		b := *r.Block
		p.rollBlock(&b, r.Block)
		return &tir.BlockRealize{Values: r.Values, Predicate: r.Predicate, Block: &b}
	}}
	return w.Rewrite(init)
}

// rollBlock gives block b, whose body is that of full, its regions. What stands
// where the axis does among its iterators is carried from one iteration to the
// next.
func (p *rolling) rollBlock(b, full *tir.Block) {
	rs, ws := analysis.BlockRegions(full)
	swap := func(declared, found []tir.Region) []tir.Region {
		out := slices.Clone(declared)
		for i := range out {
			if now := region(found, p.new); out[i].Buffer == p.old && now != nil {
				out[i] = *now
			}
		}
		return out
	}
	b.Reads, b.Writes = swap(b.Reads, rs), swap(b.Writes, ws)
	if p.axis < len(b.Iters) {
		b.Iters = slices.Clone(b.Iters)
		it := *b.Iters[p.axis]
		it.Kind = tir.Opaque
		b.Iters[p.axis] = &it
	}
}
