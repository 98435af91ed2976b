package main

import (
	"hone/bench/workload"
	"hone/compiler/tir"
)

// subject is a workload of the benchmark.
type subject struct {
	name  string
	f     *tir.PrimFunc
	donor bool // only lends its records to others of its structure
}

// subjects are the six workloads whose convergence is a bar, and two that are what
// earlier jobs may have left for those of them that have no relative among the six.
func subjects(lanes int64) []subject {
	return []subject{
		{name: "matmul512", f: workload.Matmul(512, 512, 512)},
		{name: "matmul_bert", f: workload.Matmul(384, 768, 768)},
		{name: "conv3x3_56", f: workload.Conv(56, 56, 64, 64, 3, lanes)},
		{name: "conv3x3_14", f: workload.Conv(14, 14, 256, 256, 3, lanes)},
		{name: "conv1x1_56", f: workload.Conv(56, 56, 64, 256, 1, lanes)},
		{name: "dw_112", f: workload.Depthwise(112, 112, 32, 3, lanes)},
		{name: "conv1x1_14", f: workload.Conv(14, 14, 256, 512, 1, lanes), donor: true},
		{name: "dw_28", f: workload.Depthwise(28, 28, 192, 3, lanes), donor: true},
	}
}
