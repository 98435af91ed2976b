// Package preset holds the tables that make a design space: rules and
// postprocessors in order, mutators with weights. One table a file; nothing else
// in the tuner decides on order or weight. Start from CPU.
package preset

import (
	"fmt"
	"sort"

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

var presets = map[string]func(cores int) Preset{
	"cpu": func(int) Preset { return CPU() },
}

// Lookup returns a preset by name for a target with that many cores.
func Lookup(name string, cores int) (Preset, error) {
	if p, ok := presets[name]; ok {
		return p(cores), nil
	}
	var known []string
	for n := range presets {
		known = append(known, n)
	}
	sort.Strings(known)
	return Preset{}, fmt.Errorf("unknown preset %q: use one of %v", name, known)
}
