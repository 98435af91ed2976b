package gbdt

import (
	"fmt"
	"math"
)

// Logistic is binary classification: labels 0 or 1, predictions are log-odds.
type Logistic struct{ labels, weights []float64 }

// NewLogistic checks labels and weights; nil weights are all 1.
func NewLogistic(labels, weights []float64) (*Logistic, error) {
	w, err := checkedWeights(labels, weights)
	if err != nil {
		return nil, err
	}
	for i, y := range labels {
		if y != 0 && y != 1 {
			return nil, fmt.Errorf("gbdt: label %d of a binary objective is %v, must be 0 or 1", i, y)
		}
	}
	return &Logistic{labels, w}, nil
}

// Name implements Objective.
func (o *Logistic) Name() string { return "binary sigmoid:1" }

// Len implements Objective.
func (o *Logistic) Len() int { return len(o.labels) }

// Base implements Objective: the log-odds of the weighted share of ones.
func (o *Logistic) Base() float64 {
	p := min(max(weightedMean(o.labels, o.weights), 1e-6), 1-1e-6)
	return logOdds(p)
}

// Gradients implements Objective.
func (o *Logistic) Gradients(_ int, pred, g, h []float64) {
	for i, x := range pred {
		p := Sigmoid(x)
		g[i] = float64(o.weights[i] * (p - o.labels[i]))
		h[i] = float64(o.weights[i] * max(p*(1-p), 1e-16))
	}
}

// Loss implements Objective: the mean negative log-likelihood.
func (o *Logistic) Loss(pred []float64) float64 {
	sum, total := 0.0, 0.0
	for i, x := range pred {
		sum += float64(o.weights[i] * softplus(float64((1-2*o.labels[i])*x)))
		total += o.weights[i]
	}
	return sum / total
}

// Sigmoid returns 1/(1+e**-x), the same bits on every processor.
func Sigmoid(x float64) float64 {
	if x < 0 {
		e := exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + exp(-x))
}

// softplus returns ln(1+e**x). It serves reports only, so the standard library's
// functions are good enough.
func softplus(x float64) float64 {
	return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
}

// logOdds returns ln(p/(1-p)) by inverting Sigmoid with Newton steps, which keeps
// the package free of a second elementary function.
func logOdds(p float64) float64 {
	x := 0.0
	for range 64 {
		s := Sigmoid(x)
		step := (s - p) / max(s*(1-s), 1e-9)
		x -= max(min(step, 1), -1)
	}
	return x
}

// expTaylor holds 1/k! for k = 13 down to 0; on |r| <= ln2/2 the remainder is
// below 5e-18.
var expTaylor = [...]float64{
	1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
	1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1, 1,
}

// exp returns e**x for x <= 0 within a few units in the last place, the same bits
// on every processor; below -700 it returns 0.
func exp(x float64) float64 {
	if x < -700 {
		return 0
	}
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	r := (x - float64(k*6.93147180369123816490e-01)) - float64(k*1.90821492927058770002e-10)
	y := expTaylor[0]
	for _, c := range expTaylor[1:] {
		y = float64(y*r) + c
	}
	return y * math.Float64frombits(uint64(int64(k)+1023)<<52)
}
