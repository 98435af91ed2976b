package gbdt

import (
	"errors"
	"fmt"
)

// Blend is a weighted sum of two objectives over the same predictions, for
// instance a rank objective that orders and a regression that fixes the scale.
type Blend struct {
	a, b   Objective
	wa, wb float64
	gs, hs []float64 // of a
}

// NewBlend returns wa·a + wb·b; the weights are positive. The base score is b's.
func NewBlend(a Objective, wa float64, b Objective, wb float64) (*Blend, error) {
	if a.Len() != b.Len() {
		return nil, fmt.Errorf("gbdt: cannot blend objectives of %d and %d predictions", a.Len(), b.Len())
	}
	if !(wa > 0 && wb > 0) {
		return nil, errors.New("gbdt: the weights of a blend must be positive")
	}
	return &Blend{a: a, b: b, wa: wa, wb: wb, gs: make([]float64, a.Len()), hs: make([]float64, a.Len())}, nil
}

// Name implements Objective.
func (o *Blend) Name() string { return o.b.Name() }

// Len implements Objective.
func (o *Blend) Len() int { return o.b.Len() }

// Base implements Objective.
func (o *Blend) Base() float64 { return o.b.Base() }

// Gradients implements Objective.
func (o *Blend) Gradients(step int, pred, g, h []float64) {
	o.a.Gradients(step, pred, o.gs, o.hs)
	o.b.Gradients(step, pred, g, h)
	for i := range g {
		g[i] = float64(o.wa*o.gs[i]) + float64(o.wb*g[i])
		h[i] = float64(o.wa*o.hs[i]) + float64(o.wb*h[i])
	}
}

// Loss implements Objective.
func (o *Blend) Loss(pred []float64) float64 {
	return float64(o.wa*o.a.Loss(pred)) + float64(o.wb*o.b.Loss(pred))
}
