package gbdt

import (
	"bufio"
	"bytes"
	"fmt"
	"runtime"

	"github.com/dmitryikh/leaves"
)

// Predictor evaluates a model on many rows through the leaves library. It is
// safe for concurrent use.
type Predictor struct {
	ensemble *leaves.Ensemble
	width    int
}

// NewPredictor prepares a model. The text that leaves reads is written here: that
// library trusts its input.
func NewPredictor(m *Model) (*Predictor, error) {
	var text bytes.Buffer
	if err := m.WriteText(&text); err != nil {
		return nil, err
	}
	e, err := leaves.LGEnsembleFromReader(bufio.NewReader(&text), false)
	if err != nil {
		return nil, fmt.Errorf("gbdt: leaves cannot read the model: %w", err)
	}
	if e.NEstimators() != len(m.Trees) || e.NOutputGroups() != 1 {
		return nil, fmt.Errorf("gbdt: leaves read %d trees of %d", e.NEstimators(), len(m.Trees))
	}
	return &Predictor{e, m.Width}, nil
}

// Width returns the number of features of a row.
func (p *Predictor) Width() int { return p.width }

// Predict evaluates len(dst) rows of Width features, row-major, using up to the
// given number of goroutines (0: GOMAXPROCS). Widths are checked first, because leaves answers 0
// to a row of the wrong width.
func (p *Predictor) Predict(rows, dst []float64, threads int) error {
	if len(rows) != len(dst)*p.width {
		return fmt.Errorf("gbdt: %d values for %d rows of %d features", len(rows), len(dst), p.width)
	}
	if len(dst) == 0 {
		return nil
	}
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	if err := p.ensemble.PredictDense(rows, len(dst), p.width, dst, 0, threads); err != nil {
		return fmt.Errorf("gbdt: %w", err)
	}
	return nil
}
