package gbdt

import (
	"fmt"
	"math"

	"hone/internal/mathx"
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
		e := mathx.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + mathx.Exp(-x))
}

// softplus returns ln(1+e**x). It serves reports only, so the standard library's
// Log1p is good enough.
func softplus(x float64) float64 {
	return max(x, 0) + math.Log1p(mathx.Exp(-math.Abs(x)))
}

// logOdds returns ln(p/(1-p)).
func logOdds(p float64) float64 { return mathx.Log(p / (1 - p)) }
