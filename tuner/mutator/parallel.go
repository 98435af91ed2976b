package mutator

import (
	"cmp"
	"slices"

	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/compiler/tir/analysis"
	"hone/compiler/trace"
	"hone/internal/rng"
)

type parallel struct{ jobsPerCore int64 }

// Parallel changes how many outer loops of the nests run in parallel. A plan is
// the number of loops that each nest fuses; among the plans that some bound of at
// most cores × jobsPerCore iterations leads to, it draws one that is not the
// present one.
func Parallel(jobsPerCore int64) Mutator { return parallel{jobsPerCore} }

func (parallel) Name() string { return "parallel" }

func (m parallel) Mutate(c *Context, t trace.Trace, r *rng.Rand) (trace.Trace, bool) {
	pool := annotated(t, schedule.KeyParallel)
	if len(pool) == 0 {
		return t, false
	}
	i := rng.Pick(r, pool)
	now, isConst := t.Insts[i].Inputs[1].(int64)
	s, err := c.replay(t, nil)
	if err != nil || !isConst {
		return t, false
	}
	nests, err := outerProducts(s, m.jobsPerCore*int64(c.Target.NumCores))
	if err != nil {
		return t, false
	}
	plans := plansOf(nests, m.jobsPerCore*int64(c.Target.NumCores))
	present := fusedLoops(nests, now)
	plans = slices.DeleteFunc(plans, func(p plan) bool { return slices.Equal(p.fused, present) })
	if len(plans) == 0 {
		return t, false
	}
	out := t.WithoutPostproc()
	out.Insts = slices.Clone(out.Insts)
	inst := &out.Insts[i]
	inst.Inputs = []any{inst.Inputs[0], rng.Pick(r, plans).limit}
	return out, true
}

// plan is how many loops each nest fuses under a bound of iterations.
type plan struct {
	fused []int
	limit int64
}

// outerProducts are, for every nest of the root with outer spatial loops of
// constant extents, the products of these from outside in, up to the first one
// that reaches limit.
func outerProducts(s *schedule.Schedule, limit int64) ([][]int64, error) {
	root, ok := s.Func().Root()
	if !ok {
		return nil, nil
	}
	var out [][]int64
	scope := analysis.NewScope(root.Block)
	for k := range scope.Children {
		var products []int64
		p := int64(1)
		for _, l := range scope.Children[k].Loops {
			n, static := tir.AsInt(l.Extent)
			if !static || analysis.LoopIterKind(l) != analysis.SpatialLoop || p >= limit {
				break
			}
			p *= n
			products = append(products, p)
		}
		if len(products) > 0 {
			out = append(out, products)
		}
	}
	return out, nil
}

// plansOf lists the distinct plans in order, each with the last bound that leads
// to it.
func plansOf(nests [][]int64, most int64) []plan {
	var out []plan
	for _, products := range nests {
		for _, limit := range products {
			if limit > most {
				continue
			}
			fused := fusedLoops(nests, limit)
			if k := slices.IndexFunc(out, func(p plan) bool { return slices.Equal(p.fused, fused) }); k >= 0 {
				out[k].limit = limit
			} else {
				out = append(out, plan{fused, limit})
			}
		}
	}
	slices.SortFunc(out, func(a, b plan) int { return cmp.Or(slices.Compare(a.fused, b.fused), cmp.Compare(a.limit, b.limit)) })
	return out
}

// fusedLoops is how many loops each nest fuses under a bound: those whose
// product stays below it and the one that reaches it.
func fusedLoops(nests [][]int64, limit int64) []int {
	out := make([]int, len(nests))
	for k, products := range nests {
		n, _ := slices.BinarySearch(products, limit)
		out[k] = min(n+1, len(products))
	}
	return out
}
