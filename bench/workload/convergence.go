package workload

import "hone/compiler/tir"

// Named is a workload of a benchmark.
type Named struct {
	Name string
	Func *tir.PrimFunc
}

// Convergence are the six workloads whose searches are compared, with channels in
// blocks of lanes.
func Convergence(lanes int64) []Named {
	return []Named{
		{"matmul512", Matmul(512, 512, 512)},
		{"matmul_bert", Matmul(384, 768, 768)},
		{"conv3x3_56", Conv(56, 56, 64, 64, 3, lanes)},
		{"conv3x3_14", Conv(14, 14, 256, 256, 3, lanes)},
		{"conv1x1_56", Conv(56, 56, 64, 256, 1, lanes)},
		{"dw_112", Depthwise(112, 112, 32, 3, lanes)},
	}
}
