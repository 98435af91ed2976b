package analysis

import (
	"slices"

	"hone/compiler/tir"
)

// WhyNotComplete says what keeps child i from being a complete block: spatial
// iterators only, the only writer of its outputs in the scope and before their
// readers, and no buffer both read and written. "" when it is one.
func (s *Scope) WhyNotComplete(i int) string {
	b := s.Children[i].Block()
	for _, it := range b.Iters {
		if it.Kind != tir.Spatial {
			return "iterator " + it.Var.Name + " is not spatial"
		}
	}
	if why := s.whyNotDominant(i); why != "" {
		return why
	}
	for _, w := range b.Writes {
		if touches(b.Reads, w.Buffer) {
			return "it reads and writes buffer " + w.Buffer.Name
		}
	}
	return ""
}

// WhyNotReduction says what keeps child i from being a reduction block: an
// initialiser, affine bindings, spatial and reduce iterators only, dominance as
// for complete blocks, and stores to places that reduce iterators do not choose.
func (s *Scope) WhyNotReduction(i int) string {
	b := s.Children[i].Block()
	if b.Init == nil {
		return "it has no initialiser"
	}
	if !s.AffineBinding(i) {
		return "its bindings are not affine in the loops"
	}
	if why := s.whyNotDominant(i); why != "" {
		return why
	}
	return WhyNotReduce(b)
}

// WhyNotReduce says what in a block itself keeps it from being a reduction block:
// iterators that are neither spatial nor reduce, or stores to places that reduce
// iterators choose.
func WhyNotReduce(b *tir.Block) string {
	var reduce []*tir.Var
	for _, it := range b.Iters {
		switch it.Kind {
		case tir.Spatial:
		case tir.Reduce:
			reduce = append(reduce, it.Var)
		default:
			return "iterator " + it.Var.Name + " is neither spatial nor reduce"
		}
	}
	if storesByIter(b, reduce) {
		return "a reduce iterator chooses where it stores"
	}
	return ""
}

// IsComplete reports whether child i is a complete block.
func (s *Scope) IsComplete(i int) bool { return s.WhyNotComplete(i) == "" }

// IsReduction reports whether child i is a reduction block.
func (s *Scope) IsReduction(i int) bool { return s.WhyNotReduction(i) == "" }

func (s *Scope) whyNotDominant(i int) string {
	for _, w := range s.Children[i].Block().Writes {
		for _, j := range s.writers[w.Buffer] {
			if j != i {
				return "block " + s.Children[j].Block().Name + " writes buffer " + w.Buffer.Name + " too"
			}
		}
		for _, j := range s.readers[w.Buffer] {
			if j < i {
				return "block " + s.Children[j].Block().Name + " reads buffer " + w.Buffer.Name + " before it"
			}
		}
	}
	return ""
}

// storesByIter reports whether a store in the block's init or body, to a buffer
// that the block writes, has an index with one of vars.
func storesByIter(b *tir.Block, vars []*tir.Var) bool {
	found := false
	check := func(st tir.Stmt) bool {
		if x, ok := st.(*tir.Store); ok && touches(b.Writes, x.Buffer) {
			for _, e := range x.Indices {
				found = found || tir.UsesVar(e, func(v *tir.Var) bool { return slices.Contains(vars, v) })
			}
		}
		return !found
	}
	tir.WalkStmt(b.Init, check)
	tir.WalkStmt(b.Body, check)
	return found
}

// LoopKind is what the iterations of a loop are for.
type LoopKind uint8

// A spatial loop only feeds spatial iterators, a reduce loop only reduce ones; a
// mixed loop feeds several kinds or other kinds.
const (
	SpatialLoop LoopKind = iota
	ReduceLoop
	MixedLoop
)

// LoopIterKind classifies loop by the bindings of all blocks under it that are
// not inside further blocks. A loop that feeds nothing is spatial.
func LoopIterKind(loop *tir.For) LoopKind {
	var spatial, reduce, other bool
	tir.WalkStmt(loop.Body, func(st tir.Stmt) bool {
		r, ok := st.(*tir.BlockRealize)
		if !ok {
			return true
		}
		for i, it := range r.Block.Iters {
			if !tir.UsesVar(r.Values[i], func(v *tir.Var) bool { return v == loop.Var }) {
				continue
			}
			switch it.Kind {
			case tir.Spatial:
				spatial = true
			case tir.Reduce:
				reduce = true
			default:
				other = true
			}
		}
		return false
	})
	switch {
	case other || spatial && reduce:
		return MixedLoop
	case reduce:
		return ReduceLoop
	}
	return SpatialLoop
}

// TrivialBinding reports whether the block has one iterator per loop, each bound
// to its loop variable, in order.
func TrivialBinding(r *tir.BlockRealize, loops []*tir.For) bool {
	if len(r.Values) != len(loops) {
		return false
	}
	for i, l := range loops {
		if r.Values[i] != tir.Expr(l.Var) {
			return false
		}
	}
	return true
}
