package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

//	for i: { for j: B[i, j];  for j: C[i, j] }   →   for i: block outer_B_C_ at vi_o = i:
//	                                                     for j: B[vi_o, j]
//	                                                     for j: C[vi_o, j]

// BlockizeBlocks makes one block outer_<names>_ of blocks that stand side by
// side, in the order in which they are listed, each in loops of its own. The
// loops around all of them move its iterators, the same ones for every block.
func (s *Schedule) BlockizeBlocks(bs []BlockRV, preserveUnitIters bool) (BlockRV, error) {
	const prim = "blockize"
	st, ids, err := s.blocks(bs)
	var p *grouping
	if err == nil {
		p, err = st.canGroup(ids, preserveUnitIters)
	}
	if err != nil {
		return 0, err.by(prim)
	}
	outer := st.group(p)
	scope := st.scopeOf(outer)
	st.relearn(scope)
	st.at(scope).affine = factOf(len(st.at(scope).values) == 0) // as if it were a function's root
	out := s.newBlock(st.index, outer)
	s.record(kindBlockize, []any{blockOutputs(bs)}, []any{preserveUnitIters}, []any{out}, nil)
	return out, nil
}

// blocks resolves two or more different blocks of one scope.
func (s *Schedule) blocks(bs []BlockRV) (*state, []nid, *Error) {
	if len(bs) < 2 {
		return nil, nil, refuse(BadArgument, "", "a list of %d blocks; a block alone is blockized by its loop", len(bs))
	}
	var st *state
	ids := make([]nid, len(bs))
	for i, b := range bs {
		f, id, err := s.block(b)
		if err == nil {
			err = f.notRoot(id)
		}
		switch {
		case err != nil:
			return nil, nil, err
		case i > 0 && (f != st || f.scopeOf(id) != st.scopeOf(ids[0])):
			return nil, nil, refuse(NotOneScope, f.where(id), "the blocks do not belong to one scope")
		case slices.Contains(ids[:i], id):
			return nil, nil, refuse(BadArgument, f.where(id), "it is listed twice")
		}
		st, ids[i] = f, id
	}
	return st, ids, nil
}

// grouping is a checked blockize of blocks: statements of the sequence seq, from
// position first on, that hold them.
type grouping struct {
	parts   []*blockizing
	members []nid // by part
	seq     nid
	first   int
}

func (st *state) canGroup(ids []nid, units bool) (*grouping, *Error) {
	top := ids[0]
	for _, id := range ids[1:] {
		top = st.lca(top, id)
	}
	for st.at(top).kind != kLoop && st.at(top).kind != kBlock {
		top = st.at(top).parent
	}
	p := &grouping{seq: st.at(top).kids[0]}
	if st.at(p.seq).kind != kSeq {
		return nil, refuse(SingleChild, st.where(top), "the blocks do not stand side by side in it")
	}
	at := make([]int, len(ids))
	for i, id := range ids {
		b := &blockizing{id: id}
		member := id
		for st.at(member).parent != p.seq {
			if member = st.at(member).parent; st.at(member).kind != kLoop {
				return nil, refuse(SingleChild, st.where(id), "more than loops lie between it and %s", st.where(top))
			}
			b.loops = append(b.loops, member)
		}
		switch {
		case member == id && st.at(top).kind == kLoop:
			return nil, refuse(LoopPosition, st.where(id), "it stands in %s without a loop of its own", st.where(top))
		case st.at(id).block.Init != nil:
			return nil, refuse(HasInit, st.where(id), "its initialiser would run once for all blocks")
		}
		at[i] = slices.Index(st.at(p.seq).kids, member)
		p.parts, p.members = append(p.parts, b), append(p.members, member)
	}
	p.first = slices.Min(at)
	if slices.Max(at) != p.first+len(ids)-1 {
		return nil, refuse(LoopPosition, st.where(ids[0]), "other statements stand between the blocks")
	}
	if err := st.canPermute(ids, at); err != nil {
		return nil, err
	}
	return p, st.divideAll(p, units)
}

// canPermute refuses an order, other than that of the statements, in which a
// block would come before one that it depends on.
func (st *state) canPermute(ids []nid, at []int) *Error {
	for i, x := range ids {
		for j, y := range ids[:i] {
			if at[j] > at[i] && st.dependent(x, y) {
				return refuse(LoopPosition, st.where(y), "it is listed before %s, which it depends on", st.where(x))
			}
		}
	}
	return nil
}

