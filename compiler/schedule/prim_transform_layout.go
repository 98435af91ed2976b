package schedule

import (
	"slices"

	"hone/compiler/dtype"
	"hone/compiler/tir"
	"hone/compiler/tir/arith"
)

//	B[i, j] with (i, j) → (j // 16, i, j % 16)   →   B[j // 16, i, j % 16]

var kindTransformLayout = define(Kind{
	Name: "TransformLayout", Doc: "changes the layout of a buffer by an index map",
	Params: "block, buffer, index_map, pad_value=None, *, assume_injective_transform=False",
	In:     []Slot{{Name: "block", Kind: SlotBlock}, {Name: "index_map", Kind: SlotMap}},
	Attrs: []Slot{{Name: "buffer_index", Kind: SlotInt}, {Name: "buffer_index_type", Kind: SlotFlag},
		{Name: "pad_value", Kind: SlotMaybeMap}, {Name: "assume_injective_transform", Kind: SlotBool}},
})

func init() {
	kindTransformLayout.Apply = func(s *Schedule, c Call) error {
		o := LayoutOptions{AssumeInjective: c.Attrs[3].(bool)}
		o.Pad, _ = c.Attrs[2].(*tir.IndexMap)
		return s.TransformLayoutWith(c.block(0), c.int(0), c.flag(1), c.Inputs[1].(*tir.IndexMap), o)
	}
}

// LayoutOptions say what happens to places of the new layout that the map does
// not reach.
type LayoutOptions struct {
	// Pad gives the value that they hold, as a map with one result over the new
	// indices; nil allows no such places unless AssumeInjective is set.
	Pad *tir.IndexMap
	// AssumeInjective leaves them undefined and does not ask whether the map
	// sends different elements to different places.
	AssumeInjective bool
}

// NewIndexMap makes a map over n int32 indices.
func NewIndexMap(n int, f func(i []tir.Expr) []tir.Expr) *tir.IndexMap {
	m := &tir.IndexMap{Initial: make([]*tir.Var, n)}
	idx := make([]tir.Expr, n)
	for i := range idx {
		m.Initial[i] = tir.NewVar("i"+string(rune('0'+i%10)), dtype.Int32)
		idx[i] = m.Initial[i]
	}
	m.Final = f(idx)
	return m
}

// TransformLayout changes the layout of the buffer that b reads (or writes) as
// its index-th, everywhere: element i moves to m(i). The buffer is a parameter
// or allocated in the function. The map must be a bijection from the old shape
// to the new one.
func (s *Schedule) TransformLayout(b BlockRV, index int, write bool, m *tir.IndexMap) error {
	return s.TransformLayoutWith(b, index, write, m, LayoutOptions{})
}

// TransformLayoutWith is TransformLayout for maps that leave places unused. With
// a pad value, the writer of the buffer also writes these: its loops run over
// the new layout when the block stores at its iterators and nothing else lies in
// its nest; else a block of its own fills them.
func (s *Schedule) TransformLayoutWith(b BlockRV, index int, write bool, m *tir.IndexMap, o LayoutOptions) error {
	const prim = "transform_layout"
	st, id, err := s.block(b)
	var p *layout
	if err == nil {
		p, err = st.planLayout(id, index, write, m, o)
	}
	if err != nil {
		return err.by(prim)
	}
	st.transformLayout(p)
	var pad any
	if o.Pad != nil {
		pad = o.Pad
	}
	s.record(kindTransformLayout, []any{b, m}, []any{int64(index), flag(write), pad, o.AssumeInjective}, nil, nil)
	return nil
}

// layout is a checked transform_layout.
type layout struct {
	owner    nid // the block that allocates the buffer, none for a parameter
	old, new *tir.Buffer
	m        *tir.IndexMap
	pad      *tir.IndexMap
	inv      *inversion // when there is padding to fill
	writer   nid
}

