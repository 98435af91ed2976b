package gbdt

import (
	"fmt"
	"math"
	"runtime"
)

// Params are the knobs of one training run. Start from DefaultParams: a zero
// value of a limit means what its comment says, not the default.
type Params struct {
	Trees    int // boosting rounds, >= 1
	Leaves   int // most leaves of a tree, 2..32768
	MaxDepth int // most splits between root and leaf; 0: no limit

	LearningRate float64 // shrinkage of each tree, in (0, 1]
	Lambda       float64 // L2 penalty on leaf values, >= 0
	MinData      int     // fewest rows of a leaf, >= 1
	MinHessian   float64 // smallest sum of hessians of a leaf, >= 0
	MinGain      float64 // a split must gain more than this, >= 0

	FeatureFraction float64 // share of features each tree may use, in (0, 1]
	BaggingFraction float64 // share of rows each tree sees, in (0, 1]

	Seed    uint64 // of feature and row sampling
	Threads int    // goroutines; 0: GOMAXPROCS. The result does not depend on it

	// Init is continued: its trees come first and new trees fit what it left
	// over. Its width must be the data set's. nil starts from the objective's
	// base score.
	Init *Model

	// Progress, if set, is called after each new tree with the number of new
	// trees and the current prediction of every row (not to be kept or
	// changed). Returning false ends the training.
	Progress func(trees int, pred []float64) bool
}

// DefaultParams returns 100 trees of 31 leaves. The depth limit matters: without
// it leaf-wise growth spends its leaves where the gradients are largest, which on
// data with missing values is the branch of the missing rows, whose noise it then
// fits.
func DefaultParams() Params {
	return Params{
		Trees: 100, Leaves: 31, MaxDepth: 6,
		LearningRate: 0.1, Lambda: 1, MinData: 20, MinHessian: 1e-3,
		FeatureFraction: 1, BaggingFraction: 1,
	}
}

// check reports the first knob outside its range.
func (p *Params) check(width int) error {
	fraction := func(v float64) bool { return v > 0 && v <= 1 }
	atLeast0 := func(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }
	for _, c := range []struct {
		ok         bool
		name, want string
		got        any
	}{
		{p.Trees >= 1, "Trees", "at least 1", p.Trees},
		{p.Leaves >= 2 && p.Leaves <= 32768, "Leaves", "2 to 32768", p.Leaves},
		{p.MaxDepth >= 0, "MaxDepth", "at least 0", p.MaxDepth},
		{fraction(p.LearningRate), "LearningRate", "in (0, 1]", p.LearningRate},
		{atLeast0(p.Lambda), "Lambda", "at least 0 and finite", p.Lambda},
		{p.MinData >= 1, "MinData", "at least 1", p.MinData},
		{atLeast0(p.MinHessian), "MinHessian", "at least 0 and finite", p.MinHessian},
		{atLeast0(p.MinGain), "MinGain", "at least 0 and finite", p.MinGain},
		{fraction(p.FeatureFraction), "FeatureFraction", "in (0, 1]", p.FeatureFraction},
		{fraction(p.BaggingFraction), "BaggingFraction", "in (0, 1]", p.BaggingFraction},
		{p.Threads >= 0, "Threads", "at least 0", p.Threads},
		{p.Init == nil || p.Init.Width == width, "Init", fmt.Sprintf("a model of width %d", width), initWidth(p.Init)},
	} {
		if !c.ok {
			return fmt.Errorf("gbdt: parameter %s must be %s, got %v", c.name, c.want, c.got)
		}
	}
	return nil
}

func initWidth(m *Model) string {
	if m == nil {
		return "none"
	}
	return fmt.Sprintf("width %d", m.Width)
}

func (p *Params) threads() int {
	if p.Threads > 0 {
		return p.Threads
	}
	return runtime.GOMAXPROCS(0)
}
