package cost

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"hone/cost/gbdt"
)

// Model scores candidates and learns from their measurements. Predict and Ready
// may be called while an Update runs in another goroutine; they answer from the
// model that was complete before.
type Model struct {
	opts  Options
	ready atomic.Pointer[fitted]

	mu      sync.Mutex // guards what follows
	samples []sample
	groups  map[string]int // workload → group number, in order of appearance
	trained int            // samples at the last training
	prior   *fitted        // a stored model to continue
	report  Report
}

// sample is one measured candidate.
type sample struct {
	group   int
	rows    [][]float32
	seconds float64 // +Inf if it failed
}

func (s *sample) failed() bool { return math.IsInf(s.seconds, 1) }

// fitted is a finished pair of models.
type fitted struct {
	samples  int // results it learnt from, over its whole history
	score    *gbdt.Model
	validity *gbdt.Model // nil before there were enough failures

	scorer, validator *gbdt.Predictor
}

// NewModel makes an untrained model.
func NewModel(o Options) (*Model, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return &Model{opts: o, groups: map[string]int{}}, nil
}

// Ready reports whether Predict tells candidates apart: after enough results, or
// with a stored model.
func (m *Model) Ready() bool { return m.ready.Load() != nil }

// Predict returns a score for each candidate, given as rows of Names columns:
// higher is better. Scores estimate the speed relative to the fastest known
// candidate of the workload, times the probability of working; only their order
// within one workload means anything. All scores are 0 while the model is not
// ready.
func (m *Model) Predict(features [][][]float32) []float64 {
	scores := make([]float64, len(features))
	f := m.ready.Load()
	if f == nil {
		return scores
	}
	rows := m.flatten(features)
	speed := f.sum(f.scorer, rows, features, m.opts.Params.Threads)
	if f.validator == nil {
		return speed
	}
	for i, logit := range f.sum(f.validator, rows, features, m.opts.Params.Threads) {
		// A negative score must not rise because a candidate probably fails.
		scores[i] = float64(gbdt.Sigmoid(logit)*max(speed[i], 0)) + min(speed[i], 0)
	}
	return scores
}

// flatten lays the rows of all candidates out one after the other.
func (m *Model) flatten(features [][][]float32) []float64 {
	width, n := len(m.opts.Names), 0
	for _, c := range features {
		n += len(c)
	}
	out := make([]float64, 0, n*width)
	for _, c := range features {
		for _, row := range c {
			if len(row) != width {
				panic(fmt.Sprintf("BUG: a row of %d columns for a cost model of %d", len(row), width))
			}
			for _, v := range row {
				out = append(out, float64(v))
			}
		}
	}
	return out
}

// sum adds up the predictions of each candidate's rows.
func (f *fitted) sum(p *gbdt.Predictor, rows []float64, features [][][]float32, threads int) []float64 {
	each := make([]float64, len(rows)/p.Width())
	if err := p.Predict(rows, each, threads); err != nil {
		panic("BUG: " + err.Error())
	}
	out := make([]float64, len(features))
	for i, c := range features {
		for range c {
			out[i] += each[0]
			each = each[1:]
		}
	}
	return out
}

// Update adds the results of candidates of one workload and trains when enough
// have come. seconds[i] is the measured time of features[i]; +Inf, NaN, 0 and
// negative values stand for a failure. Candidates without rows are left out.
// Before learning, the model is graded on the new results; see Report.
func (m *Model) Update(workload string, features [][][]float32, seconds []float64) error {
	if len(features) != len(seconds) {
		return fmt.Errorf("cost: %d candidates with %d results", len(features), len(seconds))
	}
	for i, c := range features {
		for _, row := range c {
			if len(row) != len(m.opts.Names) {
				return fmt.Errorf("cost: candidate %d has a row of %d columns, want %d", i, len(row), len(m.opts.Names))
			}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.report = Report{Before: m.grade(features, seconds)}
	group, ok := m.groups[workload]
	if !ok {
		group = len(m.groups)
		m.groups[workload] = group
	}
	for i, c := range features {
		if len(c) == 0 {
			continue
		}
		s := seconds[i]
		if !(s > 0) {
			s = math.Inf(1)
		}
		m.samples = append(m.samples, sample{group, c, s})
	}
	defer m.describe()
	if !m.due() {
		return nil
	}
	return m.train()
}

// due reports whether a training would pay.
func (m *Model) due() bool {
	n := len(m.samples)
	if n < m.opts.Warmup {
		return false
	}
	return m.trained == 0 || float64(n-m.trained) >= m.opts.Growth*float64(m.trained)
}

// Train fits the models to everything known, due or not, for instance at the end
// of a job before Save. Without two successful results of one workload it does
// nothing.
func (m *Model) Train() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.describe()
	return m.train()
}
