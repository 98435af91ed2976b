package main

import "testing"

func TestResultLine(t *testing.T) {
	of := func(class string, threads int, held []string, ratios map[string]float64) *result {
		return &result{subject: &subject{line: line{class: class, held: held}, threads: threads}, ratios: ratios}
	}
	got := resultLine([]*result{
		of("matmul", 1, byPeakAndBest, map[string]float64{peak: 0.9, best: 1}),
		of("matmul", 1, byPeakAndBest, map[string]float64{peak: 0.4, best: 4}),
		of("rows", 1, byORT, map[string]float64{peak: 0.1}),
		of("matmul", 2, byPeakAndBest, map[string]float64{peak: 0.5, best: 1, "ORT": 9}),
	}, 64)
	want := "RESULT kernels trials=64 lines=4 t1_matmul_peak=0.600 t1_matmul_peak_min=0.400" +
		" t1_matmul_best=2.000 t1_matmul_best_min=1.000 t2_matmul_peak=0.500 t2_matmul_peak_min=0.500 t2_matmul_best=1.000 t2_matmul_best_min=1.000"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The rival that counts is the quickest one; its ratio is taken round by round.
func TestRatioTakesTheQuickest(t *testing.T) {
	s := series{"Hone": {1, 2, 4}, "a": {2, 4, 8}, "b": {3, 3, 3}}
	if got := s.ratio([]string{"a", "b"}, "Hone"); got != 1.5 {
		t.Errorf("got %v, want the median of 3, 1.5 and 0.75", got)
	}
}
