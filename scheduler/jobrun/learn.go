package jobrun

import (
	"math"
	"runtime"
	"sync"

	"hone/compiler/target"
	"hone/compiler/tir"
	"hone/cost"
	"hone/cost/feature"
	"hone/tuner"
)

// Learner is the cost model of a session: features of scheduled functions,
// boosted trees. A fit starts from nothing, so that it depends on its samples
// alone.
type Learner struct {
	target target.Target
	mu     sync.Mutex
	rows   map[*tir.PrimFunc][][]float32 // of measured functions, which recur
}

var _ tuner.Model = (*Learner)(nil)

// NewLearner makes the model for a target.
func NewLearner(t target.Target) tuner.Model {
	return &Learner{target: t, rows: map[*tir.PrimFunc][][]float32{}}
}

// Fit implements tuner.Model.
func (l *Learner) Fit(samples []tuner.Sample) tuner.Predictor {
	o := cost.DefaultOptions()
	o.Warmup = math.MaxInt32 // one training, below, not one per workload
	m, err := cost.NewModel(o)
	if err != nil {
		panic("BUG: jobrun: " + err.Error())
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
