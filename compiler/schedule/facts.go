package schedule

import (
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

// A complete block has spatial iterators only, is the one writer of its outputs
// in its scope, comes before every reader of them and reads none of them. A
// reduction block has an initialiser, affine bindings, spatial and reduce
// iterators, the same dominance, and stores at places that its reduce iterators
// do not choose. "Relative to" a loop, only blocks below that loop count.

// whyNotComplete names what keeps b from being a complete block among sibs, the
// blocks that count, in order; "" when nothing does.
func (st *state) whyNotComplete(b nid, sibs []nid) string {
	blk := st.at(b).block
	for _, it := range blk.Iters {
		if it.Kind != tir.Spatial {
			return "iterator " + it.Var.Name + " is not spatial"
		}
	}
	if why := st.whyNotDominant(b, sibs); why != "" {
		return why
	}
	for _, w := range blk.Writes {
		if reads(blk, w.Buffer) {
			return "it reads and writes " + w.Buffer.Name
		}
	}
	return ""
}

// whyNotReduction is whyNotComplete for reduction blocks.
func (st *state) whyNotReduction(b nid, sibs []nid) string {
	blk := st.at(b).block
	switch {
	case blk.Init == nil:
		return "it has no initialiser"
	case !st.isAffine(b):
		return "its bindings are not quasi-affine"
	}
	if why := st.whyNotDominant(b, sibs); why != "" {
		return why
	}
	return analysis.WhyNotReduce(blk)
}

// whyNotDominant says what else writes an output of b or reads it before b.
func (st *state) whyNotDominant(b nid, sibs []nid) string {
	before := true
	for _, o := range sibs {
		if o == b {
			before = false
			continue
		}
		for _, w := range st.at(b).block.Writes {
			if writes(st.at(o).block, w.Buffer) {
				return "block " + st.at(o).block.Name + " writes " + w.Buffer.Name + " too"
			}
			if before && reads(st.at(o).block, w.Buffer) {
				return "block " + st.at(o).block.Name + " reads " + w.Buffer.Name + " before it"
			}
		}
	}
	return ""
}

// siblings lists the blocks of b's scope, b included.
func (st *state) siblings(b nid) []nid { return st.childBlocks(st.scopeOf(b)) }

// needComplete refuses a block that is not complete in its scope.
func (st *state) needComplete(b nid) *Error {
	if why := st.whyNotComplete(b, st.siblings(b)); why != "" {
		return refuse(CompleteBlock, st.where(b), "%s", why)
	}
	return nil
}

// needReduction refuses a block that is not a reduction block in its scope.
func (st *state) needReduction(b nid) *Error {
	if why := st.whyNotReduction(b, st.siblings(b)); why != "" {
		return refuse(ReductionBlock, st.where(b), "%s", why)
	}
	return nil
}

// needCompact refuses a subtree that holds a block which is neither complete
// nor a reduction relative to the subtree.
func (st *state) needCompact(top nid) *Error {
	sibs := st.childBlocks(top)
	for _, b := range sibs {
		why := st.whyNotComplete(b, sibs)
		if why == "" {
			continue
		}
		if st.at(b).block.Init != nil {
			if why = st.whyNotReduction(b, sibs); why == "" {
				continue
			}
		}
		return refuse(CompleteOrReduction, st.where(b), "under %s: %s", st.where(top), why)
	}
	return nil
}

// notRoot refuses the root block.
func (st *state) notRoot(b nid) *Error {
	if b == st.root {
		return refuse(RootBlock, st.where(b), "the root block of a function cannot take part")
	}
	return nil
}
