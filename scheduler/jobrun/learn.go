package jobrun

import (
	"bytes"
	"math"
	"runtime"
	"sync"

	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/cost"
	"hone/cost/feature"
	"hone/tuner"
)

// Model is a cost model that can be kept for later jobs.
type Model interface {
	tuner.Model
	// Text is the model that the samples teach, to be given to the next one made; nil
	// while they teach nothing.
	Text(samples []tuner.Sample) []byte
}

// minKept is how many samples a model must have seen to be worth keeping.
const minKept = 32

// Learner is the cost model of a session: features of scheduled functions,
// boosted trees. A fit starts from the model of earlier jobs, or from nothing, so
// that it depends on its samples alone.
type Learner struct {
	target target.Target
	prior  []byte
	mu     sync.Mutex
	rows   map[*tir.PrimFunc][][]float32 // of measured functions, which recur
}

var _ Model = (*Learner)(nil)

// NewLearner makes the model for a target. prior is the text of an earlier one, or
// nil: one that was made for other features, or is damaged, is left out.
func NewLearner(t target.Target, prior []byte) Model {
	l := &Learner{target: t, prior: prior, rows: map[*tir.PrimFunc][][]float32{}}
	if prior != nil && untrained().Load(prior) != nil {
		l.prior = nil
	}
	return l
}

func untrained() *cost.Model {
	o := cost.DefaultOptions()
	o.Warmup = math.MaxInt32 // one training a fit, not one per workload
	m, err := cost.NewModel(o)
	if err != nil {
		panic("BUG: jobrun: " + err.Error())
	}
	return m
}

// Text implements Model.
func (l *Learner) Text(samples []tuner.Sample) []byte {
	if len(samples) < minKept {
		return nil
	}
	p, ok := l.Fit(samples).(*predictor)
	if !ok {
		return nil
	}
	var text bytes.Buffer
	if err := p.m.Save(&text); err != nil {
		panic("BUG: jobrun: " + err.Error()) // it is trained, and memory takes all that is written
	}
	return text.Bytes()
}

// Fit implements tuner.Model.
func (l *Learner) Fit(samples []tuner.Sample) tuner.Predictor {
	m := untrained()
	if l.prior != nil {
		if err := m.Load(l.prior); err != nil {
			panic("BUG: jobrun: " + err.Error()) // it was read before
		}
	}
	if len(samples) == 0 && !m.Ready() {
		return nil
	}
	fs := make([]*tir.PrimFunc, len(samples))
	for i := range samples {
		fs[i] = samples[i].Func
	}
	rows := l.extract(fs, true)
	var order []string
	features, seconds := map[string][][][]float32{}, map[string][]float64{}
	for i, s := range samples {
		if _, ok := features[s.Task]; !ok {
			order = append(order, s.Task)
		}
		features[s.Task] = append(features[s.Task], rows[i])
		seconds[s.Task] = append(seconds[s.Task], s.NS*1e-9)
	}
	for _, task := range order {
		if err := m.Update(task, features[task], seconds[task]); err != nil {
			return nil
		}
	}
	if m.Train() != nil || !m.Ready() {
		return nil
	}
	return &predictor{l, m}
}

type predictor struct {
	l *Learner
	m *cost.Model
}

// Predict implements tuner.Predictor.
func (p *predictor) Predict(_ string, fs []*tir.PrimFunc) []float64 {
	return p.m.Predict(p.l.extract(fs, false))
}

// extract computes the features of every function, on all processors. With keep
// they are remembered.
func (l *Learner) extract(fs []*tir.PrimFunc, keep bool) [][][]float32 {
	out := make([][][]float32, len(fs))
	workers := min(runtime.GOMAXPROCS(0), max(1, len(fs)))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			x := feature.NewExtractor(l.target)
			for i := w; i < len(fs); i += workers {
				if rows, ok := l.known(fs[i]); ok {
					out[i] = rows
					continue
				}
				rows, err := x.Extract(fs[i])
				if err != nil {
					rows = nil // deeper than the schema knows: no opinion
				}
				out[i] = rows
			}
		})
	}
	wg.Wait()
	if keep {
		l.mu.Lock()
		defer l.mu.Unlock()
		for i, f := range fs {
			l.rows[f] = out[i]
		}
	}
	return out
}

func (l *Learner) known(f *tir.PrimFunc) ([][]float32, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rows, ok := l.rows[f]
	return rows, ok
}
