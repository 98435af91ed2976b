package search

import (
	"sort"

	"hone/compiler/trace"
	"hone/internal/rng"
	"hone/tuner/mutator"
)

// Measured is a trial of the task with its outcome.
type Measured struct {
	Trace trace.Trace
	Hash  [32]byte
	NS    float64 // 0 when it failed
}

// Round is everything a proposal depends on.
type Round struct {
	N        int        // how many candidates to propose
	Measured []Measured // in acceptance order
	Seen     func(hash [32]byte) bool
	Rand     *rng.Rand
	// Predict scores candidates, higher is faster; nil while no model is trained.
	Predict func(cs []*Candidate) []float64
	// Transferred are candidates that other workloads' records suggest, the nearest
	// first. Up to half of the proposal are such, and all of them breed.
	Transferred []Candidate
	// Random asks for candidates from everywhere, whatever was measured.
	Random bool
	// Polish asks for the neighbourhood of the best instead of evolution.
	Polish bool
}

// Parameters of evolution; shares are the reference system's, sizes follow the
// batch.
const (
	populationPerTrial = 32
	maxPopulation      = 1024
	generations        = 4
	measuredShare      = 0.2
	mutateProb         = 0.85
	attempts           = 10
	epsGreedy          = 0.05
)

// Propose returns up to N candidates that were not seen, best predicted first,
// the random share last.
func (e *Engine) Propose(r Round) []Candidate {
	if r.Random {
		return pickFresh(e.samples(2*r.N, r.Rand.Split("sample")), r.N, r, nil)
	}
	moved := newShortlist(r.Seen)
	for i := range r.Transferred {
		moved.add(&r.Transferred[i])
	}
	out := moved.list[:min(len(moved.list), (r.N+1)/2)]
	r.N -= len(out)
	r.Seen = moved.without(out)
	if r.N == 0 {
		return out
	}
	return append(out, e.propose(r)...)
}

func (e *Engine) propose(r Round) []Candidate {
	pop := min(max(populationPerTrial*r.N, 64), maxPopulation)
	if len(e.fixed) > 0 {
		return pickFresh(e.fixed, r.N, r, nil)
	}
	if r.Predict == nil {
		return e.explore(r)
	}
	if r.Polish {
		if out := e.polish(r); len(out) > 0 {
			return out
		}
	}
	parents := append(e.best(r, int(measuredShare*float64(pop))), r.Transferred...)
	fresh := e.samples(pop-len(parents), r.Rand.Split("sample"))
	population := append(parents, fresh...)
	found := newShortlist(r.Seen)
	known := newMemo()
	for gen := range generations + 1 {
		score(population, r.Predict)
		for i := range population {
			found.add(&population[i])
		}
		if gen == generations || len(population) == 0 {
			break
		}
		population = e.breed(population, pop, r.Rand.Split("breed", gen), known)
	}
	random := int(epsGreedy * float64(r.N))
	if random == 0 && r.N >= 4 {
		random = 1
	}
	out := found.top(r.N - random)
	return append(out, pickFresh(fresh, r.N-len(out), r, out)...)
}

// explore is the first round, without a model: half around the best schedule so
// far, candidate zero as a rule, half from everywhere.
func (e *Engine) explore(r Round) []Candidate {
	found := newShortlist(r.Seen)
	near := e.best(r, 4)
	if len(near) > 0 {
		children := make([]Candidate, 4*r.N)
		known := newMemo()
		each(len(children), func(i int) {
			rs := r.Rand.Split("near", i)
			c := near[rs.Intn(len(near))]
			for range 1 + rs.Intn(3) {
				if m, ok := e.mutate(c, rs, known); ok {
					c = m
				}
			}
			children[i] = c
		})
		for i := range children {
			if children[i].Origin != OriginDefault {
				found.add(&children[i])
			}
		}
	}
	out := found.top((r.N + 1) / 2)
	return append(out, pickFresh(e.samples(2*r.N, r.Rand.Split("sample")), r.N-len(out), r, out)...)
}

