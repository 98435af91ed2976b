package schedule

import (
	"fmt"

	"hone/compiler/dtype"
	"hone/compiler/tir"
)

//	for i in n:        →   for i_0 in f0: for i_1 in f1:
//	    B(i)                   if i_0*f1 + i_1 < n: B(i_0*f1 + i_1)
//
// The condition becomes part of the predicates of the blocks below, and only
// when it cannot be proved.

// SplitOptions are the attributes of split.
type SplitOptions struct {
	PreserveUnitIters  bool // keep the variables of unit loops in bindings
	DisablePredication bool // the caller vouches that the factors fit
}

var kindSplit = define(Kind{
	Name: "Split", Doc: "splits a loop into nested loops",
	Params:  "loop, factors, preserve_unit_iters=True, disable_predication=False",
	In:      []Slot{{Name: "loop", Kind: SlotLoop}, {Name: "factors", Kind: SlotFactor, Many: true}},
	Attrs:   []Slot{{Name: "preserve_unit_iters", Kind: SlotFlag}, {Name: "disable_predication", Kind: SlotFlag}},
	Out:     OutLoops,
	Refuses: []Condition{LoopAnnotated, LoopStart, FactorProduct},
})

func init() {
	kindSplit.Apply = func(s *Schedule, c Call) error {
		_, err := s.SplitWith(c.loop(0), c.exprsFrom(1), SplitOptions{c.flag(0), c.flag(1)})
		return err
	}
}

// Split replaces a loop by one loop per factor, outermost first. At most one
// factor may be Open: it becomes as large as needed. The loop must start at
// zero and carry no annotation or thread binding.
func (s *Schedule) Split(l LoopRV, factors ...ExprRV) ([]LoopRV, error) {
	return s.SplitWith(l, factors, SplitOptions{PreserveUnitIters: true})
}

// SplitWith is Split with options.
func (s *Schedule) SplitWith(l LoopRV, factors []ExprRV, o SplitOptions) ([]LoopRV, error) {
	st, id, err := s.loop(l)
	var news []nid
	if err == nil {
		news, err = st.split(id, factors, o)
	}
	if err != nil {
		return nil, err.by("split")
	}
	out := make([]LoopRV, len(news))
	for i, n := range news {
		out[i] = s.newLoop(st.index, n)
	}
	s.record(kindSplit, exprInputs(l, factors), []any{flag(o.PreserveUnitIters), flag(o.DisablePredication)}, loopOutputs(out), nil)
	return out, nil
}

// plainLoop checks what split, fuse and others ask of a loop. Loops around it are
// not considered: a start that only they make 0 is not 0.
func (st *state) plainLoop(id nid) *Error {
	if err := st.unmarkedLoop(id); err != nil {
		return err
	}
	return st.startsAtZero(id)
}

// unmarkedLoop refuses annotations and thread bindings.
func (st *state) unmarkedLoop(id nid) *Error {
	switch l := &st.at(id).loop; {
	case l.Kind == tir.ThreadBinding:
		return refuse(LoopAnnotated, st.where(id), "it is bound to %s", l.Thread.Tag)
	case len(l.Ann) > 0:
		return refuse(LoopAnnotated, st.where(id), "it carries the annotation %q", l.Ann[0].Key)
	}
	return nil
}

func (st *state) startsAtZero(id nid) *Error {
	l := &st.at(id).loop
	switch {
	case !tir.IsConst(l.Min, 0) && !st.free().CanProve(tir.CompareFold(tir.OpEQ, l.Min, tir.IntOf(0, l.Min.DType()))):
		return refuse(LoopStart, st.where(id), "it does not start at 0")
	case l.Step != nil && !tir.IsConst(l.Step, 1):
		return refuse(LoopStart, st.where(id), "it has a step")
	}
	return nil
}

