package gbdt

// leaf is an end of the growing tree: a range of the grower's row permutation.
type leaf struct {
	lo, hi int
	total  cell
	depth  int
	hist   []cell // nil where the leaf cannot be split
	best   split
	parent int // index of the parent node, -1 for the root
	isLeft bool
}

func (l *leaf) rows() int { return l.hi - l.lo }

// grower grows the trees of one training run; its buffers serve all of them.
type grower struct {
	p *Params
	d *Dataset
	q quantiser

	offset   []int // of each feature's histogram within a leaf's
	cells    int
	features []int // which may be used by the current tree, ascending

	gh      []cell  // of every row
	ordered []cell  // of the rows of the leaf being accumulated, in its order
	perm    []int32 // rows, leaf after leaf
	spill   []int32
	free    [][]cell
	bests   [][2]split // per entry of features: of the two new leaves
}

func newGrower(p *Params, d *Dataset) *grower {
	g := &grower{
		p: p, d: d, offset: make([]int, d.width), features: d.splittable,
		gh: make([]cell, d.rows), ordered: make([]cell, d.rows),
		perm: make([]int32, 0, d.rows), spill: make([]int32, d.rows),
		bests: make([][2]split, d.width),
	}
	for f := range d.binnings {
		g.offset[f] = g.cells
		g.cells += d.binnings[f].bins()
	}
	return g
}

// grow returns a tree fitted to the gradients of the given rows and adds its
// values to their predictions.
func (g *grower) grow(rows []int32, grad, hess, pred []float64) Tree {
	g.q = newQuantiser(grad, hess)
	root := &leaf{hi: len(rows), parent: -1}
	g.perm = append(g.perm[:0], rows...)
	for _, r := range rows {
		g.gh[r] = g.q.encode(grad[r], hess[r])
	}
	root.total = g.total(root)
	if g.splittable(root) {
		root.hist = g.histogram()
		g.findBoth(root, nil)
	}
	var t Tree
	leaves := append(make([]*leaf, 0, g.p.Leaves), root)
	for len(leaves) < g.p.Leaves {
		i := widest(leaves)
		if i < 0 {
			break
		}
		left, right := g.divide(&t, leaves[i], i, len(leaves))
		leaves[i] = left
		leaves = append(leaves, right)
		if len(leaves) < g.p.Leaves {
			g.search(leaves[i], right)
		}
	}
	for _, l := range leaves {
		v := float64(g.value(l.total) * g.p.LearningRate)
		t.Leaves = append(t.Leaves, Leaf{Value: v, Weight: g.q.hess(l.total), Count: l.rows()})
		for _, r := range g.perm[l.lo:l.hi] {
			pred[r] += v
		}
		g.release(l)
	}
	return t
}

// widest returns the leaf whose split gains most, the first among equals, or -1.
func widest(leaves []*leaf) int {
	at := -1
	for i, l := range leaves {
		if l.hist != nil && l.best.feature >= 0 && (at < 0 || l.best.gain > leaves[at].best.gain) {
			at = i
		}
	}
	return at
}

// divide makes leaf l, number at, an inner node; its children become leaves
// number at and next. The parent's histogram passes to the left child for search
// to sort out.
func (g *grower) divide(t *Tree, l *leaf, at, next int) (left, right *leaf) {
	s, b := l.best, &g.d.binnings[l.best.feature]
	node := Node{
		Feature: s.feature, Threshold: min(b.upper[min(s.bin, len(b.upper)-1)], maxValue), bin: s.bin,
		DefaultLeft: s.defaultLeft, HasMissing: b.hasNaN, Left: ^int32(at), Right: ^int32(next),
		Gain: s.gain, Value: g.value(l.total), Weight: g.q.hess(l.total), Count: l.rows(),
	}
	n := len(t.Nodes)
	t.Nodes = append(t.Nodes, node)
	if l.parent >= 0 && l.isLeft {
		t.Nodes[l.parent].Left = int32(n)
	} else if l.parent >= 0 {
		t.Nodes[l.parent].Right = int32(n)
	}
	mid := g.partition(l)
	left = &leaf{lo: l.lo, hi: mid, depth: l.depth + 1, parent: n, isLeft: true, hist: l.hist}
	right = &leaf{lo: mid, hi: l.hi, depth: l.depth + 1, parent: n}
	left.total = g.total(left)
	right.total = l.total.minus(left.total)
	return left, right
}