func (st *state) planLayout(id nid, index int, write bool, m *tir.IndexMap, o LayoutOptions) (*layout, *Error) {
	buf, err := st.accessed(id, index, write)
	if err != nil {
		return nil, err
	}
	owner, allocated := st.owner(id, buf)
	if !allocated {
		if !slices.Contains(st.fn.Params, tir.Param(buf)) {
			return nil, refuse(BufferScope, st.where(id), "buffer %s is neither a parameter nor allocated by a block around it", buf.Name)
		}
		owner = none
	}
	if len(m.Initial) != len(buf.Shape) || len(m.Final) == 0 {
		return nil, refuse(IndexForm, st.where(id), "the map takes %d indices to %d, buffer %s has %d", len(m.Initial), len(m.Final), buf.Name, len(buf.Shape))
	}
	p := &layout{owner: owner, old: buf, m: typedMap(m, buf), pad: o.Pad, writer: none}
	if err := p.shape(st, id); err != nil {
		return nil, err
	}
	if o.AssumeInjective && o.Pad == nil {
		return p, nil
	}
	inv, ok := invertPadded(p.m.Final, p.m.Initial, fullRegion(buf))
	switch {
	case !ok:
		return nil, refuse(NotInvertible, st.where(id), "the map cannot be inverted on %s", buf.Name)
	case len(inv.outside) == 0:
		return p, nil
	case o.Pad == nil:
		return nil, refuse(PadValue, st.where(id), "the map leaves places of the new layout unused and no pad value is given")
	}
	return p, st.planPadding(p, inv, id)
}

// typedMap gives the map variables of the types of the buffer's dimensions.
func typedMap(m *tir.IndexMap, buf *tir.Buffer) *tir.IndexMap {
	sub := map[*tir.Var]tir.Expr{}
	out := &tir.IndexMap{Initial: make([]*tir.Var, len(m.Initial))}
	for i, v := range m.Initial {
		out.Initial[i] = v
		if t := buf.Shape[i].DType(); t != v.Type {
			out.Initial[i] = tir.NewVar(v.Name, t)
			sub[v] = out.Initial[i]
		}
	}
	out.Final = m.Final
	if len(sub) > 0 {
		out.Final = tir.SubstituteAll(m.Final, sub)
	}
	return out
}

// shape computes the new shape: the greatest index that the map gives, plus one.
func (p *layout) shape(st *state, id nid) *Error {
	r := relaxer{a: arith.NewAnalyzer()}
	for i, v := range p.m.Initial {
		r.add(v, arith.RangeInterval(tir.Range{Min: tir.IntOf(0, v.Type), Extent: p.old.Shape[i]}))
	}
	b := *p.old
	b.Strides, b.ElemOffset = nil, nil
	b.Shape = make([]tir.Expr, len(p.m.Final))
	for i, e := range p.m.Final {
		in := r.eval(e)
		if !in.Bounded() {
			return refuse(IndexForm, st.where(id), "the extent of new dimension %d is unknown", i)
		}
		lo := r.a.Simplify(in.Lo)
		if n, ok := tir.AsInt(lo); ok && n < 0 {
			return refuse(IndexForm, st.where(id), "new index %d may be negative", i)
		}
		b.Shape[i] = r.a.Simplify(tir.Add(in.Hi, tir.IntOf(1, in.Hi.DType())))
	}
	p.new = &b
	return nil
}

// planPadding checks the pad value and finds the one writer that can fill.
func (st *state) planPadding(p *layout, inv *inversion, id nid) *Error {
	if len(p.pad.Final) != 1 || len(p.pad.Initial) != len(p.m.Final) {
		return refuse(PadValue, st.where(id), "the pad value is no single value of the %d new indices", len(p.m.Final))
	}
	if t := p.pad.Final[0].DType(); t != p.old.Type {
		return refuse(PadValue, st.where(id), "the pad value is %s, buffer %s holds %s", t, p.old.Name, p.old.Type)
	}
	scope := p.owner
	if scope == none {
		scope = st.root
	}
	ws := st.writersOf(scope, p.old)
	if len(ws) == 0 {
		return refuse(PadValue, st.where(id), "nothing in the function writes %s, so nothing can fill its padding", p.old.Name)
	}
	p.inv, p.writer = inv, ws[len(ws)-1]
	return nil
}

