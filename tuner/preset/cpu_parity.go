package preset

import (
	"hone/tuner/mutator"
	"hone/tuner/postproc"
	"hone/tuner/rule"
)

// The parameters that several members of CPUParity share.
const (
	parityJobsPerCore  = 16
	parityMaxInnermost = 64
)

// CPUParity is the reference system's space for processors without tensor
// intrinsics, its order, weights and parameters:
// for conformance, records from elsewhere and comparisons.
func CPUParity() Preset {
	return Preset{
		Name: "cpu-parity",
		Rules: []rule.Rule{
			rule.ApplyCustomRule(),
			rule.InlineConstantScalars(),
			rule.AutoInline(rule.InlineOptions{
				IntoConsumer:       true,
				InlineConstTensor:  true,
				DisallowIfThenElse: true,
				RequireInjective:   true,
				RequireOrdered:     true,
				DisallowOp:         []string{"exp"},
			}),
			rule.AddRFactor(parityJobsPerCore, parityMaxInnermost),
			rule.MultiLevelTiling(rule.TilingOptions{
				Structure:    "SSRSRS",
				MaxInnermost: parityMaxInnermost,
				Write:        rule.WriteReuse{Reuse: rule.MayReuse, Levels: []int{1, 2}, Scope: "global"},
			}),
			rule.ParallelizeVectorizeUnroll(rule.ParallelOptions{
				JobsPerCore:    parityJobsPerCore,
				MaxVectorize:   64,
				UnrollSteps:    []int64{0, 16, 64, 512},
				UnrollExplicit: true,
			}),
			rule.RandomComputeLocation(),
		},
		Postprocs: []postproc.Postproc{
			postproc.DisallowDynamicLoop(),
			postproc.RewriteParallelVectorizeUnroll(),
			postproc.RewriteReductionBlock(),
			postproc.RewriteLayout(),
		},
		Mutators: []Weighted{
			{0.90, mutator.TileSize()},
			{0.05, mutator.ComputeLocation()},
			{0.03, mutator.Unroll()},
			{0.02, mutator.Parallel(parityJobsPerCore)},
		},
	}
}
