package dlight_test

import (
	"strings"
	"testing"

	"hone/bench/workload"
	"hone/compiler/dlight"
	"hone/compiler/pipeline"
	"hone/compiler/schedule"
	"hone/compiler/tir"
	"hone/internal/rng"
)

// Schedules of a product may fetch weights ahead where these exceed the second-level
// cache, and nowhere else.
func TestPrefetchIsSampledWhereWeightsAreLarge(t *testing.T) {
	tgt := parse(t, targets[0]).WithThreads(1)
	for n, want := range map[int64]bool{64: false, 1024: true} {
		fetched, plain := 0, 0
		for seed := range uint64(12) {
			s := schedule.NewFunc(workload.Matmul(48, n, n), rng.New(seed, "prefetch"))
			b, err := s.GetSBlock("matmul")
			if err != nil {
				t.Fatal(err)
			}
			if ok, err := dlight.TileBlock(s, b, &tgt, dlight.Sampled); err != nil || !ok {
				t.Fatal(ok, err)
			}
			if err := dlight.Finish(s); err != nil {
				t.Fatal(err)
			}
			u, err := pipeline.LowerCPU(s.Func(), &tgt)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(tir.Script(u.Func), "prefetch(") {
				fetched++
			} else {
				plain++
			}
		}
		if (fetched > 0) != want || plain == 0 {
			t.Errorf("%d×%d weights: %d of %d schedules fetch ahead", n, n, fetched, fetched+plain)
		}
	}
}
