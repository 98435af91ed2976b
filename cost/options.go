package cost

import (
	"errors"
	"fmt"
	"slices"

	"hone/cost/feature"
	"hone/cost/gbdt"
)

// Options configure a Model. Start from DefaultOptions.
type Options struct {
	// Names are the columns of the rows, Schema says what they mean; a stored
	// model of another schema is not used.
	Names  []string
	Schema string

	// Warmup is how many results must be known before the model is used.
	Warmup int
	// Growth is the share by which the results must grow before the next
	// training.
	Growth float64
	// MaxTrees bounds a model that continues a stored one; when it is reached the
	// stored one is left behind.
	MaxTrees int

	// Rank and Regression weigh the two parts of the objective.
	Rank, Regression float64
	// RankSigma is the steepness of the rank loss in units of labels.
	RankSigma float64
	// Partners is how many other candidates each one is compared with a step.
	Partners int

	Params gbdt.Params // of both models; Init and Progress are ignored, MinData shrinks while there are few results
	Bins   int         // histogram bins a column
}

// DefaultOptions are what tuning uses, with the columns of cost/feature.
func DefaultOptions() Options {
	p := gbdt.DefaultParams()
	p.MinData, p.MinHessian, p.Lambda = 8, 1e-3, 1
	p.FeatureFraction = 0.5
	return Options{
		Names: feature.Names(), Schema: feature.Schema(),
		Warmup: 32, Growth: 0.2, MaxTrees: 400,
		Rank: 1, Regression: 1, RankSigma: 6, Partners: 16,
		Params: p, Bins: 127,
	}
}

func (o *Options) check() error {
	switch {
	case len(o.Names) == 0 || o.Schema == "":
		return errors.New("cost: a model needs columns and their schema")
	case o.Warmup < 2:
		return fmt.Errorf("cost: Warmup must be at least 2, got %d", o.Warmup)
	case !(o.Growth >= 0):
		return fmt.Errorf("cost: Growth must be at least 0, got %v", o.Growth)
	case o.MaxTrees < o.Params.Trees:
		return fmt.Errorf("cost: MaxTrees must be at least %d, got %d", o.Params.Trees, o.MaxTrees)
	case !(o.Rank > 0 && o.Regression > 0):
		return fmt.Errorf("cost: the weights of rank (%v) and regression (%v) must be positive", o.Rank, o.Regression)
	}
	o.Names = slices.Clone(o.Names)
	o.Params.Init, o.Params.Progress = nil, nil
	return nil
}
