package gbdt

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxText bounds the length of a model file.
const maxText = 256 << 20

// ReadText reads a model written by WriteText and verifies it. It does not
// claim to read every file that LightGBM writes.
func ReadText(r io.Reader) (*Model, error) {
	s := &reader{lines: bufio.NewScanner(io.LimitReader(r, maxText))}
	s.lines.Buffer(make([]byte, 0, 64<<10), maxText)
	head := s.section()
	if _, ok := head["tree"]; !ok {
		return nil, fmt.Errorf("gbdt: not a model file: it does not start with a line %q", "tree")
	}
	if v := head["version"]; v != "v3" {
		return nil, fmt.Errorf("gbdt: model file version %q, want v3", v)
	}
	m := &Model{Objective: head["objective"], Names: strings.Fields(head["feature_names"]), Infos: strings.Fields(head["feature_infos"])}
	last, err := strconv.Atoi(head["max_feature_idx"])
	if err != nil {
		return nil, fmt.Errorf("gbdt: max_feature_idx: %w", err)
	}
	m.Width = last + 1
	for i := range strings.Fields(head["tree_sizes"]) {
		t, err := readTree(s.section())
		if err != nil {
			return nil, fmt.Errorf("gbdt: tree %d: %w", i, err)
		}
		m.Trees = append(m.Trees, t)
	}
	if _, ok := s.section()["end of trees"]; !ok {
		return nil, fmt.Errorf("gbdt: no line %q after %d trees", "end of trees", len(m.Trees))
	}
	if err := s.lines.Err(); err != nil {
		return nil, fmt.Errorf("gbdt: reading the model: %w", err)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	return m, nil
}

// reader splits the text into sections of key=value lines between blank lines.
type reader struct{ lines *bufio.Scanner }

func (s *reader) section() map[string]string {
	fields := map[string]string{}
	for s.lines.Scan() {
		line := strings.TrimSpace(s.lines.Text())
		if line == "" {
			if len(fields) == 0 {
				continue
			}
			break
		}
		key, value, _ := strings.Cut(line, "=")
		fields[key] = value
	}
	return fields
}

func readTree(f map[string]string) (Tree, error) {
	leaves, err := strconv.Atoi(f["num_leaves"])
	if err != nil || leaves < 1 || leaves > 32768 {
		return Tree{}, fmt.Errorf("num_leaves is %q", f["num_leaves"])
	}
	if f["num_cat"] != "0" {
		return Tree{}, fmt.Errorf("num_cat is %q: only numeric splits are supported", f["num_cat"])
	}
	t := Tree{Nodes: make([]Node, leaves-1), Leaves: make([]Leaf, leaves)}
	c := &columnReader{fields: f}
	c.ints("split_feature", leaves-1, func(i, v int) { t.Nodes[i].Feature = v })
	c.floats("split_gain", leaves-1, func(i int, v float64) { t.Nodes[i].Gain = v })
	c.floats("threshold", leaves-1, func(i int, v float64) { t.Nodes[i].Threshold = v })
	c.ints("decision_type", leaves-1, func(i, v int) {
		if v&^(decisionDefaultLeft|decisionMissingNaN) != 0 {
			c.fail(fmt.Errorf("decision_type %d is not supported", v))
		}
		t.Nodes[i].DefaultLeft, t.Nodes[i].HasMissing = v&decisionDefaultLeft != 0, v&decisionMissingNaN != 0
	})
	c.ints("left_child", leaves-1, func(i, v int) { t.Nodes[i].Left = int32(v) })
	c.ints("right_child", leaves-1, func(i, v int) { t.Nodes[i].Right = int32(v) })
	c.floats("internal_value", leaves-1, func(i int, v float64) { t.Nodes[i].Value = v })
	c.floats("internal_weight", leaves-1, func(i int, v float64) { t.Nodes[i].Weight = v })
	c.ints("internal_count", leaves-1, func(i, v int) { t.Nodes[i].Count = v })
	c.floats("leaf_value", leaves, func(i int, v float64) { t.Leaves[i].Value = v })
	c.floats("leaf_weight", leaves, func(i int, v float64) { t.Leaves[i].Weight = v })
	c.ints("leaf_count", leaves, func(i, v int) { t.Leaves[i].Count = v })
	return t, c.err
}

// columnReader reads lists of numbers; the first error sticks.
type columnReader struct {
	fields map[string]string
	err    error
}

func (c *columnReader) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *columnReader) each(key string, n int, parse func(i int, s string) error) {
	parts := strings.Fields(c.fields[key])
	if len(parts) != n {
		c.fail(fmt.Errorf("%s has %d entries, want %d", key, len(parts), n))
		return
	}
	for i, s := range parts {
		if err := parse(i, s); err != nil {
			c.fail(fmt.Errorf("%s: %w", key, err))
			return
		}
	}
}

func (c *columnReader) floats(key string, n int, set func(i int, v float64)) {
	c.each(key, n, func(i int, s string) error {
		v, err := strconv.ParseFloat(s, 64)
		if err == nil {
			set(i, v)
		}
		return err
	})
}

func (c *columnReader) ints(key string, n int, set func(i, v int)) {
	c.each(key, n, func(i int, s string) error {
		v, err := strconv.ParseInt(s, 10, 32)
		if err == nil {
			set(i, int(v))
		}
		return err
	})
}