// best rebuilds the fastest measured candidates, n at most.
func (e *Engine) best(r Round, n int) []Candidate {
	var ok []Measured
	for _, m := range r.Measured {
		if m.NS > 0 {
			ok = append(ok, m)
		}
	}
	sort.SliceStable(ok, func(i, j int) bool { return ok[i].NS < ok[j].NS })
	ok = ok[:min(n, len(ok))]
	cs := make([]Candidate, len(ok))
	valid := make([]bool, len(ok))
	each(len(ok), func(i int) {
		c, err := e.complete(ok[i].Trace, trace.Options{}, r.Rand.Split("best", i), OriginDefault)
		cs[i], valid[i] = c, err == nil
	})
	return keep(cs, valid)
}

// samples draws n candidates; invalid ones are left out.
func (e *Engine) samples(n int, r *rng.Rand) []Candidate {
	if n <= 0 {
		return nil
	}
	cs := make([]Candidate, n)
	valid := make([]bool, n)
	each(n, func(i int) {
		rs := r.Split(i)
		for range attempts {
			if c, err := e.sample(rs); err == nil {
				cs[i], valid[i] = c, true
				return
			}
		}
	})
	return keep(cs, valid)
}

func keep(cs []Candidate, valid []bool) []Candidate {
	out := cs[:0]
	for i, c := range cs {
		if valid[i] {
			out = append(out, c)
		}
	}
	return out
}

// score predicts every program once: members that are there already, or twice,
// cost nothing.
func score(cs []Candidate, predict func([]*Candidate) []float64) {
	first := map[[32]byte]int{}
	var fresh []*Candidate
	for i := range cs {
		if _, ok := first[cs[i].Hash]; !ok || cs[i].scored {
			first[cs[i].Hash] = i
		}
	}
	for i := range cs {
		if first[cs[i].Hash] == i && !cs[i].scored {
			fresh = append(fresh, &cs[i])
		}
	}
	for i, s := range predict(fresh) {
		fresh[i].Score, fresh[i].scored = s, true
	}
	for i := range cs {
		cs[i].Score, cs[i].scored = cs[first[cs[i].Hash]].Score, true
	}
}

// breed makes the next generation: parents in proportion to how far their score
// lies above the worst, most of them mutated.
func (e *Engine) breed(parents []Candidate, n int, r *rng.Rand, known *memo) []Candidate {
	weights := selection(parents)
	out := make([]Candidate, n)
	each(n, func(i int) {
		rs := r.Split(i)
		c := parents[rs.Weighted(weights)]
		if rs.Bool(mutateProb) {
			for range attempts {
				if m, ok := e.mutate(c, rs, known); ok {
					c = m
					break
				}
				c = parents[rs.Weighted(weights)]
			}
		}
		out[i] = c
	})
	return out
}

// selection turns scores of any sign into weights.
func selection(cs []Candidate) []float64 {
	lo, hi := cs[0].Score, cs[0].Score
	for _, c := range cs {
		lo, hi = min(lo, c.Score), max(hi, c.Score)
	}
	out := make([]float64, len(cs))
	for i, c := range cs {
		out[i] = 1
		if hi > lo {
			x := (c.Score - lo) / (hi - lo)
			out[i] = float64(x*x) + 0.01
		}
	}
	return out
}

// mutate applies one mutator chosen by weight and completes the result, unless
// the trace is known.
func (e *Engine) mutate(c Candidate, r *rng.Rand, known *memo) (Candidate, bool) {
	weights := make([]float64, len(e.Preset.Mutators))
	for i, m := range e.Preset.Mutators {
		weights[i] = m.Weight
	}
	if len(weights) == 0 {
		return c, false
	}
	m := e.Preset.Mutators[r.Weighted(weights)].Mutator
	t, ok := m.Mutate(e.mutation(), c.Trace, r)
	if !ok {
		return c, false
	}
	out, err := known.of(t, func() (Candidate, error) { return e.complete(t, trace.Options{}, r, OriginEvolved) })
	return out, err == nil
}

func (e *Engine) mutation() *mutator.Context {
	return &mutator.Context{Target: &e.Target, Base: e.base}
}
