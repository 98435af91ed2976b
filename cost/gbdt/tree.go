package gbdt

import "math"

// Node is an inner node of a tree. Rows with a value <= Threshold go left.
type Node struct {
	Feature     int
	Threshold   float64
	DefaultLeft bool  // where missing values go, if HasMissing
	HasMissing  bool  // the column had missing values in training; otherwise NaN counts as 0
	Left, Right int32 // index of a node, or the complement (^i) of a leaf's index

	Gain   float64 // what the split gained in training
	Value  float64 // what the node would predict as a leaf, before shrinkage
	Weight float64 // sum of hessians
	Count  int     // rows in training

	bin int // threshold in the data set's bins; training only
}

// Leaf is an end of a tree.
type Leaf struct {
	Value  float64 // shrunk; the first tree's includes the base score
	Weight float64
	Count  int
}

// Tree is a binary decision tree; Nodes[0] is its root. A tree without nodes has
// one leaf.
type Tree struct {
	Nodes  []Node
	Leaves []Leaf
}

// predict returns the value of the leaf that a row of features falls into.
func (t *Tree) predict(x []float64) float64 {
	if len(t.Nodes) == 0 {
		return t.Leaves[0].Value
	}
	for i := int32(0); ; {
		n := &t.Nodes[i]
		v := x[n.Feature]
		left := v <= n.Threshold
		if math.IsNaN(v) {
			left = n.HasMissing && n.DefaultLeft || !n.HasMissing && 0 <= n.Threshold
		}
		if i = n.Right; left {
			i = n.Left
		}
		if i < 0 {
			return t.Leaves[^i].Value
		}
	}
}

// predictBinned is predict on a row of the data set the tree was trained on.
func (t *Tree) predictBinned(d *Dataset, r int) float64 {
	if len(t.Nodes) == 0 {
		return t.Leaves[0].Value
	}
	for i := int32(0); ; {
		n := &t.Nodes[i]
		bin := int(d.columns[n.Feature][r])
		left := bin <= n.bin
		if bin == d.binnings[n.Feature].nanBin() {
			left = n.DefaultLeft
		}
		if i = n.Right; left {
			i = n.Left
		}
		if i < 0 {
			return t.Leaves[^i].Value
		}
	}
}

// Model is a sum of trees over named features.
type Model struct {
	Width     int
	Names     []string // of the columns
	Infos     []string // range of each column in training, [low:high], or none
	Objective string   // name of the objective, for readers of the file
	Trees     []Tree
}

// Predict evaluates one row of Width features; NaN is a missing value. It is the
// plain definition of what a model computes: for many rows use a Predictor.
func (m *Model) Predict(x []float64) float64 {
	sum := 0.0
	for i := range m.Trees {
		sum += m.Trees[i].predict(x)
	}
	return sum
}
