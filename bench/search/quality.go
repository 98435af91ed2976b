package main

import (
	"bytes"
	"fmt"
	"math"

	"hone/bench/simulate"
	"hone/cost"
	"hone/internal/rng"
)

// knowledge is what a cost model has learnt before it is graded.
type knowledge struct {
	name         string
	history, own bool // all logs of other workloads; samples of the workload itself
}

// known in the order of the report; the last is what a job has after its first
// rounds, and what the bars are about.
var known = []knowledge{{"history", true, false}, {"own", false, true}, {"both", true, true}}

// topK is how many of the fastest the recall is about.
const topK = 32

// The bars of the design.
const (
	barRecall = 0.6
	barPairs  = 0.85
)

// gradeModels teaches a cost model samples of each subject, half random and half
// evolved as the log is, and grades it on the rest.
func gradeModels(o options, all []*recorded) (string, error) {
	fmt.Printf("\ncost model, up to %d trials of the workload: pairs in the right order / share of the %d fastest among its %d favourites\n", o.samples, topK, topK)
	total := make([]mean, len(known))
	short := false // a log of too few candidates to teach that many
	for _, r := range all {
		if r.donor || !o.wants(r.Name) {
			continue
		}
		n := taught(o, r)
		short = short || n < o.samples
		fmt.Printf("%-12s %d teach, %d are graded\n", r.Name, n, len(r.of("cpu"))-n)
		for i, k := range known {
			m, err := newModel(cost.DefaultOptions())
			if err != nil {
				return "", err
			}
			if k.history {
				prior, err := history(r, all)
				if err == nil {
					err = m.Load(prior)
				}
				if err != nil {
					return "", err
				}
			}
			g, err := grade(o, r, m, k.own, nil)
			if err != nil {
				return "", err
			}
			fmt.Printf("%-12s %-8s all %s, random %s, evolved %s\n", r.Name, k.name, g[""], g[simulate.RandomHalf], g[simulate.EvolvedHalf])
			total[i].add(g[""])
		}
	}
	out := ""
	for i, k := range known {
		m := total[i].marks()
		out += fmt.Sprintf("pairs_%s=%.3f recall_%s=%.3f ", k.name, m.pairs, k.name, m.recall)
	}
	if short {
		return out + "model_bars=unasked", nil
	}
	m := total[len(total)-1].marks()
	return fmt.Sprintf("%smodel_bars=%v", out, m.pairs >= barPairs && m.recall >= barRecall), nil
}

// taught is how many candidates of a log teach: as many as were asked for, or half.
func taught(o options, r *recorded) int { return min(o.samples, len(r.of("cpu"))/2) }

// newModel is a cost model that trains when it is told to.
func newModel(o cost.Options) (*cost.Model, error) {
	o.Warmup = math.MaxInt32
	return cost.NewModel(o)
}

// history is the cost model that jobs on the other workloads leave.
func history(r *recorded, all []*recorded) ([]byte, error) {
	if r.prior != nil {
		return r.prior, nil
	}
	m, err := newModel(cost.DefaultOptions())
	if err != nil {
		return nil, err
	}
	for _, other := range all {
		if other.Name == r.Name {
			continue
		}
		if err := teach(m, other.Name, other.of("cpu")); err != nil {
			return nil, err
		}
	}
	var text bytes.Buffer
	if err := m.Train(); err != nil {
		return nil, err
	}
	if err := m.Save(&text); err != nil {
		return nil, err
	}
	r.prior = text.Bytes()
	return r.prior, nil
}

func teach(m *cost.Model, name string, cs []simulate.Candidate) error {
	rows, seconds := columns(cs)
	return m.Update(name, rows, seconds)
}

// columns are features and times in seconds.
func columns(cs []simulate.Candidate) (rows [][][]float32, seconds []float64) {
	for _, c := range cs {
		rows, seconds = append(rows, c.Rows), append(seconds, c.NS*1e-9)
	}
	return rows, seconds
}

// marks are the two grades of a model.
type marks struct{ pairs, recall float64 }

func (m marks) String() string { return fmt.Sprintf("%.3f / %.2f", m.pairs, m.recall) }

type mean struct{ pairs, recall, n float64 }

func (t *mean) add(m marks) {
	t.pairs, t.recall, t.n = t.pairs+m.pairs, t.recall+m.recall, t.n+1
}

func (t *mean) marks() marks { return marks{t.pairs / t.n, t.recall / t.n} }

// grade teaches a model and grades it on what it has not seen: all of that, and
// each half on its own. Without own it learns nothing of the workload. edit, if
// given, changes the rows.
func grade(o options, r *recorded, m *cost.Model, own bool, edit func([][]float32) [][]float32) (map[simulate.Half]marks, error) {
	cs := r.of("cpu")
	rng.Shuffle(rng.New(1, "quality", r.Name), cs)
	if edit != nil {
		for i := range cs {
			cs[i].Rows = edit(cs[i].Rows)
		}
	}
	n := taught(o, r)
	if own {
		if err := teach(m, r.Name, cs[:n]); err != nil {
			return nil, err
		}
		if err := m.Train(); err != nil {
			return nil, err
		}
	}
	out := map[simulate.Half]marks{}
	for _, half := range []simulate.Half{"", simulate.RandomHalf, simulate.EvolvedHalf} {
		var test []simulate.Candidate
		for _, c := range cs[n:] {
			if half == "" || c.Half == half {
				test = append(test, c)
			}
		}
		rows, seconds := columns(test)
		q := cost.Grade(m.Predict(rows), seconds, topK)
		out[half] = marks{q.PairAccuracy, q.Recall}
	}
	return out, nil
}
