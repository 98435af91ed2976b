package simulate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"hone/compiler/tir"
	"hone/cost"
	"hone/cost/feature"
	"hone/tuner"
)

// Fleet answers for devices.
type Fleet interface {
	// Measure says how a trial ends.
	Measure(t tuner.Trial) (tuner.Outcome, error)
}

// UnknownError is a trial that the log of an exact fleet does not hold.
type UnknownError struct {
	Log   string
	Trial tuner.Trial
}

// Error implements error.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("trial %d (%s, program %s) was never measured in log %s: the search has changed since, or its seed has", e.Trial.Seq, e.Trial.Origin, Key(e.Trial.Hash), e.Log)
}

// Exact is a fleet that knows a log and nothing else.
type Exact struct {
	log   *Log
	least float64 // see Log.Reference
	known map[string]*Entry
}

// NewExact makes the fleet of a log. The first entry of a program counts.
func NewExact(l *Log) *Exact {
	x := &Exact{log: l, least: l.Reference(), known: make(map[string]*Entry, len(l.Entries))}
	for i := range l.Entries {
		if e := &l.Entries[i]; x.known[e.Hash] == nil {
			x.known[e.Hash] = e
		}
	}
	return x
}

// Measure implements Fleet.
func (x *Exact) Measure(t tuner.Trial) (tuner.Outcome, error) {
	e := x.known[Key(t.Hash)]
	if e == nil {
		return tuner.Outcome{}, &UnknownError{x.log.Name, t}
	}
	return tuner.Outcome{Seq: t.Seq, Charged: true, NS: x.floor(e.NS)}, nil
}

// floor is a measured time without its luck.
func (x *Exact) floor(ns float64) float64 {
	if ns == 0 {
		return 0
	}
	return max(ns, x.least)
}

// Surrogate is a fleet that knows a log and guesses the rest: nothing is faster than
// the log's fastest winner of a race, so that nothing is found that nobody measured.
type Surrogate struct {
	Known, Guessed int // trials answered from the log, by the model

	exact *Exact
	model *cost.Model
	x     *feature.Extractor
}

// surrogateOptions fit a log as closely as its noise allows: many trees, the time
// itself rather than the order. Search learns with other options from few samples,
// so that its model is not the surrogate's twin.
func surrogateOptions() cost.Options {
	o := cost.DefaultOptions()
	o.Rank, o.Regression = 0.01, 1
	o.Params.Trees, o.MaxTrees = 400, 400
	o.Params.Leaves, o.Params.MinData = 63, 3
	o.Params.MaxDepth = 10
	o.Warmup = math.MaxInt32
	return o
}

// NewSurrogate fits a model to the candidates of a log.
func NewSurrogate(l *Log, cs []Candidate) (*Surrogate, error) {
	m, err := cost.NewModel(surrogateOptions())
	if err != nil {
		return nil, err
	}
	s := &Surrogate{exact: NewExact(l), model: m, x: feature.NewExtractor(l.Target)}
	rows, seconds := make([][][]float32, len(cs)), make([]float64, len(cs))
	for i, c := range cs {
		rows[i], seconds[i] = c.Rows, s.exact.floor(c.NS)*1e-9
	}
	if err := m.Update(l.Name, rows, seconds); err != nil {
		return nil, err
	}
	if err := m.Train(); err != nil {
		return nil, err
	}
	if !m.Ready() {
		return nil, fmt.Errorf("log %s holds too little to fit a model to", l.Name)
	}
	return s, nil
}

// Measure implements Fleet.
func (s *Surrogate) Measure(t tuner.Trial) (tuner.Outcome, error) {
	if o, err := s.exact.Measure(t); err == nil {
		s.Known++
		return o, nil
	}
	s.Guessed++
	rows, err := s.x.Extract(t.Func)
	if err != nil {
		return tuner.Outcome{}, fmt.Errorf("trial %d: %w", t.Seq, err)
	}
	return tuner.Outcome{Seq: t.Seq, Charged: true, NS: s.guess(rows)}, nil
}

// slowest is the least share of the best speed that a guess says.
const slowest = 0.005

func (s *Surrogate) guess(rows [][]float32) float64 {
	share := s.model.Predict([][][]float32{rows})[0]
	return s.exact.least / min(max(share, slowest), 1)
}

// Candidate is an entry of a log as a program with features.
type Candidate struct {
	Entry
	Func *tir.PrimFunc
	Rows [][]float32
}

// fastest are the n fastest candidates of a preset, in order.
func fastest(cs []Candidate, preset string, n int) []Candidate {
	var out []Candidate
	for _, c := range cs {
		if c.NS > 0 && c.Preset == preset {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b Candidate) int { return cmp.Compare(a.NS, b.NS) })
	return out[:min(n, len(out))]
}
