package gbdt

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// Objective is what a training minimises. Its functions of the predictions must
// be deterministic: each product rounded before it is added (float64(a*b) + c).
type Objective interface {
	// Name is written into the model file; LightGBM and leaves must know it:
	// regression, or binary sigmoid:1.
	Name() string
	// Len is the number of predictions it expects.
	Len() int
	// Base is the constant that boosting starts from.
	Base() float64
	// Gradients sets g and h to the first and second derivative of the loss by
	// each prediction; h must not be negative. step counts trees from 0.
	Gradients(step int, pred, g, h []float64)
	// Loss is the mean loss of the predictions, for reports.
	Loss(pred []float64) float64
}

// SquaredError is half the weighted squared difference to the labels.
type SquaredError struct{ labels, weights []float64 }

// NewSquaredError checks labels and weights; nil weights are all 1.
func NewSquaredError(labels, weights []float64) (*SquaredError, error) {
	w, err := checkedWeights(labels, weights)
	return &SquaredError{labels, w}, err
}

// checkedWeights returns the weights, ones if there are none.
func checkedWeights(labels, weights []float64) ([]float64, error) {
	if len(labels) == 0 {
		return nil, errors.New("gbdt: an objective needs labels")
	}
	for i, y := range labels {
		if math.IsNaN(y) || math.Abs(y) > maxValue {
			return nil, fmt.Errorf("gbdt: label %d is %v", i, y)
		}
	}
	if weights == nil {
		weights = make([]float64, len(labels))
		for i := range weights {
			weights[i] = 1
		}
		return weights, nil
	}
	if len(weights) != len(labels) {
		return nil, fmt.Errorf("gbdt: %d weights for %d labels", len(weights), len(labels))
	}
	positive := false
	for i, w := range weights {
		if !(w >= 0 && w <= maxValue) {
			return nil, fmt.Errorf("gbdt: weight %d is %v, must be at least 0", i, w)
		}
		positive = positive || w > 0
	}
	if !positive {
		return nil, errors.New("gbdt: all weights are 0")
	}
	return weights, nil
}

// Name implements Objective.
func (o *SquaredError) Name() string { return "regression" }

// Len implements Objective.
func (o *SquaredError) Len() int { return len(o.labels) }

// Base implements Objective: the weighted mean of the labels.
func (o *SquaredError) Base() float64 { return weightedMean(o.labels, o.weights) }

// weightedMean is computed in fixed point, so that the order of rows does not
// matter.
func weightedMean(values, weights []float64) float64 {
	products := make([]float64, len(values))
	for i := range values {
		products[i] = values[i] * weights[i]
	}
	return exactSum(products) / exactSum(weights)
}

// exactSum adds in fixed point with the resolution of the largest value.
func exactSum(values []float64) float64 {
	top := 0.0
	for _, v := range values {
		top = max(top, math.Abs(v))
	}
	k := shift(top, 62-bits.Len(uint(len(values))))
	scale, sum := math.Ldexp(1, k), int64(0)
	for _, v := range values {
		sum += round(v, scale)
	}
	return math.Ldexp(float64(sum), -k)
}

// Gradients implements Objective.
func (o *SquaredError) Gradients(_ int, pred, g, h []float64) {
	for i, p := range pred {
		g[i], h[i] = float64(o.weights[i]*(p-o.labels[i])), o.weights[i]
	}
}

// Loss implements Objective.
func (o *SquaredError) Loss(pred []float64) float64 {
	sum, total := 0.0, 0.0
	for i, p := range pred {
		d := p - o.labels[i]
		sum += float64(o.weights[i] * d * d / 2)
		total += o.weights[i]
	}
	return sum / total
}