func (st *state) transformLayout(p *layout) {
	top := p.owner
	if top == none {
		top = st.root
		fn := *st.fn
		fn.Params = slices.Clone(fn.Params)
		fn.Params[slices.Index(fn.Params, tir.Param(p.old))] = p.new
		st.fn = &fn
	}
	replace := p.inv != nil && st.storesInOrder(p)
	st.eachShell(top, func(id nid) {
		if !st.mentions(id, p.old) {
			return
		}
		a := st.bindLoops(id)
		if n := st.at(id); n.kind == kBlock {
			for _, it := range n.block.Iters {
				a.Bind(it.Var, it.Dom)
			}
		}
		st.mapShell(id, func(s tir.Stmt) tir.Stmt { return p.rewrite(s, a) })
	})
	if p.owner != none {
		b := *st.at(p.owner).block
		b.Allocs = slices.Clone(b.Allocs)
		for i, x := range b.Allocs {
			if x == p.old {
				b.Allocs[i] = p.new
			}
		}
		st.at(p.owner).block = &b
		st.touch(p.owner)
	}
	switch {
	case replace:
		st.padInPlace(p)
	case p.inv != nil:
		st.padAfter(p)
	}
}

// indices maps and simplifies one access.
func (p *layout) indices(idx []tir.Expr, a *arith.Analyzer) []tir.Expr {
	out := p.m.Apply(idx)
	for i, e := range out {
		if s, ok := parseIterSum(e); ok && isPlain(s) {
			out[i] = s.expr(e.DType())
			continue
		}
		out[i] = a.Simplify(e)
	}
	return out
}

// isPlain reports whether a sum is digits of single variables.
func isPlain(s iterSum) bool {
	for _, d := range s.splits {
		if _, ok := d.src.(*tir.Var); !ok {
			return false
		}
	}
	return true
}

func (p *layout) rewrite(s tir.Stmt, a *arith.Analyzer) tir.Stmt {
	load := func(e tir.Expr) tir.Expr {
		if l, ok := e.(*tir.Load); ok && l.Buffer == p.old {
			return &tir.Load{Buffer: p.new, Indices: p.indices(l.Indices, a)}
		}
		return e
	}
	w := tir.StmtRewriter{
		Expr: func(e tir.Expr) tir.Expr { return tir.RewriteExpr(e, load) },
		Stmt: func(s tir.Stmt) tir.Stmt {
			switch x := s.(type) {
			case *tir.Store:
				if x.Buffer == p.old {
					return &tir.Store{Buffer: p.new, Value: x.Value, Indices: p.indices(x.Indices, a)}
				}
			case *tir.BlockRealize:
				b := *x.Block
				b.Reads, b.Writes = p.regions(b.Reads, a), p.regions(b.Writes, a)
				return &tir.BlockRealize{Values: x.Values, Predicate: x.Predicate, Block: &b}
			}
			return s
		},
	}
	return w.Rewrite(s)
}

// regions maps regions: points to points, boxes to the hull of their images.
func (p *layout) regions(rs []tir.Region, a *arith.Analyzer) []tir.Region {
	out := rs
	for i, rg := range rs {
		if rg.Buffer != p.old {
			continue
		}
		if &out[0] == &rs[0] {
			out = slices.Clone(rs)
		}
		points := make([]tir.Expr, len(rg.Ranges))
		single := true
		r := relaxer{a: a}
		for d, x := range rg.Ranges {
			points[d] = x.Min
			single = single && tir.IsConst(x.Extent, 1)
			r.add(p.m.Initial[d], arith.RangeInterval(x))
		}
		if single {
			out[i] = pointRegion(p.new, p.indices(points, a))
			continue
		}
		full := fullRegion(p.new)
		for d, e := range p.m.Final {
			if in := r.eval(e); in.Bounded() {
				full[d] = rangeOf(in, a)
			}
		}
		out[i] = tir.Region{Buffer: p.new, Ranges: full}
	}
	return out
}

// axisNames names the axes of the new layout: a plain index by its variable.
func (p *layout) axisNames() []string {
	out := make([]string, len(p.m.Final))
	for i, e := range p.m.Final {
		out[i] = "axis" + string(rune('0'+i%10))
		if v, ok := e.(*tir.Var); ok {
			out[i] = v.Name
		}
	}
	return out
}
