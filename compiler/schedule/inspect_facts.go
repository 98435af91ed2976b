package schedule

import (
	"slices"

	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
)

// Fact is one yes or no about a block; Why is the reason of a no.
type Fact struct {
	Name  string
	Holds bool
	Why   string
}

// BlockFacts is what a schedule knows about one block.
type BlockFacts struct {
	Block string
	Facts []Fact
}

// Holds reports whether the block has a fact of that name and it is a yes.
func (b BlockFacts) Holds(name string) bool {
	return slices.ContainsFunc(b.Facts, func(f Fact) bool { return f.Name == name && f.Holds })
}

// Facts lists the blocks of a function, the root block first and every other one
// after those around and before it: whether its bindings are affine, what it
// reads is produced in full, its children are a stage pipeline, and, of a block
// inside another one, whether it is complete or a reduction there.
func (s *Schedule) Facts(fn string) ([]BlockFacts, error) {
	st, err := s.state(fn)
	if err != nil {
		return nil, err.by("facts")
	}
	return st.facts(nil, st.root), nil
}

func (st *state) facts(out []BlockFacts, id nid) []BlockFacts {
	b := BlockFacts{st.at(id).block.Name, []Fact{
		factWhy("affine_binding", st.whyNotAffine(id)), factWhy("region_cover", st.whyNotCovered(id)), factWhy("stage_pipeline", st.whyNoPipeline(id)),
	}}
	if scope := st.scopeOf(id); scope != none {
		b.Facts = append(b.Facts, factWhy("complete", st.whyNotComplete(id, scope)), factWhy("reduction", st.whyNotReduction(id, scope)))
	}
	out = append(out, b)
	for _, k := range st.childBlocks(id) {
		out = st.facts(out, k)
	}
	return out
}

func factWhy(name, why string) Fact { return Fact{name, why == "", why} }

// whyNotAffine does not blame bindings that are affine as they are now.
func (st *state) whyNotAffine(id nid) string {
	n := st.at(id)
	switch {
	case st.isAffine(id):
		return ""
	case !st.computeAffine(id):
		return analysis.NotAffine
	case n.why != "":
		return n.why
	}
	return "its bindings were not quasi-affine when it was loaded or made"
}

// whyNotCovered names the buffer when the function as it is now shows it.
func (st *state) whyNotCovered(id nid) string {
	if st.isCovered(id) {
		return ""
	}
	if scope := st.scopeOf(id); scope != none {
		s := analysis.NewScope(st.stmt(scope).(*tir.BlockRealize).Block)
		if why := s.WhyNotCovered(slices.Index(st.childBlocks(scope), id)); why != "" {
			return why
		}
	}
	if why := st.at(id).why; why != "" {
		return why
	}
	return "what it reads was not fully produced in its scope when it was loaded or made"
}

func (st *state) whyNoPipeline(id nid) string {
	if err := st.stagePipeline(id); err != nil {
		return err.Location + ": " + err.Reason
	}
	return ""
}
