package gbdt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Train fits trees to the objective's gradients, one after the other. It stops
// early when no split gains anything. The model has at least one tree.
func Train(d *Dataset, obj Objective, p Params) (*Model, error) {
	if err := p.check(d.width); err != nil {
		return nil, err
	}
	if obj.Len() != d.rows {
		return nil, fmt.Errorf("gbdt: an objective of %d predictions for %d rows", obj.Len(), d.rows)
	}
	t := &trainer{
		p: &p, d: d, obj: obj, grower: newGrower(&p, d),
		r:    rand.New(rand.NewPCG(p.Seed, 0x67626474)),
		pred: make([]float64, d.rows), grad: make([]float64, d.rows), hess: make([]float64, d.rows),
		all: make([]int32, d.rows),
	}
	for i := range t.all {
		t.all[i] = int32(i)
	}
	m := t.start()
	for step := range p.Trees {
		tree, err := t.step(step)
		if err != nil {
			return nil, err
		}
		if len(tree.Nodes) == 0 && len(m.Trees) > 0 {
			if t.exhausted() {
				break
			}
			continue
		}
		if len(m.Trees) == 0 {
			t.foldBase(&tree)
		}
		m.Trees = append(m.Trees, tree)
		if p.Progress != nil && !p.Progress(len(m.Trees)-t.inherited, t.pred) {
			break
		}
	}
	return m, nil
}

// trainer is the state of one training run.
type trainer struct {
	p         *Params
	d         *Dataset
	obj       Objective
	grower    *grower
	r         *rand.Rand
	base      float64
	inherited int // trees of the initial model

	pred, grad, hess []float64 // per row
	all              []int32   // row numbers
}

// start returns the model to extend and sets the predictions it makes.
func (t *trainer) start() *Model {
	m := &Model{Width: t.d.width, Names: slices.Clone(t.d.names), Infos: t.d.infos(), Objective: t.obj.Name()}
	if t.p.Init == nil {
		t.base = t.obj.Base()
		for i := range t.pred {
			t.pred[i] = t.base
		}
		return m
	}
	m.Trees = slices.Clone(t.p.Init.Trees)
	t.inherited = len(m.Trees)
	const block = 256
	t.p.parallel((t.d.rows+block-1)/block, func() func(int) {
		x := make([]float64, t.d.width)
		return func(b int) {
			for r := b * block; r < min((b+1)*block, t.d.rows); r++ {
				t.d.row(r, x)
				t.pred[r] = m.Predict(x)
			}
		}
	})
	return m
}

// step grows the next tree and updates the predictions of all rows.
func (t *trainer) step(step int) (Tree, error) {
	t.obj.Gradients(step, t.pred, t.grad, t.hess)
	for i := range t.grad {
		if g, h := t.grad[i], t.hess[i]; !(math.Abs(g) <= maxValue && h >= 0 && h <= maxValue) {
			return Tree{}, fmt.Errorf("gbdt: tree %d, row %d: gradient %v and hessian %v", step, i, g, h)
		}
	}
	t.sampleFeatures()
	rows := t.sampleRows()
	tree := t.grower.grow(rows, t.grad, t.hess, t.pred)
	if len(rows) < t.d.rows {
		t.predictRest(&tree, rows)
	}
	return tree, nil
}

// sampleFeatures draws the features the next tree may use.
func (t *trainer) sampleFeatures() {
	all := t.d.splittable
	if t.p.FeatureFraction == 1 || len(all) == 0 {
		return
	}
	n := max(1, int(t.p.FeatureFraction*float64(len(all))))
	chosen := t.r.Perm(len(all))[:n]
	slices.Sort(chosen)
	t.grower.features = make([]int, n)
	for i, c := range chosen {
		t.grower.features[i] = all[c]
	}
}

// sampleRows draws the rows the next tree is fitted to.
func (t *trainer) sampleRows() []int32 {
	if t.p.BaggingFraction == 1 {
		return t.all
	}
	rows := make([]int32, 0, len(t.all))
	for _, r := range t.all {
		if t.r.Float64() < t.p.BaggingFraction {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return t.all
	}
	return rows
}

// predictRest updates the predictions of the rows a tree was not fitted to.
func (t *trainer) predictRest(tree *Tree, rows []int32) {
	next := 0
	for r := range t.d.rows {
		if next < len(rows) && int(rows[next]) == r {
			next++
			continue
		}
		t.pred[r] += tree.predictBinned(t.d, r)
	}
}

// exhausted reports whether a tree without splits means that none will follow.
func (t *trainer) exhausted() bool {
	return t.p.FeatureFraction == 1 && t.p.BaggingFraction == 1
}

// foldBase adds the base score to the leaves of the first tree: the format has
// no place for it.
func (t *trainer) foldBase(tree *Tree) {
	for i := range tree.Leaves {
		tree.Leaves[i].Value += t.base
	}
	for i := range tree.Nodes {
		tree.Nodes[i].Value += t.base
	}
}

// infos describes the range of each column for the model file.
func (d *Dataset) infos() []string {
	infos := make([]string, d.width)
	for f := range infos {
		b := &d.binnings[f]
		if infos[f] = "none"; b.bins() > 1 && b.lo <= b.hi {
			infos[f] = fmt.Sprintf("[%s:%s]", number(b.lo), number(b.hi))
		}
	}
	return infos
}
