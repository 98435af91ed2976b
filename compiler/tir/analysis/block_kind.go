package analysis

import (
	"slices"

	"hone/compiler/tir"
)

// WhyNotComplete says what keeps child i from being a complete block: spatial
// iterators only, no buffer both read and written, and the only writer of its
// outputs in the scope. "" when it is one.
func (s *Scope) WhyNotComplete(i int) string {
	if why := WhyNotMap(s.Children[i].Block()); why != "" {
		return why
	}
	return s.whyNotDominant(i)
}

// WhyNotReduction says what keeps child i from being a reduction block: an
// initialiser, affine bindings, spatial and reduce iterators only, stores to
// places that reduce iterators do not choose, and the only writer of its outputs.
func (s *Scope) WhyNotReduction(i int) string {
	b := s.Children[i].Block()
	switch {
	case b.Init == nil:
		return NoInitialiser
	case !s.AffineBinding(i):
		return NotAffine
	}
	if why := WhyNotReduce(b); why != "" {
		return why
	}
	return s.whyNotDominant(i)
}

// Reasons that more than one judge of reduction blocks gives.
const (
	NoInitialiser = "it has no initialiser"
	NotAffine     = "its bindings are not quasi-affine"
)

// WhyNotMap says what in a block itself keeps it from being a complete block.
func WhyNotMap(b *tir.Block) string {
	for _, it := range b.Iters {
		if it.Kind != tir.Spatial {
			return "iterator " + it.Var.Name + " is not spatial"
		}
	}
	for _, w := range b.Writes {
		if touches(b.Reads, w.Buffer) {
			return "it reads and writes " + w.Buffer.Name
		}
	}
	return ""
}

// WhyNotReduce says what in a block itself keeps it from being a reduction block:
// iterators that are neither spatial nor reduce, or a store of its body, nested
// blocks included, at a place that a reduce iterator chooses or to a buffer that
// it does not declare.
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
	why := ""
	known := slices.Clone(b.Allocs)
	for _, w := range b.Writes {
		known = append(known, w.Buffer)
	}
	known = appendMatched(known, b)
	tir.WalkStmt(b.Body, func(st tir.Stmt) bool {
		switch x := st.(type) {
		case *tir.BlockRealize:
			known = appendMatched(known, x.Block)
		case *tir.AllocBuffer:
			known = append(known, x.Buffer)
		case *tir.Store:
			chosen := func(e tir.Expr) bool {
				return tir.UsesVar(e, func(v *tir.Var) bool { return slices.Contains(reduce, v) })
			}
			switch {
			case why != "":
			case !slices.Contains(known, x.Buffer):
				why = "it stores to " + x.Buffer.Name + ", which it does not declare to write"
			case slices.ContainsFunc(x.Indices, chosen):
				why = "a reduce iterator chooses where it stores"
			}
		}
		return why == ""
	})
	return why
}

// appendMatched adds the buffers that a block maps onto known ones.
func appendMatched(known []*tir.Buffer, b *tir.Block) []*tir.Buffer {
	for _, m := range b.Matches {
		if slices.Contains(known, m.Source.Buffer) {
			known = append(known, m.Buffer)
		}
	}
	return known
}

// IsComplete reports whether child i is a complete block.
func (s *Scope) IsComplete(i int) bool { return s.WhyNotComplete(i) == "" }

// IsReduction reports whether child i is a reduction block.
func (s *Scope) IsReduction(i int) bool { return s.WhyNotReduction(i) == "" }

func (s *Scope) whyNotDominant(i int) string {
	for _, w := range s.Children[i].Block().Writes {
		for _, j := range s.writers[w.Buffer] {
			if j != i {
				return "block " + s.Children[j].Block().Name + " writes " + w.Buffer.Name + " too"
			}
		}
	}
	return ""
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