func (st *state) split(id nid, factors []ExprRV, o SplitOptions) ([]nid, *Error) {
	l := st.at(id).loop
	t := wideIndex(l.Var.Type)
	extents, err := st.splitExtents(id, factors, t)
	if err == nil {
		err = st.plainLoop(id)
	}
	if err != nil {
		return nil, err
	}
	a := st.free()
	vars := make([]*tir.Var, len(extents))
	var index tir.Expr = tir.IntOf(0, t)
	covered := int64(1)
	for i, f := range extents {
		vars[i] = tir.NewVar(fmt.Sprintf("%s_%d", l.Var.Name, i), t)
		a.Bind(vars[i], tir.Range{Min: tir.IntOf(0, t), Extent: f})
		index = tir.Add(tir.Mul(index, f), vars[i])
		if c, ok := tir.AsInt(f); ok {
			covered *= c
		} else {
			covered = -1 << 40
		}
	}
	r := rename{st: st, vars: []*tir.Var{l.Var}, by: []tir.Expr{tir.NewCast(l.Var.Type, index)}, scope: st.scopeOf(id), units: o.PreserveUnitIters}
	if n, ok := tir.AsInt(l.Extent); !o.DisablePredication && !(ok && covered == n) {
		if p := tir.CompareFold(tir.OpLT, index, l.Extent); !a.CanProve(p) {
			r.pred = p
		}
	}
	return st.splitNest(id, vars, extents, &r), nil
}

// wideIndex is the type of loops made of one of type t: 32 bits or more.
func wideIndex(t dtype.DType) dtype.DType {
	if t.Bits < 32 {
		return dtype.Int32
	}
	return t
}

// factorsOf turns constant factors into expressions of type t; the open one, if
// any, is left nil.
func (st *state) factorsOf(id nid, factors []ExprRV, t dtype.DType) (out []tir.Expr, open int, err *Error) {
	out = make([]tir.Expr, len(factors))
	open = -1
	for i, f := range factors {
		switch {
		case f.open && open >= 0:
			return nil, 0, refuse(BadArgument, st.where(id), "factors %d and %d are both open", open, i)
		case f.open:
			open = i
			continue
		case f.val < 1 || f.val > 1<<31-1 && t.Bits <= 32:
			return nil, 0, refuse(BadArgument, st.where(id), "factor %d is %d", i, f.val)
		}
		out[i] = tir.IntOf(f.val, t)
	}
	return out, open, nil
}

// splitExtents turns factors into extents of type t: the open one is inferred
// and the product checked.
func (st *state) splitExtents(id nid, factors []ExprRV, t dtype.DType) ([]tir.Expr, *Error) {
	l := &st.at(id).loop
	out, open, err := st.factorsOf(id, factors, t)
	if err != nil {
		return nil, err
	}
	product := int64(1)
	for i, f := range factors {
		if i != open {
			if product > (1<<62)/f.val {
				return nil, refuse(BadArgument, st.where(id), "the product of the factors is out of range")
			}
			product *= f.val
		}
	}
	whole := tir.IntOf(product, t)
	if open >= 0 {
		if n, ok := tir.AsInt(l.Extent); ok {
			out[open] = tir.IntOf(max(0, tir.FloorDivInt(n+product-1, product)), t)
		} else {
			out[open] = st.free().Simplify(tir.CeilDiv(l.Extent, whole))
		}
		return out, nil
	}
	if n, ok := tir.AsInt(l.Extent); ok {
		if product < n {
			return nil, refuse(FactorProduct, st.where(id), "the product of the factors is %d, the extent %d", product, n)
		}
	} else if !st.free().CanProve(tir.CompareFold(tir.OpGE, whole, l.Extent)) {
		return nil, refuse(FactorProduct, st.where(id), "the product of the factors, %d, may be less than the extent", product)
	}
	return out, nil
}

// splitNest puts loops over vars in the place of loop id.
func (st *state) splitNest(id nid, vars []*tir.Var, extents []tir.Expr, r *rename) []nid {
	news := make([]nid, len(vars))
	body := st.at(id).kids[0]
	inner := body
	for i := len(vars) - 1; i >= 0; i-- {
		f := tir.For{Var: vars[i], Min: tir.IntOf(0, vars[i].Type), Extent: extents[i]}
		inner = st.add(node{kind: kLoop, loop: f, kids: []nid{inner}})
		news[i] = inner
	}
	st.replace(id, news[0])
	st.at(id).gone = "split"
	r.below(body)
	return news
}
