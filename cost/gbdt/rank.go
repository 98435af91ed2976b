package gbdt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// PairWeight says how much the order of two items matters.
type PairWeight int

const (
	// PairUniform weighs all pairs of different labels alike (RankNet, Burges
	// et al. 2005).
	PairUniform PairWeight = iota
	// PairGap weighs a pair by the difference of its labels: the order of two
	// almost equal items is noise.
	PairGap
	// PairNDCG weighs a pair by how much swapping it changes the normalised
	// discounted cumulative gain, with the labels as gains (LambdaRank, Burges
	// et al. 2006): the top of the list matters most.
	PairNDCG
)

// RankOptions configure a Rank objective.
type RankOptions struct {
	Weight PairWeight
	// Pairs bounds the partners drawn for each item in each step; 0 uses every
	// pair, which costs the square of the group's size.
	Pairs int
	// Sigma is the steepness of the pairwise logistic loss: at a difference of
	// 1/Sigma a pair is mostly settled. 0 means 1.
	Sigma float64
	Seed  uint64 // of the drawn partners
}

// Rank is the logistic loss of pairs of items within a group: predictions need
// only be in the right order. Labels are better when larger and lie in [0, 1].
type Rank struct {
	opts   RankOptions
	labels []float64
	groups [][]int32 // items of each group that has different labels
	ideal  []float64 // per group: 1 / best possible DCG
	ig, ih []int64   // fixed-point sums, so that the order of pairs is irrelevant
}

// pairScale is the fixed point of pair sums: a term is at most 1 in magnitude
// after normalisation.
const pairScale = 1 << 40

// NewRank returns the objective for items with the given labels and group
// numbers (equal number: same group).
func NewRank(labels []float64, groups []int, opts RankOptions) (*Rank, error) {
	if len(groups) != len(labels) || len(labels) == 0 {
		return nil, fmt.Errorf("gbdt: %d groups for %d labels", len(groups), len(labels))
	}
	for i, y := range labels {
		if !(y >= 0 && y <= 1) {
			return nil, fmt.Errorf("gbdt: label %d of a rank objective is %v, must be in [0, 1]", i, y)
		}
	}
	if opts.Sigma == 0 {
		opts.Sigma = 1
	}
	if !(opts.Sigma > 0 && opts.Sigma <= 1e3) || opts.Pairs < 0 || opts.Weight < PairUniform || opts.Weight > PairNDCG {
		return nil, fmt.Errorf("gbdt: bad rank options %+v", opts)
	}
	o := &Rank{opts: opts, labels: labels, ig: make([]int64, len(labels)), ih: make([]int64, len(labels))}
	o.collect(groups)
	return o, nil
}

// collect lists the items of each group, in ascending order of group numbers.
func (o *Rank) collect(groups []int) {
	byGroup := map[int][]int32{}
	for i, g := range groups {
		byGroup[g] = append(byGroup[g], int32(i))
	}
	keys := make([]int, 0, len(byGroup))
	for g := range byGroup {
		keys = append(keys, g)
	}
	slices.Sort(keys)
	for _, k := range keys {
		items := byGroup[k]
		differs := func(i int32) bool { return o.labels[i] != o.labels[items[0]] }
		if !slices.ContainsFunc(items, differs) {
			continue
		}
		ys := make([]float64, len(items))
		for i, it := range items {
			ys[i] = o.labels[it]
		}
		slices.Sort(ys)
		dcg := 0.0
		for i := range ys {
			dcg += float64(ys[len(ys)-1-i] * discount(i))
		}
		o.groups, o.ideal = append(o.groups, items), append(o.ideal, 1/dcg)
	}
}

// discount returns the weight of a position: 1, 1/2, 1/3 …, steeper than the
// usual logarithm because only the first few candidates get measured.
func discount(position int) float64 { return 1 / float64(1+position) }

// Name implements Objective: the file is a plain sum of trees.
func (o *Rank) Name() string { return "regression" }

// Len implements Objective.
func (o *Rank) Len() int { return len(o.labels) }

// Base implements Objective: an order has no zero.
func (o *Rank) Base() float64 { return 0 }

// Gradients implements Objective.
func (o *Rank) Gradients(step int, pred, g, h []float64) {
	clear(o.ig)
	clear(o.ih)
	for k := range o.groups {
		o.visit(k, step, pred, func(better, worse int32, weight float64) {
			p := Sigmoid(float64(o.opts.Sigma * (pred[worse] - pred[better])))
			dg := round(float64(o.opts.Sigma*p*weight), pairScale)
			dh := round(float64(o.opts.Sigma*o.opts.Sigma*p*(1-p)*weight), pairScale)
			o.ig[better] -= dg
			o.ig[worse] += dg
			o.ih[better] += dh
			o.ih[worse] += dh
		})
	}
	for i := range g {
		g[i], h[i] = float64(o.ig[i])/pairScale, float64(o.ih[i])/pairScale
	}
}

// Loss implements Objective: the mean over items of the weighted loss of their
// pairs, with the partners of step 0.
func (o *Rank) Loss(pred []float64) float64 {
	sum := 0.0
	for k := range o.groups {
		o.visit(k, 0, pred, func(better, worse int32, weight float64) {
			sum += float64(weight * softplus(float64(o.opts.Sigma*(pred[worse]-pred[better]))))
		})
	}
	return sum / float64(len(o.labels))
}

// visit calls f for the pairs of group k in a step. Weights are normalised by
// the number of partners, so that an item's hessian is of the order of a
// regression's whatever the size of its group.
func (o *Rank) visit(k, step int, pred []float64, f func(better, worse int32, weight float64)) {
	items := o.groups[k]
	n := len(items)
	weigh := o.weigher(k, pred)
	pair := func(i, j int, share float64) {
		a, b := items[i], items[j]
		if o.labels[a] < o.labels[b] {
			a, b, i, j = b, a, j, i
		}
		if o.labels[a] > o.labels[b] {
			f(a, b, float64(weigh(i, j)*share))
		}
	}
	if o.opts.Pairs == 0 || n-1 <= 2*o.opts.Pairs {
		for i := range n {
			for j := range i {
				pair(i, j, 1/float64(n-1))
			}
		}
		return
	}
	r := rand.New(rand.NewPCG(o.opts.Seed, uint64(step)<<32|uint64(k)))
	for i := range n {
		for range o.opts.Pairs {
			j := r.IntN(n - 1)
			if j >= i {
				j++
			}
			pair(i, j, 1/float64(2*o.opts.Pairs))
		}
	}
}

// weigher returns the weight, in [0, 1], of the pair at positions i and j of
// group k.
func (o *Rank) weigher(k int, pred []float64) func(i, j int) float64 {
	items := o.groups[k]
	gap := func(i, j int) float64 { return math.Abs(o.labels[items[i]] - o.labels[items[j]]) }
	switch o.opts.Weight {
	case PairGap:
		return gap
	case PairNDCG:
		rank := ranks(items, pred)
		return func(i, j int) float64 {
			// The largest possible change is that of the whole list; the square
			// root keeps pairs far from the top from vanishing.
			d := gap(i, j) * math.Abs(discount(rank[i])-discount(rank[j])) * o.ideal[k]
			return math.Sqrt(min(d, 1))
		}
	}
	return func(int, int) float64 { return 1 }
}

// ranks returns each item's position in the order of descending predictions.
func ranks(items []int32, pred []float64) []int {
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := pred[items[a]], pred[items[b]]; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	rank := make([]int, len(items))
	for position, i := range order {
		rank[i] = position
	}
	return rank
}
