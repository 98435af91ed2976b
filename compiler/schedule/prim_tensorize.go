package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

//	block C_o: for i in 16, k in 4: C[i] += A[k] * B[i, k]
//	→  block C_o: X, Y, Z = match_buffer(A, B, C);  dot_product(Z, X, Y)

var kindTensorize = define(Kind{
	Name: "Tensorize", Doc: "replaces what a block or loop does by a tensor intrinsic",
	Params:  "block_or_loop, tensor_intrin, preserve_unit_iters=True",
	In:      []Slot{{Name: "block_or_loop", Kind: SlotPlace}},
	Attrs:   []Slot{{Name: "tensor_intrin", Kind: SlotString}, {Name: "preserve_unit_iters", Kind: SlotBool}},
	Refuses: []Condition{UnknownName, RootBlock, SingleChild, AffineBinding, Predicate, Description},
})

func init() {
	kindTensorize.Apply = func(s *Schedule, c Call) error {
		if l, ok := c.Inputs[0].(LoopRV); ok {
			return s.TensorizeLoop(l, c.string(0), c.Attrs[1].(bool))
		}
		return s.Tensorize(c.block(0), c.string(0), c.Attrs[1].(bool))
	}
}

// Tensorize replaces the body of a block, which has to be what the intrinsic of
// that name describes, by the intrinsic's implementation; the buffers of the
// implementation become views of what the block accesses. The block keeps its
// iterators, regions and handle.
func (s *Schedule) Tensorize(b BlockRV, intrin string, preserveUnitIters bool) error {
	const prim = "tensorize"
	st, id, err := s.block(b)
	if err == nil {
		err = st.notRoot(id)
	}
	if err == nil {
		err = s.tensorize(st, id, intrin)
	}
	if err != nil {
		return err.by(prim)
	}
	s.record(kindTensorize, []any{b}, []any{intrin, preserveUnitIters}, nil, nil)
	return nil
}

// TensorizeLoop is Blockize of a loop and Tensorize of the block that this
// gives.
func (s *Schedule) TensorizeLoop(l LoopRV, intrin string, preserveUnitIters bool) error {
	const prim = "tensorize"
	st, loop, err := s.loop(l)
	var p *blockizing
	if err == nil {
		p, err = st.canBlockize(loop, preserveUnitIters)
	}
	if err == nil {
		// Whether it fits is only known of the blockized loop: try on a copy.
		st = st.clone()
		err = s.tensorize(st, st.blockize(p), intrin)
	}
	if err != nil {
		return err.by(prim)
	}
	s.fns[st.index] = st
	s.record(kindTensorize, []any{l}, []any{intrin, preserveUnitIters}, nil, nil)
	return nil
}

// tensorize replaces the body of block id if it fits.
func (s *Schedule) tensorize(st *state, id nid, name string) *Error {
	in, why := s.intrin(name)
	if why != nil {
		return refuse(UnknownName, "", "%s", why)
	}
	r := st.stmt(id).(*tir.BlockRealize)
	bits := indexBits(r.Block)
	if bits == 0 {
		return refuse(Description, st.where(id), "it accesses no buffer")
	}
	m := match(r, in.simplified())
	if m.why != "" {
		return refuse(Description, st.where(id), "not what %s describes: %s", name, m.why)
	}
	impl := in.instance(bits)
	views, err := m.views(in, impl)
	if err != "" {
		return refuse(Description, st.where(id), "the implementation of %s does not fit: %s", name, err)
	}
	st.setBody(id, impl, views)
	return nil
}

// indexBits is the width of the widest index in the regions of a block.
func indexBits(b *tir.Block) int {
	bits := 0
	for _, r := range slices.Concat(b.Reads, b.Writes) {
		for _, x := range r.Ranges {
			bits = max(bits, int(x.Min.DType().Bits))
		}
	}
	return bits
}

