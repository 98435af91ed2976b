package preset

import (
	"hone/tuner/mutator"
	"hone/tuner/postproc"
	"hone/tuner/rule"
)

// parity are the parameters in which the reference system's spaces for processors
// differ.
type parity struct {
	name         string
	jobsPerCore  int64
	maxInnermost int
	maxVectorize int64
	unroll       []int64
	intrins      []string
}

// parities are its tables: without tensor intrinsics, for VNNI, and for ARM's dot
// products.
var parities = []parity{
	{"cpu-parity", 16, 64, 64, []int64{0, 16, 64, 512}, nil},
	{"cpu-parity-vnni", 16, 64, 64, []int64{0, 16, 64, 512}, []string{"dot_16x4_vnni"}},
	{"cpu-parity-dotprod", 8, 32, 32, []int64{0, 8, 32, 256}, []string{"dot_4x4_i8i8s32_sdot", "dot_4x4_u8u8u32_udot", "dot_4x4_u8u8i32_hdot"}},
}

// parityMutations is what the mutators take for the chunks of a core, everywhere.
const parityMutations = 16

func init() {
	for _, x := range parities {
		presets.Add(x.name, x.preset)
	}
}

// CPUParity is the reference system's space for processors without tensor
// intrinsics, its order, weights and parameters:
// for conformance, records from elsewhere and comparisons.
func CPUParity() Preset { return parities[0].preset() }

func (x parity) preset() Preset {
	p := Preset{
		Name: x.name,
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
			rule.AddRFactor(x.jobsPerCore, x.maxInnermost),
		},
		Postprocs: []postproc.Postproc{
			postproc.DisallowDynamicLoop(),
			postproc.RewriteParallelVectorizeUnroll(),
			postproc.RewriteReductionBlock(),
		},
		Mutators: []Weighted{
			{0.90, mutator.TileSize()},
			{0.05, mutator.ComputeLocation()},
			{0.03, mutator.Unroll()},
			{0.02, mutator.Parallel(parityMutations)},
		},
	}
	tiling := rule.TilingOptions{
		Structure:    "SSRSRS",
		MaxInnermost: x.maxInnermost,
		Write:        rule.WriteReuse{Reuse: rule.MayReuse, Levels: []int{1, 2}, Scope: "global"},
	}
	for _, in := range x.intrins {
		p.Rules = append(p.Rules, rule.MultiLevelTilingWithIntrin(in, tiling))
	}
	p.Rules = append(p.Rules,
		rule.MultiLevelTiling(tiling),
		rule.ParallelizeVectorizeUnroll(rule.ParallelOptions{
			JobsPerCore:    x.jobsPerCore,
			MaxVectorize:   x.maxVectorize,
			UnrollSteps:    x.unroll,
			UnrollExplicit: true,
		}),
		rule.RandomComputeLocation())
	if x.intrins != nil {
		p.Postprocs = append(p.Postprocs, postproc.RewriteTensorize(true))
	}
	p.Postprocs = append(p.Postprocs, postproc.RewriteLayout())
	return p
}
