package gbdt

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// check verifies everything a reader of the model relies on.
func (m *Model) check() error {
	if m.Width < 1 || len(m.Names) != m.Width || len(m.Infos) != m.Width {
		return fmt.Errorf("gbdt: a model of width %d has %d names and %d ranges", m.Width, len(m.Names), len(m.Infos))
	}
	if err := checkNames(m.Names); err != nil {
		return err
	}
	if slices.ContainsFunc(m.Infos, func(s string) bool { return s == "" || strings.ContainsAny(s, "= \t\r\n") }) {
		return fmt.Errorf("gbdt: bad feature_infos %q", m.Infos)
	}
	if m.Objective == "" || strings.ContainsAny(m.Objective, "=\r\n") {
		return fmt.Errorf("gbdt: bad objective %q", m.Objective)
	}
	if len(m.Trees) == 0 {
		return fmt.Errorf("gbdt: the model has no trees")
	}
	for i := range m.Trees {
		if err := m.Trees[i].check(m.Width); err != nil {
			return fmt.Errorf("gbdt: tree %d: %w", i, err)
		}
	}
	return nil
}

// check verifies that the nodes form one binary tree over the leaves, parents
// before children.
func (t *Tree) check(width int) error {
	if len(t.Leaves) != len(t.Nodes)+1 {
		return fmt.Errorf("%d nodes and %d leaves", len(t.Nodes), len(t.Leaves))
	}
	nodes, leaves := make([]bool, len(t.Nodes)), make([]bool, len(t.Leaves))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Feature < 0 || n.Feature >= width {
			return fmt.Errorf("node %d splits feature %d of %d", i, n.Feature, width)
		}
		if !(math.Abs(n.Threshold) <= math.MaxFloat64) {
			return fmt.Errorf("node %d has threshold %v", i, n.Threshold)
		}
		for _, c := range [...]int32{n.Left, n.Right} {
			seen, k := nodes, int(c)
			if c < 0 {
				seen, k = leaves, int(^c)
			}
			if k >= len(seen) || c >= 0 && k <= i || seen[k] {
				return fmt.Errorf("node %d has child %d", i, c)
			}
			seen[k] = true
		}
	}
	for i, l := range t.Leaves {
		if !(math.Abs(l.Value) <= math.MaxFloat64) {
			return fmt.Errorf("leaf %d has value %v", i, l.Value)
		}
	}
	return nil
}