// partition reorders the rows of a leaf, those going left first, both sides in
// their old order, and returns where the right side begins.
func (g *grower) partition(l *leaf) int {
	s := l.best
	column, nan := g.d.columns[s.feature], g.d.binnings[s.feature].nanBin()
	at, spilled := l.lo, 0
	for _, r := range g.perm[l.lo:l.hi] {
		bin := int(column[r])
		if left := bin <= s.bin; left && bin != nan || bin == nan && s.defaultLeft {
			g.perm[at] = r
			at++
			continue
		}
		g.spill[spilled] = r
		spilled++
	}
	copy(g.perm[at:l.hi], g.spill[:spilled])
	return at
}

// search gives two new siblings their histograms and best splits. The
// smaller one is accumulated, the larger one is what remains of the parent.
func (g *grower) search(left, right *leaf) {
	small, large := left, right
	if right.rows() < left.rows() {
		small, large = right, left
	}
	parent := left.hist
	left.hist, right.hist = nil, nil
	if g.splittable(large) {
		large.hist = parent
		small.hist = g.histogram()
		g.findBoth(small, large)
	} else {
		g.free = append(g.free, parent)
	}
	if !g.splittable(small) {
		g.release(small)
	}
}

// findBoth accumulates the histogram of small, subtracts it from that of large
// (which holds the parent's; nil for the root), and finds the best split of
// each: one pass over the features.
func (g *grower) findBoth(small, large *leaf) {
	rows := g.perm[small.lo:small.hi]
	for i, r := range rows {
		g.ordered[i] = g.gh[r]
	}
	findSmall := newFinder(g.p, &g.q, small.total)
	var findLarge finder
	if large != nil {
		findLarge = newFinder(g.p, &g.q, large.total)
	}
	// Features go in pairs, see accumulate; an odd last one is paired with a spare.
	var spare window
	pairs := (len(g.features) + 1) / 2
	g.p.parallel(pairs, func() func(int) {
		return func(k int) {
			i := 2 * k
			a, ha := g.features[i], g.window(small, g.features[i])
			b, hb := a, &spare
			if i+1 < len(g.features) {
				b, hb = g.features[i+1], g.window(small, g.features[i+1])
			}
			accumulate(ha, hb, g.d.columns[a], g.d.columns[b], rows, g.ordered)
			for j := i; j < min(i+2, len(g.features)); j++ {
				f := g.features[j]
				if g.splittable(small) {
					g.bests[j][0] = findSmall.best(f, g.of(small, f), &g.d.binnings[f])
				}
				if large != nil {
					subtract(g.of(large, f), g.of(small, f))
					g.bests[j][1] = findLarge.best(f, g.of(large, f), &g.d.binnings[f])
				}
			}
		}
	})
	small.best = g.pick(0)
	if large != nil {
		large.best = g.pick(1)
	}
}

// of returns a feature's part of a leaf's histogram.
func (g *grower) of(l *leaf, feature int) []cell {
	return l.hist[g.offset[feature]:][:g.d.binnings[feature].bins()]
}

// window clears a feature's part of a leaf's histogram for accumulation.
func (g *grower) window(l *leaf, feature int) *window {
	clear(g.of(l, feature))
	return (*window)(l.hist[g.offset[feature]:])
}

// pick returns the best split over the features, the lowest feature among equals.
func (g *grower) pick(which int) split {
	best := split{feature: -1}
	for i := range g.features {
		if s := g.bests[i][which]; s.feature >= 0 && s.gain > best.gain {
			best = s
		}
	}
	return best
}

// splittable reports whether a leaf has enough rows and room for another level.
func (g *grower) splittable(l *leaf) bool {
	return l.rows() >= 2*g.p.MinData && (g.p.MaxDepth == 0 || l.depth < g.p.MaxDepth)
}

func (g *grower) total(l *leaf) cell {
	var c cell
	for _, r := range g.perm[l.lo:l.hi] {
		c.g += g.gh[r].g
		c.hn += g.gh[r].hn
	}
	return c
}

// value returns the Newton step of a leaf before shrinkage.
func (g *grower) value(total cell) float64 {
	d := g.q.hess(total) + g.p.Lambda
	if d <= 0 {
		return 0
	}
	return -g.q.grad(total) / d
}

func (g *grower) histogram() []cell {
	if n := len(g.free); n > 0 {
		h := g.free[n-1]
		g.free = g.free[:n-1]
		return h
	}
	return make([]cell, g.cells+len(window{})) // the last feature's window fits too
}

func (g *grower) release(l *leaf) {
	if l.hist != nil {
		g.free = append(g.free, l.hist)
		l.hist = nil
	}
}
