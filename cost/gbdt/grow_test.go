package gbdt

import (
	"math"
	"slices"
	"testing"
)

// TestSubtractionEqualsDirectBuild divides leaves the way a tree grows and
// rebuilds the histogram of both children from their rows.
func TestSubtractionEqualsDirectBuild(t *testing.T) {
	x, y := tuningData(3000, 15, 4, true)
	d := mustDataset(t, x, 15, MaxBins)
	p := DefaultParams()
	p.Leaves = 64
	g := newGrower(&p, d)
	grad, hess := make([]float64, d.rows), make([]float64, d.rows)
	for i := range grad {
		grad[i], hess[i] = -y[i], 0.5+float64(i%7)
	}
	g.q = newQuantiser(grad, hess)
	for i := range d.rows {
		g.perm = append(g.perm, int32(i))
		g.gh[i] = g.q.encode(grad[i], hess[i])
	}
	root := &leaf{hi: d.rows, parent: -1, hist: g.histogram()}
	root.total = g.total(root)
	g.findBoth(root, nil)
	var tree Tree
	leaves := []*leaf{root}
	for range 12 {
		i := widest(leaves)
		left, right := g.divide(&tree, leaves[i], i, len(leaves))
		leaves[i] = left
		leaves = append(leaves, right)
		g.search(left, right)
		for _, l := range []*leaf{left, right} {
			if l.total != g.total(l) {
				t.Fatal("the totals of a child differ from the sum of its rows")
			}
			if l.hist == nil {
				continue
			}
			for f := range d.width {
				if direct := directHistogram(g, l, f); !slices.Equal(g.of(l, f), direct) {
					t.Fatalf("feature %d of a leaf of %d rows differs", f, l.rows())
				}
			}
		}
	}
}

func directHistogram(g *grower, l *leaf, feature int) []cell {
	h := make([]cell, g.d.binnings[feature].bins())
	for _, r := range g.perm[l.lo:l.hi] {
		c := &h[g.d.columns[feature][r]]
		c.g += g.gh[r].g
		c.hn += g.gh[r].hn
	}
	return h
}

// TestLeavesAreNewtonSteps checks every leaf of a tree against its definition,
// the last two included.
func TestLeavesAreNewtonSteps(t *testing.T) {
	x, y := tuningData(2000, 14, 6, true)
	d := mustDataset(t, x, 14, MaxBins)
	p := DefaultParams()
	p.Trees, p.LearningRate = 1, 0.5
	m := mustTrain(t, d, mustSquared(t, y), p)
	base := mustSquared(t, y).Base()
	tree := &m.Trees[0]
	sums, counts := make([]float64, len(tree.Leaves)), make([]int, len(tree.Leaves))
	for i := range y {
		k := leafOf(tree, x[i*14:(i+1)*14])
		sums[k] += base - y[i]
		counts[k]++
	}
	if len(tree.Leaves) != p.Leaves {
		t.Errorf("%d leaves of %d", len(tree.Leaves), p.Leaves)
	}
	for k, l := range tree.Leaves {
		want := base - 0.5*sums[k]/(float64(counts[k])+p.Lambda)
		if counts[k] != l.Count || math.Abs(l.Value-want) > 1e-9 {
			t.Errorf("leaf %d: value %v of %d rows, want %v of %d", k, l.Value, l.Count, want, counts[k])
		}
		if l.Count < p.MinData {
			t.Errorf("leaf %d has %d rows", k, l.Count)
		}
	}
	for i, n := range tree.Nodes {
		if n.Gain <= 0 {
			t.Errorf("node %d gains %v", i, n.Gain)
		}
	}
	if got := depth(tree, 0); got > p.MaxDepth {
		t.Errorf("depth %d of %d", got, p.MaxDepth)
	}
}

func leafOf(t *Tree, x []float64) int {
	marked := Tree{Nodes: t.Nodes, Leaves: slices.Clone(t.Leaves)}
	for i := range marked.Leaves {
		marked.Leaves[i].Value = float64(i)
	}
	return int(marked.predict(x))
}

func depth(t *Tree, node int32) int {
	if node < 0 || len(t.Nodes) == 0 {
		return 0
	}
	return 1 + max(depth(t, t.Nodes[node].Left), depth(t, t.Nodes[node].Right))
}
