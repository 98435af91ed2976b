package main

import (
	"fmt"
	"slices"
	"strings"

	"hone/cost"
)

// blend is a weighting of the two objectives.
type blend struct{ rank, regression float64 }

var blends = []blend{{1, 1}, {1, 0.01}, {1, 0.3}, {0.3, 1}, {0.01, 1}}

// groups are columns by the start of their names.
var groups = [][]string{
	{"tile."}, {"vector."}, {"packed."}, {"parallel_work."}, {"cache."}, {"bounds."}, {"curve.", "intensity."}, {"buffer"}, {"arith."},
	{"vectorize.", "unroll.", "parallel."}, {"outer.", "alloc."}, {"tile.", "vector.", "packed.", "parallel_work.", "cache.", "bounds.", "curve."},
}

// ablate grades the cost model after the samples of each workload, as it is and
// with something missing.
func ablate(o options, all []*recorded) error {
	fmt.Printf("\n%d trials of the workload, means of all workloads: pairs / recall, and what was changed\n", o.samples)
	for _, b := range blends {
		opts := cost.DefaultOptions()
		opts.Rank, opts.Regression = b.rank, b.regression
		m, err := overall(o, all, opts, nil)
		if err != nil {
			return err
		}
		fmt.Printf("%s  rank %v, regression %v\n", m, b.rank, b.regression)
	}
	for _, g := range groups {
		m, err := overall(o, all, cost.DefaultOptions(), g)
		if err != nil {
			return err
		}
		fmt.Printf("%s  without %s\n", m, strings.Join(g, " "))
	}
	return nil
}

// overall is the mean of the marks with columns blinded.
func overall(o options, all []*recorded, opts cost.Options, blind []string) (marks, error) {
	hidden := func(name string) bool {
		return slices.ContainsFunc(blind, func(p string) bool { return strings.HasPrefix(name, p) })
	}
	edit := func(rows [][]float32) [][]float32 {
		out := make([][]float32, len(rows))
		for i, row := range rows {
			out[i] = slices.Clone(row)
			for k, name := range opts.Names {
				if hidden(name) {
					out[i][k] = 0
				}
			}
		}
		return out
	}
	var t mean
	for _, r := range all {
		if r.donor || !o.wants(r.Name) {
			continue
		}
		m, err := newModel(opts)
		if err != nil {
			return marks{}, err
		}
		g, err := grade(o, r, m, true, edit)
		if err != nil {
			return marks{}, err
		}
		t.add(g[""])
	}
	return t.marks(), nil
}
