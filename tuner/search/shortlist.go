package search

import "sort"

// shortlist collects distinct candidates that were not seen before.
type shortlist struct {
	seen func([32]byte) bool
	have map[[32]byte]int
	list []Candidate
}

func newShortlist(seen func([32]byte) bool) *shortlist {
	return &shortlist{seen: seen, have: map[[32]byte]int{}}
}

// add keeps a candidate, once per program.
func (s *shortlist) add(c *Candidate) {
	if s.seen != nil && s.seen(c.Hash) {
		return
	}
	if _, ok := s.have[c.Hash]; ok {
		return
	}
	s.have[c.Hash] = len(s.list)
	s.list = append(s.list, *c)
}

// without is what was seen before, and some more.
func (s *shortlist) without(more []Candidate) func([32]byte) bool {
	also := map[[32]byte]bool{}
	for i := range more {
		also[more[i].Hash] = true
	}
	return func(h [32]byte) bool { return also[h] || s.seen != nil && s.seen(h) }
}

// top returns the n best by score, earlier ones first among equals.
func (s *shortlist) top(n int) []Candidate {
	sort.SliceStable(s.list, func(i, j int) bool { return s.list[i].Score > s.list[j].Score })
	return append([]Candidate(nil), s.list[:max(0, min(n, len(s.list)))]...)
}

// pickFresh takes n random samples that are neither seen nor among chosen.
func pickFresh(fresh []Candidate, n int, r Round, chosen []Candidate) []Candidate {
	s := newShortlist(r.Seen)
	for i := range chosen {
		s.have[chosen[i].Hash] = -1
	}
	for _, i := range r.Rand.Split("fresh").Perm(len(fresh)) {
		if len(s.list) < n {
			s.add(&fresh[i])
		}
	}
	return s.list
}
