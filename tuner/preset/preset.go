// Package preset holds the tables that make a design space: rules and
// postprocessors in order, mutators with weights. One table a file; nothing else
// in the tuner decides on order or weight. Start from CPU.
package preset

import (
	"hone/internal/registry"
	"hone/tuner/mutator"
	"hone/tuner/postproc"
	"hone/tuner/rule"
)

// Weighted is a mutator with its probability.
type Weighted struct {
	Weight  float64
	Mutator mutator.Mutator
}

// Preset is one design space.
type Preset struct {
	Name      string
	Rules     []rule.Rule
	Postprocs []postproc.Postproc
	Mutators  []Weighted
}

var presets = registry.New[func() Preset]("preset")

func init() {
	presets.Add("cpu", CPU)
}

// Lookup returns a preset by name.
func Lookup(name string) (Preset, error) {
	p, err := presets.Lookup(name)
	if err != nil {
		return Preset{}, err
	}
	return p(), nil
}

// Names lists the presets.
func Names() []string { return presets.Names() }
