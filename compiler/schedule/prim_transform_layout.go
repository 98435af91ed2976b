package schedule

import (
	"fmt"
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
	Refuses: []Condition{BufferScope, IndexForm, NotInvertible, PadValue, SingleChild, BodyForm},
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

// TransformLayoutWith is TransformLayout for maps that leave places unused, which
// hold the pad value then. Loops that store the whole buffer in order run over
// the new layout and store the pad value too; other writers are followed by a
// block that does. Of a buffer that nobody writes they are assumed to hold it.
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
	scope    nid // the block that allocates the buffer, the root for a parameter
	param    bool
	old, new *tir.Buffer
	m        *tir.IndexMap

	// What to do about places that hold nothing; nil without padding.
	pad    *tir.IndexMap
	inv    *tir.IndexMap // the old indices by the new ones
	holes  tir.Expr      // over the inverse's variables
	stores []layoutStore // all stores of the buffer, in order
}

func (st *state) planLayout(id nid, index int, write bool, m *tir.IndexMap, o LayoutOptions) (*layout, *Error) {
	buf, err := st.accessed(id, index, write)
	if err != nil {
		return nil, err
	}
	p := &layout{old: buf}
	if err := st.findLayoutScope(p, id); err != nil {
		return nil, err
	}
	t := dtype.Int32
	for i, n := range buf.Shape {
		if i > 0 && n.DType() != t {
			return nil, refuse(IndexForm, st.where(id), "the dimensions of buffer %s have different types", buf.Name)
		}
		t = n.DType()
	}
	var why string
	if p.m, why = typedMap(m, len(buf.Shape), t); why != "" {
		return nil, refuse(IndexForm, st.where(id), "buffer %s: %s", buf.Name, why)
	}
	if err := p.checkPad(st, id, o); err != nil {
		return nil, err
	}
	a := st.shapeBounds()
	if !o.AssumeInjective {
		var e error
		if p.inv, p.holes, e = a.PaddedInverse(p.m, buf.Shape); e != nil {
			return nil, refuse(NotInvertible, st.where(id), "%v on buffer %s", e, buf.Name)
		}
		if !tir.IsConst(p.holes, 0) && o.Pad == nil {
			return nil, refuse(PadValue, st.where(id), "the map leaves places of the new layout of %s unused and no pad value is given", buf.Name)
		}
	}
	shape, e := a.MapShape(p.m, buf.Shape)
	if e != nil {
		return nil, refuse(IndexForm, st.where(id), "%v", e)
	}
	b := *buf
	b.Shape = shape
	// What the buffers of cache_index say of strides and offset holds for any shape.
	if len(buf.Strides) != 1 || !buf.Compact() || buf.ElemOffset != nil && !tir.IsConst(buf.ElemOffset, 0) {
		b.Strides, b.ElemOffset = nil, nil
	}
	p.new = &b
	if o.Pad != nil && !tir.IsConst(p.holes, 0) {
		p.pad = o.Pad
		return p, st.planStores(p)
	}
	return p, nil
}

// findLayoutScope finds the block below which everything that accesses the buffer
// lies.
func (st *state) findLayoutScope(p *layout, id nid) *Error {
	scope, allocated := st.owner(id, p.old)
	switch {
	case allocated:
	case !slices.Contains(st.fn.Params, tir.Param(p.old)):
		return refuse(BufferScope, st.where(id), "buffer %s is neither a parameter nor allocated by a block around it", p.old.Name)
	case st.scopeOf(id) != st.root:
		return refuse(BufferScope, st.where(id), "buffer %s is a parameter, and the block lies inside another block", p.old.Name)
	default:
		scope, p.param = st.root, true
	}
	p.scope = scope
	var err *Error
	st.eachShell(scope, func(n nid) {
		if b := st.at(n).block; b != nil && slices.ContainsFunc(b.Matches, func(m tir.MatchRegion) bool { return m.Source.Buffer == p.old }) {
			err = refuse(BodyForm, st.where(n), "it matches a region of buffer %s, which a new layout would tear apart", p.old.Name)
		}
	})
	return err
}

// typedMap gives a map variables of type t, one for each of n indices.
func typedMap(m *tir.IndexMap, n int, t dtype.DType) (*tir.IndexMap, string) {
	if len(m.Initial) != n {
		return nil, fmt.Sprintf("the map takes %d indices, not %d", len(m.Initial), n)
	}
	out := &tir.IndexMap{Initial: slices.Clone(m.Initial), Final: slices.Clone(m.Final), Inverse: m.Inverse}
	sub := map[*tir.Var]tir.Expr{}
	for i, v := range m.Initial {
		if t != v.Type {
			out.Initial[i] = tir.NewVar(v.Name, t)
			sub[v] = out.Initial[i]
		}
	}
	for i, e := range m.Final {
		if n, ok := e.(*tir.IntImm); ok && len(sub) > 0 {
			out.Final[i] = tir.IntOf(n.Value, t)
		} else {
			out.Final[i] = tir.Substitute(e, sub)
		}
	}
	return out, ""
}

func (p *layout) checkPad(st *state, id nid, o LayoutOptions) *Error {
	if o.Pad == nil {
		return nil
	}
	switch {
	case len(o.Pad.Final) != 1:
		return refuse(PadValue, st.where(id), "the pad value has %d results, it must have one", len(o.Pad.Final))
	case o.Pad.Final[0].DType() != p.old.Type:
		return refuse(PadValue, st.where(id), "the pad value is %s, buffer %s holds %s", o.Pad.Final[0].DType(), p.old.Name, p.old.Type)
	case tir.HasLoad(o.Pad.Final[0]):
		return refuse(PadValue, st.where(id), "the pad value loads from a buffer")
	case o.AssumeInjective:
		return refuse(PadValue, st.where(id), "a map that is assumed to be injective has no padding to hold a value")
	case len(o.Pad.Initial) != len(p.m.Final):
		return refuse(PadValue, st.where(id), "the pad value takes %d indices, the map has %d", len(o.Pad.Initial), len(p.m.Final))
	}
	return nil
}

// shapeBounds is an analyzer that knows that the variables of parameters' shapes
// are not negative.
func (st *state) shapeBounds() *arith.Analyzer {
	a := arith.NewAnalyzer()
	for _, b := range st.fn.Buffers() {
		for _, n := range b.Shape {
			if v, ok := n.(*tir.Var); ok {
				a.BindBound(v, arith.Bound{Lo: 0, Hi: arith.PosInf})
			}
		}
	}
	return a
}

func (st *state) transformLayout(p *layout) {
	if p.param {
		fn := *st.fn
		fn.Params = slices.Clone(fn.Params)
		fn.Params[slices.Index(fn.Params, tir.Param(p.old))] = p.new
		st.fn = &fn
	}
	if p.pad != nil {
		st.padStores(p)
	}
	r := relayout{st: st, layout: p}
	r.visit(p.scope, nil)
}
