package gbdt

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// number prints a float so that it reads back as the same bits: 17 significant
// digits.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 17, 64) }

// list prints n numbers separated by blanks.
func list(n int, at func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = at(i)
	}
	return strings.Join(parts, " ")
}

// WriteText writes the model in LightGBM's text format, version 3, which
// LightGBM from 2.3 on and leaves read. The tree_sizes line is exact: LightGBM
// jumps by it.
func (m *Model) WriteText(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	blocks := make([]string, len(m.Trees))
	for i := range m.Trees {
		blocks[i] = m.Trees[i].block(i)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree\nversion=v3\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=%d\n", m.Width-1)
	fmt.Fprintf(&b, "objective=%s\nfeature_names=%s\nfeature_infos=%s\n", m.Objective, strings.Join(m.Names, " "), strings.Join(m.Infos, " "))
	fmt.Fprintf(&b, "tree_sizes=%s\n\n", list(len(blocks), func(i int) string { return strconv.Itoa(len(blocks[i])) }))
	for _, s := range blocks {
		b.WriteString(s)
	}
	b.WriteString("end of trees\n\nfeature_importances:\n")
	for _, im := range m.Importances() {
		fmt.Fprintf(&b, "%s=%d\n", im.Name, im.Splits)
	}
	fmt.Fprintf(&b, "\nparameters:\n[boosting: gbdt]\n[objective: %s]\nend of parameters\n\npandas_categorical:null\n", strings.Fields(m.Objective)[0])
	_, err := w.Write(b.Bytes())
	return err
}

// block prints one tree. Exactly two blank lines end it: leaves takes one as the
// end and skips one before the next.
func (t *Tree) block(i int) string {
	var b strings.Builder
	nodes := func(key string, at func(n *Node) string) {
		if len(t.Nodes) > 0 {
			fmt.Fprintf(&b, "%s=%s\n", key, list(len(t.Nodes), func(i int) string { return at(&t.Nodes[i]) }))
		}
	}
	leaves := func(key string, at func(l *Leaf) string) {
		fmt.Fprintf(&b, "%s=%s\n", key, list(len(t.Leaves), func(i int) string { return at(&t.Leaves[i]) }))
	}
	fmt.Fprintf(&b, "Tree=%d\nnum_leaves=%d\nnum_cat=0\n", i, len(t.Leaves))
	nodes("split_feature", func(n *Node) string { return strconv.Itoa(n.Feature) })
	nodes("split_gain", func(n *Node) string { return number(n.Gain) })
	nodes("threshold", func(n *Node) string { return number(n.Threshold) })
	nodes("decision_type", func(n *Node) string { return strconv.Itoa(n.decision()) })
	nodes("left_child", func(n *Node) string { return strconv.Itoa(int(n.Left)) })
	nodes("right_child", func(n *Node) string { return strconv.Itoa(int(n.Right)) })
	leaves("leaf_value", func(l *Leaf) string { return number(l.Value) })
	leaves("leaf_weight", func(l *Leaf) string { return number(l.Weight) })
	leaves("leaf_count", func(l *Leaf) string { return strconv.Itoa(l.Count) })
	nodes("internal_value", func(n *Node) string { return number(n.Value) })
	nodes("internal_weight", func(n *Node) string { return number(n.Weight) })
	nodes("internal_count", func(n *Node) string { return strconv.Itoa(n.Count) })
	b.WriteString("is_linear=0\nshrinkage=1\n\n\n")
	return b.String()
}

// Bits of a decision type; bit 0 would say categorical.
const (
	decisionDefaultLeft = 1 << 1
	decisionMissingNaN  = 2 << 2 // bits 2 and 3: 0 none, 1 zero, 2 NaN
)

func (n *Node) decision() int {
	d := 0
	if n.DefaultLeft {
		d |= decisionDefaultLeft
	}
	if n.HasMissing {
		d |= decisionMissingNaN
	}
	return d
}

// Importance tells how much a feature is used.
type Importance struct {
	Name   string
	Splits int
	Gain   float64
}

// Importances lists the features in use, the most frequent first.
func (m *Model) Importances() []Importance {
	all := make([]Importance, m.Width)
	for f, n := range m.Names {
		all[f].Name = n
	}
	for i := range m.Trees {
		for _, n := range m.Trees[i].Nodes {
			all[n.Feature].Splits++
			all[n.Feature].Gain += n.Gain
		}
	}
	used := slices.DeleteFunc(all, func(i Importance) bool { return i.Splits == 0 })
	slices.SortStableFunc(used, func(a, b Importance) int { return b.Splits - a.Splits })
	return used
}
