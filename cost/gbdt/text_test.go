package gbdt

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func smallModel(t testing.TB) *Model {
	x, y := tuningData(400, 14, 20, true)
	p := DefaultParams()
	p.Trees, p.Leaves = 5, 6
	return mustTrain(t, mustDataset(t, x, 14, 31), mustSquared(t, y), p)
}

func TestTextRoundTrip(t *testing.T) {
	m := smallModel(t)
	got, err := ReadText(strings.NewReader(text(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Trees {
		for j := range m.Trees[i].Nodes {
			m.Trees[i].Nodes[j].bin = 0 // not stored
		}
	}
	if !reflect.DeepEqual(got, m) {
		t.Error("the model changed on its way through the text")
	}
	if text(t, got) != text(t, m) {
		t.Error("the text changed")
	}
}

// TestTreeSizes checks the byte lengths that LightGBM jumps by.
func TestTreeSizes(t *testing.T) {
	s := text(t, smallModel(t))
	head, body, _ := strings.Cut(s, "\n\n")
	_, sizes, _ := strings.Cut(head, "tree_sizes=")
	for i, size := range strings.Fields(sizes) {
		n := 0
		for _, c := range size {
			n = 10*n + int(c-'0')
		}
		block := body[:n]
		if !strings.HasPrefix(block, "Tree=") || strings.Count(block, "Tree=") != 1 || !strings.HasSuffix(block, "shrinkage=1\n\n\n") {
			t.Fatalf("block %d of %d bytes: %.40q … %q", i, n, block, block[max(0, n-20):])
		}
		body = body[n:]
	}
	if !strings.HasPrefix(body, "end of trees\n") {
		t.Errorf("after the trees: %.40q", body)
	}
}

func TestReadTextRejects(t *testing.T) {
	good := text(t, smallModel(t))
	for name, change := range map[string][2]string{
		"not a model":   {"tree\n", "forest\n"},
		"version":       {"version=v3", "version=v4"},
		"categorical":   {"num_cat=0", "num_cat=1"},
		"decision":      {"decision_type=", "decision_type=9"},
		"child":         {"left_child=", "left_child=7"},
		"missing leaf":  {"num_leaves=6", "num_leaves=5"},
		"feature":       {"max_feature_idx=13", "max_feature_idx=1"},
		"bad number":    {"threshold=", "threshold=x"},
		"cut":           {"end of trees", ""},
		"leaf infinite": {"leaf_value=", "leaf_value=Inf "},
	} {
		bad := strings.Replace(good, change[0], change[1], 1)
		if bad == good {
			t.Fatalf("%s: nothing replaced", name)
		}
		if m, err := ReadText(strings.NewReader(bad)); err == nil || m != nil || !strings.HasPrefix(err.Error(), "gbdt: ") {
			t.Errorf("%s: model %v, error %v", name, m != nil, err)
		}
	}
}

// TestDamagedText changes random bytes: reading must fail or give a model that
// can be evaluated, never panic.
func TestDamagedText(t *testing.T) {
	good := []byte(text(t, smallModel(t)))
	r := rand.New(rand.NewPCG(21, 22))
	x := make([]float64, 14)
	for range 2000 {
		bad := append([]byte(nil), good...)
		for range 1 + r.IntN(3) {
			bad[r.IntN(len(bad))] = "0123456789-. =\nex"[r.IntN(17)]
		}
		if m, err := ReadText(strings.NewReader(string(bad))); err == nil && m.Width <= 14 {
			m.Predict(x)
		}
	}
}

func TestImportances(t *testing.T) {
	m := smallModel(t)
	splits := 0
	for i, im := range m.Importances() {
		splits += im.Splits
		if im.Splits == 0 || im.Gain <= 0 || i > 0 && im.Splits > m.Importances()[i-1].Splits {
			t.Errorf("%+v at %d", im, i)
		}
	}
	nodes := 0
	for _, tree := range m.Trees {
		nodes += len(tree.Nodes)
	}
	if splits != nodes {
		t.Errorf("%d splits counted, %d nodes", splits, nodes)
	}
}

// FuzzReadText: whatever is accepted can be evaluated and written again.
func FuzzReadText(f *testing.F) {
	f.Add(text(f, smallModel(f)))
	f.Fuzz(func(t *testing.T, s string) {
		m, err := ReadText(strings.NewReader(s))
		if err != nil {
			return
		}
		m.Predict(make([]float64, m.Width))
		if _, err := NewPredictor(m); err != nil {
			t.Errorf("leaves cannot read what we accept: %v", err)
		}
	})
}
