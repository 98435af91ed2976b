package search

import "hone/internal/rng"

// Samples draws n candidates from the design spaces.
func (e *Engine) Samples(n int, r *rng.Rand) []Candidate { return e.samples(n, r) }

// Mutated is a child of c, with its function and hash.
func (e *Engine) Mutated(c Candidate, r *rng.Rand) (Candidate, bool) {
	return e.mutate(c, r, newMemo())
}
