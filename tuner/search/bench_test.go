package search_test

import (
	"testing"

	"hone/bench/workload"
	"hone/compiler/tir"
	"hone/cost/feature"
	"hone/internal/rng"
	"hone/tuner/preset"
	"hone/tuner/search"
	"hone/tuner/tunertest"
)

// BenchmarkCandidate is what a candidate costs before it is scored: a trace is
// mutated, replayed, postprocessed and hashed, and its features are computed, on
// one core.
func BenchmarkCandidate(b *testing.B) {
	for _, w := range []struct {
		name string
		f    *tir.PrimFunc
	}{
		{"matmul512", workload.Matmul(512, 512, 512)},
		{"conv56x64", workload.Conv(56, 56, 64, 64, 3, 8)},
	} {
		for _, name := range preset.Names() {
			b.Run(w.name+"/"+name, func(b *testing.B) {
				p, err := preset.Lookup(name)
				if err != nil {
					b.Fatal(err)
				}
				tgt := tunertest.Target(b, "avx2", "2")
				e, err := search.NewEngine(w.f, p, tgt)
				if err != nil {
					b.Fatal(err)
				}
				parents := e.Samples(8, rng.New(1))
				x := feature.NewExtractor(tgt)
				n := 0
				b.ReportAllocs()
				b.ResetTimer()
				for i := range b.N {
					c, ok := e.Mutated(parents[i%len(parents)], rng.New(2, i))
					if !ok {
						continue
					}
					if _, err := x.Extract(c.Func); err != nil {
						b.Fatal(err)
					}
					n++
				}
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "candidates/s")
				b.ReportMetric(float64(n)/float64(b.N), "valid/op")
			})
		}
	}
}
