package compiler

import (
	"encoding/hex"
	"maps"
	"slices"

	"hone/compiler/target"
)

// Variant is one site of a model in one of its forms: all tasks of the program that
// has this form there and the estimated ones elsewhere. Programs of one site differ in
// what the form changes, reorders included.
type Variant struct {
	Site  string
	Form  int64
	Tasks []Task
}

// Variants lists the forms of every site that are worth measuring: for each site the
// estimated one first, whose tasks are the model's own, then the others. Sites with
// one form are left out.
func Variants(path string, l *Loaded, t *target.Target, o LoadOptions) ([][]Variant, error) {
	var out [][]Variant
	o.Hollow = true
	for _, s := range l.Sites {
		forms := []Variant{{s.Name, s.Form, l.Tasks}}
		for _, f := range s.Forms {
			if f == s.Form {
				continue
			}
			o.Forms = map[string]int64{s.Name: f}
			x, err := Load(path, t, o)
			if err != nil {
				return nil, err
			}
			if err := x.Close(); err != nil { // functions hold no views of the file
				return nil, err
			}
			forms = append(forms, Variant{s.Name, f, x.Tasks})
		}
		if len(forms) > 1 {
			out = append(out, forms)
		}
	}
	return out, nil
}

// Calls counts the calls of each workload, by its hash in hex, for every form of a
// site.
func Calls(forms []Variant) []map[string]int {
	out := make([]map[string]int, len(forms))
	for i, v := range forms {
		out[i] = map[string]int{}
		for _, k := range v.Tasks {
			out[i][hex.EncodeToString(k.Hash[:])] = k.Weight
		}
	}
	return out
}

// clearly is the share of the time of what sets the estimated form apart that another
// must save: measured times of kernels alone are not surer than that.
const clearly = 0.03

// Fastest chooses, for every site, the form whose program takes the least time by
// measured times in ns of workloads, if it clearly does. A form that calls what has no time is not chosen,
// unless the estimated form does as well: without times of what they differ in, the
// estimate stands. Sites whose estimated form is chosen are left out.
func Fastest(sites [][]Variant, ns map[string]float64) map[string]int64 {
	forms := map[string]int64{}
	for _, site := range sites {
		calls, best := Calls(site), 1-clearly
		for i := range site[1:] {
			if r, ok := ratio(calls[1+i], calls[0], ns); ok && r < best {
				best = r
				forms[site[0].Site] = site[1+i].Form
			}
		}
	}
	return forms
}

// ratio is the time of a's calls to that of b's, of those that they do not have in
// common; ok is false when one of these has no time.
func ratio(a, b map[string]int, ns map[string]float64) (r float64, ok bool) {
	calls := maps.Clone(a)
	for k, n := range b {
		calls[k] -= n
	}
	var own [2]float64
	for _, k := range slices.Sorted(maps.Keys(calls)) { // sums of floats depend on the order
		n := calls[k]
		t, known := ns[k]
		switch {
		case n != 0 && !known:
			return 0, false
		case n > 0:
			own[0] += float64(float64(n) * t)
		case n < 0:
			own[1] += float64(float64(-n) * t)
		}
	}
	return own[0] / own[1], own[1] > 0
}
