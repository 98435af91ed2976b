package preset

import (
	"hone/tuner/mutator"
	"hone/tuner/postproc"
	"hone/tuner/rule"
)

// CPU is Hone's own space for processors: register tiles first, the
// rest around them. Its first sketch is the default schedule.
func CPU() Preset {
	return Preset{
		Name: "cpu",
		Rules: []rule.Rule{
			rule.Inline(),
			rule.Chain(),
			rule.Between(),
			rule.RowReduction(),
			rule.Stages(),
			rule.RegisterTile(2, 1),
			rule.Spatial(),
		},
		Postprocs: []postproc.Postproc{
			postproc.DisallowDynamicLoop(),
			postproc.DecomposeReductions(),
			postproc.PackWeights(),
		},
		Mutators: []Weighted{
			{0.70, mutator.TileSize()},
			{0.30, mutator.Categorical()},
		},
	}
}
