package main

import "hone/bench/workload"

// subject is a workload of the benchmark.
type subject struct {
	workload.Named
	donor bool // only lends its records to others of its structure
}

// subjects are the six workloads whose convergence is a bar, and two that are what
// earlier jobs may have left for those of them that have no relative among the six.
func subjects(lanes int64) []subject {
	var out []subject
	for _, w := range workload.Convergence(lanes) {
		out = append(out, subject{Named: w})
	}
	return append(out,
		subject{workload.Named{Name: "conv1x1_14", Func: workload.Conv(14, 14, 256, 512, 1, lanes)}, true},
		subject{workload.Named{Name: "dw_28", Func: workload.Depthwise(28, 28, 192, 3, lanes)}, true})
}