// setBody gives a block the body of an implementation; its annotations join
// those of the block, which win.
func (st *state) setBody(id nid, impl *implementation, views []tir.MatchRegion) {
	st.eachShell(id, func(x nid) {
		if x != id {
			st.at(x).gone = "tensorize"
		}
	})
	n := st.at(id)
	b := *n.block
	b.Body, b.Matches = impl.block.Body, views
	for _, x := range impl.block.Ann {
		if _, ok := b.Ann.Get(x.Key); !ok {
			b.Ann = b.Ann.With(x.Key, x.Value)
		}
	}
	n.kids = nil
	if hasBlocks(b.Body) {
		n.kids = []nid{st.load(b.Body)}
		st.at(n.kids[0]).parent = id
	}
	st.setBlock(id, &b)
	st.relearnChildren(st.scopeOf(id))
}

// relearnChildren computes the facts of the blocks directly in a scope again, as
// the reference system does after tensorize: of what they read it assumes that
// it is produced in full, and bindings outside of any loop count as affine only
// if there are none.
func (st *state) relearnChildren(scope nid) {
	around := st.loopsAround(scope)
	s := analysis.NewScope(st.stmt(scope).(*tir.BlockRealize).Block, around...)
	for i, b := range st.childBlocks(scope) {
		n := st.at(b)
		n.cover, n.affine = yes, factOf(len(n.values) == 0)
		if len(st.loopsOf(b)) > 0 {
			n.affine = factOf(s.AffineBinding(i))
		}
		st.learnScope(b, st.loopsAround(b))
	}
}

// views makes the buffers of the implementation views of what the block
// accesses, or says why they cannot be.
func (m *matcher) views(in *Intrin, impl *implementation) ([]tir.MatchRegion, string) {
	var out []tir.MatchRegion
	for i, buf := range impl.params {
		cur := m.bufs[in.Desc.Params[i].(*tir.Buffer)]
		own := region(impl.block.Reads, buf)
		if own == nil {
			own = region(impl.block.Writes, buf)
		}
		if cur == nil || own == nil {
			return nil, "buffer " + buf.Name + " is not accessed"
		}
		base := m.base[cur]
		front := len(base) - len(own.Ranges)
		if front < 0 {
			return nil, "buffer " + buf.Name + " has too many dimensions"
		}
		v := tir.MatchRegion{Buffer: buf, Source: tir.Region{Buffer: cur}}
		for d, lo := range base {
			n := tir.Expr(tir.IntOf(1, lo.DType()))
			if d >= front {
				n = tir.NewCast(lo.DType(), own.Ranges[d-front].Extent)
			}
			v.Source.Ranges = append(v.Source.Ranges, tir.Range{Min: lo, Extent: n})
		}
		if why := m.cannotView(v); why != "" {
			return nil, why
		}
		out = append(out, v)
	}
	return out, ""
}

// cannotView says why a buffer is no view of a region.
func (m *matcher) cannotView(v tir.MatchRegion) string {
	buf, src := v.Buffer, v.Source
	front := len(src.Ranges) - len(buf.Shape)
	switch {
	case buf.Type != src.Buffer.Type || buf.Scope != src.Buffer.Scope:
		return "buffer " + buf.Name + " is of another type or scope than " + src.Buffer.Name
	case buf.Align == 0 || src.Buffer.Align%buf.Align != 0:
		return "buffer " + buf.Name + " is aligned more strictly than " + src.Buffer.Name
	case front < 0:
		return "buffer " + buf.Name + " has more dimensions than its part of " + src.Buffer.Name
	}
	for d, x := range src.Ranges {
		want := tir.Expr(tir.Int(1))
		if d >= front {
			want = buf.Shape[d-front]
		}
		if _, free := want.(*tir.Var); !free && !m.same(x.Extent, want) {
			return "the shape of buffer " + buf.Name + " is not that of its part of " + src.Buffer.Name
		}
	}
	return ""
}
