package schedule

import (
	"math"
	"strings"

	"hone/compiler/tir"
)

//	for i in n: for j in m:   →   for i_j_fused in n*m:
//	    B(i, j)                       B(i_j_fused // m, i_j_fused % m)

var kindFuse = define(Kind{
	Name: "Fuse", Doc: "makes one loop of consecutive nested loops",
	Params: "*loops, preserve_unit_iters=True",
	In:     []Slot{{Name: "loops", Kind: SlotLoop, Many: true}},
	Attrs:  []Slot{{Name: "preserve_unit_iters", Kind: SlotFlag}}, Out: OutLoop,
	Refuses: []Condition{LoopAnnotated, LoopStart, NotOneChain, SingleChild, DependentDomain},
})

func init() {
	kindFuse.Apply = func(s *Schedule, c Call) error { _, err := s.FuseWith(c.loopsFrom(0), c.flag(0)); return err }
}

// Fuse makes one loop of loops that are nested directly in one another, given
// outermost first. They must start at zero, have independent extents and carry
// no annotation or thread binding.
func (s *Schedule) Fuse(ls ...LoopRV) (LoopRV, error) { return s.FuseWith(ls, true) }

// FuseWith is Fuse; preserveUnitIters keeps the variables of unit loops in
// bindings.
func (s *Schedule) FuseWith(ls []LoopRV, preserveUnitIters bool) (LoopRV, error) {
	st, ids, err := s.loops(ls)
	if err == nil {
		err = st.canFuse(ids)
	}
	if err != nil {
		return 0, err.by("fuse")
	}
	out := s.newLoop(st.index, st.fuse(ids, preserveUnitIters))
	s.record(kindFuse, loopOutputs(ls), []any{flag(preserveUnitIters)}, []any{out}, nil)
	return out, nil
}

func (st *state) canFuse(ids []nid) *Error {
	product, bits := 1.0, uint8(32)
	for _, id := range ids {
		if n, ok := tir.AsInt(st.at(id).loop.Extent); ok {
			product *= float64(n)
		}
		bits = max(bits, st.at(id).loop.Var.Type.Bits)
	}
	if product > math.MaxInt32 && bits == 32 {
		return refuse(BadArgument, st.where(ids[0]), "the fused loop would have %.0f iterations, more than an int32 counts", product)
	}
	for i, id := range ids {
		if err := st.unmarkedLoop(id); err != nil {
			return err
		}
		if i > 0 && st.at(id).parent != ids[i-1] {
			if st.outerNode(id) == ids[i-1] {
				return refuse(SingleChild, st.where(ids[i-1]), "%s is not its only child", st.where(id))
			}
			return refuse(NotOneChain, st.where(id), "it is not directly inside %s", st.where(ids[i-1]))
		}
		if err := st.startsAtZero(id); err != nil {
			return err
		}
		for _, outer := range ids[:i] {
			if v := st.at(outer).loop.Var; usesOne(st.at(id).loop.Extent, v) {
				return refuse(DependentDomain, st.where(id), "its extent depends on %s", st.where(outer))
			}
		}
	}
	return nil
}

// outerNode is the loop or block next around a node, none for the root block.
func (st *state) outerNode(id nid) nid {
	p := st.at(id).parent
	for p != none && st.at(p).kind != kLoop && st.at(p).kind != kBlock {
		p = st.at(p).parent
	}
	return p
}

func usesOne(e tir.Expr, v *tir.Var) bool {
	return tir.UsesVar(e, func(x *tir.Var) bool { return x == v })
}

func (st *state) fuse(ids []nid, units bool) nid {
	first := ids[0]
	names := make([]string, len(ids))
	loops := make([]*tir.For, len(ids))
	t := wideIndex(st.at(first).loop.Var.Type)
	for i, id := range ids {
		loops[i] = &st.at(id).loop
		names[i] = loops[i].Var.Name
		if loops[i].Var.Type.Bits > t.Bits {
			t = loops[i].Var.Type
		}
	}
	a := st.free()
	v := tir.NewVar(strings.Join(names, "_")+"_fused", t)
	r := rename{st: st, vars: make([]*tir.Var, len(ids)), by: make([]tir.Expr, len(ids)), scope: st.scopeOf(first), units: units}
	var lower tir.Expr = tir.IntOf(1, t)
	var extent tir.Expr = tir.IntOf(1, t)
	for i := len(ids) - 1; i >= 0; i-- {
		l := loops[i]
		r.vars[i] = l.Var
		var e tir.Expr = v
		next := a.Simplify(tir.Mul(l.Extent, lower))
		if i > 0 {
			e = tir.FloorMod(v, next)
		}
		e = tir.FloorDiv(e, lower)
		if tir.IsConst(l.Extent, 1) {
			e = tir.IntOf(0, t)
		}
		r.by[i] = tir.NewCast(l.Var.Type, e)
		lower = next
	}
	for _, l := range loops {
		extent = tir.Mul(extent, l.Extent)
	}
	body := st.at(ids[len(ids)-1]).kids[0]
	f := tir.For{Var: v, Min: tir.IntOf(0, t), Extent: a.Simplify(extent)}
	n := st.add(node{kind: kLoop, loop: f, kids: []nid{body}})
	st.replace(first, n)
	for _, id := range ids {
		st.at(id).gone = "fuse"
	}
	r.below(body)
	return n
}