// dependent reports whether one of two blocks writes what the other accesses.
func (st *state) dependent(x, y nid) bool {
	clash := func(w, o *tir.Block) bool {
		return slices.ContainsFunc(w.Writes, func(r tir.Region) bool { return reads(o, r.Buffer) || writes(o, r.Buffer) })
	}
	return clash(st.at(x).block, st.at(y).block) || clash(st.at(y).block, st.at(x).block)
}

// divideAll divides the iterators of every block; the outer ones are those of
// the first.
func (st *state) divideAll(p *grouping, units bool) *Error {
	a := arith.NewAnalyzer()
	for i, b := range p.parts {
		var err *Error
		if b.division, err = st.divide(b.id, b.loops, units); err != nil {
			return err
		}
		outer, first := &b.outer, &p.parts[0].outer
		same := len(outer.iters) <= len(first.iters)
		for k := 0; same && k < len(outer.iters); k++ {
			same = a.CanProveEqual(outer.iters[k].Dom.Extent, first.iters[k].Dom.Extent) && a.CanProveEqual(outer.values[k], first.values[k])
		}
		switch {
		case !same:
			return refuse(AffineBinding, st.where(b.id), "its outer iterators are not those of %s", st.where(p.parts[0].id))
		case !arith.Same(outer.pred, first.pred):
			return refuse(Predicate, st.where(b.id), "its condition on the outer loops is not that of %s", st.where(p.parts[0].id))
		}
		for k, it := range outer.iters {
			if i > 0 {
				b.rename(it.Var, first.iters[k].Var)
			}
		}
	}
	return nil
}

// rename makes the substitution of iterators use another outer one.
func (d *division) rename(from, to *tir.Var) {
	for v, e := range d.sub {
		d.sub[v] = tir.Substitute(e, map[*tir.Var]tir.Expr{from: to})
	}
}

// group performs it and returns the outer block.
func (st *state) group(p *grouping) nid {
	first := &p.parts[0].outer
	loops := map[*tir.Var]tir.Expr{} // loop variable → outer iterator
	for k, v := range first.values {
		if v, ok := v.(*tir.Var); ok {
			loops[v] = first.iters[k].Var
		}
	}
	b := &tir.Block{Name: "outer_", Iters: first.iters}
	for _, x := range p.parts {
		reads, writes, _ := st.enterInner(x)
		b.Reads, b.Writes = append(b.Reads, reads...), append(b.Writes, writes...)
		b.Name += st.at(x.id).block.Name + "_"
		for _, l := range x.loops {
			f := &st.at(l).loop
			f.Extent = tir.Substitute(f.Extent, loops)
			st.touch(l)
		}
	}
	b.Reads, b.Writes = hulls(b.Reads), hulls(b.Writes)
	body := st.add(node{kind: kSeq, kids: p.members})
	b.Body = st.stmt(body)
	id := st.add(node{kind: kBlock, block: b, values: first.values, pred: first.pred, kids: []nid{body}})
	kids := slices.Replace(slices.Clone(st.at(p.seq).kids), p.first, p.first+len(p.members), id)
	if len(kids) == 1 {
		st.replace(p.seq, id)
	} else {
		st.setKids(p.seq, kids...)
	}
	return id
}

// hulls unites the regions of each buffer. Buffers come last first, and the
// extents are not simplified, as in the reference system.
func hulls(rs []tir.Region) []tir.Region {
	a := arith.NewAnalyzer()
	var out []tir.Region
	for i, r := range rs {
		if region(rs[:i], r.Buffer) != nil {
			continue
		}
		u := tir.Region{Buffer: r.Buffer, Ranges: make([]tir.Range, len(r.Ranges))}
		for d, x := range r.Ranges {
			hull := closed(x)
			for _, o := range rs[i+1:] {
				if o.Buffer == r.Buffer {
					hull = a.Union(hull, closed(o.Ranges[d]))
				}
			}
			end := tir.Add(hull.Hi, tir.IntOf(1, hull.Hi.DType()))
			if !tir.IsConst(hull.Lo, 0) {
				end = tir.Sub(end, hull.Lo)
			}
			u.Ranges[d] = tir.Range{Min: hull.Lo, Extent: end}
		}
		out = append(out, u)
	}
	slices.Reverse(out)
	return out
}

// closed is a range as an interval, written extent + min - 1.
func closed(r tir.Range) interval {
	if tir.IsConst(r.Extent, 1) {
		return arith.Point(r.Min)
	}
	return span(r.Min, tir.Sub(tir.Add(r.Extent, r.Min), tir.IntOf(1, r.Min.DType())))
}
