package cost

import (
	"math"
	"slices"
)

// Quality grades scores against measured speed. All shares are NaN where there
// was nothing to compare.
type Quality struct {
	Candidates int // that worked and had a score

	Spearman     float64 // rank correlation of score and speed, -1 … 1
	PairAccuracy float64 // share of pairs in the right order, 0 … 1; ties of scores count half
	TopK         int     // how many the next two are about
	Recall       float64 // share of the TopK fastest among the TopK highest scores
	Regret       float64 // how much slower the fastest of the TopK highest scores is than the fastest: 1 - speed/best
}

// Grade compares scores with times in seconds; candidates whose time is not a
// positive finite number are left out. k is cut to the number of candidates.
func Grade(scores, seconds []float64, k int) Quality {
	nan := math.NaN()
	q := Quality{Spearman: nan, PairAccuracy: nan, Recall: nan, Regret: nan}
	var s, speed []float64
	for i, t := range seconds {
		if t > 0 && !math.IsInf(t, 1) {
			s, speed = append(s, scores[i]), append(speed, 1/t)
		}
	}
	q.Candidates = len(s)
	q.TopK = min(max(k, 1), len(s))
	if len(s) < 2 {
		return q
	}
	q.Spearman = correlation(meanRanks(s), meanRanks(speed))
	q.PairAccuracy = pairAccuracy(s, speed)
	q.Recall, q.Regret = top(s, speed, q.TopK)
	return q
}

// descending returns the indices of v from the largest value to the smallest, in
// order of index among equals.
func descending(v []float64) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case v[a] > v[b]:
			return -1
		case v[a] < v[b]:
			return 1
		}
		return 0
	})
	return order
}

// meanRanks returns the position of each value in descending order; equal values
// share the mean of their positions.
func meanRanks(v []float64) []float64 {
	order, ranks := descending(v), make([]float64, len(v))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && v[order[j]] == v[order[i]] {
			j++
		}
		mean := float64(i+j-1) / 2
		for ; i < j; i++ {
			ranks[order[i]] = mean
		}
	}
	return ranks
}

func correlation(a, b []float64) float64 {
	n := float64(len(a))
	mean := (n - 1) / 2
	var ab, aa, bb float64
	for i := range a {
		x, y := a[i]-mean, b[i]-mean
		ab += float64(x * y)
		aa += float64(x * x)
		bb += float64(y * y)
	}
	return ab / math.Sqrt(float64(aa*bb)) // NaN if one side is all equal
}

func pairAccuracy(scores, speed []float64) float64 {
	right, all := 0.0, 0.0
	for i := range scores {
		for j := range i {
			if speed[i] == speed[j] {
				continue
			}
			all++
			switch {
			case scores[i] == scores[j]:
				right += 0.5
			case (scores[i] > scores[j]) == (speed[i] > speed[j]):
				right++
			}
		}
	}
	return right / all
}

func top(scores, speed []float64, k int) (recall, regret float64) {
	chosen, fastest := descending(scores)[:k], descending(speed)[:k]
	found, best := 0, 0.0
	for _, i := range chosen {
		best = max(best, speed[i])
		if slices.Contains(fastest, i) {
			found++
		}
	}
	return float64(found) / float64(k), 1 - best/speed[fastest[0]]
}

// Report tells what the last Update found.
type Report struct {
	Before   Quality // of the model so far on results it had not seen
	Samples  int     // results known
	Failures int     // of them
	Trained  bool    // whether the model was trained
	Trees    int     // of the model in use, 0 while there is none
	History  int     // results behind the model in use, stored ones included
}

// Report returns the report of the last Update.
func (m *Model) Report() Report {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.report
}

// grade evaluates the model in use on results it has not learnt from.
func (m *Model) grade(features [][][]float32, seconds []float64) Quality {
	if !m.Ready() {
		return Grade(nil, nil, 0)
	}
	return Grade(m.Predict(features), seconds, min(32, max(1, len(seconds)/4)))
}

// describe completes the report after an Update.
func (m *Model) describe() {
	m.report.Samples, m.report.Failures = len(m.samples), 0
	for i := range m.samples {
		if m.samples[i].failed() {
			m.report.Failures++
		}
	}
	if f := m.ready.Load(); f != nil {
		m.report.Trees, m.report.History = len(f.score.Trees), f.samples
	}
}
