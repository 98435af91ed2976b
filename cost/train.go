package cost

import (
	"math"

	"hone/cost/gbdt"
)

// minClass is how many failures, and how many successes, the validity model
// needs.
const minClass = 8

// train fits both models to all samples and makes them the ones in use.
func (m *Model) train() error {
	next := &fitted{samples: len(m.samples)}
	if m.prior != nil {
		next.samples += m.prior.samples
	}
	var err error
	if next.score, err = m.trainScore(); err != nil || next.score == nil {
		return err
	}
	if next.validity, err = m.trainValidity(); err != nil {
		return err
	}
	if err := next.prepare(); err != nil {
		return err
	}
	m.trained = len(m.samples)
	m.report.Trained = true
	m.ready.Store(next)
	return nil
}

// prepare builds the predictors.
func (f *fitted) prepare() (err error) {
	if f.scorer, err = gbdt.NewPredictor(f.score); err != nil {
		return err
	}
	if f.validity != nil {
		f.validator, err = gbdt.NewPredictor(f.validity)
	}
	return err
}

// table is a training set: the rows of some samples and what belongs to each
// sample.
type table struct {
	rows   []float32
	counts []int // rows of each sample
	groups []int
	labels []float64
	weight []float64
}

func (t *table) add(s *sample, label, weight float64) {
	for _, row := range s.rows {
		t.rows = append(t.rows, row...)
	}
	t.counts, t.groups = append(t.counts, len(s.rows)), append(t.groups, s.group)
	t.labels, t.weight = append(t.labels, label), append(t.weight, weight)
}

// trainScore fits the speed of the samples that worked. It returns nil if no
// workload has two of them.
func (m *Model) trainScore() (*gbdt.Model, error) {
	best, count := m.best()
	var t table
	comparable := false
	for i := range m.samples {
		s := &m.samples[i]
		if s.failed() {
			continue
		}
		n := float64(count[s.group])
		comparable = comparable || n > 1
		label := best[s.group] / s.seconds
		// Where few are known the fastest is not yet fast, so labels mean little.
		// Fast candidates matter more than slow ones.
		t.add(s, label, float64((1-1/(n+1))*(0.1+0.9*label)))
	}
	if !comparable {
		return nil, nil
	}
	rank, err := gbdt.NewRank(t.labels, t.groups, gbdt.RankOptions{
		Weight: gbdt.PairGap, Pairs: m.opts.Partners, Sigma: m.opts.RankSigma, Seed: m.opts.Params.Seed,
	})
	if err != nil {
		return nil, err
	}
	regression, err := gbdt.NewSquaredError(t.labels, t.weight)
	if err != nil {
		return nil, err
	}
	blend, err := gbdt.NewBlend(rank, m.opts.Rank, regression, m.opts.Regression)
	if err != nil {
		return nil, err
	}
	var prior *gbdt.Model
	if m.prior != nil {
		prior = m.prior.score
	}
	return m.fit(&t, blend, prior)
}

// best returns the least time of each group and how many samples worked.
func (m *Model) best() (least []float64, count []int) {
	least, count = make([]float64, len(m.groups)), make([]int, len(m.groups))
	for i := range least {
		least[i] = math.Inf(1)
	}
	for i := range m.samples {
		if s := &m.samples[i]; !s.failed() {
			least[s.group] = min(least[s.group], s.seconds)
			count[s.group]++
		}
	}
	return least, count
}

// trainValidity fits the odds of working. It returns nil, or the stored model,
// while there are too few failures or successes.
func (m *Model) trainValidity() (*gbdt.Model, error) {
	var prior *gbdt.Model
	if m.prior != nil {
		prior = m.prior.validity
	}
	var t table
	failures := 0
	for i := range m.samples {
		s := &m.samples[i]
		label := 1.0
		if s.failed() {
			label = 0
			failures++
		}
		t.add(s, label, 1)
	}
	if failures < minClass || len(m.samples)-failures < minClass {
		return prior, nil
	}
	logistic, err := gbdt.NewLogistic(t.labels, t.weight)
	if err != nil {
		return nil, err
	}
	return m.fit(&t, logistic, prior)
}

// fit trains on a table, continuing prior while that stays within MaxTrees.
func (m *Model) fit(t *table, o gbdt.Objective, prior *gbdt.Model) (*gbdt.Model, error) {
	d, err := gbdt.NewDataset(t.rows, m.opts.Names, m.opts.Bins)
	if err != nil {
		return nil, err
	}
	summed, err := gbdt.NewSummed(t.counts, o)
	if err != nil {
		return nil, err
	}
	p := m.opts.Params
	p.MinData = max(2, min(p.MinData, len(t.counts)/8))
	if prior != nil && len(prior.Trees)+p.Trees <= m.opts.MaxTrees {
		p.Init = prior
	}
	return gbdt.Train(d, summed, p)
}
