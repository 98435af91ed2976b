package schedule

import (
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

// A complete block has spatial iterators only, reads none of its outputs and is
// their one writer in its scope. A reduction block has an initialiser, affine
// bindings, spatial and reduce iterators, stores at places that its reduce
// iterators do not choose, and is the one writer too.

// whyNotComplete names what keeps b from being a complete block below top, a
// scope or a loop; "" when nothing does.
func (st *state) whyNotComplete(b, top nid) string {
	if why := analysis.WhyNotMap(st.at(b).block); why != "" {
		return why
	}
	return st.whyNotDominant(b, top)
}

// whyNotReduction is whyNotComplete for reduction blocks.
func (st *state) whyNotReduction(b, top nid) string {
	blk := st.at(b).block
	if len(st.at(b).kids) > 0 { // its body stands in the tree
		blk = st.stmt(b).(*tir.BlockRealize).Block
	}
	switch {
	case blk.Init == nil:
		return analysis.NoInitialiser
	case !st.isAffine(b):
		return analysis.NotAffine
	}
	if why := analysis.WhyNotReduce(blk); why != "" {
		return why
	}
	return st.whyNotDominant(b, top)
}

// whyNotDominant says what else writes an output of b in the scope top. Below a
// loop the blocks beside b may write to it, since the order in which they run
// within an iteration stays; but no block there may hold two writers of it.
func (st *state) whyNotDominant(b, top nid) string {
	scopes := []nid{top}
	if st.at(top).kind != kBlock {
		scopes = st.childBlocks(top)
	}
	for _, w := range st.at(b).block.Writes {
		for _, scope := range scopes {
			switch ws := st.writersOf(scope, w.Buffer); len(ws) {
			case 0:
				continue
			case 1:
			default:
				if o := ws[0]; o != b {
					return "block " + st.at(o).block.Name + " writes " + w.Buffer.Name + " too"
				}
				if ws[1] == b {
					return "it declares to write more than one region of " + w.Buffer.Name
				}
				return "block " + st.at(ws[1]).block.Name + " writes " + w.Buffer.Name + " too"
			}
			break
		}
	}
	return ""
}

// needComplete refuses a block that is not complete in its scope.
func (st *state) needComplete(b nid) *Error {
	if why := st.whyNotComplete(b, st.scopeOf(b)); why != "" {
		return refuse(CompleteBlock, st.where(b), "%s", why)
	}
	return nil
}

// needReduction refuses a block that is not a reduction block in its scope, and
// one whose reduction goes on outside of it: a block without iterators may hold it
// and stand under a loop that a reduce iterator is bound to.
func (st *state) needReduction(b nid) *Error {
	scope := st.scopeOf(b)
	if why := st.whyNotReduction(b, scope); why != "" {
		return refuse(ReductionBlock, st.where(b), "%s", why)
	}
	for _, l := range st.loopsAround(scope) {
		for i, it := range st.at(b).block.Iters {
			if it.Kind == tir.Reduce && usesOne(st.at(b).values[i], l.Var) {
				return refuse(ReductionBlock, st.where(b), "loop %s, outside of its scope, runs over its reduce iterator %s", l.Var.Name, it.Var.Name)
			}
		}
	}
	return nil
}

// needCompleteOrReduction refuses a block that is neither below top.
func (st *state) needCompleteOrReduction(b, top nid) *Error {
	why := st.whyNotComplete(b, top)
	if why != "" && st.at(b).block.Init != nil {
		why = st.whyNotReduction(b, top)
	}
	switch {
	case why == "":
		return nil
	case st.at(top).kind == kLoop:
		return refuse(CompleteOrReduction, st.where(b), "under %s: %s", st.where(top), why)
	}
	return refuse(CompleteOrReduction, st.where(b), "%s", why)
}

// needCompact refuses a subtree that holds a block which is neither complete
// nor a reduction relative to the subtree.
func (st *state) needCompact(top nid) *Error {
	for _, b := range st.childBlocks(top) {
		if err := st.needCompleteOrReduction(b, top); err != nil {
			return err
		}
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
