package gbdt

import "fmt"

// Summed applies an objective to items that consist of several rows each; the
// prediction of an item is the sum over its rows.
type Summed struct {
	inner   Objective
	starts  []int // starts[i] is the first row of item i; one more than items
	ip      []float64
	ig, ih  []float64
	perItem float64 // mean number of rows
}

// NewSummed groups consecutive rows: rows[i] of them, at least one, make item i.
func NewSummed(rows []int, inner Objective) (*Summed, error) {
	if len(rows) != inner.Len() {
		return nil, fmt.Errorf("gbdt: %d items for an objective of %d", len(rows), inner.Len())
	}
	n := len(rows)
	o := &Summed{inner: inner, starts: make([]int, n+1), ip: make([]float64, n), ig: make([]float64, n), ih: make([]float64, n)}
	for i, k := range rows {
		if k < 1 {
			return nil, fmt.Errorf("gbdt: item %d has no rows", i)
		}
		o.starts[i+1] = o.starts[i] + k
	}
	o.perItem = float64(o.starts[n]) / float64(n)
	return o, nil
}

// Name implements Objective.
func (o *Summed) Name() string { return o.inner.Name() }

// Len implements Objective: the number of rows.
func (o *Summed) Len() int { return o.starts[len(o.starts)-1] }

// Base implements Objective: what each row adds so that items of mean length
// start at the base of the inner objective.
func (o *Summed) Base() float64 { return o.inner.Base() / o.perItem }

// Items adds up the predictions of rows; the result is valid until the next call.
func (o *Summed) Items(pred []float64) []float64 {
	for i := range o.ip {
		sum := 0.0
		for _, p := range pred[o.starts[i]:o.starts[i+1]] {
			sum += p
		}
		o.ip[i] = sum
	}
	return o.ip
}

// Gradients implements Objective. The rows of an item may all fall into one
// leaf, which then moves the item by their number times its value: the diagonal
// hessian is that number times the item's, a bound that keeps Newton steps from
// overshooting.
func (o *Summed) Gradients(step int, pred, g, h []float64) {
	o.inner.Gradients(step, o.Items(pred), o.ig, o.ih)
	for i := range o.ig {
		from, to := o.starts[i], o.starts[i+1]
		n := float64(to - from)
		for r := from; r < to; r++ {
			g[r], h[r] = o.ig[i], float64(n*o.ih[i])
		}
	}
}

// Loss implements Objective.
func (o *Summed) Loss(pred []float64) float64 { return o.inner.Loss(o.Items(pred)) }
