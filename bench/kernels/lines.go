package main

// line is one kernel of the benchmark.
type line struct {
	name   string
	class  string
	layers layers
	held   []string // what its ratios are taken against: the peak, a library, the best of all
}

// What lines are held against, besides libraries by their name.
const (
	peak = "peak"
	best = "best"
)

var (
	byPeakAndBest = []string{peak, best}
	byPeak        = []string{peak}
	byOneDNN      = []string{"oneDNN"}
	byOpenBLAS    = []string{"OpenBLAS"}
	byORT         = []string{"ORT"}
)

// lines are all kernels. Products: squares, and BERT's at 128 tokens (attention of 12
// heads of 64). Convolutions have bias and relu and pad their own input; where oneDNN
// gains by leaving out taps that fall into the padding, oneDNN is the measure.
var lines = []line{
	{"matmul_128", "matmul", matmul{1, 128, 128, 128, false}, byPeakAndBest},
	{"matmul_256", "matmul", matmul{1, 256, 256, 256, false}, byPeakAndBest},
	{"matmul_512", "matmul", matmul{1, 512, 512, 512, false}, byPeakAndBest},
	{"matmul_1024", "matmul", matmul{1, 1024, 1024, 1024, false}, byPeakAndBest},
	{"matmul_2048", "matmul", matmul{1, 2048, 2048, 2048, false}, byPeakAndBest},
	{"bert_project", "matmul", matmul{1, 128, 768, 768, false}, byPeakAndBest},
	{"bert_widen", "matmul", matmul{1, 128, 3072, 768, false}, byPeakAndBest},
	{"bert_narrow", "matmul", matmul{1, 128, 768, 3072, false}, byPeakAndBest},
	{"bert_scores", "matmul", matmul{12, 128, 128, 64, true}, byPeakAndBest},
	{"bert_context", "matmul", matmul{12, 128, 64, 128, false}, byPeakAndBest},

	{"gemv", "gemv", matmul{1, 1, 1000, 2048, false}, byOpenBLAS},

	{"conv3x3_56", "conv", conv{64, 56, 64, 3, 1, 1, 8}, byPeak},
	{"conv3x3_28", "conv", conv{128, 28, 128, 3, 1, 1, 8}, byPeak},
	{"conv3x3_14", "smallconv", conv{256, 14, 256, 3, 1, 1, 8}, byOneDNN},
	{"conv3x3_7", "smallconv", conv{512, 7, 512, 3, 1, 1, 8}, byOneDNN},
	{"conv1x1_wide", "conv", conv{64, 56, 256, 1, 1, 1, 8}, byPeak},
	{"conv1x1_thin", "conv", conv{256, 56, 64, 1, 1, 1, 8}, byPeak},
	{"conv1x1_14", "conv", conv{1024, 14, 256, 1, 1, 1, 8}, byPeak},
	{"conv7x7_stem", "conv", conv{3, 224, 64, 7, 2, 1, 1}, byPeak},

	{"depthwise_112", "depthwise", conv{32, 112, 32, 3, 1, 32, 8}, byORT},
	{"depthwise_56", "depthwise", conv{144, 56, 144, 3, 1, 144, 8}, byORT},
	{"depthwise_14", "depthwise", conv{384, 14, 384, 3, 1, 384, 8}, byORT},
	{"depthwise_s2", "depthwise", conv{144, 56, 144, 3, 2, 144, 1}, byORT},

	{"softmax", "rows", rows{"Softmax", 3072, 128}, byORT},
	{"layernorm", "rows", rows{"LayerNormalization", 512, 768}, byORT},
	{"gelu", "rows", rows{"Gelu", 512, 768}, byORT},
}
