package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"hone/bench/simulate"
	"hone/compiler/tir"
	"hone/scheduler/jobrun"
	"hone/tuner"
)

// mode is a kind of search.
type mode struct {
	name   string
	preset string
	learns bool // has a cost model
	warm   bool // starts with what jobs on the other workloads left
	random bool
	bar    int // trials within which the median seed must be there, 0: none
}

// modes in the order of the report.
var modes = []mode{
	{name: "warm", preset: "cpu", learns: true, warm: true, bar: 64},
	{name: "cpu", preset: "cpu", learns: true, bar: 200},
	{name: "no-model", preset: "cpu"},
	{name: "random", preset: "cpu", random: true},
	{name: "cpu-parity", preset: "cpu-parity", learns: true},
}

// enough is the share of the best known speed at which a search has converged.
const enough = 0.95

// lent is how many traces a donor lends, as in a job.
const lent = 4

// converge searches every subject in every mode and returns the figures of the
// RESULT line: in how many of the subjects the median seed was there in time.
func converge(o options, all []*recorded) (string, error) {
	fmt.Printf("\ntrials to %.0f %% of the speed of the best that won a race, by seed, and the median; batches of 16, %d trials at most\n", 100*enough, o.trials)
	met, asked := map[string]int{}, 0
	medians := map[string][]float64{}
	for _, r := range all {
		if r.donor || !o.wants(r.Name) {
			continue
		}
		asked++
		fleet, err := simulate.NewSurrogate(r.log, r.cands)
		if err != nil {
			return "", err
		}
		for _, m := range modes {
			if !among(o.modes, m.name) {
				continue
			}
			median, err := searches(o, all, r, m, fleet)
			if err != nil {
				return "", fmt.Errorf("%s, %s: %w", r.Name, m.name, err)
			}
			medians[m.name] = append(medians[m.name], float64(median))
			if m.bar > 0 && median <= m.bar {
				met[m.name]++
			}
		}
	}
	var out []string
	for _, m := range modes {
		list := medians[m.name]
		if len(list) == 0 {
			continue
		}
		if m.bar > 0 {
			out = append(out, fmt.Sprintf("%s_met=%d/%d", m.name, met[m.name], asked))
		}
		out = append(out, fmt.Sprintf("%s_trials=%.0f", m.name, geomean(list)))
	}
	return strings.Join(out, " "), nil
}

// searches runs the seeds of a mode and returns the median of the trials it took;
// one that never came there counts as one more than it had.
func searches(o options, all []*recorded, r *recorded, m mode, fleet *simulate.Surrogate) (int, error) {
	goal := r.log.Reference() / enough
	fleet.Known, fleet.Guessed = 0, 0
	spec := tuner.Spec{
		Tasks:  []tuner.Task{{ID: r.Name, Name: r.Name, Func: r.Func, Weight: 1}},
		Target: r.log.Target, Preset: m.preset, Trials: o.trials, Batch: 16, Random: m.random,
	}
	var prior []byte
	var err error
	if m.warm {
		if prior, err = history(r, all); err != nil {
			return 0, err
		}
		var donors []jobrun.Donor
		if donors, err = donorsOf(r, all); err != nil {
			return 0, err
		}
		spec.Tasks[0].Transfer = jobrun.Borrow(r.Func, donors)
	}
	var took []int
	share := 0.0
	for seed := range o.seeds {
		spec.Seed = uint64(seed + 1)
		var model tuner.Model
		if m.learns {
			model = jobrun.NewLearner(spec.Target, prior)
		}
		c, err := simulate.Run(spec, model, fleet)
		if err != nil {
			return 0, err
		}
		n := c.To(goal)
		if n == 0 {
			n = o.trials + 1
		}
		took = append(took, n)
		share += r.log.Reference() / c.Best[len(c.Best)-1] / float64(o.seeds)
	}
	median := slices.Sorted(slices.Values(took))[len(took)/2]
	fmt.Printf("%-12s %-10s %v, median %s, at the end %.1f %%; %d answers measured, %d guessed\n", r.Name, m.name, took, trialsText(median, o.trials), 100*share, fleet.Known, fleet.Guessed)
	return median, nil
}

func trialsText(n, most int) string {
	if n > most {
		return fmt.Sprintf("above %d", most)
	}
	return fmt.Sprint(n)
}

// donorsOf are the other workloads of the same structure.
func donorsOf(r *recorded, all []*recorded) ([]jobrun.Donor, error) {
	var out []jobrun.Donor
	for _, other := range all {
		if other.Name == r.Name || tir.Structure(other.Func) != tir.Structure(r.Func) {
			continue
		}
		traces, err := simulate.Traces(other.log, other.cands, "cpu", lent)
		if err != nil {
			return nil, err
		}
		out = append(out, jobrun.Donor{Func: other.Func, Traces: traces})
	}
	return out, nil
}

func geomean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(list)))
}
