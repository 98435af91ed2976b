package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

// Three facts about blocks are expensive and kept in their nodes: the bindings
// are affine; what it reads of buffers written in its scope is written there
// before and in full (region cover); its children are a stage pipeline. They are
// learned when a function is loaded. A primitive that makes or moves a block
// says what holds of it, and all others keep what is known: no fact is computed
// when it is asked for, or a replay that asks less often might answer otherwise.

// isCovered reports region cover. Blocks made by primitives have it.
func (st *state) isCovered(id nid) bool { return st.at(id).cover != no }

// learn computes the facts of every block of a function just loaded.
func (st *state) learn() {
	st.at(st.root).affine = factOf(len(st.at(st.root).values) == 0)
	st.learnScope(st.root, nil)
}

// learnScope computes the facts of the blocks inside a scope, and whether it is
// a stage pipeline; around are the loops outside of it.
func (st *state) learnScope(scope nid, around []*tir.For) {
	s := analysis.NewScope(st.stmt(scope).(*tir.BlockRealize).Block, around...)
	stages := true
	for i, id := range st.childBlocks(scope) {
		st.at(id).affine = factOf(s.AffineBinding(i))
		covered := s.RegionCovered(i)
		st.at(id).cover = factOf(covered)
		stages = stages && covered && s.WhyNotStage(i) == ""
		loops := s.Children[i].Loops
		st.learnScope(id, append(around[:len(around):len(around)], loops...))
	}
	st.at(scope).stages = factOf(stages)
}

// forsAround are the headers of all loops around a node, outermost first.
func (st *state) forsAround(id nid) []*tir.For {
	var out []*tir.For
	for p := st.at(id).parent; p != none; p = st.at(p).parent {
		if st.at(p).kind == kLoop {
			out = append(out, &st.at(p).loop)
		}
	}
	slices.Reverse(out)
	return out
}

// stagePipeline refuses a scope that is no sequence of stages: some block reads
// what is not produced in full or overwrites what an earlier one read.
func (st *state) stagePipeline(scope nid) *Error {
	if st.at(scope).stages != no {
		return nil
	}
	for _, b := range st.childBlocks(scope) {
		if !st.isCovered(b) {
			if st.at(b).why != "" {
				return refuse(StagePipeline, st.where(b), "%s", st.whyNotCovered(b))
			}
			return refuse(StagePipeline, st.where(b), "what it reads is not fully produced in its scope")
		}
	}
	s := analysis.NewScope(st.stmt(scope).(*tir.BlockRealize).Block)
	for i, b := range st.childBlocks(scope) {
		if why := s.WhyNotStage(i); why != "" {
			return refuse(StagePipeline, st.where(b), "%s", why)
		}
	}
	if why := st.at(scope).why; why != "" {
		return refuse(StagePipeline, st.where(scope), "%s", why)
	}
	return refuse(StagePipeline, st.where(scope), "when it was loaded, a block read what is not fully produced, or overwrote what is read before")
}
