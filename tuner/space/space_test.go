package space_test

import (
	"testing"

	"hone/internal/rng"
	"hone/tuner/preset"
	"hone/tuner/search"
	"hone/tuner/tunertest"
)

// Every candidate that a preset's space yields computes what the function
// computes, lowered and with packed weights; so does candidate zero.
func TestEveryCandidateComputesTheFunction(t *testing.T) {
	targets := []struct {
		isa, cores string
		n          int
	}{{"avx2", "2", 10}, {"avx512", "4", 4}}
	for name, f := range tunertest.Workloads {
		oracle := tunertest.NewOracle(t, f())
		for _, k := range targets {
			tgt := tunertest.Target(t, k.isa, k.cores)
			for _, ps := range preset.Names() {
				p, err := preset.Lookup(ps)
				if err != nil {
					t.Fatal(err)
				}
				id := name + " " + ps + " " + k.isa
				e, err := search.NewEngine(f(), p, tgt)
				if err != nil {
					t.Fatalf("%s: %v", id, err)
				}
				zero, err := e.Default()
				if err != nil {
					t.Fatalf("%s: %v", id, err)
				}
				cs := append(e.Propose(search.Round{N: k.n, Rand: rng.New(3, name)}), zero)
				if len(cs) < 2 {
					t.Errorf("%s: only %d candidates", id, len(cs))
				}
				for _, c := range cs {
					oracle.Scheduled(t, id, c.Func)
					oracle.Lowered(t, id, c.Func, &tgt)
				}
			}
		}
	}
}
